"""Waiting for files to change, for the network to come back, or for time to pass; loads watchfiles.

A thread listens to the system's own notices of changes. Whoever waits is woken through a queue that a
signal's handler may put into at any moment.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue

import watchfiles

from nutsync.core.watching import Surroundings, Woken, came_back
from nutsync.store.files import TEMP_PREFIX

_LOOK = 5.0
"""Seconds between two looks at the network. Windows does not end a wait for Ctrl-C, so there it is 1."""

_STEP = 250
"""Milliseconds between two looks at what the system noticed."""

# Addresses that documents may use and nobody has: connecting a datagram socket to one sends nothing.
_ANYWHERE = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))


class Watcher:
    """Waits for changes below folders (those that exist, and are not files of nutsync's own making)."""

    def __init__(
        self, folders: list[Path], *, look: Callable[[], Surroundings] | None = None, seconds: float = _LOOK
    ) -> None:
        self._look = look or surroundings
        self._pause = min(seconds, 1.0) if os.name == "nt" else seconds
        self._before = self._look()
        self._woken: SimpleQueue[Woken] = SimpleQueue()
        self._ended = threading.Event()
        self.stopped = False
        self._thread = threading.Thread(target=self._listen, args=(folders,), daemon=True)
        self._thread.start()

    def __enter__(self) -> Watcher:
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join(timeout=_LOOK)

    def now(self) -> float:
        """Return seconds of a clock that nobody sets."""
        return time.monotonic()

    def stop(self) -> None:
        """End every wait from now on. May be called from a signal's handler."""
        self.stopped = True
        self._woken.put(Woken.STOPPED)

    def wait(self, seconds: float) -> Woken:
        """Return why the wait ended; changes that came since the last wait count."""
        deadline = self.now() + seconds
        while not self.stopped:
            left = deadline - self.now()
            try:
                woken = self._woken.get(timeout=max(0.0, min(left, self._pause)))
                self._drain()
                return Woken.STOPPED if self.stopped else woken
            except Empty:
                pass  # time passed, or a while of it
            before, self._before = self._before, self._look()
            if came_back(before, self._before):
                return Woken.ONLINE
            if left <= 0:
                return Woken.TIME
        return Woken.STOPPED

    def _drain(self) -> None:
        """Take what else came: many files that change at once are one change."""
        with suppress(Empty):
            while True:
                self._woken.get_nowait()

    def _listen(self, folders: list[Path]) -> None:
        """Hand on every change; where the system gives no notices any more, time alone wakes."""
        with suppress(OSError, RuntimeError):
            changes = watchfiles.watch(
                *folders,
                watch_filter=matters,
                step=_STEP,
                debounce=4 * _STEP,
                stop_event=self._ended,
                rust_timeout=1000,
                raise_interrupt=False,
            )
            for _ in changes:
                self._woken.put(Woken.CHANGED)


def matters(_change: object, path: str) -> bool:
    """Tell whether a change of that file may be news: catalogs and temporary files are of our own making."""
    name = Path(path).name
    return name.endswith(".md") and not name.startswith(TEMP_PREFIX)


def surroundings() -> Surroundings:
    """Return by which own addresses this machine reaches the world, and what its clocks read."""
    return Surroundings(tuple(map(_own_address, *zip(*_ANYWHERE, strict=True))), time.time(), _awake())


def _awake() -> float:
    """Return seconds of a clock that stands while the machine sleeps."""
    return time.monotonic()


def _own_address(family: int, target: str) -> str:
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((target, 9))
            return str(probe.getsockname()[0])
    except OSError:
        return ""
