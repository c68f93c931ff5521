"""Sensing writes what is new on this device, in a commit of its own kind, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from nutsync.core.audit import parse_message
from nutsync.core.cell import day_path
from nutsync.core.environment import SYSTEM, Found
from nutsync.operations.layers import counts
from nutsync.operations.record import Recorder
from nutsync.operations.sense import sense
from tests.support.cells import Desk, make_desk
from tests.support.repos import git

FIRST: Found = {SYSTEM: "Debian GNU/Linux 12", "Git": "2.39.5", "Python": "3.11.7"}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return make_desk(tmp_path / "memory")


def look(desk: Desk, found: Found, **options: bool) -> dict[str, object]:
    return sense(desk.cell, look=lambda: found, **options)


def test_a_new_device_tells_everything_once_in_one_sense_commit(desk: Desk) -> None:
    before = git(desk.root, "rev-list", "--count", "HEAD").strip()
    answer = look(desk, FIRST)
    assert answer["texts"] == [
        "desk: operating system Debian GNU/Linux 12",
        "desk: Git 2.39.5",
        "desk: Python 3.11.7",
    ]
    assert int(git(desk.root, "rev-list", "--count", "HEAD")) == int(before) + 1
    audit = parse_message(git(desk.root, "log", "-1", "--format=%B"))
    assert (audit.op, audit.layers, len(audit.entries)) == ("sense", ("environment",), 3)
    for block in desk.day("2026-11-30").stamped:
        told = {name: block.attributes.get(name) for name in ("kind", "scope", "formation", "dev", "actor")}
        assert told == {"kind": "fact", "scope": "host", "formation": "sensed", "dev": "desk", "actor": None}
    assert counts(desk.cell, actor="ben")["environment"] == 3


def test_nothing_new_is_nothing_written(desk: Desk) -> None:
    look(desk, FIRST)
    head = git(desk.root, "rev-parse", "HEAD")
    desk.clock.advance(days=40)
    answer = look(desk, FIRST)
    assert (answer["texts"], answer["entries"], answer["commit"]) == ([], [], None)
    assert git(desk.root, "rev-parse", "HEAD") == head


def test_later_only_what_changed_or_went_is_told(desk: Desk) -> None:
    look(desk, FIRST)
    desk.clock.advance(days=400)
    answer = look(desk, {SYSTEM: None, "Python": "3.12.1"})
    assert answer["texts"] == ["desk: Git is gone (was 2.39.5)", "desk: Python 3.12.1 (was 3.11.7)"]
    desk.clock.advance(days=1)
    assert look(desk, {SYSTEM: "Debian GNU/Linux 12", "Python": "3.12.1"})["texts"] == []


def test_a_dry_run_shows_it_and_writes_nothing(desk: Desk) -> None:
    head = git(desk.root, "rev-parse", "HEAD")
    answer = look(desk, FIRST, dry_run=True)
    assert len(answer["texts"]) == 3  # type: ignore[arg-type]
    assert git(desk.root, "rev-parse", "HEAD") == head
    assert not desk.path("2026-11-30").exists()


def test_what_somebody_else_says_about_this_device_is_not_believed(desk: Desk) -> None:
    desk.append("desk: Python 3.11.7")
    desk.append("desk: Git 2.39.5", scope="global")
    assert look(desk, {"Python": "3.11.7"})["texts"] == ["desk: Python 3.11.7"]


def test_words_about_scope_host_in_a_text_do_not_confuse_it(desk: Desk) -> None:
    desk.append("the attribute scope=host marks the environment")
    assert look(desk, FIRST, dry_run=True)["texts"] != []


def test_a_forged_line_in_the_file_is_not_believed_and_not_in_the_way(desk: Desk) -> None:
    look(desk, {"Git": "2.39.5"})
    path = desk.path("2026-11-30")
    forged = "- desk: Git 9.9 <!-- nut id=k3f9x2ab at=23:00:00.000+08:00 dev=desk scope=host kind=fact -->\n"
    path.write_bytes(path.read_bytes() + forged.encode())
    assert look(desk, {"Git": "2.39.5"})["texts"] == []
    assert look(desk, {"Git": "2.40.0"})["texts"] == ["desk: Git 2.40.0 (was 2.39.5)"]
    assert "9.9" not in git(desk.root, "show", f"HEAD:{day_path('2026-11-30')}")


class PowerCut(BaseException):
    pass


def test_a_crash_before_the_commit_leaves_no_line_that_the_next_command_stumbles_over(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(*_: object) -> None:
        raise PowerCut

    with monkeypatch.context() as patched, pytest.raises(PowerCut):
        patched.setattr(Recorder, "advance", cut)
        look(desk, FIRST)
    assert not desk.path("2026-11-30").exists()
    assert not desk.append("buy milk").held
    assert len(look(desk, FIRST)["entries"]) == 3  # type: ignore[arg-type]
    assert git(desk.root, "status", "--porcelain") == ""
