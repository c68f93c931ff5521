"""The note that says from which commit to which the memory branch is on its way (design §8.6).

It is written before the branch moves and goes when index and worktree have followed. Whoever next writes
in this clone finds it and completes the move.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from nutsync.store.files import read_if_there, remove_file, write_atomic
from nutsync.store.repo.git import Git
from nutsync.store.repo.refs import is_oid

_NOTHING = "-"


class Move(NamedTuple):
    """From which commit (None: none yet) to which.

    ``accepted`` names, for a path, the ids of contents that may be written over beside the old commit's:
    a hand's additions that the new commit holds.
    """

    old: str | None
    new: str
    accepted: Mapping[str, Collection[str]] = MappingProxyType({})


def write_note(git: Git, move: Move) -> None:
    """Note a move that is about to be made."""
    lines = [f"{move.old or _NOTHING} {move.new}"]
    lines += [f"{oid} {path}" for path, oids in sorted(move.accepted.items()) for oid in oids]
    write_atomic(_path(git), "\n".join([*lines, ""]).encode("utf-8", "surrogateescape"))


def is_noted(git: Git) -> bool:
    """Tell whether a move was begun and not completed."""
    return _path(git).exists()


def read_note(git: Git) -> Move | None:
    """Return the move that was begun, None where there is none or the note cannot be understood."""
    content = read_if_there(_path(git)) or b""
    first, *rest = content.decode("utf-8", "surrogateescape").split("\n")
    old, _, new = first.partition(" ")
    if not is_oid(new) or not (old == _NOTHING or is_oid(old)):
        return None
    accepted: dict[str, set[str]] = {}
    for line in rest:
        oid, _, path = line.partition(" ")
        if path and is_oid(oid):
            accepted.setdefault(path, set()).add(oid)
    return Move(None if old == _NOTHING else old, new, accepted)


def clear_note(git: Git) -> None:
    """Remove the note: the move is complete, or was never made."""
    remove_file(_path(git))


def _path(git: Git) -> Path:
    return git.private_dir / "moving"
