"""Catalogs: one file a year, one row a frozen day, made good by whatever uses memory next (design §3.3)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import NamedTuple

from nutsync.core.catalog import CatalogDifference, catalog_difference, parse_catalog, render_catalog
from nutsync.core.cell import catalog_path
from nutsync.core.errors import ErrUnwritable, ErrUsage
from nutsync.store.catalogs import (
    YearState,
    read_catalog,
    read_indexes,
    read_note,
    write_catalog,
    write_note,
    year_states,
)


class Rebuilt(NamedTuple):
    """The years that were made anew, and how many rows they hold."""

    years: tuple[str, ...]
    rows: int

    def as_json(self) -> dict[str, object]:
        """Return the document of design §11."""
        return {"years": list(self.years), "rows": self.rows}


class CatalogFinding(NamedTuple):
    """One year's catalog that does not fit its day files."""

    year: str
    code: str
    message: str

    def as_json(self) -> dict[str, object]:
        return {
            "path": catalog_path(self.year),
            "code": self.code,
            "severity": "notice",
            "message": self.message,
            "hint": "`nutsync catalog rebuild` makes it anew.",
        }


def make_good(root: Path, private_dir: Path, today: str) -> None:
    """Make every catalog fit the frozen days, looking only into years that changed.

    For a reader: where the catalogs cannot be written the search goes on without, since a stale catalog
    hides nothing for good. Raises :class:`ErrUnreadable` where day files cannot be read.
    """
    noted_for, noted = read_note(private_dir)
    states = year_states(root)
    thawed = sorted([noted_for[:4], today[:4]]) if noted_for != today else ["", ""]
    wanted = [y for y, state in states.items() if thawed[0] <= y <= thawed[1] or noted.get(y) != state]
    if not wanted and noted_for == today:
        return
    try:
        _write_years(root, private_dir, today, wanted, noted, states)
    except ErrUnwritable:
        return


def rebuild(root: Path, private_dir: Path, today: str, years: Collection[str] = ()) -> Rebuilt:
    """Make the catalogs of ``years`` (none given: of every year) anew.

    Raises :class:`ErrUsage` for what is no year, :class:`ErrUnreadable` and :class:`ErrUnwritable`.
    """
    for year in years:
        if not (len(year) == 4 and year.isascii() and year.isdecimal()):
            raise ErrUsage(f"{year!r} is not a year.", hint="Years are written YYYY.")
    states = year_states(root)
    noted_for, noted = read_note(private_dir)
    wanted = sorted(set(years)) if years else list(states)
    kept = noted if years and noted_for == today else {}
    rows = _write_years(root, private_dir, today, wanted, kept, states)
    return Rebuilt(tuple(wanted), rows)


def check(root: Path, today: str) -> list[CatalogFinding]:
    """Return what is wrong with the catalogs, reading every frozen day file; writes nothing."""
    findings: list[CatalogFinding] = []
    for year in year_states(root):
        days = {date: _one_line(index) for date, index in read_indexes(root, year, today).items()}
        rows, problems = parse_catalog(read_catalog(root, year) or b"")
        findings += [
            CatalogFinding(year, "catalog-form", f"line {problem.line} {problem.message}")
            for problem in problems
        ]
        findings += _findings(year, catalog_difference(rows, days))
    return findings


def _findings(year: str, difference: CatalogDifference) -> list[CatalogFinding]:
    kinds = (
        ("catalog-missing", "has no row", difference.missing),
        ("catalog-stale", "has a row that is not its index", difference.stale),
        ("catalog-surplus", "has a row and no frozen day file", difference.surplus),
    )
    return [CatalogFinding(year, code, f"{date} {what}") for code, what, dates in kinds for date in dates]


def _write_years(
    root: Path,
    private_dir: Path,
    today: str,
    wanted: Iterable[str],
    noted: dict[str, YearState],
    before: dict[str, YearState],
) -> int:
    """Write the catalogs of the wanted years, note what they were made from, return the number of rows."""
    rows = 0
    for year in wanted:
        indexes = read_indexes(root, year, today)
        rows += len(indexes)
        write_catalog(root, year, render_catalog((d, _one_line(index)) for d, index in indexes.items()))
    after = year_states(root)
    kept = set(noted) - set(wanted)
    # A folder that changed while it was read is looked into again next time.
    fresh = {y for y in wanted if y in after and y in before and after[y].folder == before[y].folder}
    write_note(private_dir, today, {y: after[y] for y in (kept | fresh) & after.keys()})
    return rows


def _one_line(index: str) -> str:
    """Return the index as a row can hold it; a hand may have put a tab in."""
    return " ".join(index.split()) if any(mark in index for mark in "\t\n\r") else index
