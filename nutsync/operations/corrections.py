"""Finding corrections in the archive: a search for one word through the files that can hold it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nutsync.core.cell import ARCHIVE_DIR
from nutsync.core.correction import CORRECTS, Corrections
from nutsync.core.day import Day
from nutsync.core.entry import Block, Ref
from nutsync.store.files import day_paths, read_bytes


def read_corrections(root: Path, since: str = "") -> Corrections:
    """Return every correction in day files from the date ``since`` on.

    A correction is never older than what it corrects. Files without one are read, not parsed. Raises
    :class:`ErrUnreadable`.
    """
    return Corrections.of(_entries(root, since))


def _entries(root: Path, since: str) -> Iterator[tuple[Ref, Block]]:
    for date, path in day_paths(str(root / ARCHIVE_DIR), since):
        try:
            content = read_bytes(path)
        except FileNotFoundError:  # gone since the folder was listed
            continue
        if CORRECTS in content:
            yield from Day.parse(content, date).entries()
