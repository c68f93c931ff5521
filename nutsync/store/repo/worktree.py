"""Git's index and the files of the worktree, limited to the paths we are told.

Nothing here walks the repository: a clone with many thousand files costs what Git needs to read its
index, once.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from nutsync.core.errors import ErrLocked, ErrUnreadable
from nutsync.store.files import read_if_there, remove_file, unreadable, write_atomic
from nutsync.store.repo.git import Git
from nutsync.store.repo.objects import object_id
from nutsync.store.repo.trees import FILE, TreeEntry

_INDEX_LOCK_PATIENCE = 3.0
_PAUSE = 0.02


class IndexEntry(NamedTuple):
    """What the index holds for one path. ``skipped``: sparse checkout keeps the file out of the worktree."""

    mode: str
    oid: str
    stage: int
    skipped: bool


class PathState(NamedTuple):
    """How one path differs between the commit, the index and the worktree.

    ``staged`` and ``changed`` are Git's letters (``.`` for no difference, ``A``, ``M``, ``D``, ``T``;
    ``?`` for an untracked file, ``U`` for unmerged).
    """

    path: str
    staged: str
    changed: str


def clean(content: bytes) -> bytes:
    """Return a file's content as Git stores it under ``text eol=lf``: CRLF becomes LF, nothing else."""
    return content.replace(b"\r\n", b"\n") if b"\r\n" in content else content


def worktree_path(git: Git, path: str) -> Path:
    """Return where a path of the repository is on the disk.

    Raises :class:`ErrUnreadable` where a link stands in its way: following it could read or write
    outside the repository.
    """
    where = git.root
    for part in path.split("/"):
        where = where / part
        try:
            if where.is_symlink():
                raise ErrUnreadable(
                    f"{where} is a symbolic link.", hint="Put the folder or file itself there."
                )
        except OSError as problem:
            raise unreadable(where, problem) from problem
    return where


def read_worktree(git: Git, path: str) -> bytes | None:
    """Return a file of the worktree as Git would store it (:func:`clean`), or None where there is none."""
    content = read_if_there(worktree_path(git, path))
    return None if content is None else clean(content)


def write_worktree(git: Git, path: str, content: bytes | None) -> None:
    """Write a file of the worktree atomically, or remove it (None) with the folders that it leaves empty."""
    target = worktree_path(git, path)
    if content is not None:
        write_atomic(target, content)
        return
    if remove_file(target):
        for folder in target.parents:
            if folder == git.root or not _remove_empty(folder):
                break


def _remove_empty(folder: Path) -> bool:
    try:
        folder.rmdir()
    except OSError:
        return False
    return True


def index_entries(git: Git, paths: Sequence[str]) -> dict[str, list[IndexEntry]]:
    """Return what the index holds for these paths and below them; several stages where unmerged."""
    if not paths:
        return {}
    found: dict[str, list[IndexEntry]] = {}
    out = git.run("ls-files", "-s", "-t", "-z", "--", *paths).out
    for row in out.decode("utf-8", "surrogateescape").split("\0"):
        if row:
            head, _, path = row.partition("\t")
            tag, mode, oid, stage = head.split(" ")
            found.setdefault(path, []).append(IndexEntry(mode, oid, int(stage), tag == "S"))
    return found


def cell_status(git: Git, folder: str) -> list[PathState]:
    """Return the paths below a folder where commit, index and worktree differ, untracked files included."""
    out = git.run(
        *("-c", "status.relativePaths=false", "status", "--porcelain=v2", "-z", "--no-renames"),
        *("--untracked-files=all", "--ignore-submodules=all", "--", folder),
    ).out
    states = []
    for row in out.decode("utf-8", "surrogateescape").split("\0"):
        if row.startswith("1 "):
            fields = row.split(" ", 8)
            states.append(PathState(fields[8], fields[1][0], fields[1][1]))
        elif row.startswith("u "):
            states.append(PathState(row.split(" ", 10)[10], "U", "U"))
        elif row.startswith("? "):
            states.append(PathState(row[2:], "?", "?"))
    return states


def set_index(git: Git, changes: Mapping[str, TreeEntry | tuple[str, str] | None]) -> None:
    """Make the index hold ``(mode, id)`` for each path, or nothing (None); no other path is touched.

    Where the worktree's file is exactly that content, Git also notes its time and size, so that the next
    ``git status`` need not read it. With sparse checkout a path whose file is absent stays marked as left
    out. Waits a little for another Git that holds the index, then raises :class:`ErrLocked`.
    """
    same: list[str] = []
    other: list[str] = []
    for path, entry in changes.items():
        (same if entry is not None and _is_in_worktree(git, path, entry) else other).append(path)
    if other:
        rows = [_index_row(git, path, changes[path]) for path in other]
        _update_index(git, "--index-info", rows)
    if same:
        _update_index(git, "--stdin", same, "--add")
    if git.config_bool("core.sparsecheckout"):
        absent = [
            path for path in other if changes[path] is not None and not os.path.lexists(git.root / path)
        ]
        if absent:
            _update_index(git, "--stdin", absent, "--skip-worktree")


def _is_in_worktree(git: Git, path: str, entry: tuple[str, str]) -> bool:
    """Tell whether the file in the worktree is a plain one with exactly that content."""
    mode, oid = entry
    if mode != FILE:
        return False
    try:
        where = worktree_path(git, path)
        permissions = where.lstat().st_mode
        if not stat.S_ISREG(permissions) or (permissions & 0o100 and os.name != "nt"):
            return False
        content = read_if_there(where)
    except (OSError, ErrUnreadable):
        return False
    return content is not None and object_id("blob", clean(content), git.hash_name) == oid


def _index_row(git: Git, path: str, entry: tuple[str, str] | None) -> str:
    mode, oid = ("0", git.zero) if entry is None else entry
    return f"{mode} {oid}\t{path}"


def _update_index(git: Git, how: str, rows: Iterable[str], *options: str) -> None:
    """Run ``git update-index`` over rows, patient with another Git that holds the index for a moment."""
    data = "".join(row + "\0" for row in rows).encode("utf-8", "surrogateescape")
    deadline = time.monotonic() + _INDEX_LOCK_PATIENCE
    while True:
        try:
            git.run("update-index", *options, "-z", how, input=data)
            return
        except ErrLocked:
            if time.monotonic() >= deadline:
                raise
            time.sleep(_PAUSE)
