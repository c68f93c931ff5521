"""Catalog files, and the indexes of day files read the quick way.

Making catalogs good has to be cheap, since every command that uses memory does it. So a note in the
Git directory says which state of a year's folder its catalog was made from; a year whose folder and
catalog are still as noted is not looked into. A catalog that the note wrongly calls good costs nothing
but a search further down: hits are checked against their day files before they are shown.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from nutsync.core.cell import ARCHIVE_DIR, CATALOG_DIR, catalog_path
from nutsync.core.pattern import pattern
from nutsync.store.files import day_paths, read_bytes, read_if_there, remove_file, unreadable, write_atomic

_HEAD = 4096
_CANONICAL = pattern(rb"---\ndate: \d{4}-\d\d-\d\d\nindex: '([^'\n]*(?:''[^'\n]*)*)'\n---\n")
_YEAR = pattern(r"[0-9]{4}")
SETTLED_NS = 100_000_000
"""A folder that changed this shortly before it was noted may change again within one tick of its clock."""


class YearState(NamedTuple):
    """What tells whether a year's catalog still fits: folder time, catalog time and size (-1: not there)."""

    folder: int
    catalog: int
    size: int


def year_states(root: Path) -> dict[str, YearState]:
    """Return the state of every year that has day files or a catalog."""
    archive, catalogs = root / ARCHIVE_DIR, root / CATALOG_DIR
    names = {name for name in _listed(archive) if _YEAR.fullmatch(name)}
    names |= {name[:-4] for name in _listed(catalogs) if name.endswith(".tsv") and _YEAR.fullmatch(name[:-4])}
    states = {}
    for year in sorted(names):
        folder = _stat(archive / year)
        file = _stat(root / catalog_path(year))
        states[year] = YearState(
            folder.st_mtime_ns if folder else -1,
            file.st_mtime_ns if file else -1,
            file.st_size if file else -1,
        )
    return states


def read_indexes(root: Path, year: str, until: str) -> dict[str, str]:
    """Return the index of every day file of a year before the date ``until``, by date.

    A day without a readable index has an empty one. Raises :class:`ErrUnreadable`.
    """
    found: dict[str, str] = {}
    for date, path in day_paths(str(root / ARCHIVE_DIR), f"{year}-01-01", f"{year}-12-31"):
        if date < until:
            try:
                found[date] = read_index(path, date)
            except FileNotFoundError:  # gone since the folder was listed
                continue
    return found


def read_index(path: str, date: str) -> str:
    """Return the decoded index of a day file; of one that is not canonical, what YAML makes of it."""
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 (a str costs less than a Path)
            head = file.read(_HEAD)
    except FileNotFoundError:
        raise
    except OSError as problem:
        raise unreadable(path, problem) from problem
    index = index_bytes(head)
    if index is not None:
        return index.decode("utf-8", "replace")
    from nutsync.store.days import parse_day

    return parse_day(read_bytes(path), date).index or ""


def index_bytes(content: bytes) -> bytes | None:
    """Return the index of a canonical day file as UTF-8, or None where YAML would have to read it."""
    match = _CANONICAL.match(content)
    return match[1].replace(b"''", b"'") if match is not None else None


def read_catalog(root: Path, year: str) -> bytes | None:
    """Return a year's catalog as it is, or None."""
    return read_if_there(root / catalog_path(year))


def write_catalog(root: Path, year: str, content: bytes) -> None:
    """Write a year's catalog whole, or remove it where it has no rows; one that is right stays untouched."""
    path = root / catalog_path(year)
    if not content:
        remove_file(path)
    elif read_if_there(path) != content:
        write_atomic(path, content)


# --- The note ---------------------------------------------------------------------------------------


def read_note(private_dir: Path) -> tuple[str, dict[str, YearState]]:
    """Return the date the catalogs were made for, and the noted years that can still be trusted."""
    path = private_dir / "catalogs"
    written = _stat(path)
    lines = (read_if_there(path) or b"").decode("ascii", "replace").split("\n")
    if written is None:
        return "", {}
    years: dict[str, YearState] = {}
    for line in lines[1:]:
        year, *numbers = line.split(" ")
        if len(numbers) == 3 and all(re.fullmatch(r"-?\d+", number) for number in numbers):
            state = YearState(*map(int, numbers))
            if state.folder + SETTLED_NS < written.st_mtime_ns:
                years[year] = state
    return lines[0], years


def write_note(private_dir: Path, today: str, years: Mapping[str, YearState]) -> None:
    """Note the state of every year whose catalog is good on ``today``."""
    lines = [today, *(f"{year} {s.folder} {s.catalog} {s.size}" for year, s in sorted(years.items())), ""]
    write_atomic(private_dir / "catalogs", "\n".join(lines).encode("ascii"))


def _listed(folder: Path) -> Iterable[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 (only names are wanted)
    except OSError:
        return ()


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except OSError:
        return None
