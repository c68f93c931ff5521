"""What a session starts with: the last local dates, each with its index (design §10)."""

from __future__ import annotations

from typing import NamedTuple

from nutsync.core.cell import ARCHIVE_DIR, day_path
from nutsync.core.correction import Corrections
from nutsync.core.day import Day
from nutsync.core.entry import Block, Ref
from nutsync.core.moment import shift_day
from nutsync.core.visibility import visible
from nutsync.operations.cell import Cell
from nutsync.operations.remembered import remembered
from nutsync.operations.seen import entry_json, index_for
from nutsync.store.days import parse_day
from nutsync.store.files import day_paths, read_if_there

DEFAULT_DAYS = 30
DEFAULT_MAX_CHARS = 20_000


class Context(NamedTuple):
    """The days of the window that the reader may see, oldest first, and the corrections in force."""

    today: str
    items: tuple[tuple[str, str], ...]
    corrections: tuple[tuple[Ref, Block], ...]
    dropped: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """Return the document of design §11; ``dropped`` names days that the limit left no room for."""
        none = Corrections()
        return {
            "today": self.today,
            "items": [{"date": d, "path": day_path(d), "index": index} for d, index in self.items],
            "corrections": [entry_json(ref, block, none) for ref, block in self.corrections],
            "dropped": list(self.dropped),
        }


def context(
    cell: Cell, *, reader: str, days: int = DEFAULT_DAYS, max_chars: int = DEFAULT_MAX_CHARS
) -> Context:
    """Return the last ``days`` local dates, today included, as ``reader`` sees them.

    Where the indexes are longer than ``max_chars`` together, the oldest days go first. Raises
    :class:`ErrUnreadable`.
    """
    today = cell.clock.now().local_date()
    window: list[Day] = []
    for date, path in day_paths(str(cell.root / ARCHIVE_DIR), shift_day(today, 1 - days), today):
        content = read_if_there(path)
        if content is not None:
            window.append(remembered(cell, parse_day(content, date)))
    items = [(day.date, index) for day in window if (index := index_for(day, reader)) is not None]
    kept, dropped = _newest(items, max_chars)
    return Context(today, tuple(kept), _in_force(window, reader), tuple(dropped))


def _newest(items: list[tuple[str, str]], max_chars: int) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the newest items that fit, oldest first, and the dates of those that do not."""
    kept: list[tuple[str, str]] = []
    left = max_chars
    for place in range(len(items) - 1, -1, -1):
        date, index = items[place]
        left -= len(day_path(date)) + len(index)
        if left < 0:
            return kept[::-1], [date for date, _ in items[: place + 1]]
        kept.append((date, index))
    return kept[::-1], []


def _in_force(window: list[Day], reader: str) -> tuple[tuple[Ref, Block], ...]:
    """Return the corrections of the window that no later one corrects, newest first."""
    seen = [one for day in window for one in day.entries() if visible(one[1].attributes, reader)]
    known = Corrections.of(seen)
    found = [one for one in seen if one[1].attributes.get("corrects") and known.newest(one[0]) is None]
    return tuple(reversed(found))
