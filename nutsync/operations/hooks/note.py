"""A note of what pre-commit judged, so that `git commit` starts Python once and not four times.

It says: on this parent, by this author at this time, exactly these blobs in these days, and no word of
nutsync's in the message beyond the stamp, is legal. The shims compare it with what Git tells of the stored
commit; any difference brings the whole judgement. Like the gate's other note it is no proof: whoever can
write it can also give Git another `core.hooksPath`. What is done that way the server, the others' sync and
`verify` find, which read no note.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from nutsync import __version__
from nutsync.core.advance import advance
from nutsync.core.audit import add_stamp
from nutsync.core.cell import date_of_path
from nutsync.core.checkpoint import to_plain
from nutsync.core.commit import FILE_MODE, Blob, Commit
from nutsync.core.freeze import judge_clock
from nutsync.core.moment import SKEW_MS, Moment
from nutsync.operations.guard import Guard
from nutsync.operations.hooks.draft import DRAFT
from nutsync.store import checkpoints
from nutsync.store.repo.git import Git
from nutsync.store.settings import read_settings

_PATIENCE = 600
"""Seconds that Git may take from fixing the author's date to making the commit."""


def note_judged(
    guard: Guard, commit: Commit, committer: str, now: Moment, environ: Mapping[str, str]
) -> None:
    """Note a draft in which nothing at all was found; ``committer`` is the process id of its `git commit`.

    ``now`` is this device's clock: of a commit that is ahead of it nothing is noted (rule 6).

    Only for what is judged alike whatever the message says, as long as it names no operation of nutsync's:
    days that come or grow, on one parent.
    """
    git = guard.git
    if (
        not committer.isdecimal()
        or len(commit.parents) != 1
        or not all(map(_is_day, commit.changes[0]))
        or _is_shallow(git)
    ):
        return
    if judge_clock(commit, now):
        return
    known = guard.ancestry(commit.parents[0])
    ancestry = json.dumps(to_plain(advance([known], commit, guard.past)), separators=(",", ":"))
    settings = read_settings(git, environ)
    stamp = {"actor": settings.actor, "device": settings.device, "version": __version__}
    stamped = add_stamp("note\n", stamp).split("\n")[2:5]
    if DRAFT in ancestry or len(stamped) != 3 or not known.born:
        return
    seconds = commit.authored.millis // 1000
    lines = [
        committer,
        commit.parents[0],
        f"{seconds} {_offset(commit.authored)}",
        str(min(seconds + _PATIENCE, (now.millis + SKEW_MS) // 1000)),
        *stamped,
        *(_raw(*change) for change in commit.changes[0]),
    ]
    _write(git.private_dir / f"{checkpoints.JUDGED_ANCESTRY}.{committer}", ancestry)
    _write(git.private_dir / checkpoints.JUDGED, "".join(f"{line}\n" for line in lines))


def drop_note(git: Git) -> None:
    """Take the note away: the draft that is judged now is another one."""
    checkpoints.forget_judged(git.private_dir)


def _is_day(change: tuple[str, Blob | None, Blob | None]) -> bool:
    path, old, new = change
    modes = {blob.mode for blob in (old, new) if blob is not None}
    return date_of_path(path) is not None and new is not None and modes == {FILE_MODE}


def _raw(path: str, old: Blob | None, new: Blob | None) -> str:
    """Return a change as `git diff-tree --raw` writes it."""
    if new is None:
        raise ValueError("no day goes in what is noted")
    before = f"000000 {new.mode} {'0' * len(new.id)}" if old is None else f"{old.mode} {new.mode} {old.id}"
    return f":{before} {new.id} {'A' if old is None else 'M'}\t{path}"


def _offset(moment: Moment) -> str:
    hours, minutes = divmod(abs(moment.offset), 60)
    return f"{'-' if moment.offset < 0 else '+'}{hours:02}{minutes:02}"


def _is_shallow(git: Git) -> bool:
    return (git.common_dir / "shallow").exists()


def _write(path: Path, text: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.write(handle, text.encode())
    finally:
        os.close(handle)
