"""`sync --watch` on the command line: one line a round, and a clean end by Ctrl-C or SIGTERM."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from types import FrameType
from typing import TYPE_CHECKING

import click

from nutsync.core.cell import CELL_DIR
from nutsync.core.errors import ErrUsage
from nutsync.core.watching import Rhythm, Round
from nutsync.frontends.cli.command import Line, as_text
from nutsync.frontends.cli.opening import open_here, reopen
from nutsync.operations.cell import Cell
from nutsync.operations.sync import sync
from nutsync.operations.watch import watch

if TYPE_CHECKING:
    from nutsync.store.watcher import Watcher

EXIT_INTERRUPTED = 130

_STDERR = 2
_AFTER_THIS_ROUND = b"nutsync: stopping after this round; once more stops at once.\n"


def watch_here(line: Line, rhythm: Rhythm) -> int:
    """Watch the cell of this run until a signal says stop; return the exit code."""
    try:
        from nutsync.store.watcher import Watcher
    except ModuleNotFoundError as missing:
        raise ErrUsage(
            f"Watching needs more than is installed here: {missing.name}.",
            hint="Install it with `pip install 'nutsync[watch]'`, or let `nutsync sync install` run it.",
        ) from missing

    cell = open_here(line, whole=False)
    with Watcher([cell.root / CELL_DIR]) as watcher, _ended_by_signals(watcher):
        click.echo(f"nutsync: watching {cell.root}; Ctrl-C stops it.", err=True)
        try:
            watch(_opener(line, cell), sync, watcher, _teller(line), rhythm=rhythm)
        except KeyboardInterrupt:
            click.echo("nutsync: stopped in the middle of a round; the next sync completes it.", err=True)
            return EXIT_INTERRUPTED
    click.echo("nutsync: no longer watching.", err=True)
    return 0


def _opener(line: Line, first: Cell) -> Callable[[], Cell]:
    """Return what opens the cell anew, found where it was at first."""
    there = Line(first.root, line.as_json, line.allow_secret)
    return lambda: reopen(there, whole=False)


def _teller(line: Line) -> Callable[[Round], None]:
    def tell(done: Round) -> None:
        now = datetime.now().astimezone().isoformat(timespec="seconds")
        words = f"{now} {done.words}".encode("utf-8", "backslashreplace").decode()
        click.echo(as_text({"at": now, **done.document}) if line.as_json else words)
        sys.stdout.flush()

    return tell


@contextmanager
def _ended_by_signals(watcher: Watcher) -> Iterator[None]:
    """Let the first signal end the watch after the present round, and a second one at once."""

    def end(_number: int, _frame: FrameType | None) -> None:
        if watcher.stopped:
            raise KeyboardInterrupt
        watcher.stop()
        os.write(_STDERR, _AFTER_THIS_ROUND)  # a handler may come in the middle of another print

    names = ("SIGINT", "SIGTERM", "SIGBREAK")  # the last one is Windows' Ctrl-Break
    wanted = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {one: signal.signal(one, end) for one in wanted}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
