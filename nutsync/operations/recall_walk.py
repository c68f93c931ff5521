"""The stages of a recall, each from the newest day to the oldest (design §10).

A stage first gathers the days that may hold something, from bytes and without parsing, then looks at the
most promising ones until it has as many hits as the answer may show and one more. What the asker may not
see is taken away before anything counts as a hit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from nutsync.core.catalog import parse_catalog
from nutsync.core.cell import ARCHIVE_DIR, day_path
from nutsync.core.day import Day
from nutsync.core.moment import shift_day
from nutsync.core.recall.match import Query
from nutsync.operations.cell import Cell
from nutsync.operations.remembered import remembered
from nutsync.store.catalogs import index_bytes, read_catalog, year_states
from nutsync.store.days import parse_day
from nutsync.store.files import day_paths, read_if_there


class Candidate(NamedTuple):
    """A day that may hold something: how many of the terms its bytes have, and its catalog row, if any."""

    date: str
    terms: int
    row: str | None = None

    @property
    def order(self) -> tuple[int, str]:
        return self.terms, self.date


class Gathered(NamedTuple):
    """What one stage gathered: how many files or rows it read, and the candidates, most promising first."""

    scanned: int
    candidates: list[Candidate]


class Walk:
    """One walk through a cell's days between two dates."""

    def __init__(
        self, root: Path, query: Query, *, recent: str, since: str | None, until: str | None
    ) -> None:
        self._root = root
        self._query = query
        self._recent = recent
        self._since = since or ""
        self._until = until or "9999-12-31"

    def recent(self) -> Gathered:
        """Read the day files of the last local dates, and of later ones from a device further east."""
        scanned = 0
        found: list[Candidate] = []
        for date, content in self._contents(self._recent, "9999-12-31"):
            scanned += 1
            found += self._by_body(date, content)
        return _gathered(scanned, found)

    def catalog(self) -> Gathered:
        """Look through the catalogs' rows of days before the recent ones."""
        scanned = 0
        found: list[Candidate] = []
        for year in year_states(self._root):
            content = read_catalog(self._root, year) or b""
            scanned += content.count(b"\n")
            if self._since[:4] <= year <= self._until[:4]:
                lines = b"".join(line + b"\n" for line in self._query.candidate_lines(content))
                found += self._by_rows(parse_catalog(lines)[0].items())
        return _gathered(scanned, found)

    def frontmatter(self) -> Gathered:
        """Look at the index that each day file before the recent ones says itself."""
        return self._archive[0]

    def body(self) -> Gathered:
        """Look at all text of those day files."""
        return self._archive[1]

    @cached_property
    def _archive(self) -> tuple[Gathered, Gathered]:
        """Read every old day file once, for both stages: opening them costs more than looking."""
        scanned = 0
        by_index: list[Candidate] = []
        by_body: list[Candidate] = []
        for date, content in self._contents("", shift_day(self._recent, -1)):
            scanned += 1
            if self._query.may_match(content):
                by_index += self._by_index(date, content)
                by_body += self._by_body(date, content)
        return _gathered(scanned, by_index), _gathered(scanned, by_body)

    def _contents(self, first: str, last: str) -> Iterator[tuple[str, bytes]]:
        first, last = max(first, self._since), min(last, self._until)
        for date, path in day_paths(str(self._root / ARCHIVE_DIR), first, last):
            content = read_if_there(path)
            if content is not None:  # else it went since the folder was listed
                yield date, content

    def _by_body(self, date: str, content: bytes) -> Iterator[Candidate]:
        if self._query.may_match(content):
            terms = self._query.may_stand_in(content)
            if terms:
                yield Candidate(date, len(terms))

    def _by_index(self, date: str, content: bytes) -> Iterator[Candidate]:
        raw = index_bytes(content)
        index = raw.decode("utf-8", "replace") if raw is not None else parse_day(content, date).index or ""
        if raw is None or self._query.may_match(raw):
            terms = self._query.found_in(index)
            if self._query.met_by(terms):
                yield Candidate(date, len(terms))

    def _by_rows(self, rows: Iterable[tuple[str, str]]) -> Iterator[Candidate]:
        for date, index in rows:
            if date < self._recent and self._since <= date <= self._until:
                terms = self._query.found_in(index)
                if self._query.met_by(terms):
                    yield Candidate(date, len(terms), index)


def _gathered(scanned: int, found: Iterable[Candidate]) -> Gathered:
    return Gathered(scanned, sorted(found, key=lambda one: one.order, reverse=True))


def read_candidate(cell: Cell, candidate: Candidate) -> Day | None:
    """Return what is remembered of a candidate's day.

    None where it is gone, or where its row is not what the day says.
    """
    content = read_if_there(cell.root / day_path(candidate.date))
    day = parse_day(content, candidate.date) if content is not None else None
    if day is not None and candidate.row is not None and not same_index(candidate.row, day):
        return None
    return None if day is None else remembered(cell, day)


def same_index(row: str, day: Day) -> bool:
    """Tell whether a catalog's row says what the day's index says; a row holds no tab or line break."""
    return row.split() == (day.index or "").split()
