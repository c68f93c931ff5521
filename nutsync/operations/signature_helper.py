"""A helper that checks signatures: a process on a core of its own, fed through pipes.

Questions and answers are marshalled lists, one after the other: (signature, what it signs), and (state, key).
"""

from __future__ import annotations

import marshal
import sys

from nutsync.store.repo.keys import check_signature


def serve() -> int:
    """Answer questions from standard input until it ends."""
    while True:
        try:
            questions = marshal.load(sys.stdin.buffer)  # noqa: S302 (our own parent wrote it)
        except EOFError:
            return 0
        checked = [check_signature(signature, payload) for signature, payload in questions]
        marshal.dump([(one.verdict.value, one.key) for one in checked], sys.stdout.buffer)
        sys.stdout.buffer.flush()
