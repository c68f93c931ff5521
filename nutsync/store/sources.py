"""The files of a foreign source: one file, or all of a folder and the folders below it."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from nutsync.core.errors import ErrUnreadable
from nutsync.store.files import read_bytes, unreadable


def source_files(path: Path, suffixes: Sequence[str], skipped: Collection[str]) -> Iterator[tuple[str, Path]]:
    """Yield ("/"-separated name below the source, path) for each of its files.

    A single file is taken whatever it is called. Hidden folders, links, folders called as in ``skipped``
    and files with another ending (none given: any) are passed over. Raises :class:`ErrUnreadable`.
    """
    if path.is_file():
        yield path.name, path
        return
    if not path.is_dir():
        raise ErrUnreadable(f"There is no file or folder at {path}.")
    yield from _walk(path, "", suffixes, skipped)


def read_source(path: Path) -> bytes:
    """Return a source file's bytes; raises :class:`ErrUnreadable`."""
    try:
        return read_bytes(path)
    except OSError as problem:
        raise unreadable(path, problem) from problem


def _walk(
    folder: Path, prefix: str, suffixes: Sequence[str], skipped: Collection[str]
) -> Iterator[tuple[str, Path]]:
    try:
        found = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as problem:
        raise unreadable(folder, problem) from problem
    for entry in found:
        name = f"{prefix}{entry.name}"
        if entry.is_symlink() or entry.name.startswith("."):
            continue
        if entry.is_dir():
            if entry.name not in skipped:
                yield from _walk(Path(entry.path), f"{name}/", suffixes, skipped)
        elif not suffixes or entry.name.lower().endswith(tuple(suffixes)):
            yield name, Path(entry.path)
