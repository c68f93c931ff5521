"""Whether a clone is in a state in which memory may be changed, told from a few files (no process)."""

from __future__ import annotations

import os
import re
from pathlib import Path

from nutsync.core.errors import (
    ErrBareRepository,
    ErrBranch,
    ErrDetachedHead,
    ErrGitTooOld,
    ErrMergeUnderWay,
    ErrObjectFormat,
    ErrShallow,
)
from nutsync.store.files import read_if_there, write_atomic
from nutsync.store.repo.git import Git, git_binary, missing_git
from nutsync.store.repo.refs import HEADS, branch_ref, head_ref, ref_storage

LEAST_GIT = (2, 34)

_UNDER_WAY = (
    # (file or folder in the Git directory, what is under way, how Git goes on with it)
    ("rebase-merge", "rebase", "git rebase --continue"),
    ("rebase-apply/applying", "am", "git am --continue"),
    ("rebase-apply", "rebase", "git rebase --continue"),
    ("MERGE_HEAD", "merge", "git merge --continue"),
    ("CHERRY_PICK_HEAD", "cherry-pick", "git cherry-pick --continue"),
    ("REVERT_HEAD", "revert", "git revert --continue"),
    ("sequencer/todo", "cherry-pick or revert", "git cherry-pick --continue"),
    ("BISECT_LOG", "bisect", "git bisect next"),
)


def require_fit(git: Git, branch: str | None = None) -> None:
    """Raise the named error for the first thing that stands in the way of changing memory.

    ``branch`` is the memory branch, short or full; None accepts any branch. A branch without a commit is fit.
    """
    if git.bare:
        raise ErrBareRepository(f"{git.root} is a bare repository.", hint="Make a clone with files.")
    _require_formats(git)
    _require_nothing_under_way(git)
    head = head_ref(git)
    if head is None:
        raise ErrDetachedHead(
            "HEAD is on no branch, so a commit would belong to none.",
            hint="Switch to the memory branch with `git switch`, then repeat.",
        )
    if branch is not None and head != branch_ref(branch):
        wanted = branch_ref(branch).removeprefix(HEADS)
        raise ErrBranch(
            f"The branch {head.removeprefix(HEADS)} is checked out, memory lives on {wanted}.",
            hint=f"Run `git switch {wanted}`, or `git worktree add DIR {wanted}` for a folder of its own.",
        )
    require_whole(git)


def require_whole(git: Git) -> None:
    """Raise :class:`ErrShallow` in a clone without its whole history."""
    if read_if_there(git.common_dir / "shallow"):
        raise ErrShallow("This clone is shallow: the history that proves what it holds is not all here.")


def _require_formats(git: Git) -> None:
    if git.hash_name not in {"sha1", "sha256"}:
        raise ErrObjectFormat(f"The repository's object format {git.hash_name} is unknown to nutsync.")
    kept = ref_storage(git)
    if kept not in {"files", "reftable"}:
        raise ErrObjectFormat(f"The repository keeps its refs as {kept}, which is unknown to nutsync.")


def under_way(git: Git) -> tuple[str, str] | None:
    """Return what is unfinished in this clone and how Git goes on with it, or None."""
    return next(
        ((what, go_on) for name, what, go_on in _UNDER_WAY if os.path.lexists(git.git_dir / name)), None
    )


def _require_nothing_under_way(git: Git) -> None:
    found = under_way(git)
    if found is not None:
        raise ErrMergeUnderWay(
            f"A {found[0]} is unfinished in this clone.",
            hint=f"Finish it (`{found[1]}`) or give it up (`git status` says how), then repeat.",
        )


def git_version(git: Git) -> tuple[int, int]:
    """Return Git's version; remembered in the clone until the Git program itself changes."""
    stamp = _program_stamp()
    memo = git.private_dir / "git-version"
    if stamp:
        known = (read_if_there(memo) or b"").decode("utf-8", "replace").split("\n")
        if len(known) >= 2 and known[0] == stamp:
            return _parse_version(known[1])
    said = git.run("version").text()
    version = _parse_version(said)
    if stamp and not git.bare:
        write_atomic(memo, f"{stamp}\n{said}\n".encode())
    return version


def require_git(git: Git, least: tuple[int, int] = LEAST_GIT, why: str = "nutsync") -> None:
    """Raise :class:`ErrGitTooOld` where Git is older than ``why`` needs."""
    version = git_version(git)
    if version < least:
        raise ErrGitTooOld(
            f"Git {version[0]}.{version[1]} is too old: {why} needs {least[0]}.{least[1]}.",
            hint="Install a newer Git, then repeat.",
        )


def _parse_version(text: str) -> tuple[int, int]:
    match = re.search(r"(\d+)\.(\d+)", text)
    if match is None:
        raise missing_git()
    return int(match.group(1)), int(match.group(2))


def _program_stamp() -> str:
    """Return the Git program's path and time, or nothing where they cannot be told."""
    import shutil

    path = shutil.which(git_binary())
    if path is None:
        raise missing_git()
    try:
        return f"{path} {Path(path).stat().st_mtime_ns}"
    except OSError:
        return ""
