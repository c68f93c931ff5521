"""`sync install` and `uninstall` on any system: written, started, idempotent, undone without a trace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from nutsync.core.errors import ErrScheduler
from nutsync.core.schedule import System
from nutsync.operations.scheduled import minutes_scheduled
from nutsync.operations.scheduling import Machine, install, uninstall
from nutsync.operations.status import read_status
from nutsync.store.programs import Ran
from tests.support.cells import Desk, make_desk


class Scheduler:
    """Notes what it was asked to run, and refuses commands with a given word."""

    def __init__(self, refuses: str = "") -> None:
        self.refuses = refuses
        self.asked: list[str] = []

    def run(self, words: Sequence[str]) -> Ran:
        self.asked.append(" ".join(words[:3]))
        return Ran(1, "no bus") if self.refuses and self.refuses in words else Ran(0, "")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return make_desk(tmp_path / "memory")


def machine(tmp_path: Path, system: System | None, scheduler: Scheduler) -> Machine:
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    return Machine(system, home, {"PATH": "/usr/bin"}, "/usr/bin/python3", 1000, scheduler.run)


def tree(home: Path) -> dict[str, bytes]:
    return {str(p.relative_to(home)): p.read_bytes() if p.is_file() else b"" for p in home.rglob("*")}


@pytest.mark.parametrize("system", System)
def test_what_install_writes_uninstall_takes_away_and_nothing_else(
    desk: Desk, tmp_path: Path, system: System
) -> None:
    scheduler = Scheduler()
    here = machine(tmp_path, system, scheduler)
    (here.home / "kept.txt").write_text("mine")
    before = tree(here.home)
    done = install(desk.cell, here, 10)
    assert [state for _, state, _ in done.files] == ["written"] * len(done.files)
    assert all(path.is_file() and here.home in path.parents for path, _, _ in done.files)
    assert scheduler.asked and minutes_scheduled(desk.cell) == 10
    after = tree(here.home)
    again = install(desk.cell, here, 10)
    assert [state for _, state, _ in again.files] == ["unchanged"] * len(again.files)
    assert tree(here.home) == after
    uninstall(desk.cell, here)
    assert tree(here.home) == before
    assert minutes_scheduled(desk.cell) is None
    assert uninstall(desk.cell, here).commands == ()


@pytest.mark.parametrize("system", System)
def test_a_dry_run_shows_everything_and_changes_nothing(desk: Desk, tmp_path: Path, system: System) -> None:
    scheduler = Scheduler()
    here = machine(tmp_path, system, scheduler)
    done = install(desk.cell, here, 5, dry_run=True)
    assert str(desk.root) in done.words() and "would be written" in done.words()
    assert done.commands and "would run" in done.words()
    assert (tree(here.home), scheduler.asked) == ({}, [])


@pytest.mark.parametrize(("system", "word"), [(System.SYSTEMD, "restart"), (System.LAUNCHD, "bootstrap")])
def test_where_the_scheduler_refuses_nothing_is_left(
    desk: Desk, tmp_path: Path, system: System, word: str
) -> None:
    here = machine(tmp_path, system, Scheduler(refuses=word))
    with pytest.raises(ErrScheduler, match="no bus"):
        install(desk.cell, here, 10)
    assert tree(here.home) == {}
    assert minutes_scheduled(desk.cell) is None


def test_other_minutes_replace_the_file_and_status_tells_them(desk: Desk, tmp_path: Path) -> None:
    here = machine(tmp_path, System.SYSTEMD, Scheduler())
    install(desk.cell, here, 10)
    done = install(desk.cell, here, 5)
    assert {path.suffix: state for path, state, _ in done.files} == {
        ".service": "unchanged",
        ".timer": "written",
    }
    assert read_status(desk.cell).every == 5


def test_a_file_that_is_not_ours_is_left_alone(desk: Desk, tmp_path: Path) -> None:
    here = machine(tmp_path, System.SYSTEMD, Scheduler())
    path = install(desk.cell, here, 10, dry_run=True).files[0][0]
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    for action in (lambda: install(desk.cell, here, 10), lambda: uninstall(desk.cell, here)):
        with pytest.raises(ErrScheduler, match="not made by nutsync"):
            action()
    assert path.read_text() == "mine"


def test_launchd_is_told_to_stop_the_old_job_before_it_starts_the_new(desk: Desk, tmp_path: Path) -> None:
    scheduler = Scheduler()
    here = machine(tmp_path, System.LAUNCHD, scheduler)
    install(desk.cell, here, 10)
    install(desk.cell, here, 5)
    assert [words.split()[1] for words in scheduler.asked] == ["bootstrap", "bootout", "bootstrap"]


def test_without_a_known_scheduler_the_command_to_schedule_is_named(desk: Desk, tmp_path: Path) -> None:
    with pytest.raises(ErrScheduler) as caught:
        install(desk.cell, machine(tmp_path, None, Scheduler()), 10)
    assert f"-m nutsync -C {desk.root} sync" in caught.value.hint
