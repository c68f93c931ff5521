"""Devices are listed from the branch; a revoked one's later signatures count no more."""

from __future__ import annotations

from pathlib import Path

import pytest

from nutsync.core.audit import parse_message
from nutsync.core.cell import device_path
from nutsync.core.errors import ErrChanged, ErrConfirm, ErrLayerAdminRequired, ErrName, ErrUsage
from nutsync.operations.admins import add_admin
from nutsync.operations.cell import Cell, open_cell
from nutsync.operations.devices import list_devices, revoke_device
from nutsync.operations.verify import verify
from tests.support.fleet import Fleet
from tests.support.repos import git, head


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    fleet = Fleet(tmp_path)
    fleet["lap"].append("before it was lost")
    fleet.sync_all()
    return fleet


def now(fleet: Fleet, name: str = "desk", actor: str = "ana") -> Cell:
    """Return a device's cell as a next command would open it."""
    return open_cell(fleet[name].root, clock=fleet[name].clock, environ={}, actor=actor)


def notices(cell: Cell) -> list[tuple[str, str]]:
    report = verify(cell, full=True)
    assert report.ok
    return [(found.code, found.commit) for found, _ in report.found]


def test_every_device_is_listed_with_its_actor_and_key(fleet: Fleet) -> None:
    found = list_devices(now(fleet))
    rows = found.as_json()["devices"]
    assert isinstance(rows, list)
    assert [(row["device"], row["actor"], row["here"], row["revoked"]) for row in rows] == [
        ("desk", "ana", True, None),
        ("lap", "ana", False, None),
    ]
    assert all(row["key"].startswith("ssh-ed25519 ") for row in rows)


def test_an_admin_revokes_in_one_audited_commit(fleet: Fleet) -> None:
    with pytest.raises(ErrLayerAdminRequired):
        revoke_device(now(fleet), "lap", yes=True)
    add_admin(now(fleet), "ana")
    with pytest.raises(ErrLayerAdminRequired):
        revoke_device(now(fleet, actor="ben"), "lap", yes=True)
    done = revoke_device(now(fleet), "lap", yes=False)
    assert done.commit == head(fleet["desk"].root)
    message = git(fleet["desk"].root, "log", "-1", "--format=%B")
    assert message.startswith("revoke lap\n") and parse_message(message).op == "revoke"
    assert git(fleet["desk"].root, "show", "--name-only", "--format=", "HEAD") == device_path("lap")
    assert git(fleet["desk"].root, "status", "--porcelain") == ""
    assert list_devices(now(fleet)).devices["lap"].revoked is not None
    again = revoke_device(now(fleet), "lap", yes=False)
    assert again.commit is None and again.devices["lap"].revoked is not None
    assert verify(now(fleet)).ok


def test_what_a_device_signed_before_stays_good_and_nothing_after(fleet: Fleet) -> None:
    add_admin(now(fleet), "ana")
    revoke_device(now(fleet), "lap", yes=False)
    assert "signer-unknown" not in [code for code, _ in notices(now(fleet))]
    fleet.sync_all()
    fleet["lap"].append("written by whoever found it")
    late = head(fleet["lap"].root)
    fleet.sync_all()
    assert ("signer-unknown", late) in notices(now(fleet))


def test_this_clone_is_revoked_only_with_yes(fleet: Fleet) -> None:
    with pytest.raises(ErrConfirm):
        revoke_device(now(fleet, "lap"), "lap", yes=False)
    assert revoke_device(now(fleet, "lap"), "lap", yes=True).commit is not None


def test_what_is_no_device_or_was_changed_by_hand_is_said(fleet: Fleet) -> None:
    with pytest.raises(ErrUsage):
        revoke_device(now(fleet), "nobody", yes=True)
    with pytest.raises(ErrName):
        revoke_device(now(fleet), "../x", yes=True)
    path = fleet["desk"].root / device_path("desk")
    path.write_text(path.read_text() + "# mine\n")
    with pytest.raises(ErrChanged):
        revoke_device(now(fleet), "desk", yes=True)
