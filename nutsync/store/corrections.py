"""Which days hold corrections, without reading a hundred years of days to learn it.

A note in the Git directory names, for each year, the days whose files hold a correction, and the time
of the year's folder when they were read. It holds dates alone, and only says where to look: what it
leads to is read from the day files. A year whose folder has changed since is read again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from nutsync.core.cell import ARCHIVE_DIR
from nutsync.core.errors import NutsyncError
from nutsync.core.pattern import pattern
from nutsync.store.catalogs import SETTLED_NS
from nutsync.store.files import day_paths, read_bytes, read_if_there, write_atomic

MARK = b" corrects="
_NOTE = "corrections"
_LINE = pattern(r"(\d{4}) (\d+)((?: \d{4}-\d\d-\d\d)*)")


def correcting_days(root: Path, private_dir: Path, since: str, recent: str) -> list[str]:
    """Return the dates from ``since`` on whose day files may hold a correction, sorted.

    Days from ``recent`` on are looked into each time: a hand may have written them in place. Raises
    :class:`ErrUnreadable`.
    """
    archive = root / ARCHIVE_DIR
    noted = _read_note(private_dir)
    known: dict[str, tuple[int, tuple[str, ...]]] = dict(noted)
    found: list[str] = []
    for year, folder in sorted(_folders(archive).items()):
        if year < since[:4]:
            continue
        if year not in noted or noted[year][0] != folder:
            known[year] = (folder, tuple(_days_with_mark(archive, f"{year}-01-01", f"{year}-12-31")))
        found += [date for date in known[year][1] if since <= date < recent]
    if known != noted:
        _write_note(private_dir, known)
    return found + list(_days_with_mark(archive, max(since, recent), "9999-12-31"))


def _days_with_mark(archive: Path, since: str, until: str) -> Iterable[str]:
    for date, path in day_paths(str(archive), since, until):
        try:
            if MARK in read_bytes(path):
                yield date
        except FileNotFoundError:  # gone since the folder was listed
            continue


def _folders(archive: Path) -> dict[str, int]:
    """Return the year folders and when each last changed."""
    try:
        return {
            path.name: path.lstat().st_mtime_ns
            for path in archive.iterdir()
            if re.fullmatch(r"[0-9]{4}", path.name)
        }
    except OSError:
        return {}


def _read_note(private_dir: Path) -> dict[str, tuple[int, tuple[str, ...]]]:
    """Return the noted years that can still be trusted: those that had settled when they were noted."""
    path = private_dir / _NOTE
    try:
        written = path.lstat().st_mtime_ns
    except OSError:
        return {}
    lines = (read_if_there(path) or b"").decode("ascii", "replace").split("\n")
    found = {}
    for match in filter(None, map(_LINE.fullmatch, lines)):
        if int(match[2]) + SETTLED_NS < written:
            found[match[1]] = (int(match[2]), tuple(match[3].split()))
    return found


def _write_note(private_dir: Path, known: Mapping[str, tuple[int, tuple[str, ...]]]) -> None:
    lines = [" ".join((year, str(folder), *dates)) for year, (folder, dates) in sorted(known.items())]
    try:
        write_atomic(private_dir / _NOTE, "".join(f"{line}\n" for line in lines).encode("ascii"))
    except NutsyncError:
        return  # a reader may be unable to write here; next time the days are read again
