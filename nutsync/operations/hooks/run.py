"""Which hook does what: the one door from the shims (``hooks/run.sh``) into nutsync."""

from __future__ import annotations

import os
import sys

from nutsync.core.errors import NutsyncError
from nutsync.store.clock import SystemClock

STOPPED, PASSED = 1, 0

_LATER = ("post-merge", "post-checkout", "post-rewrite", "post-receive")


def run() -> int:
    """Run the hook that the arguments name and return its exit code; 0 lets Git go on."""
    name, words = sys.argv[1], sys.argv[2:]
    try:
        return _hook(name, words)
    except NutsyncError as error:
        # Nobody could judge: what cannot be judged is not let through, what is derived can wait.
        print(f"nutsync: {name}: {error.message} ({error.code})", file=sys.stderr)
        if error.hint:
            print(f"  {error.hint}", file=sys.stderr)
        return PASSED if name in _LATER else STOPPED


def _hook(name: str, words: list[str]) -> int:
    environ, clock = os.environ, SystemClock()
    if name == "reference-transaction":
        from nutsync.operations.hooks.gate import reference_transaction

        return reference_transaction(clock, environ, sys.stdin.read().splitlines())
    if name in ("pre-commit", "pre-merge-commit"):
        from nutsync.operations.hooks.advice import pre_commit

        return pre_commit(clock, environ, words)
    if name == "commit-msg":
        from nutsync.operations.hooks.advice import commit_msg

        return commit_msg(clock, environ, words)
    if name == "prepare-commit-msg":
        from nutsync.operations.hooks.advice import prepare_commit_msg

        return prepare_commit_msg(environ, words)
    if name == "pre-push":
        from nutsync.operations.hooks.push import pre_push

        return pre_push(environ, sys.stdin.read().splitlines())
    if name in ("pre-receive", "post-receive"):
        from nutsync.operations.hooks.receive import post_receive, pre_receive

        receive = pre_receive if name == "pre-receive" else post_receive
        return receive(clock, environ, sys.stdin.read().splitlines())
    from nutsync.operations.hooks.catalogs import make_catalogs_good

    return make_catalogs_good(environ)
