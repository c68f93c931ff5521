"""Bringing the cell's own files from one commit to another, never over an edit.

A file is written only where it holds what the old commit held. What a person has in it instead stays.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from nutsync.core.errors import ErrUnreadable
from nutsync.store.files import CAN_SYNC_ALL, read_if_there, sync_all, write_unflushed
from nutsync.store.repo.git import Git
from nutsync.store.repo.history import Change
from nutsync.store.repo.objects import Objects, object_id
from nutsync.store.repo.trees import FILE, TreeEntry
from nutsync.store.repo.worktree import clean, set_index, skipped_paths, worktree_path, write_worktree

_FEW = 16
_CHUNK = 256


def bring(
    git: Git,
    objects: Objects,
    changes: Sequence[Change],
    accepted: Mapping[str, Collection[str]],
) -> tuple[str, ...]:
    """Bring worktree and index of the changed files along; return the paths left as they were found.

    ``accepted`` names, for a path, the ids of further contents that may be written over. Left are files
    that hold neither the old nor the new content. The index follows in any case: what a person edited
    shows as edited against the new commit. Raises :class:`ErrUnwritable` and :class:`ErrUnreadable`.
    """
    skipped = skipped_paths(git, [change.path for change in changes])
    files = _Files(git)
    flush = len(changes) <= _FEW or not CAN_SYNC_ALL
    left: list[str] = []
    new: list[str] = []
    for change, content in _contents(objects, [c for c in changes if c.path not in skipped]):
        there = files.holds(change.path)
        if there not in (change.new, change.old, *accepted.get(change.path, ())):
            left.append(change.path)
            continue
        if there != change.new:
            files.write(change.path, content, flush=flush)
        if change.new and change.new_mode == FILE and change.path not in files.odd:
            new.append(change.path)
    if not flush:
        sync_all()
    rows = {c.path: TreeEntry(c.new_mode, c.new) if c.new else None for c in changes}
    set_index(git, rows, in_worktree=new)
    return tuple(sorted(left))


class _Files:
    """The worktree's files of one step. Folders on the way to them are looked at once.

    ``odd`` are paths whose file is executable: Git's index is told their mode, not asked to find it.
    """

    def __init__(self, git: Git) -> None:
        self.git = git
        self.odd: set[str] = set()
        self._folders: set[str] = set()

    def holds(self, path: str) -> str | None:
        """Return the id of what the file holds; empty where there is none, None where it is no plain file."""
        folder = path.rpartition("/")[0]
        where = f"{self.git.root}{os.sep}{path.replace('/', os.sep)}"
        try:
            if folder not in self._folders:
                worktree_path(self.git, folder)
                self._folders.add(folder)
            mode = os.lstat(where).st_mode
            if not stat.S_ISREG(mode):
                return None
            if mode & 0o100 and os.name != "nt":
                self.odd.add(path)
            content = read_if_there(where)
        except (FileNotFoundError, NotADirectoryError):
            return ""
        except (ErrUnreadable, OSError):
            return None
        return "" if content is None else object_id("blob", clean(content), self.git.hash_name)

    def write(self, path: str, content: bytes | None, *, flush: bool) -> None:
        if content is None or flush:
            write_worktree(self.git, path, content)
            self._folders.discard(path.rpartition("/")[0])
        else:
            write_unflushed(self.git.root / path, content)


def _contents(objects: Objects, changes: Iterable[Change]) -> Iterator[tuple[Change, bytes | None]]:
    """Yield each change with the new content, None where the file goes; a few in memory at a time."""
    rest = iter(changes)
    while batch := list(islice(rest, _CHUNK)):
        objects.prefetch(change.new for change in batch if change.new)
        for change in batch:
            yield change, objects.blob(change.new) if change.new else None
