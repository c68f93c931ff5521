"""What a sync has to do, told from where both sides stand, and what it says afterwards (design §8).

Values in, values out: the runner in :mod:`nutsync.operations.sync` fetches, merges and pushes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from enum import Enum

from nutsync.core.day import Day, count_blocks
from nutsync.core.forgotten import Forgotten

UP_TO_DATE = "up-to-date"
PUSHED = "pushed"
FAST_FORWARDED = "fast-forwarded"
MERGED = "merged"
OFFLINE = "offline"
CONTENDED = "contended"
RESULTS = (UP_TO_DATE, PUSHED, FAST_FORWARDED, MERGED, OFFLINE, CONTENDED)
"""The words a sync ends with, as programs read them (design §11)."""

MOST_ATTEMPTS = 12
"""How often a push is tried before the entries leave by the device's own ref."""

_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 3.0


class Step(Enum):
    """What brings this clone to hold all that both sides have."""

    NOTHING = "nothing"
    TAKE = "take"
    MERGE = "merge"


def plan_step(ours: str | None, theirs: str | None, *, ours_in_theirs: bool, theirs_in_ours: bool) -> Step:
    """Return what has to be done to take over ``theirs``.

    ``ours`` and ``theirs`` are commits, None where a side has none; the two flags tell whether one is an
    ancestor of the other.
    """
    if theirs is None or ours == theirs or theirs_in_ours:
        return Step.NOTHING
    if ours is None or ours_in_theirs:
        return Step.TAKE
    return Step.MERGE


def result_word(*, merged: bool, taken: bool, sent: bool) -> str:
    """Return the word for a sync that reached the remote: the most that happened."""
    if merged:
        return MERGED
    if taken:
        return FAST_FORWARDED
    return PUSHED if sent else UP_TO_DATE


def pause_before(attempt: int, random: float) -> float:
    """Return how many seconds to wait before the ``attempt``-th try (the second is 2).

    ``random`` lies in [0, 1). The pause grows and is random, so that devices which met once do not meet
    again at every try.
    """
    longest = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** (attempt - 1))
    return longest * (0.25 + 0.75 * random)


# --- The receipt ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a merge proves: the ids of ours ∪ theirs are the ids of the result ∪ F (design §8.8).

    The numbers count blocks of the days that the merge touched. ``lost`` names what should be in the
    result and is not, ``returned`` what was forgotten and is in it; both are empty in every receipt that
    is ever shown, since a merge with another one is not made.
    """

    days: int = 0
    ours: int = 0
    theirs: int = 0
    result: int = 0
    forgotten: int = 0
    lost: tuple[str, ...] = ()
    returned: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        return not self.lost and not self.returned

    def __add__(self, other: Receipt) -> Receipt:
        return Receipt(
            self.days + other.days,
            self.ours + other.ours,
            self.theirs + other.theirs,
            self.result + other.result,
            self.forgotten + other.forgotten,
            self.lost + other.lost,
            self.returned + other.returned,
        )

    def as_json(self) -> dict[str, object]:
        """Return the receipt as design §11's documents carry it."""
        return {
            "complete": self.complete,
            "days": self.days,
            "ours": self.ours,
            "theirs": self.theirs,
            "result": self.result,
            "forgotten": self.forgotten,
        }


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


# --- What is said afterwards ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tally:
    """Entries that left this clone, that came to it, and that are still only here."""

    sent: int = 0
    received: int = 0
    waiting: int = 0
    held: Collection[str] = field(default_factory=tuple)


def last_line(result: str, tally: Tally) -> str:
    """Return the last line for people: what left, what came, what is still only here."""
    parts = [f"{_entries(tally.sent)} sent", f"{tally.received} received"]
    if tally.waiting:
        parts.append(f"{tally.waiting} still only here")
    elif result not in (OFFLINE, CONTENDED):
        parts.append("nothing is only here")
    if tally.held:
        parts.append(f"{len(tally.held)} edited by hand and held")
    return f"{result}: {', '.join(parts)}."


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count} entries"


__all__ = [
    "CONTENDED",
    "FAST_FORWARDED",
    "MERGED",
    "MOST_ATTEMPTS",
    "OFFLINE",
    "PUSHED",
    "RESULTS",
    "UP_TO_DATE",
    "Receipt",
    "Step",
    "Tally",
    "count_added",
    "day_receipt",
    "grown_receipt",
    "last_line",
    "pause_before",
    "plan_step",
    "result_word",
]
