"""pre-receive and post-receive: the server's gate, and its log of who moved what (design §7).

What is refused here never leaves quarantine: Git discards the objects. The log stands in the repository's
Git directory, in ``nutsync/receive.log``, a JSON document a line: time, pusher, ref, old, new, outcome.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from nutsync.core.freeze import Finding
from nutsync.core.moment import Moment
from nutsync.operations.guard import Guard
from nutsync.operations.hooks.gate import judge_branch_move
from nutsync.operations.hooks.place import git_of_hook
from nutsync.operations.hooks.veto import blurs, describe, veto_text, violations
from nutsync.store.clock import Clock
from nutsync.store.repo.git import Git
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.refs import HEADS, resolve_ref
from nutsync.store.settings import memory_ref

LOG = "receive.log"
DEVICE_REFS = "refs/nutsync/devices/"

_PUSHERS = ("REMOTE_USER", "GL_USERNAME", "GL_USER", "GITEA_PUSHER_NAME", "GITOLITE_USER", "LOGNAME", "USER")
_WAY_OUT = "Nothing was taken over here, and everything is still where it was pushed from."


def pre_receive(clock: Clock, environ: Mapping[str, str], lines: Iterable[str]) -> int:
    """Judge every push to the memory branch and to the devices' own refs; 1 refuses the whole push."""
    git = git_of_hook(environ)
    memory = memory_ref(git)
    moves = [line.split(" ", 2) for line in lines]
    with Objects(git) as objects:
        guard = Guard(git, objects)
        for old, new, ref in moves:
            if ref != memory and not ref.startswith(DEVICE_REFS):
                continue
            stopped = _refusal(guard, git, ref, old, new, clock.now())
            if stopped:
                print(stopped, file=sys.stderr)
                _log(git, clock.now(), environ, moves, "refused")
                return 1
    return 0


def post_receive(clock: Clock, environ: Mapping[str, str], lines: Iterable[str]) -> int:
    """Note who moved what; it has happened."""
    git = git_of_hook(environ)
    memory = memory_ref(git)
    moves = [line.split(" ", 2) for line in lines]
    _log(git, clock.now(), environ, moves, "received")
    with Objects(git) as objects:
        guard = Guard(git, objects)
        for _, new, ref in moves:
            if ref == memory and new != git.zero:
                guard.ancestry(new)
                guard.keep(new)  # so that the next push costs no walk of the history
    return 0


def _refusal(guard: Guard, git: Git, ref: str, old: str, new: str, now: Moment) -> str:
    """Return why a move is refused, empty where it is not."""
    name = ref.removeprefix(HEADS)
    if new == git.zero:
        if ref.startswith(DEVICE_REFS):
            return ""  # its owner takes it away once the branch has what it holds
        return f"nutsync: {name} is not deleted here: it holds this cell's memory.\n  {_WAY_OUT}"
    known: str | None = old
    if old == git.zero:
        known = resolve_ref(git, memory_ref(git)) if ref.startswith(DEVICE_REFS) else None
    if ref.startswith(DEVICE_REFS) and known is not None:
        found = _judge_new(guard, known, new, now)
    else:
        found = judge_branch_move(guard, known, new, now)
    for finding in blurs(found):
        print(f"nutsync: {describe(finding)} {finding.hint}", file=sys.stderr)
    broken = violations(found)
    if not broken:
        return ""
    return veto_text(f"{name} was not moved here: that would break the freeze law.", broken, _WAY_OUT)


def _judge_new(guard: Guard, known: str, new: str, now: Moment) -> list[Finding]:
    """Judge the commits that a device brings on a ref of its own; such a ref may be moved anywhere."""
    from nutsync.core.freeze import judge_clock

    found: list[Finding] = []
    guard.expect(known)
    for commit, findings in guard.judge_range(new, [known]):
        found += [*findings, *(judge_clock(commit, now) if commit.touches_cell else ())]
    return found


def _log(git: Git, now: Moment, environ: Mapping[str, str], moves: Iterable[list[str]], outcome: str) -> None:
    import json

    path = Path(git.private_dir, LOG)
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        json.dumps(
            {
                "time": now.local().isoformat(timespec="milliseconds"),
                "pusher": _pusher(environ),
                "ref": ref,
                "old": old,
                "new": new,
                "outcome": outcome,
            },
            ensure_ascii=False,
        )
        for old, new, ref in moves
    ]
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o640)
    try:
        os.write(handle, "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))
    finally:
        os.close(handle)


def _pusher(environ: Mapping[str, str]) -> str:
    """Return who pushes, as the server's way of logging people in tells it; else the system's account."""
    named = next((environ[name] for name in _PUSHERS if environ.get(name)), "")
    address = environ.get("SSH_CONNECTION", "").partition(" ")[0] or environ.get("REMOTE_ADDR", "")
    return f"{named or 'unknown'}{f' from {address}' if address else ''}"
