"""A purge that was asked for, noted before its forget is made and until its record stands (design §9).

A purge begins with a forget, in a commit of its own. Were the machine to stop between the two, the entry
would be forgotten and its text would stay in history, with nobody to remember that it should go. The note
names the commit the forget is made on, who asked and why: no ref, no text. Which entries went, that commit
tells.
"""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from nutsync.core.audit import Target, parse_message
from nutsync.operations.record import Recorder
from nutsync.store.files import read_if_there, remove_file, write_atomic
from nutsync.store.repo.git import Git
from nutsync.store.repo.history import list_commits
from nutsync.store.repo.message import parse_commit

FILE = "purge-asked"
_LOOKED_AT = 1000
"""How many commits may have been made by plain Git since; any command of nutsync looks before it writes."""


class Asked(NamedTuple):
    """``tip`` is the commit that the forget was to be made on."""

    tip: str
    actor: str
    reason: str


def ask(git: Git, asked: Asked) -> None:
    """Note that a purge begins."""
    write_atomic(git.private_dir / FILE, json.dumps(asked._asdict()).encode())


def settled(git: Git) -> None:
    """Note that the purge is recorded, or was not begun."""
    remove_file(git.private_dir / FILE)


def read(git: Git) -> Asked | None:
    """Return the purge that was begun and not recorded; None where there is none, or only half a note."""
    with suppress(ValueError, TypeError):
        return Asked(**json.loads(read_if_there(git.private_dir / FILE) or b"null"))
    return None


def forgotten_since(recorder: Recorder, asked: Asked) -> list[Target]:
    """Return what the forget took that was made on ``asked.tip``; nothing where none was."""
    if recorder.tip is None:
        return []
    newest = islice(list_commits(recorder.git, [recorder.tip], newest_first=True), _LOOKED_AT)
    for item in recorder.objects.read_many(newest):
        commit = parse_commit(item.oid, item.content) if item is not None else None
        if commit is not None and commit.parents[:1] == (asked.tip,):
            audit = parse_message(commit.message)
            if audit.op == "forget":
                return list(audit.targets)
    return []
