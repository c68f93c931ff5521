"""Counting what a merge did to one day: the receipt of design §8.8, day by day."""

from __future__ import annotations

from collections import Counter

from nutsync.core.day import Day, count_blocks
from nutsync.core.forgotten import Forgotten
from nutsync.core.sync_plan import Receipt


def day_receipt(
    date: str, ours: Day | None, theirs: Day | None, merged: Day | None, forgotten: Forgotten
) -> Receipt:
    """Return the receipt of one merged day; ``forgotten`` is the F of both histories.

    Of unstamped blocks the words are named by their day alone: a receipt never carries memory text.
    """
    mine, other, left = (_ids(day) for day in (ours, theirs, merged))
    gone = {name for name in mine | other if forgotten.has(f"{date}#{name}")}
    lost = [f"{date}#{name}" for name in sorted((mine | other) - left - gone)]
    returned = [f"{date}#{name}" for name in sorted(name for name in left if forgotten.has(f"{date}#{name}"))]
    if _unstamped_lost(date, ours, theirs, merged, forgotten):
        lost.append(date)
    return Receipt(1, _size(ours), _size(theirs), _size(merged), len(gone), tuple(lost), tuple(returned))


def grown_receipt(common: int, ours: int, theirs: int) -> Receipt:
    """Return the receipt of a day that both sides only added different entries to."""
    return Receipt(1, common + ours, common + theirs, common + ours + theirs)


def count_added(old: Day | None, new: Day | None) -> int:
    """Return how many blocks ``new`` has that ``old`` has not."""
    if new is None:
        return 0
    if old is None:
        return len(new.blocks)
    return (count_blocks(new) - count_blocks(old)).total()


def _ids(day: Day | None) -> set[str]:
    return set(day.ids) if day else set()


def _size(day: Day | None) -> int:
    return len(day.blocks) if day else 0


def _unstamped_lost(
    date: str, ours: Day | None, theirs: Day | None, merged: Day | None, forgotten: Forgotten
) -> bool:
    """Tell whether the result has fewer of some words than a side had, less those forgotten."""
    sides = [day for day in (ours, theirs) if day is not None and len(day.ids) < len(day.blocks)]
    left = count_blocks(merged) if merged and sides else Counter[bytes]()
    for day in sides:
        counted = Counter(block.body for block in day.blocks if block.id is None)
        for body, count in counted.items():
            if left[body] < count - forgotten.count(date, body):
                return True
    return False
