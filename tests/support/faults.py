"""Killing an action, or letting a system call fail, at a chosen step.

A step is a call that starts a process, or that opens for writing, writes, flushes, renames, makes or removes
a file or folder.
"""

from __future__ import annotations

import errno
import io
import os
import shlex
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_CALLS = ("replace", "rename", "link", "unlink", "fsync", "mkdir", "rmdir", "utime", "truncate")


@contextmanager
def at_each_step(before: Callable[[], None]) -> Iterator[None]:
    """Call ``before`` ahead of every step for as long as the block lasts."""
    with pytest.MonkeyPatch.context() as patch:
        for name in _CALLS:
            patch.setattr(os, name, _preceded(getattr(os, name), before))
        real_write = os.write

        def write(handle: int, content: object) -> int:
            if stat.S_ISREG(os.fstat(handle).st_mode):  # a pipe to Git is part of starting it
                before()
            return real_write(handle, content)  # type: ignore[arg-type]

        patch.setattr(os, "write", write)
        real_open, real_io_open, real_start = os.open, io.open, subprocess.Popen.__init__

        def open_file(path: object, flags: int, *args: object, **kwargs: object) -> int:
            if flags & (os.O_CREAT | os.O_WRONLY | os.O_RDWR):
                before()
            return real_open(path, flags, *args, **kwargs)  # type: ignore[arg-type]

        def io_open(path: object, mode: str = "r", *args: object, **kwargs: object) -> object:
            if not isinstance(path, int) and set(mode) & set("wax+"):
                before()
            return real_io_open(path, mode, *args, **kwargs)  # type: ignore[call-overload]

        def start(self: object, *args: object, **kwargs: object) -> None:
            before()
            real_start(self, *args, **kwargs)  # type: ignore[arg-type]

        patch.setattr(os, "open", open_file)
        patch.setattr(io, "open", io_open)
        patch.setattr("builtins.open", io_open)
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


# --- Hooks, which Git starts ----------------------------------------------------------------------------

_PLACE = "FAULT_AT_STEP"
_FAULTS = ("fail", "kill", "kill-all")
"""A step fails; the hook is killed; Git, the shell and the hook are killed together."""


def arm_with_faults(runner: Path, folder: Path) -> None:
    """Let the hooks of a clone, whose ``run.sh`` this is, run under :func:`hook_fault`."""
    python = folder / "python"
    command = shlex.join([sys.executable, "-m", "tests.support.faults"])
    root = shlex.quote(str(Path(__file__).parents[2]))
    python.write_text(f'#!/bin/sh\nPYTHONPATH={root} exec {command} "$@"\n')
    python.chmod(0o755)
    lines = runner.read_text().split("\n")
    changed = [f"python={shlex.quote(str(python))}" if line.startswith("python=") else line for line in lines]
    assert changed != lines
    runner.write_text("\n".join(changed))


def hook_fault(counter: Path, fault: str, step: int) -> dict[str, str]:
    """Return what the environment must hold for the hooks of one Git command to meet a fault at a step.

    The steps of all its hooks count together. ``counter`` is a file that says afterwards how many there were.
    """
    assert fault in _FAULTS
    counter.write_text("0")
    return {_PLACE: f"{fault} {step} {counter}"}


def _run_hook(words: list[str]) -> None:
    """Be the Python that a hook's shim starts: ``-I -S -c CODE HOOK …``, but with a fault on the way."""
    fault, step, place = os.environ[_PLACE].split(" ", 2)

    def count() -> None:
        with Path(place).open("r+b", buffering=0) as file:  # before the calls below are replaced
            so_far = int(file.read()) + 1
            file.seek(0)
            file.write(b"%d" % so_far)
        if so_far != int(step):
            return
        if fault == "fail":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if fault == "kill-all":
            os.killpg(os.getpgrp(), signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)

    at_work = False

    def count_once() -> None:
        nonlocal at_work
        if not at_work:
            at_work = True
            try:
                count()
            finally:
                at_work = False

    sys.argv = ["-c", *words[4:]]
    with at_each_step(count_once):
        exec(words[3], {"__name__": "__main__"})


if __name__ == "__main__":
    _run_hook(sys.argv[1:])
