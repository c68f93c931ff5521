"""Where a repository's parts are, told from its files as Git tells it."""

from __future__ import annotations

import os
from pathlib import Path

from nutsync.store.files import read_if_there


def git_dir_of(folder: Path) -> Path | None:
    """Return the Git directory that ``folder/.git`` is or points to, or None."""
    dot = folder / ".git"
    if is_git_dir(dot):
        return dot.resolve()
    if not dot.is_file():
        return None
    pointer = (read_if_there(dot) or b"").decode("utf-8", "surrogateescape").strip()
    if not pointer.startswith("gitdir:"):
        return None
    target = (folder / pointer.removeprefix("gitdir:").strip()).resolve()
    return target if is_git_dir(target) else None


def is_git_dir(folder: Path) -> bool:
    """Tell whether a folder is a Git directory: it has a HEAD, and objects and refs of its own or shared."""
    if not os.path.lexists(folder / "HEAD"):
        return False
    common = common_dir_of(folder)
    return (common / "objects").is_dir() and (common / "refs").is_dir()


def common_dir_of(git_dir: Path) -> Path:
    """Return the directory that linked worktrees share; the Git directory itself where nothing is linked."""
    pointer = read_if_there(git_dir / "commondir")
    if not pointer:
        return git_dir
    return (git_dir / pointer.decode("utf-8", "surrogateescape").strip()).resolve()
