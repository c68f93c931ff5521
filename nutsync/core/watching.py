"""When `sync --watch` syncs next, and which of its rounds are told (design §8).

Values in, values out: what waits, watches and syncs is in :mod:`nutsync.operations.watch`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from nutsync.core.sync_plan import CONTENDED, OFFLINE, UP_TO_DATE, Synced, Tally, last_line

_FIRST_RETRY = 15.0
_SLEPT = 60.0


class Woken(Enum):
    """Why a wait ended."""

    TIME = "time"
    CHANGED = "changed"
    ONLINE = "online"
    STOPPED = "stopped"


class Unsent(Enum):
    """What a clone holds that its remote is not known to have."""

    NOTHING = "nothing"
    COMMITTED = "committed"
    BY_HAND = "by hand"


class Rhythm(NamedTuple):
    """Seconds: between rounds where nothing happens; of quiet after a commit; of quiet after an edit by hand.

    A person pauses in the middle of a sentence, and a bullet that was committed never changes again: so
    an edit by hand has to rest for longer than what a program wrote.
    """

    every: float = 600.0
    settle: float = 2.0
    by_hand: float = 60.0

    def quiet(self, unsent: Unsent) -> float:
        """Return how long a change has to rest before it is synced."""
        return max(self.settle, self.by_hand) if unsent is Unsent.BY_HAND else self.settle


def wait_before(rhythm: Rhythm, failures: int, random: float) -> float:
    """Return how long to wait for the next round after so many failed ones in a row.

    It doubles with each failure up to the usual time. ``random`` in [0, 1) keeps devices that lost the
    same network from coming back in the same second.
    """
    if failures == 0:
        return rhythm.every
    longest = min(rhythm.every, _FIRST_RETRY * 2.0 ** min(failures - 1, 20))
    return longest * (0.75 + 0.25 * random)


class Surroundings(NamedTuple):
    """What tells that a machine is back: by which own addresses it reaches the world, and two clocks.

    ``wall`` is the time of day, ``awake`` a clock that stands while the machine sleeps; both in seconds.
    """

    addresses: tuple[str, ...]
    wall: float
    awake: float


def came_back(before: Surroundings, now: Surroundings) -> bool:
    """Tell whether the machine got a network, changed it, or slept, since ``before``."""
    if not any(now.addresses):
        return False
    slept = (now.wall - before.wall) - (now.awake - before.awake)
    return now.addresses != before.addresses or slept > _SLEPT


# --- What is told -----------------------------------------------------------------------------------


class Round(NamedTuple):
    """One round as it is told: the document for programs, one line for people.

    ``state`` is what lasts beyond the round (a problem, held edits): it is told once, when it comes and
    when it goes.
    """

    document: Mapping[str, object]
    words: str
    failed: bool = False
    news: bool = False
    state: tuple[str, ...] = ()


def told_of(done: Synced) -> Round:
    """Return a round that came to an answer."""
    failed = done.result in (OFFLINE, CONTENDED)
    held = tuple(f"{one.date}: {one.command}" for one in done.held)
    tally = Tally(done.sent, done.received, done.waiting, tuple(one.date for one in done.held))
    parts = [last_line(done.result, tally), *done.notices, *(f"held: {one}" for one in held)]
    return Round(
        done.as_json(),
        " ".join(" ".join(parts).split()),
        failed,
        not failed and done.result != UP_TO_DATE,
        ((done.result,) if failed else ("",)) + held,
    )


def told_of_error(code: str, message: str, hint: str, document: Mapping[str, object]) -> Round:
    """Return a round that ended with a named error."""
    return Round(document, " ".join(f"{message} ({code}) {hint}".split()), True, False, (code,))


def is_worth_telling(now: Round, before: Round | None) -> bool:
    """Tell whether anybody wants to read of this round: something moved, or a problem came or went."""
    return now.news or now.state != (before.state if before else ("",))


__all__ = [
    "Rhythm",
    "Round",
    "Surroundings",
    "Unsent",
    "Woken",
    "came_back",
    "is_worth_telling",
    "told_of",
    "told_of_error",
    "wait_before",
]
