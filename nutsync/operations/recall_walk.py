"""The stages of a recall (design §10).

A stage first gathers, from bytes alone, the days that may hold something, and how many of the terms at most.
It then hands them out one by one, the most promising and newest first, and looks closer at each only when
it is asked for: an answer has room for few.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from nutsync.core.catalog import parse_catalog
from nutsync.core.cell import ARCHIVE_DIR, catalog_path, day_path
from nutsync.core.day import Day
from nutsync.core.moment import shift_day
from nutsync.core.recall.match import Query
from nutsync.operations.cell import Cell
from nutsync.operations.remembered import remembered
from nutsync.store.catalogs import index_bytes, read_catalog, year_states
from nutsync.store.days import parse_day
from nutsync.store.files import day_paths, read_if_there
from nutsync.store.scan import count_days, days_with, lines_with

_GREP_FROM = 2000
"""From so many day files on, starting `grep` costs less than reading them here."""

_GREP_BYTES = 2_000_000
"""From catalogs of this size on, the same."""


class Candidate(NamedTuple):
    """A day that may hold something: at most how many of the terms, and its catalog row, if any."""

    date: str
    terms: int
    row: str | None = None

    @property
    def order(self) -> tuple[int, str]:
        return self.terms, self.date


class Gathered(NamedTuple):
    """What one stage gathered: how many files or rows it read, and the candidates, most promising first."""

    scanned: int
    candidates: Iterator[Candidate]


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
        found: list[Candidate] = []
        scanned = 0
        for date, content in self._contents(self._recent, "9999-12-31"):
            scanned += 1
            found += self._promising(date, content)
        return Gathered(scanned, self._with_bodies(found))

    def catalog(self) -> Gathered:
        """Look through the catalogs' rows of days before the recent ones."""
        states = year_states(self._root)
        contents = {year: read_catalog(self._root, year) or b"" for year in states}
        wanted = [year for year in contents if self._since[:4] <= year <= self._until[:4] and contents[year]]
        lines = self._grepped_rows(wanted, sum(len(contents[year]) for year in wanted))
        if lines is None:
            lines = (line for year in wanted for line in self._query.candidate_lines(contents[year]))
        found = [candidate for line in lines for candidate in self._promising_row(line)]
        return Gathered(sum(content.count(b"\n") for content in contents.values()), self._with_rows(found))

    def _grepped_rows(self, years: list[str], size: int) -> Iterable[bytes] | None:
        """Return the rows that may match, found by `grep`; None where it does not pay or cannot."""
        strings = self._query.fixed_strings()
        if strings is None or size < _GREP_BYTES or not years:
            return None
        return lines_with([str(self._root / catalog_path(year)) for year in years], strings)

    def frontmatter(self) -> Gathered:
        """Look at the index that each day file before the recent ones says itself."""
        scanned, by_index, _ = self._archive
        return Gathered(scanned, self._with_rows(by_index))

    def body(self) -> Gathered:
        """Look at all text of those day files."""
        scanned, _, by_body = self._archive
        return Gathered(scanned, self._with_bodies(by_body))

    @cached_property
    def _archive(self) -> tuple[int, list[Candidate], list[Candidate]]:
        """Read the old day files once, for both stages: opening them costs more than looking."""
        last = shift_day(self._recent, -1)
        by_index: list[Candidate] = []
        by_body: list[Candidate] = []
        paths = self._grepped(last)
        scanned = 0
        for date, content in self._contents("", last) if paths is None else self._read(paths):
            scanned += 1
            by_body += self._promising(date, content)
            if by_body and by_body[-1].date == date:
                by_index += self._promising_index(date, content)
        return (scanned if paths is None else count_days(self._folder, last)), by_index, by_body

    def _grepped(self, last: str) -> list[tuple[str, str]] | None:
        """Return the old days that may match, found by `grep`; None where it does not pay or cannot."""
        strings = self._query.fixed_strings()
        if strings is None or self._since or count_days(self._folder) < _GREP_FROM:
            return None
        found = days_with(self._folder, strings)
        last = min(last, self._until)
        return None if found is None else [(date, path) for date, path in found if date <= last]

    @property
    def _folder(self) -> str:
        return str(self._root / ARCHIVE_DIR)

    def _contents(self, first: str, last: str) -> Iterator[tuple[str, bytes]]:
        first, last = max(first, self._since), min(last, self._until)
        return self._read(day_paths(self._folder, first, last))

    def _read(self, paths: Iterable[tuple[str, str]]) -> Iterator[tuple[str, bytes]]:
        for date, path in paths:
            content = read_if_there(path)
            if content is not None:  # else it went since the folder was listed
                yield date, content

    def _promising(self, date: str, content: bytes) -> Iterator[Candidate]:
        bound = self._query.bound(content)
        if bound:
            yield Candidate(date, bound)

    def _promising_row(self, line: bytes) -> Iterator[Candidate]:
        rows, _ = parse_catalog(line)
        for date, index in rows.items():
            if date < self._recent and self._since <= date <= self._until:
                yield Candidate(date, self._query.bound(line), index)

    def _promising_index(self, date: str, content: bytes) -> Iterator[Candidate]:
        raw = index_bytes(content)
        index = raw.decode("utf-8", "replace") if raw is not None else parse_day(content, date).index or ""
        bound = self._query.bound(index.encode() if raw is None else raw)
        if bound:
            yield Candidate(date, bound, index)

    def _with_rows(self, found: Iterable[Candidate]) -> Iterator[Candidate]:
        for candidate in sorted(found, key=lambda one: one.order, reverse=True):
            if self._query.matches(candidate.row or ""):
                yield candidate

    def _with_bodies(self, found: Iterable[Candidate]) -> Iterator[Candidate]:
        for candidate in sorted(found, key=lambda one: one.order, reverse=True):
            content = read_if_there(self._root / day_path(candidate.date))
            if content is not None and self._query.may_stand_in(content):
                yield candidate


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
