"""Showing an entry or a day, for one actor (design §10, §11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nutsync.core.cell import day_path
from nutsync.core.correction import Corrections, successors
from nutsync.core.day import Day
from nutsync.core.entry import Block, Ref
from nutsync.core.visibility import visible
from nutsync.operations.cell import Cell
from nutsync.operations.corrections import read_corrections
from nutsync.operations.earlier import read_earlier
from nutsync.operations.lookup import unknown
from nutsync.operations.remembered import remembered_day
from nutsync.operations.seen import entry_json, index_for, visible_corrections


@dataclass(frozen=True)
class Shown:
    """A day, or one entry of it, as one actor sees it."""

    date: str
    index: str | None
    frozen: bool
    entries: tuple[tuple[Ref, Block], ...]
    corrections: Corrections

    def as_json(self) -> dict[str, object]:
        """Return the document of design §11."""
        return {
            "date": self.date,
            "path": day_path(self.date),
            "index": self.index or "",
            "frozen": self.frozen,
            "entries": [entry_json(ref, block, self.corrections) for ref, block in self.entries],
        }


def show(cell: Cell, ref: Ref, *, actor: str, at: str | None = None, session: str = "") -> Shown:
    """Return what ``ref`` names, as ``actor`` sees it; ``at`` (a commit or date) asks for an earlier version.

    An old ref of a replaced entry finds its replacement, or both where two devices replaced it at once. What
    the actor may not see does not exist for it: :class:`nutsync.core.errors.ErrUnknownRef`, the same as for
    what was never there.
    """
    day = remembered_day(cell, ref.date) if at is None else read_earlier(cell, ref.date, at)
    seen = _seen(day, actor, session) if day else ()
    wanted = seen if ref.id is None and ref.nth is None else _one(seen, ref)
    if day is None or not wanted:
        raise unknown(ref)
    corrections = read_corrections(cell.root, since=ref.date)
    return Shown(
        day.date,
        index_for(day, actor, session),
        day.date < cell.clock.now().local_date(),
        tuple(wanted),
        visible_corrections(corrections, actor, session),
    )


def _seen(day: Day, actor: str, session: str) -> tuple[tuple[Ref, Block], ...]:
    return tuple(one for one in day.entries() if visible(one[1].attributes, actor, session))


def _one(seen: Sequence[tuple[Ref, Block]], ref: Ref) -> tuple[tuple[Ref, Block], ...]:
    return tuple(one for one in seen if one[0] == ref) or successors(seen, ref)
