"""What a long-lived process remembers of day files, as long as the file system says they are the same.

A summary is kept with the file's times, size and inode number, as Git keeps its index: a file whose
status differs in any of them is read again, and so is one that was written so shortly before it was read
that a second write might leave the same times. Nothing of this is ever written down.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Generic, NamedTuple, TypeVar

from nutsync.core.cell import ARCHIVE_DIR
from nutsync.store.files import day_paths, read_bytes, unreadable

_SETTLED_NS = 3_000_000_000
"""The coarsest clock of a file system that is in use (FAT) ticks every two seconds."""

NOTHING: Mapping[str, Collection[str]] = MappingProxyType({})

_Summary = TypeVar("_Summary")


class _State(NamedTuple):
    modified: int
    changed: int
    size: int
    inode: int


class DayMemo(Generic[_Summary]):
    """Summaries of the day files under one root, made by ``summarise(content, date, without)``."""

    def __init__(
        self,
        root: Path,
        summarise: Callable[[bytes, str, frozenset[str]], _Summary],
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._archive = str(root / ARCHIVE_DIR)
        self._summarise = summarise
        self._now_ns = now_ns
        self._known: dict[str, tuple[_State, frozenset[str], _Summary]] = {}

    def walk(
        self, since: str = "", until: str = "9999", without: Mapping[str, Collection[str]] = NOTHING
    ) -> Iterator[tuple[str, str, _Summary]]:
        """Yield date, path and summary of every day file from ``since`` to ``until``, sorted by date.

        ``without`` names entries by date that are to count as if they were not there. Raises
        :class:`ErrUnreadable`.
        """
        for date, path in day_paths(self._archive, since, until):
            summary = self._summary(path, date, frozenset(without.get(date, ())))
            if summary is not None:
                yield date, path, summary

    def years(self) -> list[str]:
        """Return the years that have a folder, oldest first."""
        try:
            with os.scandir(self._archive) as entries:
                return sorted(one.name for one in entries if one.name.isdigit() and len(one.name) == 4)
        except FileNotFoundError:
            return []
        except OSError as problem:
            raise unreadable(self._archive, problem) from problem

    def _summary(self, path: str, date: str, without: frozenset[str]) -> _Summary | None:
        try:
            state = _state(path)
            known = self._known.get(path)
            if known is not None and known[:2] == (state, without):
                return known[2]
            now = self._now_ns()
            summary = self._summarise(read_bytes(path), date, without)
        except FileNotFoundError:  # gone since the folder was listed
            self._known.pop(path, None)
            return None
        if now - max(state.modified, state.changed) > _SETTLED_NS:
            self._known[path] = (state, without, summary)
        return summary


def _state(path: str) -> _State:
    try:
        found = os.stat(path)  # noqa: PTH116 (a Path costs more than the status of its file)
    except FileNotFoundError:
        raise
    except OSError as problem:
        raise unreadable(path, problem) from problem
    return _State(found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)
