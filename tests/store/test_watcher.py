"""Waiting for changes of real files, for the network and for the end."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from nutsync.core.watching import Surroundings, Woken
from nutsync.store.files import TEMP_PREFIX
from nutsync.store.watcher import Watcher, matters, surroundings

HOME = Surroundings(("192.0.2.7", ""), wall=0.0, awake=0.0)
NOWHERE = Surroundings(("", ""), wall=0.0, awake=0.0)
DEADLINE = 60.0


def wait_for(watcher: Watcher, woken: Woken, before_each: object = None) -> bool:
    """Tell whether the watcher wakes for that reason, within a generous time."""
    last = time.monotonic() + DEADLINE
    while time.monotonic() < last:
        if callable(before_each):
            before_each()
        if watcher.wait(0.5) is woken:
            return True
    return False


def test_a_change_of_a_day_file_wakes(tmp_path: Path) -> None:
    folder = tmp_path / "archive" / "2026"
    folder.mkdir(parents=True)
    with Watcher([tmp_path], look=lambda: HOME) as watcher:
        assert wait_for(watcher, Woken.CHANGED, lambda: (folder / "2026-11-30.md").write_text("- x\n"))


@pytest.mark.parametrize(
    ("name", "does"), [("2026-11-30.md", True), (f"{TEMP_PREFIX}1.md", False), ("2026.tsv", False)]
)
def test_only_files_that_people_write_matter(name: str, does: bool) -> None:
    assert matters(None, f"/memory/archive/{name}") == does


def test_a_network_that_comes_back_wakes(tmp_path: Path) -> None:
    seen = [NOWHERE]
    with Watcher([tmp_path], look=lambda: seen[0], seconds=0.01) as watcher:
        assert watcher.wait(0.02) is Woken.TIME
        seen[0] = HOME
        assert watcher.wait(DEADLINE) is Woken.ONLINE
        assert watcher.wait(0.02) is Woken.TIME


def test_whoever_waits_is_woken_to_stop_and_no_later_wait_takes_time(tmp_path: Path) -> None:
    with Watcher([tmp_path], look=lambda: HOME) as watcher:
        threading.Timer(0.05, watcher.stop).start()
        assert watcher.wait(DEADLINE) is Woken.STOPPED
        assert watcher.wait(DEADLINE) is Woken.STOPPED


def test_a_folder_that_is_not_there_leaves_time_to_wake(tmp_path: Path) -> None:
    with Watcher([tmp_path / "gone"], look=lambda: HOME) as watcher:
        assert watcher.wait(0.05) is Woken.TIME


def test_looking_at_the_network_sends_nothing_and_never_fails() -> None:
    here = surroundings()
    assert len(here.addresses) == 2
    assert all(isinstance(one, str) for one in here.addresses)
