"""What is under way with a purge in this clone, noted so that the next command can complete it.

The note names ids and days, never text: it may stay for as long as a host forbids what has to be sent.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from nutsync.store.files import read_if_there, remove_file, write_atomic
from nutsync.store.repo.git import Git

FILE = "purging"
SEND = "send"
"""History was rewritten here; the remote has to take it over before the old one may go."""
CLEAN = "clean"
"""Old history has to go from this clone."""


class Underway(NamedTuple):
    """The purges under way, by id, and the next step."""

    ids: frozenset[str]
    step: str


def note(git: Git, ids: Collection[str], step: str) -> None:
    """Note which purges are under way, with those noted before; an earlier step wins."""
    before = read(git)
    if before is not None:
        ids = {*ids, *before.ids}
        step = SEND if SEND in (step, before.step) else step
    _write(git, ids, step)


def sent(git: Git) -> None:
    """Note that the remote has what was rewritten: old history may go."""
    before = read(git)
    if before is not None:
        _write(git, before.ids, CLEAN)


def read(git: Git) -> Underway | None:
    """Return what is under way, None where nothing is or the note cannot be understood."""
    try:
        noted = json.loads(read_if_there(_path(git)) or b"null")
        return Underway(frozenset(noted["ids"]), str(noted["step"])) if noted else None
    except (ValueError, KeyError, TypeError):
        return Underway(frozenset(), CLEAN)


def is_cleaning(git: Git) -> bool:
    """Tell, at the price of one look at the disk, whether a clean-up was begun and not completed."""
    if not _path(git).exists():
        return False
    found = read(git)
    return found is not None and found.step == CLEAN


def done(git: Git) -> None:
    """Note that nothing is under way any more."""
    remove_file(_path(git))


def _write(git: Git, ids: Collection[str], step: str) -> None:
    write_atomic(_path(git), json.dumps({"ids": sorted(ids), "step": step}).encode())


def _path(git: Git) -> Path:
    return git.private_dir / FILE


# --- Purges that this clone is done with ------------------------------------------------------------


def followed(git: Git) -> frozenset[str]:
    """Return the purges that this clone has nothing left to do for."""
    return frozenset((read_if_there(_followed(git)) or b"").decode("ascii", "replace").split())


def note_followed(git: Git, ids: Collection[str]) -> None:
    """Note that this clone has nothing left to do for these purges."""
    every = sorted(followed(git) | set(ids))
    write_atomic(_followed(git), "".join(f"{name}\n" for name in every).encode("ascii"))


def _followed(git: Git) -> Path:
    return git.private_dir / "purges-followed"
