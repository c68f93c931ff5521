"""Git's index and the files of the worktree, limited to the paths we are told.

Nothing here walks the repository: a clone with many thousand files costs what Git needs to read its
index, once.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import EllipsisType
from typing import NamedTuple

from nutsync.core.errors import ErrChanged, ErrUnreadable
from nutsync.store.files import read_if_there, remove_file, unreadable, write_atomic, write_unflushed
from nutsync.store.repo.config import is_true
from nutsync.store.repo.git import Git
from nutsync.store.repo.objects import object_id
from nutsync.store.repo.trees import FILE, TreeEntry

_MOST_ARGUMENTS = 100


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


def write_worktree(
    git: Git,
    path: str,
    content: bytes | None,
    *,
    expected: bytes | EllipsisType | None = ...,
    flush: bool = True,
) -> None:
    """Write a file of the worktree atomically, or remove it (None) with the folders that it leaves empty.

    With ``expected`` (None: no file) the file must hold just that, as :func:`read_worktree` gives it, or
    :class:`ErrChanged` is raised: a person's edit is never written over unseen. Without ``flush`` whoever
    calls flushes many files at once (:func:`nutsync.store.files.sync_all`).
    """
    target = worktree_path(git, path)
    if expected is not ... and read_worktree(git, path) != expected:
        raise ErrChanged(f"{path} was edited meanwhile; it is left as it is.", hint="Repeat the command.")
    if content is not None:
        (write_atomic if flush else write_unflushed)(target, content)
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
    # Systems limit the length of a command, and each process reads the whole index.
    asked = paths if len(paths) <= _MOST_ARGUMENTS else _common_folder(paths)
    wanted = set(paths)
    out = git.run("ls-files", "-s", "-t", "-z", "--", *asked).out
    for row in out.decode("utf-8", "surrogateescape").split("\0"):
        if row:
            head, _, path = row.partition("\t")
            if asked is not paths and not _is_under(path, wanted):
                continue
            tag, mode, oid, stage = head.split(" ")
            found.setdefault(path, []).append(IndexEntry(mode, oid, int(stage), tag == "S"))
    return found


def _common_folder(paths: Sequence[str]) -> list[str]:
    """Return the deepest folder that holds all the paths, as a list of none or one."""
    folder = os.path.commonpath([path.rpartition("/")[0] for path in paths]).replace(os.sep, "/")
    return [folder] if folder else []


def _is_under(path: str, wanted: set[str]) -> bool:
    """Tell whether the path or a folder above it is wanted."""
    while path:
        if path in wanted:
            return True
        path = path.rpartition("/")[0]
    return False


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


def set_index(
    git: Git,
    changes: Mapping[str, TreeEntry | tuple[str, str] | None],
    *,
    in_worktree: Collection[str] = (),
) -> None:
    """Make the index hold ``(mode, id)`` for each path, or nothing (None); no other path is touched.

    Where the worktree's file is exactly that content, Git also notes its time and size, so that the next
    ``git status`` need not read it. With sparse checkout a path whose file is absent stays marked as left
    out. ``in_worktree`` names paths whose plain file is known to hold it. Raises :class:`ErrLocked` where
    another Git holds the index for long.
    """
    known = set(in_worktree)
    same: list[str] = []
    other: list[str] = []
    for path, entry in changes.items():
        is_there = path in known or (entry is not None and _is_in_worktree(git, path, entry))
        (same if is_there else other).append(path)
    if other:
        rows = [_index_row(git, path, changes[path]) for path in other]
        _update_index(git, "--index-info", rows)
    if same:
        _update_index(git, "--stdin", same, "--add")
    if _is_sparse(git):
        absent = [
            path for path in other if changes[path] is not None and not os.path.lexists(git.root / path)
        ]
        if absent:
            _update_index(git, "--stdin", absent, "--skip-worktree")


def skipped_paths(git: Git, paths: Sequence[str]) -> set[str]:
    """Return those of the paths (or below them) that sparse checkout keeps out of the worktree.

    Costs nothing where there is no sparse checkout.
    """
    if not _is_sparse(git):
        return set()
    return {path for path, entries in index_entries(git, paths).items() if any(e.skipped for e in entries)}


def _is_sparse(git: Git) -> bool:
    return is_true(git.own_config("core.sparseCheckout") or "false")


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
    """Run ``git update-index`` over rows."""
    data = "".join(row + "\0" for row in rows).encode("utf-8", "surrogateescape")
    git.run_patiently("update-index", *options, "-z", how, input=data)
