"""Text for a terminal: nothing that memory holds may drive it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from nutsync.core.pattern import pattern

_CONTROL = pattern("[\x00-\x08\x0b-\x1f\x7f-\x9f\udc80-\udcff]")


def printable(text: str, indent: str = "  ") -> str:
    """Return ``text`` with control characters shown, and further lines indented."""
    return _CONTROL.sub(lambda m: f"\\x{ord(m[0]) & 0xFF:02x}", text).replace("\n", f"\n{indent}")


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun: «1 day», «2 days», «1,200 entries»."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


@contextmanager
def progress_bar(unit: str) -> Iterator[Callable[[int, int], None]]:
    """Give a function that draws ``(done, total)`` on standard error; silent where that is no terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn(unit), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(unit, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
