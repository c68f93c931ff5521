"""Arming a clone: what makes it guard its memory also against plain Git (design §7)."""

from __future__ import annotations

import shlex
import sys

from nutsync.store.repo.git import Git

DRIVER_KEY = "merge.union.driver"
_FALLBACK = "git merge-file --union %A %O %B"


def driver_command() -> str:
    """Return the merge driver: nutsync's, and Git's own union where that cannot run.

    The name ``union`` is Git's: a clone that never heard of nutsync uses its built-in driver.
    """
    ours = shlex.join([sys.executable, "-I", "-m", "nutsync", "merge-driver"])
    return f"{ours} %O %A %B %P || {_FALLBACK}"


def arm(git: Git) -> None:
    """Register the merge driver in this clone's Git config."""
    if git.config(DRIVER_KEY) != driver_command():
        git.set_config("merge.union.name", "nutsync: entries by id, never a conflict")
        git.set_config(DRIVER_KEY, driver_command())


def is_armed(git: Git) -> bool:
    """Tell whether the merge driver of this clone is nutsync's."""
    return "nutsync" in (git.config(DRIVER_KEY) or "")
