"""What is remembered of a day file: never an entry that was forgotten (design §6, §10).

An editor that held the file open may save forgotten entries back into it. That edit is held and stays in
the worktree, but no answer shows what it brings back. Which entries were forgotten is read from the newest
checkpoint of the clone: their ids alone, no judging and no history.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from nutsync.core.day import Day
from nutsync.operations.cell import Cell
from nutsync.store import checkpoints
from nutsync.store.days import read_day
from nutsync.store.repo.refs import branch_ref, resolve_ref


def remembered(cell: Cell, day: Day) -> Day:
    """Return ``day`` without entries that were forgotten; its index is then made from those that stay."""
    gone = forgotten_ids(cell).get(day.date, ())
    back = [block for block in day.blocks if block.id in gone] if gone else []
    if not back:
        return day
    from nutsync.core.append import said
    from nutsync.core.index import build_index

    left = day.without(back)
    return left.with_index(build_index(said(left.blocks, {}))) if left.front.present else left


def remembered_day(cell: Cell, date: str) -> Day | None:
    """Return what is remembered of ``date``, or None where it has no file. Raises :class:`ErrUnreadable`."""
    day = read_day(cell.root, date)
    return None if day is None else remembered(cell, day)


def forgotten_ids(cell: Cell) -> Mapping[str, Collection[str]]:
    """Return the ids of every forgotten entry, by date; read once for each opening of the cell."""
    known = cell.memo.get("forgotten")
    if known is None:
        tip = resolve_ref(cell.git, branch_ref(cell.branch))
        known = cell.memo["forgotten"] = checkpoints.forgotten_ids(cell.git.private_dir, tip)
    return known
