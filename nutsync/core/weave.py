"""Weave two sequences into one, the same whichever comes first (design §8.5).

The blocks of a run and the lines of a frontmatter stand in an order that says something, and two
devices may have changed it apart from each other. Again and again the smallest of those items is
taken that no unplaced item of either side precedes; where they precede each other, the smallest of all.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any, TypeVar

K = TypeVar("K", bound=Any)
"""An item: hashable and ordered, and no side holds it twice."""


def weave(ours: Sequence[K], theirs: Sequence[K]) -> list[K]:
    """Return every item of both sides once. Equal sides, or an empty one, come back as they are."""
    if not theirs or ours == theirs:
        return list(ours)
    if not ours:
        return list(theirs)
    chains = (_Chain(ours), _Chain(theirs))
    waiting: list[K] = []
    placed: set[K] = set()
    woven: list[K] = []
    while True:
        heads = [head for head in (chain.head(placed) for chain in chains) if head is not None]
        if not heads:
            return woven
        free = [item for (item,) in heads if all(chain.allows(item, placed) for chain in chains)]
        if free:
            chosen = min(free)
        else:
            waiting = waiting or _heap(ours, theirs)
            while waiting[0] in placed:
                heapq.heappop(waiting)
            chosen = waiting[0]
        placed.add(chosen)
        woven.append(chosen)


def _heap(ours: Sequence[K], theirs: Sequence[K]) -> list[K]:
    items = list({*ours, *theirs})
    heapq.heapify(items)
    return items


class _Chain:
    """One side: its items in order, and the first of them that is not placed yet."""

    def __init__(self, items: Sequence[Any]) -> None:
        self._items = items
        self._members = set(items)
        self._at = 0

    def head(self, placed: set[Any]) -> tuple[Any] | None:
        while self._at < len(self._items) and self._items[self._at] in placed:
            self._at += 1
        return (self._items[self._at],) if self._at < len(self._items) else None

    def allows(self, item: Any, placed: set[Any]) -> bool:
        """Tell whether nothing unplaced stands before ``item`` on this side."""
        return item not in self._members or self.head(placed) == (item,)
