"""Admins: a list that only an admin changes, whose first name the founding device gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from nutsync.core.audit import parse_message
from nutsync.core.cell import CELL_PATH
from nutsync.core.errors import ErrChanged, ErrConfirm, ErrLayerAdminRequired, ErrName, ErrUsage
from nutsync.operations.admins import Admins, add_admin, list_admins, remove_admin
from nutsync.operations.cell import Cell, open_cell
from tests.support.cells import Desk, make_desk
from tests.support.repos import git


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return make_desk(tmp_path / "memory")


def now(desk: Desk, actor: str = "ana") -> Cell:
    """Return the cell as a next command would open it, for ``actor``."""
    return open_cell(desk.root, clock=desk.clock, environ={}, actor=actor)


def test_the_founding_device_names_the_first_admin_in_one_audited_commit(desk: Desk) -> None:
    assert list_admins(now(desk)) == Admins(())
    done = add_admin(now(desk), "ana")
    assert done.names == ("ana",)
    assert list_admins(now(desk)).names == ("ana",)
    message = git(desk.root, "log", "-1", "--format=%B")
    assert message.startswith("admin ana\n")
    assert parse_message(message).op == "admin"
    assert git(desk.root, "show", "--name-only", "--format=", "HEAD").split() == [CELL_PATH]
    assert git(desk.root, "status", "--porcelain") == ""


def test_naming_an_admin_twice_changes_nothing(desk: Desk) -> None:
    add_admin(now(desk), "ana")
    head = git(desk.root, "rev-parse", "HEAD")
    assert add_admin(now(desk), "ana") == Admins(("ana",))
    assert git(desk.root, "rev-parse", "HEAD") == head


def test_once_there_are_admins_nobody_else_changes_the_list(desk: Desk) -> None:
    add_admin(now(desk), "ana")
    with pytest.raises(ErrLayerAdminRequired):
        add_admin(now(desk, "ben"), "ben")
    with pytest.raises(ErrLayerAdminRequired):
        remove_admin(now(desk, "ben"), "ana", yes=True)
    assert list_admins(now(desk)).names == ("ana",)


def test_the_last_admin_goes_only_with_an_explicit_yes(desk: Desk) -> None:
    add_admin(now(desk), "ana")
    add_admin(now(desk), "ben")
    assert remove_admin(now(desk), "ben", yes=False).names == ("ana",)
    with pytest.raises(ErrConfirm):
        remove_admin(now(desk), "ana", yes=False)
    assert list_admins(now(desk)).names == ("ana",)
    assert remove_admin(now(desk), "ana", yes=True).names == ()


def test_a_name_that_no_actor_may_have_is_refused_and_so_is_removing_a_stranger(desk: Desk) -> None:
    with pytest.raises(ErrName):
        add_admin(now(desk), "*")
    with pytest.raises(ErrUsage):
        remove_admin(now(desk), "cleo", yes=True)


def test_an_edit_of_the_file_that_somebody_has_open_is_not_lost(desk: Desk) -> None:
    path = desk.root / CELL_PATH
    edited = path.read_bytes() + b"# a note\n"
    path.write_bytes(edited)
    with pytest.raises(ErrChanged):
        add_admin(now(desk), "ana")
    assert path.read_bytes() == edited


def test_what_else_stands_in_the_file_stays(desk: Desk) -> None:
    cell = now(desk)
    config = cell.config._replace(extra={"colour": "blue"})
    (desk.root / CELL_PATH).write_bytes(config.render())
    git(desk.root, "commit", "-qam", "a later version's setting", "--no-verify")
    add_admin(now(desk), "ana")
    assert now(desk).config == config._replace(admins=("ana",))
