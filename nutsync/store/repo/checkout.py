"""Bringing the cell's own files from one commit to another, never over an edit.

A file is written only where it holds what the old commit held. What a person has in it instead stays.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from nutsync.core.errors import ErrUnreadable
from nutsync.store.files import read_if_there, write_unflushed
from nutsync.store.repo.git import Git
from nutsync.store.repo.history import Change
from nutsync.store.repo.objects import Objects, object_id
from nutsync.store.repo.trees import TreeEntry
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
    waiting, left = _sort_out(git, changes, accepted, skipped)
    many = len(waiting) > _FEW and hasattr(os, "sync")
    for change, content in _contents(objects, waiting):
        if _holds(git, change.path) not in {change.old, *accepted.get(change.path, ())}:
            left.append(change.path)
        elif many and content is not None:
            write_unflushed(git.root / change.path, content)
        else:
            write_worktree(git, change.path, content)
    if many:
        os.sync()  # once for all of them; one flush a file would take minutes after a long absence
    rows = {c.path: TreeEntry(c.new_mode, c.new) if c.new else None for c in changes}
    set_index(git, rows)
    return tuple(sorted(left))


def _sort_out(
    git: Git, changes: Iterable[Change], accepted: Mapping[str, Collection[str]], skipped: Collection[str]
) -> tuple[list[Change], list[str]]:
    """Return the changes that have to be written, and the paths that a person's content keeps."""
    waiting: list[Change] = []
    left: list[str] = []
    for change in changes:
        if change.path in skipped:
            continue
        try:
            there = _holds(git, change.path)
        except ErrUnreadable:
            left.append(change.path)
            continue
        if there == change.new:
            continue
        if there == change.old or there in accepted.get(change.path, ()):
            waiting.append(change)
        else:
            left.append(change.path)
    return waiting, left


def _holds(git: Git, path: str) -> str:
    """Return the id of what the worktree's file holds; empty where there is none."""
    content = read_if_there(worktree_path(git, path))
    return "" if content is None else object_id("blob", clean(content), git.hash_name)


def _contents(objects: Objects, changes: Iterable[Change]) -> Iterator[tuple[Change, bytes | None]]:
    """Yield each change with the new content, None where the file goes; a few in memory at a time."""
    rest = iter(changes)
    while batch := list(islice(rest, _CHUNK)):
        wanted = [change for change in batch if change.new]
        found = objects.read_many([change.new for change in wanted])
        contents = {c.path: item.content if item else None for c, item in zip(wanted, found, strict=True)}
        for change in batch:
            yield change, contents.get(change.path)
