"""Counts by layer and by day, and who corrects what, for a process that is asked again and again.

The same answers as :mod:`nutsync.operations.layers` gives, from summaries of day files that are made once
as long as the files stay the same.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from nutsync.core.correction import CORRECTS, Corrections
from nutsync.core.day import Day
from nutsync.core.layer import LAYERS, layer_of
from nutsync.core.layer_queries import Query
from nutsync.core.visibility import visible
from nutsync.operations.layers import EVERYTHING
from nutsync.store.day_memo import DayMemo
from nutsync.store.files import read_if_there

_TELLING = ("kind", "scope", "actor", "namespace", "session")
"""The attributes that decide an entry's layer and who sees it."""

Kind = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class View:
    """Who looks, in which session, at what. ``without`` names forgotten entries that a file still holds."""

    actor: str
    session: str = ""
    query: Query = EVERYTHING
    without: Mapping[str, Collection[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Summary:
    """What one day holds: how many entries of each kind, whether any corrects another, and whether there
    is text beside the entries, such as prose written by hand."""

    entries: tuple[tuple[Kind, int], ...]
    corrects: bool
    prose: bool


class Overview:
    """The summaries of one cell. Safe to use from several threads."""

    def __init__(self, root: Path) -> None:
        self._memo = DayMemo(root, self._summarise)
        self._shared: dict[Summary, Summary] = {}
        self._lock = Lock()

    def counts(self, view: View) -> dict[str, int]:
        """Return how many entries of the archive are seen, by layer: all seven, zeros too."""
        found = dict.fromkeys(LAYERS, 0)
        reader = _Reader(view)
        for _, _, summary in self._days(view, "", "9999"):
            for kind, number in summary.entries:
                layer = reader.layer(kind)
                if layer is not None:
                    found[layer] += number
        return found

    def by_day(
        self, view: View, since: str = "", until: str = "9999", *, prose: bool = False
    ) -> dict[str, int]:
        """Return how many entries are seen of each day that has any, by date, oldest first.

        With ``prose``, days are named that have other text only.
        """
        reader = _Reader(view)
        found: dict[str, int] = {}
        for date, _, summary in self._days(view, since, until):
            number = sum(number for kind, number in summary.entries if reader.layer(kind) is not None)
            if number or (prose and summary.prose):
                found[date] = number
        return found

    def downward(
        self, view: View, since: str = "", until: str = "9999", *, prose: bool = False
    ) -> Iterator[str]:
        """Yield the same days newest first; years that nobody asks on to are not looked into."""
        for year in reversed(self._memo.years()):
            first, last = max(since, f"{year}-01-01"), min(until, f"{year}-12-31")
            if first <= last:
                yield from reversed(self.by_day(view, first, last, prose=prose))

    def corrections(self, view: View, since: str = "") -> Corrections:
        """Return every correction in day files from ``since`` on, everybody's."""
        days = [(date, path) for date, path, one in self._days(view, since, "9999") if one.corrects]
        read = ((date, read_if_there(path)) for date, path in days)
        return Corrections.of(
            one
            for date, content in read
            if content
            for one in Day.parse(content, date).entries()
            if one[0].id not in view.without.get(date, ())
        )

    def _days(self, view: View, since: str, until: str) -> list[tuple[str, str, Summary]]:
        """Return the summaries; one thread looks at the files at a time, so that none is read twice."""
        with self._lock:
            return list(self._memo.walk(since, until, view.without))

    def _summarise(self, content: bytes, date: str, without: frozenset[str]) -> Summary:
        kinds: Counter[Kind] = Counter()
        prose = False
        for block in Day.parse(content, date).blocks:
            if not block.is_bullet:
                prose = True
            elif block.id not in without:
                attributes = block.attributes
                kinds[tuple(sys.intern(attributes.get(name, "")) for name in _TELLING)] += 1
        summary = Summary(tuple(kinds.items()), CORRECTS in content, prose)
        # Thousands of days look the same; they share one summary.
        return self._shared.setdefault(summary, summary)


class _Reader:
    """Tells, for kinds of entries, whether a view has them and of which layer they are."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._verdicts: dict[Kind, str | None] = {}

    def layer(self, kind: Kind) -> str | None:
        """Return the layer of entries of this kind, or None where they are not seen or not asked for."""
        try:
            return self._verdicts[kind]
        except KeyError:
            view = self._view
            attributes: Mapping[str, str] = dict(zip(_TELLING, kind, strict=True))
            seen = visible(attributes, view.actor, view.session) and view.query.matches(attributes)
            verdict = self._verdicts[kind] = layer_of(attributes) if seen else None
            return verdict
