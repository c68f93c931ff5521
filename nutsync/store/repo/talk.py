"""Running a Git command that talks to a remote: patient while there are signs of life, and not longer.

A first sync over a slow line may take an hour; a dead line should be noticed in a minute. So what counts is
the time since Git last said anything (``--progress`` makes it say how far it is), with a limit on the
whole. When it is over, the command and all it started are ended, ``ssh`` included.
"""

from __future__ import annotations

import os
import re
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from queue import Empty, Queue
from typing import IO, NamedTuple

from nutsync.core.errors import ErrOffline
from nutsync.core.progress import Progress
from nutsync.store.repo.git import Git, Result, stop_process
from nutsync.store.repo.refusals import clean_line, is_progress

_AFTERMATH = 2.0
"""Seconds to wait for the last words of a command that has ended: a child may hold its pipes open."""

_PIPES = ("out", "err")


class Patience(NamedTuple):
    """Seconds to wait for a sign of life, and for the whole."""

    idle: float = 90.0
    whole: float = 4 * 3600.0


def talk(
    git: Git,
    words: Sequence[str],
    env: Mapping[str, str],
    patience: Patience,
    progress: Progress | None = None,
) -> Result:
    """Run ``git WORDS`` and return what it said, whatever its exit code.

    Raises :class:`ErrOffline` where patience ran out, and what starting Git raises.
    """
    heard: Queue[tuple[str, bytes]] = Queue()
    process = git.start(words, env, own_group=True, feed=False)
    try:  # from here on also a Ctrl-C ends what was started
        pipes = (process.stdout, process.stderr)
        process.stdout = process.stderr = None  # each is its listener's: closing it under a read would block
        for name, pipe in zip(_PIPES, pipes, strict=True):
            threading.Thread(target=_listen, args=(name, pipe, heard), daemon=True).start()
        threading.Thread(target=_await_end, args=(process, heard), daemon=True).start()
        said = _collect(heard, patience, progress)
    finally:
        stop_process(process)
    if said is None:
        raise ErrOffline("The remote did not answer in time, and Git was stopped.")
    return Result(process.returncode, said["out"], said["err"].decode("utf-8", "replace"))


def _listen(name: str, pipe: IO[bytes] | None, heard: Queue[tuple[str, bytes]]) -> None:
    """Hand on what a pipe gives as it comes, and nothing at its end."""
    if pipe is not None:
        with pipe:
            while piece := os.read(pipe.fileno(), 1 << 16):
                heard.put((name, piece))
    heard.put((name, b""))


def _await_end(process: subprocess.Popen[bytes], heard: Queue[tuple[str, bytes]]) -> None:
    process.wait()
    heard.put(("end", b""))


def _collect(
    heard: Queue[tuple[str, bytes]], patience: Patience, progress: Progress | None
) -> dict[str, bytes] | None:
    """Return all that was said until the command and both pipes ended, or None where patience ran out."""
    said = dict.fromkeys(_PIPES, b"")
    open_ends = {*_PIPES, "end"}
    last_moment = time.monotonic() + patience.whole
    while open_ends:
        ended = "end" not in open_ends
        wait = _AFTERMATH if ended else min(patience.idle, last_moment - time.monotonic())
        try:
            name, piece = heard.get(timeout=max(0.0, wait))
        except Empty:
            return said if ended else None
        if not piece:
            open_ends.discard(name)
            continue
        said[name] += piece
        if progress is not None and name == "err":
            _report(piece, progress)
    return said


def _report(piece: bytes, progress: Progress) -> None:
    """Tell the last line of ``piece`` that says how far the transfer is."""
    lines = [clean_line(line) for line in re.split(r"[\r\n]", piece.decode("utf-8", "replace"))]
    last = next((line for line in reversed(lines) if is_progress(line)), None)
    if last is not None:
        progress(last)
