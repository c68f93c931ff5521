"""pre-push: what is about to leave is verified once more (design §7).

It catches what came past the gate: made with other hooks, by a library that writes refs itself, by hand.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress

from nutsync.core.freeze import Finding
from nutsync.operations.guard import Guard
from nutsync.operations.hooks.gate import judge_branch_move
from nutsync.operations.hooks.place import git_of_hook
from nutsync.operations.hooks.veto import veto_text, violations
from nutsync.store.files import remove_quietly
from nutsync.store.repo.git import Git
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.refs import HEADS
from nutsync.store.settings import memory_ref

SENDING = "sending"
"""In nutsync's private folder while a sync pushes: what it judged, so that the shim need not ask again."""

_WAY_OUT = "Nothing was sent, and nothing changed here or there."


def pre_push(environ: Mapping[str, str], lines: Iterable[str]) -> int:
    """Judge what a push would do to the memory branch of the remote; 1 stops the push."""
    git = git_of_hook(environ)
    memory = memory_ref(git)
    with Objects(git) as objects:
        guard = Guard(git, objects)
        for line in lines:
            local, new, remote, old = line.split(" ")
            if memory not in (local, remote):
                continue
            branch = remote.removeprefix(HEADS)
            if new == git.zero:
                text = f"{branch} at the remote was not deleted: it holds this cell's memory."
                print(f"nutsync: {text}\n  {_WAY_OUT}", file=sys.stderr)
                return 1
            found = violations(_judge(guard, git, old, new))
            if found:
                headline = f"nothing was sent: {branch} at the remote would break the freeze law of memory."
                print(veto_text(headline, found, _WAY_OUT), file=sys.stderr)
                return 1
    return 0


@contextmanager
def judged_here(git: Git, old: str | None, new: str) -> Iterator[None]:
    """Judge what a push of the memory branch would do there, and spare pre-push the same work meanwhile.

    ``old`` is where the remote's branch stands. Where anything is wrong nothing is noted: pre-push says it.
    """
    note = git.private_dir / SENDING
    with Objects(git) as objects:
        broken = violations(_judge(Guard(git, objects), git, old or git.zero, new))
    try:
        if not broken:
            with suppress(OSError):
                note.write_text(f"{new} {old or git.zero}\n", encoding="ascii")
        yield
    finally:
        remove_quietly(note)


def _judge(guard: Guard, git: Git, old: str, new: str) -> list[Finding]:
    """Judge the remote's move; where the remote has commits that nobody here has, all that would go there."""
    known = old if old != git.zero and guard.objects.read(old) is not None else None
    return judge_branch_move(guard, known, new, None)
