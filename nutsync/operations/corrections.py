"""Finding corrections in the archive: a search for one word through the files that can hold it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nutsync.core.cell import ARCHIVE_DIR, day_path
from nutsync.core.correction import CORRECTS, Corrections
from nutsync.core.day import Day
from nutsync.core.entry import Block, Ref
from nutsync.store.corrections import correcting_days
from nutsync.store.files import day_paths, read_bytes, read_if_there


def read_corrections(root: Path, since: str = "") -> Corrections:
    """Return every correction in day files from the date ``since`` on.

    A correction is never older than what it corrects. Files without one are read, not parsed. Raises
    :class:`ErrUnreadable`.
    """
    return Corrections.of(_entries(root, since))


def find_corrections(root: Path, private_dir: Path, since: str, recent: str) -> Corrections:
    """Return the same, from the days that are noted to hold corrections and those from ``recent`` on.

    For readers: an archive of a hundred years is not read for it. What was corrected by hand, in place,
    in an old day is not seen.
    """
    days = correcting_days(root, private_dir, since, recent)
    return Corrections.of(
        one
        for date in days
        if (content := read_if_there(root / day_path(date))) is not None
        for one in Day.parse(content, date).entries()
    )


def _entries(root: Path, since: str) -> Iterator[tuple[Ref, Block]]:
    for date, path in day_paths(str(root / ARCHIVE_DIR), since):
        try:
            content = read_bytes(path)
        except FileNotFoundError:  # gone since the folder was listed
            continue
        if CORRECTS in content:
            yield from Day.parse(content, date).entries()
