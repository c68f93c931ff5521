"""What a sync has to do, told from where both sides stand, and what it says afterwards (design §8).

Values in, values out: the runner in :mod:`nutsync.operations.sync` fetches, merges and pushes.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum
from typing import NamedTuple

from nutsync.core.cell import day_path
from nutsync.core.errors import EXIT_FINDINGS, ErrRemote

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


class Receipt(NamedTuple):
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

    def plus(self, other: Receipt) -> Receipt:
        """Return the receipt of both together."""
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


_NO_RECEIPT = Receipt()


class Taken(NamedTuple):
    """What taking over did: whether the branch moved, whether by a merge, and what came."""

    moved: bool = False
    merged: bool = False
    received: int = 0
    receipt: Receipt = _NO_RECEIPT
    left: tuple[str, ...] = ()

    def plus(self, other: Taken) -> Taken:
        """Return what both did together."""
        return Taken(
            self.moved or other.moved,
            self.merged or other.merged,
            self.received + other.received,
            self.receipt.plus(other.receipt),
            self.left + other.left,
        )


# --- What people wrote and nutsync leaves alone ------------------------------------------------------


class Held(NamedTuple):
    """One day file that a person edited and nutsync leaves alone: why, and the command that takes it over."""

    date: str
    reason: str
    command: str

    def as_json(self) -> dict[str, object]:
        """Return the edit as design §11's documents carry it."""
        return {
            "date": self.date,
            "path": day_path(self.date),
            "reason": self.reason,
            "command": self.command,
        }


# --- What is said afterwards ----------------------------------------------------------------------


class Tally(NamedTuple):
    """Entries that left this clone, that came to it, and that are still only here."""

    sent: int = 0
    received: int = 0
    waiting: int = 0
    held: Collection[str] = ()


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


class Synced(NamedTuple):
    """What a sync did. ``waiting`` counts entries that are still only in this clone.

    ``leftovers`` say, without naming it, where purged text is still held.
    """

    result: str
    sent: int = 0
    received: int = 0
    waiting: int = 0
    attempts: int = 0
    held: tuple[Held, ...] = ()
    receipt: Receipt = _NO_RECEIPT
    notices: tuple[str, ...] = ()
    leftovers: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """0, 5 where entries could not leave, 1 where purged text is left; held edits are no failure."""
        if self.result in (OFFLINE, CONTENDED):
            return ErrRemote.exit_code
        return EXIT_FINDINGS if self.leftovers else 0

    def as_json(self) -> dict[str, object]:
        """Return the document of design §11."""
        return {
            "result": self.result,
            "sent": self.sent,
            "received": self.received,
            "waiting": self.waiting,
            "attempts": self.attempts,
            "held": [held.as_json() for held in self.held],
            "receipt": self.receipt.as_json(),
            "notices": list(self.notices),
            "leftovers": list(self.leftovers),
        }

    def words(self) -> str:
        """Return what people read; the last line says what left, what came, what is still only here."""
        lines = [f"held: {one.date}, {one.reason}. Take it over with: {one.command}" for one in self.held]
        tally = Tally(self.sent, self.received, self.waiting, tuple(one.date for one in self.held))
        return "\n".join([*self.notices, *self.leftovers, *lines, last_line(self.result, tally)])


__all__ = [
    "CONTENDED",
    "FAST_FORWARDED",
    "MERGED",
    "MOST_ATTEMPTS",
    "OFFLINE",
    "PUSHED",
    "RESULTS",
    "UP_TO_DATE",
    "Held",
    "Receipt",
    "Step",
    "Synced",
    "Taken",
    "Tally",
    "last_line",
    "pause_before",
    "plan_step",
    "result_word",
]
