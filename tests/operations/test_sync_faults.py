"""A sync may be killed, or be failed by the system, at any step: the next command puts everything right."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from nutsync.core.errors import NutsyncError
from nutsync.operations.cell import open_cell
from nutsync.operations.sync import sync
from tests.support.cells import Desk
from tests.support.faults import count_steps, failed_at, killed_at
from tests.support.fleet import NO_WAIT, Fleet, archive
from tests.support.repos import git, is_sound

TODAY = "2026-11-30"
SAID = ["from the desk", "from the lap", "by hand"]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two devices that both changed: entries on either side, one written by hand, a foreign file."""
    folder = tmp_path_factory.mktemp("prepared")
    fleet = Fleet(folder)
    fleet.sync_all()
    (fleet["desk"].root / "README").write_text("foreign")
    git(fleet["desk"].root, "add", "README")
    when = f"{TODAY}T09:00:00+08:00"
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.invalid")
    dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    git(fleet["desk"].root, *identity, "commit", "-qm", "foreign", env=dates)
    fleet["desk"].append("from the desk")
    fleet.sync("desk")
    fleet["lap"].clock.advance(seconds=5)
    fleet["lap"].append("from the lap")
    with fleet["lap"].path(TODAY).open("a") as file:
        file.write("- by hand\n")
    return folder


class Copy:
    """A copy of the two prepared devices and their remote, to be spoiled."""

    def __init__(self, prepared: Path, folder: Path) -> None:
        shutil.copytree(prepared, folder, symlinks=True)
        self.remote = folder / "remote.git"
        self.roots = {name: folder / name for name in ("desk", "lap")}
        for root in self.roots.values():
            git(root, "remote", "set-url", "origin", str(self.remote))
            git(root, "update-index", "-q", "--refresh")

    def open(self, name: str) -> Desk:
        from tests.support.clock import FakeClock

        clock = FakeClock(f"{TODAY}T09:01:00+08:00")
        return Desk(open_cell(self.roots[name], clock=clock, environ={}), clock)

    def sync(self, name: str) -> None:
        sync(self.open(name).cell, pace=NO_WAIT)


def require_whole(copy: Copy) -> None:
    """Check that after one more sync of each device everything is there, once, and nothing else."""
    for name in ("lap", "desk", "lap"):
        copy.sync(name)
    assert archive(copy.roots["desk"]) == archive(copy.roots["lap"])
    assert sorted(copy.open("lap").texts(TODAY)) == sorted(SAID)
    for root in copy.roots.values():
        assert git(root, "status", "--porcelain", "--ignored", "--untracked-files=all", "--", "README") == ""
        assert git(root, "status", "--porcelain") == ""
        assert (root / "README").read_text() == "foreign"
        assert is_sound(root)
        left = [str(p) for p in root.rglob("*") if ".nutsync-tmp" in p.name or p.name.endswith(".lock")]
        assert left == []
    assert is_sound(copy.remote)


def _sync(copy: Copy) -> Callable[[], object]:
    return lambda: copy.sync("lap")


def _sweep(prepared: Path, folder: Path, every: int, first: int) -> None:
    """Kill a sync at every so many of its steps, each time in a fresh copy."""
    step = first
    while True:
        copy = Copy(prepared, folder / f"killed-{step}")
        killed = killed_at(step, _sync(copy))
        require_whole(copy)
        shutil.rmtree(folder / f"killed-{step}")
        if not killed:
            break
        step += every
    assert step > 20


def test_a_sync_that_is_killed_at_some_steps_is_completed_by_the_next(prepared: Path, tmp_path: Path) -> None:
    _sweep(prepared, tmp_path, 17, 5)


@pytest.mark.long
def test_a_sync_that_is_killed_at_any_step_is_completed_by_the_next(prepared: Path, tmp_path: Path) -> None:
    _sweep(prepared, tmp_path, 1, 1)


@pytest.mark.long
def test_a_sync_that_the_system_fails_at_any_step_says_so_by_name_and_loses_nothing(
    prepared: Path, tmp_path: Path
) -> None:
    steps = count_steps(_sync(Copy(prepared, tmp_path / "counted")))
    for step in range(1, steps + 1):
        copy = Copy(prepared, tmp_path / f"failed-{step}")
        failure = failed_at(step, _sync(copy))
        assert failure is None or isinstance(failure, NutsyncError), f"step {step}: {failure!r}"
        require_whole(copy)
        shutil.rmtree(tmp_path / f"failed-{step}")
