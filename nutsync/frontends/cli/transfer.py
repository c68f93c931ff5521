"""Bars for what takes long, on a terminal's standard error; a moment's work shows none."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from nutsync.core.progress import Progress, read_step

if TYPE_CHECKING:
    from rich.console import Console

_A_MOMENT = 1.0


class Transfer:
    """Shows how far something long is, a transfer above all, once it takes longer than a moment.

    ``clock`` gives seconds, ``console`` where to draw; both are for tests.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, console: Callable[[], Console] | None = None
    ) -> None:
        self._clock, self._console = clock, console
        self._began = clock()
        self._shown: Any = None
        self._what = ""
        self._task: Any = None

    def __call__(self, words: str) -> None:
        if self._shown is None:
            if self._clock() - self._began < _A_MOMENT:
                return
            self._shown = self._bars()
            self._shown.start()
        step = read_step(words)
        if step.what != self._what:
            if self._task is not None:
                self._shown.remove_task(self._task)
            self._task, self._what = self._shown.add_task(step.what, total=step.total), step.what
        self._shown.update(self._task, completed=step.done, total=step.total)

    def close(self) -> None:
        """Take the bar away; what was done is said in words."""
        if self._shown is not None:
            self._shown.stop()

    def _bars(self) -> Any:
        # Drawing loads when there is something to draw.
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        console = self._console() if self._console else Console(stderr=True)
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        return Progress(*columns, console=console, transient=True)


@contextmanager
def shown_progress() -> Iterator[Progress | None]:
    """Yield who hears of progress; None where standard error is no terminal, and nothing is drawn."""
    if not sys.stderr.isatty():
        yield None
        return
    with closing(Transfer()) as transfer:
        yield transfer
