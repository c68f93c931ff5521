"""One writer a clone: a lock that dies with its process.

The operating system's own file lock is used directly, because importing the filelock package
takes longer than a whole append may (it loads asyncio). The lock file stays; only the lock on it
comes and goes, so no stale lock can ever be left.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from nutsync.core.errors import ErrLocked
from nutsync.store.files import unwritable

_FIRST_PAUSE = 0.005
_LONGEST_PAUSE = 0.1


class _Held:
    """What this process knows about one lock file: which thread holds it, how often."""

    def __init__(self) -> None:
        self.thread_lock = threading.RLock()
        self.depth = 0
        self.handle = -1


_registry: dict[str, _Held] = {}
_registry_lock = threading.Lock()


def lock_path(git_dir: Path, name: str = "lock") -> Path:
    """Return where the lock of the clone with this common Git directory is."""
    return git_dir / "nutsync" / name


@contextmanager
def clone_lock(git_dir: Path, *, timeout: float, command: str = "", name: str = "lock") -> Iterator[None]:
    """Hold the clone's lock, against other processes and against other threads of this one.

    Give the *common* Git directory: linked worktrees are one clone. A thread that holds the lock may
    take it again. ``name`` is another file, for a lock beside the writers' one. ``command`` is a plain
    word such as ``append`` that a waiting process will show; never pass arguments, they may be memory.
    Raises :class:`ErrLocked` after ``timeout`` seconds, naming the holder, and :class:`ErrUnwritable`
    where the lock file cannot be made.
    """
    path = lock_path(git_dir, name)
    deadline = time.monotonic() + timeout
    with _registry_lock:
        held = _registry.setdefault(str(path), _Held())
    if not held.thread_lock.acquire(timeout=max(timeout, 0)):
        raise _locked(path, timeout)
    try:
        if held.depth == 0:
            held.handle = _acquire(path, deadline, timeout)
            _write_holder(path, command)
        held.depth += 1
        try:
            yield
        finally:
            held.depth -= 1
            if held.depth == 0:
                _forget_holder(path)
                _release(held.handle)
    finally:
        held.thread_lock.release()


def _acquire(path: Path, deadline: float, timeout: float) -> int:
    """Open and lock the file, waiting until the deadline."""
    handle = _open(path)
    pause = _FIRST_PAUSE
    try:
        while not _try_lock(handle):
            left = deadline - time.monotonic()
            if left <= 0:
                raise _locked(path, timeout)
            time.sleep(min(pause, left))
            pause = min(pause * 2, _LONGEST_PAUSE)
    except BaseException as problem:
        os.close(handle)
        if isinstance(problem, OSError):  # a file system without locks
            raise unwritable(path, problem) from problem
        raise
    return handle


def _open(path: Path) -> int:
    try:
        with suppress(FileNotFoundError):
            return os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    except OSError as problem:
        raise unwritable(path, problem) from problem


if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> bool:
        os.lseek(handle, 0, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _release(handle: int) -> None:
        os.lseek(handle, 0, os.SEEK_SET)
        with suppress(OSError):
            msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
        os.close(handle)

else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _drop_inherited() -> None:
        """Forget, in a forked child, what its parent holds: the lock is the parent's."""
        for held in _registry.values():
            if held.depth:
                os.close(held.handle)
        _registry.clear()

    os.register_at_fork(after_in_child=_drop_inherited)

    def _release(handle: int) -> None:
        os.close(handle)


def _holder_path(path: Path) -> Path:
    # A file of its own: Windows lets nobody read a locked range.
    return path.with_name(f"{path.name}-holder")


def _write_holder(path: Path, command: str) -> None:
    name = command or "nutsync"
    with suppress(OSError):
        _holder_path(path).write_text(f"{os.getpid()} {name}", encoding="utf-8")


def _forget_holder(path: Path) -> None:
    with suppress(OSError):
        _holder_path(path).unlink()


def _locked(path: Path, timeout: float) -> ErrLocked:
    """Name whoever holds the lock, where that can be read."""
    try:
        pid, _, name = _holder_path(path).read_text(encoding="utf-8").partition(" ")
        who = f"`{name}`, process {pid}," if pid.isdigit() else "Another process"
    except (OSError, ValueError):
        who = "Another process"
    return ErrLocked(
        f"{who} is at work in this clone; waited {timeout:g} s.",
        hint="Wait until it is done, then repeat. The lock goes away with that process.",
    )
