"""Lists, a page at a time and newest first: entries, days, years (design §12)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from nutsync.core.cell import day_path
from nutsync.core.correction import Corrections
from nutsync.core.entry import Block, Ref
from nutsync.core.errors import ErrUsage
from nutsync.core.layer_queries import Query
from nutsync.core.moment import is_date
from nutsync.core.pattern import pattern
from nutsync.core.visibility import count_layers, visible
from nutsync.operations.cell import Cell
from nutsync.operations.layers import EVERYTHING
from nutsync.operations.overview import Overview, View
from nutsync.operations.remembered import forgotten_ids, remembered_day
from nutsync.operations.seen import entry_json, index_for, visible_corrections
from nutsync.operations.session import read_session

_CURSOR = pattern(r"(\d{4}-\d{2}-\d{2}|session)\.([1-9]\d{0,8})", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Listing:
    """What is listed, for whom; dates are inclusive, ``cursor`` is where the page before ended."""

    actor: str
    session: str = ""
    query: Query = EVERYTHING
    since: str = ""
    until: str = "9999"
    limit: int = 50
    cursor: str | None = None

    def view(self, cell: Cell) -> View:
        """Return who looks at what, without what was forgotten."""
        return View(actor=self.actor, session=self.session, query=self.query, without=forgotten_ids(cell))


@dataclass(frozen=True)
class Page:
    """One page; ``next`` is the cursor of the following one, None on the last."""

    items: tuple[Mapping[str, object], ...]
    next: str | None


def counts(cell: Cell, overview: Overview, *, actor: str, session: str = "") -> dict[str, int]:
    """Return how many entries of each layer ``actor`` sees: all seven keys, zeros too."""
    archive = overview.counts(Listing(actor=actor, session=session).view(cell))
    own = count_layers(block.attributes for _, block in read_session(cell, session, actor))
    return {layer: number + own[layer] for layer, number in archive.items()}


def page_entries(cell: Cell, overview: Overview, listing: Listing) -> Page:
    """Return a page of entries, newest first; those of the session itself come before all.

    Raises :class:`ErrUsage` for a cursor that is none.
    """
    taken: list[tuple[str, int, Ref, Block]] = []
    for one in _entries(cell, overview, listing):
        taken.append(one)
        if len(taken) > listing.limit:
            break
    page = taken[: listing.limit]
    dates = [place for place, _, _, _ in page if place != "session"]
    corrections = _corrections(cell, overview, listing, min(dates)) if dates else Corrections()
    items = tuple({"date": ref.date, **entry_json(ref, block, corrections)} for _, _, ref, block in page)
    last = page[-1] if len(taken) > listing.limit else None
    return Page(items, f"{last[0]}.{last[1]}" if last else None)


def _entries(cell: Cell, overview: Overview, listing: Listing) -> Iterator[tuple[str, int, Ref, Block]]:
    """Yield the entries after the cursor: where each stands (its day, or the session), how many
    stand before it there, counted from 1, the ref and the block."""
    place, before = _read_cursor(listing.cursor)
    if place in ("", "session"):
        own = [
            one
            for one in read_session(cell, listing.session, listing.actor)
            if listing.query.matches(one[1].attributes)
        ]
        yield from _downward("session", own, before if place else len(own) + 1)
    until = listing.until if place in ("", "session") else min(place, listing.until)
    for date in overview.downward(listing.view(cell), listing.since, until):
        seen = _seen_entries(cell, date, listing)
        yield from _downward(date, seen, before if date == place else len(seen) + 1)


def _downward(
    place: str, entries: Sequence[tuple[Ref, Block]], before: int
) -> Iterator[tuple[str, int, Ref, Block]]:
    for number in range(min(before - 1, len(entries)), 0, -1):
        yield place, number, *entries[number - 1]


def _seen_entries(cell: Cell, date: str, listing: Listing) -> list[tuple[Ref, Block]]:
    day = remembered_day(cell, date)
    return [
        (ref, block)
        for ref, block in (day.entries() if day else ())
        if block.is_bullet
        and visible(block.attributes, listing.actor, listing.session)
        and listing.query.matches(block.attributes)
    ]


def _read_cursor(cursor: str | None) -> tuple[str, int]:
    if cursor is None:
        return "", 0
    match = _CURSOR.fullmatch(cursor)
    if match is None or not (match[1] == "session" or is_date(match[1])):
        raise ErrUsage("That cursor was not given by this list.", hint="Take `next` of the page before.")
    return match[1], int(match[2])


def page_days(cell: Cell, overview: Overview, listing: Listing) -> Page:
    """Return a page of the days in which the actor sees something, newest first, with their indexes.

    The cursor is the oldest date of the page before. Raises :class:`ErrUsage` where it is no date.
    """
    cursor = listing.cursor
    if cursor is not None and not is_date(cursor):
        raise ErrUsage("That cursor was not given by this list.", hint="Take `next` of the page before.")
    until = listing.until if cursor is None else min(cursor, listing.until)
    found = overview.downward(listing.view(cell), listing.since, until, prose=listing.query == EVERYTHING)
    dates = list(islice((date for date in found if date != cursor), listing.limit + 1))
    page = dates[: listing.limit]
    today = cell.clock.now().local_date()
    items = tuple(item for date in page if (item := _day_json(cell, date, listing, today)) is not None)
    return Page(items, page[-1] if len(dates) > listing.limit else None)


def _day_json(cell: Cell, date: str, listing: Listing, today: str) -> dict[str, object] | None:
    day = remembered_day(cell, date)
    if day is None:
        return None
    seen = _seen_entries(cell, date, listing)
    return {
        "date": date,
        "path": day_path(date),
        "index": index_for(day, listing.actor, listing.session) or "",
        "frozen": date < today,
        "entries": len(seen),
        "layers": count_layers(block.attributes for _, block in seen),
    }


def years(cell: Cell, overview: Overview, listing: Listing) -> dict[str, int]:
    """Return how many entries each year has that the actor sees, newest year first."""
    found: dict[str, int] = {}
    days = overview.by_day(listing.view(cell))
    for date in reversed(days):
        found[date[:4]] = found.get(date[:4], 0) + days[date]
    return found


def year(cell: Cell, overview: Overview, listing: Listing, which: str) -> dict[str, int]:
    """Return how many entries each day of a year has that the actor sees, oldest first."""
    return overview.by_day(listing.view(cell), f"{which}-01-01", f"{which}-12-31")


def _corrections(cell: Cell, overview: Overview, listing: Listing, since: str) -> Corrections:
    found = overview.corrections(listing.view(cell), since)
    return visible_corrections(found, listing.actor, listing.session)
