"""`doctor` names what is wrong with a clone, and mends what needs no question."""

from __future__ import annotations

from pathlib import Path

import pytest

from nutsync.core.cell import day_path
from nutsync.core.errors import ErrUnreadable
from nutsync.operations.arming import disarm
from nutsync.operations.doctor import examine
from nutsync.operations.verify import verify
from tests.support.cells import Desk, make_desk
from tests.support.fleet import Fleet
from tests.support.repos import git, head


def test_a_sound_clone_has_nothing_wrong(tmp_path: Path) -> None:
    assert examine(make_desk(tmp_path / "cell").cell) == []


def test_a_disarmed_clone_and_one_without_its_merge_driver_are_named_and_mended(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "cell")
    disarm(desk.cell.git)
    assert {"hooks-missing", "driver-missing"} <= {problem.code for problem in examine(desk.cell)}
    assert examine(desk.cell, fix=True) == []
    desk.cell.git.set_config("merge.union.driver", "/nowhere/nutsync %A")
    assert [problem.code for problem in examine(desk.cell)] == ["driver-fails"]


def test_an_unfit_repository_is_named(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "cell")
    git(desk.root, "checkout", "-q", "--detach")
    assert [problem.code for problem in examine(desk.cell)] == ["ErrDetachedHead"]


def codes(desk: Desk) -> list[str]:
    return [problem.code for problem in examine(desk.cell)]


def test_days_that_nobody_understands_are_named_and_stay_as_they_are(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "cell")
    torn = desk.path("2026-11-02")
    torn.parent.mkdir(parents=True, exist_ok=True)
    torn.write_bytes(b"---\ndate: 2026-11-01\nindex: 'never closed\n---\n- \xff\x00\n")
    found = examine(desk.cell, fix=True)
    assert {problem.code for problem in found} == {"form-index", "form-date"}
    assert {(problem.path, problem.severity) for problem in found} == {(day_path("2026-11-02"), "notice")}
    assert torn.read_bytes().endswith(b"- \xff\x00\n")


def test_a_day_that_the_system_does_not_let_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = make_desk(tmp_path / "cell")
    desk.append("one")

    def refuse(path: Path) -> bytes:
        raise ErrUnreadable(f"{path} cannot be read.")

    monkeypatch.setattr("nutsync.operations.doctor.read_bytes", refuse)
    (problem,) = examine(desk.cell)
    assert (problem.code, problem.ref, problem.severity) == ("day-unreadable", "2026-11-30", "violation")


def test_what_was_not_sent_is_counted_once_there_is_a_remote(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, ("desk",))
    assert codes(fleet["desk"]) == []
    fleet["desk"].append("one", "two")
    (problem,) = examine(fleet["desk"].cell)
    assert (problem.code, problem.severity) == ("unpushed", "notice") and problem.message.startswith("2 ")


def test_a_clock_that_ran_ahead_is_named_and_what_nobody_saw_is_dated_anew(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path)
    desk = fleet["desk"]
    desk.append("sent before")
    fleet.sync_all()
    sent = head(desk.root)
    desk.clock.advance(hours=3)
    desk.append("ahead")
    desk.append("further ahead")
    text = desk.path("2026-11-30").read_bytes()
    desk.clock.advance(hours=-3, seconds=60)
    assert "clock-ahead" in codes(desk)
    assert "clock-ahead" not in [problem.code for problem in examine(desk.cell, fix=True)]
    assert git(desk.root, "rev-parse", "HEAD~2") == sent
    dates = git(desk.root, "log", "-2", "--format=%ad %cd", "--date=iso-strict").split()
    assert all(date.startswith("2026-11-30T09:") for date in dates)
    assert desk.path("2026-11-30").read_bytes() == text
    assert git(desk.root, "status", "--porcelain") == ""
    assert verify(desk.cell).ok and "unsigned" not in [found.code for found, _ in verify(desk.cell).found]
    fleet.sync_all()
    assert fleet["lap"].texts("2026-11-30") == ["sent before", "ahead", "further ahead"]


def test_an_entry_of_a_day_that_has_not_come_keeps_its_date_and_waits(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path)
    desk = fleet["desk"]
    desk.clock.advance(days=2)
    desk.append("of another day")
    before = head(desk.root)
    desk.clock.advance(days=-2)
    assert "clock-ahead" in [problem.code for problem in examine(desk.cell, fix=True)]
    assert head(desk.root) == before


def test_a_clock_behind_what_came_and_an_offset_that_moved_are_named(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "cell")
    desk.append("one")
    desk.clock.set("2026-11-30T04:00:00+03:00")
    assert codes(desk) == ["offset-moved"]


def test_a_git_that_is_old_and_a_missing_ssh_keygen_are_worth_a_notice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = make_desk(tmp_path / "cell")
    monkeypatch.setattr("nutsync.operations.doctor.git_version", lambda git: (2, 34))
    monkeypatch.setattr("nutsync.store.repo.keys.DeviceKey.can_be_used_by_git", lambda key: False)
    assert codes(desk) == ["ssh-keygen", "git-old"]
