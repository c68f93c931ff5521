"""Merging the cell's own files beside the archive (design §8.5): devices and purges unite, births are won
by the earlier, and whatever one side alone changed is taken from it."""

from __future__ import annotations

from collections.abc import Sequence

from nutsync.core.ancestry import leading_sides
from nutsync.core.cell import CELL_PATH, Device, device_of_path
from nutsync.core.errors import ErrCellFile
from nutsync.core.moment import Moment
from nutsync.operations.guard import Guard
from nutsync.store.repo.history import Change
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.trees import TreeEntry

_LAST = Moment(1 << 62)


def merge_cell_file(
    guard: Guard, change: Change, sides: tuple[str, str], bases: Sequence[str]
) -> TreeEntry | None:
    """Return what stands at a path of the cell that differs between two sides: always one side's version.

    It does not matter which side is which.
    """
    ours, theirs = _entry(change.old_mode, change.old), _entry(change.new_mode, change.new)
    device = device_of_path(change.path)
    if change.path == CELL_PATH or device is not None:
        leading = leading_sides([guard.ancestry(side) for side in sides], device)
        allowed = [entry for side in leading if (entry := (ours, theirs)[side]) is not None]
        if len(allowed) == 1:
            return allowed[0]
        if device is None:
            return _cell_toml(guard, change, sides, bases)
        return min(allowed, key=lambda entry: _enrolled(guard.objects, device, entry), default=None)
    before = [guard.objects.entry(base, change.path) for base in bases]
    if before and all(base == ours for base in before):
        return theirs
    if before and all(base == theirs for base in before):
        return ours
    if ours is None or theirs is None:
        return ours or theirs
    return min(ours, theirs)


def _cell_toml(
    guard: Guard, change: Change, sides: tuple[str, str], bases: Sequence[str]
) -> TreeEntry | None:
    """Of two births the earlier wins; of two changes the later."""
    ours, theirs = _entry(change.old_mode, change.old), _entry(change.new_mode, change.new)
    if ours is None or theirs is None:
        return ours or theirs
    born_twice = not any(guard.objects.entry(base, CELL_PATH) for base in bases)
    words = ("--diff-filter=A",) if born_twice else ("-1",)
    times = [
        min(int(line) for line in said.split())
        for side in sides
        if (said := guard.git.run("log", "--format=%at", *words, side, "--", CELL_PATH).text())
    ]
    if len(times) < len(sides) or times[0] == times[1]:
        return min(ours, theirs)
    ours_first = times[0] < times[1]
    return ours if ours_first == born_twice else theirs


def _enrolled(objects: Objects, name: str, entry: TreeEntry) -> tuple[Moment, bool, str]:
    """Order devices under one name: the one enrolled earlier keeps it; of two versions, the revoked one."""
    try:
        device = Device.parse(objects.blob(entry.oid), name)
    except ErrCellFile:
        return _LAST, True, entry.oid
    return device.enrolled, device.revoked is None, entry.oid


def _entry(mode: str, oid: str) -> TreeEntry | None:
    return TreeEntry(mode, oid) if oid else None
