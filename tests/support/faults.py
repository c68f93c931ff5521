"""Killing an action, or letting a system call fail, at a chosen step.

A step is a call that starts a process, or that opens for writing, flushes, renames or removes a file.
"""

from __future__ import annotations

import errno
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def at_each_step(before: Callable[[], None]) -> Iterator[None]:
    """Call ``before`` ahead of every step for as long as the block lasts."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("replace", "unlink", "fsync", "mkdir", "rmdir"):
            patch.setattr(os, name, _preceded(getattr(os, name), before))
        real_open, real_start = os.open, subprocess.Popen.__init__

        def open_file(path: object, flags: int, *args: object, **kwargs: object) -> int:
            if flags & (os.O_CREAT | os.O_WRONLY | os.O_RDWR):
                before()
            return real_open(path, flags, *args, **kwargs)  # type: ignore[arg-type]

        def start(self: object, *args: object, **kwargs: object) -> None:
            before()
            real_start(self, *args, **kwargs)  # type: ignore[arg-type]

        patch.setattr(os, "open", open_file)
        patch.setattr(subprocess.Popen, "__init__", start)
        yield


def _preceded(real: Callable[..., object], before: Callable[[], None]) -> Callable[..., object]:
    def call(*args: object, **kwargs: object) -> object:
        before()
        return real(*args, **kwargs)

    return call


def count_steps(action: Callable[[], object]) -> int:
    """Carry the action out and return how many steps it took."""
    steps = 0

    def count() -> None:
        nonlocal steps
        steps += 1

    with at_each_step(count):
        action()
    return steps


def killed_at(step: int, action: Callable[[], object]) -> bool:
    """Carry the action out in a process that is killed (SIGKILL) at a step; tell whether it got that far."""
    child = os.fork()
    if child == 0:
        _run_and_die(step, action)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def _run_and_die(step: int, action: Callable[[], object]) -> None:
    left = step

    def count_down() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    try:
        with at_each_step(count_down):
            action()
    finally:
        os._exit(0)


def failed_at(step: int, action: Callable[[], object], code: int = errno.ENOSPC) -> BaseException | None:
    """Carry the action out with one step failing as by the operating system; return what it raised."""
    left = step

    def count_down() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise OSError(code, os.strerror(code))

    try:
        with at_each_step(count_down):
            action()
    except Exception as failure:
        return failure
    return None
