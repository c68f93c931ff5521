"""`sync`, `status`, `catalog` and `index` on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nutsync.core.errors import ErrRemoteMissing
from nutsync.frontends.cli.main import run_line
from nutsync.operations.status import read_status
from nutsync.operations.sync import sync
from tests.support.cells import Desk, make_desk
from tests.support.fleet import Fleet
from tests.support.repos import git, make_remote, write

KEYS = {"result", "sent", "received", "attempts", "held", "receipt"}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return make_desk(tmp_path / "memory", remote=str(make_remote(tmp_path / "r.git")))


def run(desk: Desk, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    """Run a command with --json; return its exit code and its document, of whichever stream."""
    code = run_line(["-C", str(desk.root), "--json", *arguments])
    out, err = capsys.readouterr()
    return code, json.loads(out or err.splitlines()[-1])


def test_sync_says_what_it_did(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    run(desk, capsys, "append", "buy milk")
    code, document = run(desk, capsys, "sync")
    assert (code, document["result"], document["sent"]) == (0, "pushed", 1)
    assert document.keys() >= KEYS
    assert run_line(["-C", str(desk.root), "sync"]) == 0
    assert capsys.readouterr().out.startswith("up-to-date: ")


def test_offline_is_exit_5_with_a_document_and_status_says_what_waits(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    run(desk, capsys, "sync")
    git(desk.root, "remote", "set-url", "origin", "git://127.0.0.1:1/nobody")
    run(desk, capsys, "append", "buy milk")
    code, document = run(desk, capsys, "sync")
    assert (code, document["result"], document["waiting"]) == (5, "offline", 1)
    code, status = run(desk, capsys, "status")
    assert (code, status["result"], status["waiting"]) == (0, "offline", 1)
    assert status.keys() >= KEYS
    assert [one["device"] for one in status["devices"]] == ["desk"]


def test_status_of_a_clone_without_a_remote_is_loud(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = make_desk(tmp_path / "alone")
    assert run_line(["-C", str(desk.root), "status"]) == 0
    assert "NO REMOTE" in capsys.readouterr().out
    code, document = run(desk, capsys, "sync")
    assert (code, document["error"]["code"]) == (5, "ErrNoRemote")


def test_status_says_what_waits_and_when_each_device_was_last_seen(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path)
    fleet.add("old", start="2026-11-30T09:10:00+08:00")
    fleet["lap"].clock.set("2026-11-30T11:00:00+08:00")
    fleet["lap"].append("from the lap")
    fleet.sync("lap")
    fleet["desk"].clock.set("2026-12-02T09:00:00+08:00")
    fleet.sync("desk")
    fleet["desk"].append("only here", "this too")
    status = read_status(fleet["desk"].cell)
    assert (status.waiting, status.stale) == (2, False)
    assert {name: at[:16] for name, at in status.seen.items()} == {
        "desk": "2026-12-02T09:00",
        "lap": "2026-11-30T11:00",
        "old": "2026-11-30T09:10",
    }
    assert "lap: last seen 2026-11-30T11:00:00+08:00" in status.words()
    assert "2 entries are only here" in status.words()


def test_a_clone_that_was_offline_for_days_is_stale_however_often_it_tried(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "memory", remote=str(make_remote(tmp_path / "r.git")))
    sync(desk.cell)
    reached = read_status(desk.cell).last["reached"]
    git(desk.root, "remote", "set-url", "origin", "git://127.0.0.1:1/nobody")
    desk.clock.advance(days=4)
    assert sync(desk.cell).result == "offline"
    status = read_status(desk.cell)
    assert status.stale
    assert f"STALE: the remote was last reached {reached}" in status.words()
    git(desk.root, "remote", "set-url", "origin", str(tmp_path / "r.git"))
    sync(desk.cell)
    assert not read_status(desk.cell).stale


def test_status_names_the_error_with_which_the_last_sync_ended(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "memory", remote=str(make_remote(tmp_path / "r.git")))
    sync(desk.cell)
    git(desk.root, "remote", "set-url", "origin", str(tmp_path / "gone.git"))
    with pytest.raises(ErrRemoteMissing):
        sync(desk.cell)
    status = read_status(desk.cell)
    assert status.as_json()["problem"] == "ErrRemoteMissing"
    assert "(ErrRemoteMissing)" in status.words()
    git(desk.root, "remote", "set-url", "origin", str(tmp_path / "r.git"))
    sync(desk.cell)
    assert read_status(desk.cell).as_json()["problem"] is None


def test_status_names_held_edits_and_the_command_that_takes_them_over(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    write(desk.root, ".agents/nutstore-sync/memory/archive/1999/1999-01-01.md", "- by hand\n")
    code, status = run(desk, capsys, "status")
    assert code == 0
    assert [(one["date"], one["command"]) for one in status["held"]] == [
        ("1999-01-01", "nutsync append --from 1999-01-01")
    ]


def test_catalogs_are_rebuilt_and_checked(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    desk.append("long ago")
    assert run(desk, capsys, "catalog", "check")[0] in (0, 1)
    code, document = run(desk, capsys, "catalog", "rebuild")
    assert (code, document["years"]) == (0, ["2026"])
    assert run(desk, capsys, "catalog", "check") == (0, {"findings": []})
    assert run(desk, capsys, "catalog", "rebuild", "x")[0] == 2


def test_an_index_is_checked_and_built(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    date = desk.append("X-200 costs 12,800").date
    assert run(desk, capsys, "index", "check") == (0, {"findings": []})
    code, document = run(desk, capsys, "index", "build", date)
    assert code == 0 and "X-200" in document["index"]
    path = desk.path(date)
    path.write_text(path.read_text().replace("index: '", "index: 'Y-300 arrives; "), encoding="utf-8")
    code, document = run(desk, capsys, "index", "check", date)
    assert code == 1 and document["findings"][0]["code"] == "index-grounding"
    assert run(desk, capsys, "index", "check", "1999-01-01")[0] == 3
