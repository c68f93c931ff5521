"""How far something long is, said in one line as Git says it, and read back from such a line.

Git writes ``Receiving objects:  45% (450/1000), 1.2 MiB``; what nutsync does itself is said the same way, so
whoever shows it needs to understand one form only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

from nutsync.core.pattern import pattern

Progress = Callable[[str], None]
"""Hears a line each time something long has come further."""

_T = TypeVar("_T")
_COUNTED = pattern(r"(?:remote: )?(?P<what>[^:%]+):\s+\d+% \((?P<done>\d+)/(?P<total>\d+)\)")
_TIMES = 100
"""How often at most one pass is told of."""


class Step(NamedTuple):
    """What is being done, and how much of it; ``total`` is None where nobody knows."""

    what: str
    done: int = 0
    total: int | None = None


def read_step(line: str) -> Step:
    """Return what a line of progress says."""
    found = _COUNTED.match(line.strip())
    if found is None:
        return Step(line.strip().removeprefix("remote: "))
    return Step(found["what"].strip(), int(found["done"]), int(found["total"]))


def counted(items: Iterable[_T], total: int, what: str, progress: Progress | None) -> Iterator[_T]:
    """Yield ``items`` and tell ``progress`` of each hundredth part of ``total`` that is done."""
    if progress is None or total <= 0:
        yield from items
        return
    told = 0
    for done, item in enumerate(items, 1):
        yield item
        if done * _TIMES // total > told or done == total:
            told = done * _TIMES // total
            progress(f"{what}: {min(told, 100):3d}% ({done}/{total})")
