"""Housekeeping that Git's own commands would do and its plumbing does not."""

from __future__ import annotations

import os
from contextlib import suppress

from nutsync.core.errors import NutsyncError
from nutsync.store.repo.git import Git

_SAMPLE = "17"  # the one of 256 folders that Git itself looks into
_FOLDERS = 256
_DEFAULT_LIMIT = 6700


def tidy_if_due(git: Git) -> bool:
    """Let Git pack loose objects once there are many, in the background; tell whether it was asked.

    Costs one look into one folder. The user's ``gc.auto`` is obeyed. Failure is no concern of the caller's:
    nothing is lost, and Git says it when it is next asked.
    """
    try:
        with os.scandir(git.common_dir / "objects" / _SAMPLE) as entries:
            count = sum(1 for _ in entries)
    except OSError:
        return False
    if count <= _DEFAULT_LIMIT // _FOLDERS:
        return False  # the usual case, before a process is spent on the setting
    limit = _limit(git)
    if limit <= 0 or count <= limit // _FOLDERS:
        return False
    with suppress(NutsyncError):
        git.run("gc", "--auto", "--quiet", check=False)
    return True


def _limit(git: Git) -> int:
    value = git.config("gc.auto")
    try:
        return _DEFAULT_LIMIT if value is None else int(value)
    except ValueError:
        return _DEFAULT_LIMIT
