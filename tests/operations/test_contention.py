"""Many write at once: in one clone, and in many clones around one remote. Nothing is lost, nothing doubled.

(That entries leave by the device's own ref where the branch stays contended stands in test_sync.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from nutsync.core.append import NewEntry
from nutsync.core.sync_plan import MOST_ATTEMPTS
from nutsync.operations.cell import Cell, open_cell
from nutsync.operations.journal import append
from nutsync.operations.sync import sync
from nutsync.operations.verify import verify
from tests.support.cells import ABOUT_ME, make_desk
from tests.support.clock import FakeClock
from tests.support.fleet import Fleet, archive

TODAY = "2026-11-30"
NOON = f"{TODAY}T12:00:00+08:00"
WRITERS = 8
EACH = 25
SENT_AFTER = 5


def open_at_noon(root: Path) -> Cell:
    return open_cell(root, clock=FakeClock(NOON), environ={})


def text_of(writer: int, number: int) -> str:
    return f"writer {writer} says {number}"


def write(root: Path, writer: int, number: int) -> None:
    append(open_at_noon(root), [NewEntry(text_of(writer, number), dict(ABOUT_ME))])


def write_all(root: Path, writer: int) -> int:
    """Append in a process of its own, opening the cell each time as commands do."""
    for number in range(EACH):
        write(root, writer, number)
    return EACH


def write_and_sync(root: Path, writer: int) -> list[tuple[str, int]]:
    """Append and sync in a process of its own; return how each sync ended and how often it tried."""
    ended = []
    for number in range(EACH):
        write(root, writer, number)
        if number % SENT_AFTER == SENT_AFTER - 1:
            done = sync(open_at_noon(root))
            ended.append((done.result, done.attempts))
    return ended


def at_once(work: Callable[[Path, int], Any], roots: list[Path]) -> list[Any]:
    with ProcessPoolExecutor(len(roots), mp_context=get_context("spawn")) as pool:
        return list(pool.map(work, roots, range(len(roots))))


def expected(writers: int = WRITERS) -> Counter[str]:
    return Counter(text_of(writer, number) for writer in range(writers) for number in range(EACH))


@pytest.mark.long
def test_many_processes_that_append_in_one_clone_lose_nothing_and_double_nothing(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "desk", NOON)
    assert sum(at_once(write_all, [desk.root] * WRITERS)) == WRITERS * EACH
    assert Counter(desk.texts(TODAY)) == expected()
    ids = [block.id for block in desk.day(TODAY).blocks]
    assert len(set(ids)) == WRITERS * EACH
    assert verify(open_at_noon(desk.root)).ok
    assert not [path for path in desk.root.rglob("*") if path.suffix in (".lock", ".tmp")]


@pytest.mark.long
def test_many_clones_that_append_and_sync_at_once_all_end_with_everything(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    fleet = Fleet(tmp_path, [f"dev{number}" for number in range(WRITERS)], start=NOON)
    ended = at_once(write_and_sync, [desk.root for desk in fleet.desks.values()])
    tries = [attempts for syncs in ended for _, attempts in syncs]
    record_property("worst_tries", max(tries))
    print(f"worst number of tries: {max(tries)} of {MOST_ATTEMPTS}")
    assert max(tries) <= MOST_ATTEMPTS, "every sync ends by itself"
    for name in fleet.desks:
        fleet.reopen(name)
    fleet.sync_all()
    held = [archive(desk.root) for desk in fleet.desks.values()]
    assert all(one == held[0] for one in held), "byte for byte the same"
    assert Counter(fleet["dev0"].texts(TODAY)) == expected()
    assert all(verify(open_at_noon(desk.root)).ok for desk in fleet.desks.values())
