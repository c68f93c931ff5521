"""The catalog: one row a frozen day, ``date<TAB>index`` (design §3.3).

Derived and disposable. Nothing reads a catalog in order to write a day.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from nutsync.core.moment import is_date


class CatalogProblem(NamedTuple):
    """One line of a catalog that is no row, counted from 1, and what is wrong with it."""

    line: int
    message: str


class CatalogDifference(NamedTuple):
    """What a catalog would need to agree with the days: dates, sorted."""

    missing: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    surplus: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.missing or self.stale or self.surplus)


def parse_catalog(content: bytes) -> tuple[dict[str, str], list[CatalogProblem]]:
    """Return the rows of a catalog by date, and the lines that are none; never fails.

    Of two rows for one date the first counts.
    """
    rows: dict[str, str] = {}
    problems: list[CatalogProblem] = []
    text = content.decode("utf-8", "replace").removeprefix("\ufeff")
    for number, line in enumerate(text.split("\n"), 1):
        line = line.removesuffix("\r")
        if not line:
            continue
        date, tab, index = line.partition("\t")
        if not tab or not is_date(date):
            problems.append(CatalogProblem(number, "is not a date, a tab and an index"))
        elif "\t" in index:
            problems.append(CatalogProblem(number, "has more than two columns"))
        elif date in rows:
            problems.append(CatalogProblem(number, "repeats a date"))
        else:
            rows[date] = index
    return rows, problems


def render_catalog(rows: Mapping[str, str] | Iterable[tuple[str, str]]) -> bytes:
    """Return the bytes of a catalog with these rows, sorted by date.

    Raises ValueError for an index with a tab or a line end: it would break the columns.
    """
    by_date = dict(rows)
    lines = []
    for date in sorted(by_date):
        index = by_date[date]
        if any(c in index for c in "\t\n\r"):
            raise ValueError(f"the index of {date} is not one line")
        lines.append(f"{date}\t{index}\n")
    return "".join(lines).encode("utf-8", "replace")


def catalog_difference(rows: Mapping[str, str], days: Mapping[str, str]) -> CatalogDifference:
    """Return how the catalog's ``rows`` differ from ``days``, the frozen days' indexes by date."""
    return CatalogDifference(
        missing=tuple(sorted(days.keys() - rows.keys())),
        stale=tuple(sorted(date for date in days.keys() & rows.keys() if days[date] != rows[date])),
        surplus=tuple(sorted(rows.keys() - days.keys())),
    )


def catalog_year(date: str) -> str:
    """Return the year whose catalog holds ``date``."""
    return date[:4]


def years_of(dates: Sequence[str]) -> list[str]:
    """Return the years whose catalogs hold these dates, sorted, each once."""
    return sorted({catalog_year(date) for date in dates})
