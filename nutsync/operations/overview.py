"""Counts by layer and by day, and who corrects what, for a process that is asked again and again.

The same answers as :mod:`nutsync.operations.layers` gives, from summaries of day files that are made once
as long as the files stay the same.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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
Verdict = str | None


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
        self._shared: dict[object, object] = {}
        self._lock = Lock()

    def counts(self, *, actor: str, session: str = "") -> dict[str, int]:
        """Return how many entries of the archive ``actor`` sees, by layer: all seven, zeros too."""
        found = dict.fromkeys(LAYERS, 0)
        reader = _Reader(actor, session)
        for _, summary in self._days():
            for kind, number in summary.entries:
                layer = reader.layer(kind)
                if layer is not None:
                    found[layer] += number
        return found

    def by_day(
        self,
        *,
        actor: str,
        session: str = "",
        query: Query = EVERYTHING,
        since: str = "",
        until: str = "9999",
        prose: bool = False,
    ) -> dict[str, int]:
        """Return how many entries ``actor`` sees of each day that has any, by date, oldest first.

        With ``prose``, days are named that have other text only.
        """
        reader = _Reader(actor, session, query)
        found: dict[str, int] = {}
        for date, summary in self._days(since, until):
            number = sum(number for kind, number in summary.entries if reader.layer(kind) is not None)
            if number or (prose and summary.prose):
                found[date] = number
        return found

    def corrections(self, since: str = "") -> Corrections:
        """Return every correction in day files from ``since`` on, everybody's."""
        with self._lock:
            paths = [(date, path) for date, path, one in self._memo.walk(since) if one.corrects]
        days = ((date, read_if_there(path)) for date, path in paths)
        return Corrections.of(
            one for date, content in days if content for one in Day.parse(content, date).entries()
        )

    def _days(self, since: str = "", until: str = "9999") -> Iterator[tuple[str, Summary]]:
        """Yield the summaries; one thread looks at the files at a time, so that none is read twice."""
        with self._lock:
            days = [(date, summary) for date, _, summary in self._memo.walk(since, until)]
        yield from days

    def _summarise(self, content: bytes, date: str) -> Summary:
        kinds: Counter[Kind] = Counter()
        prose = False
        for _, block in Day.parse(content, date).entries():
            attributes = block.attributes
            if block.is_bullet:
                kinds[tuple(sys.intern(attributes.get(name, "")) for name in _TELLING)] += 1
            else:
                prose = True
        summary = Summary(tuple(kinds.items()), CORRECTS in content, prose)
        # Thousands of days look the same; they share one summary.
        return self._shared.setdefault(summary, summary)  # type: ignore[return-value]


class _Reader:
    """Tells, for kinds of entries, whether a reader sees them and of which layer they are."""

    def __init__(self, actor: str, session: str, query: Query = EVERYTHING) -> None:
        self._actor, self._session, self._query = actor, session, query
        self._verdicts: dict[Kind, Verdict] = {}

    def layer(self, kind: Kind) -> Verdict:
        """Return the layer of entries of this kind, or None where the reader does not see or ask for it."""
        try:
            return self._verdicts[kind]
        except KeyError:
            attributes: Mapping[str, str] = dict(zip(_TELLING, kind, strict=True))
            seen = visible(attributes, self._actor, self._session) and self._query.matches(attributes)
            verdict = self._verdicts[kind] = layer_of(attributes) if seen else None
            return verdict
