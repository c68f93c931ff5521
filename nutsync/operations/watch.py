"""`sync --watch`: one sync after another, when something changed, when time has passed, when the net is back.

It waits through a :class:`Waiter`, so that tests need neither time nor a network, and a lock of its own
lets one watch of a clone run at a time.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Protocol

from nutsync.core.cell import ARCHIVE_DIR
from nutsync.core.errors import ErrNoCell, ErrNoRemote, ErrUsage, NutsyncError
from nutsync.core.sync_plan import Synced
from nutsync.core.watching import (
    Rhythm,
    Round,
    Unsent,
    Woken,
    is_worth_telling,
    told_of,
    told_of_error,
    wait_before,
)
from nutsync.operations.cell import Cell
from nutsync.operations.remote_seen import seen_tip
from nutsync.store.lock import clone_lock
from nutsync.store.repo.refs import branch_ref, resolve_ref
from nutsync.store.repo.worktree import cell_status

_ENDING = (ErrUsage, ErrNoRemote, ErrNoCell)
"""What another round does not cure."""


class Waiter(Protocol):
    """Waits for whatever comes first. ``now`` counts seconds from anywhere."""

    def now(self) -> float: ...

    def wait(self, seconds: float) -> Woken:
        """Return at the first change, return of the network or request to stop, or when time is over."""
        ...


def watch(
    open_cell: Callable[[], Cell],
    sync_cell: Callable[[Cell], Synced],
    waiter: Waiter,
    tell: Callable[[Round], None],
    *,
    rhythm: Rhythm | None = None,
    chance: Callable[[], float] = random.random,
) -> None:
    """Sync again and again until the waiter is told to stop; ``tell`` is given the rounds worth telling.

    The cell is opened anew for every round. A round that fails is told and tried again. Raises
    :class:`ErrLocked` where this clone is watched already, and the errors that no other round would cure.
    """
    watching = _Watch(open_cell, sync_cell, waiter, tell, rhythm or Rhythm(), chance)
    with clone_lock(open_cell().git.common_dir, timeout=0, command="sync --watch", name="watch"):
        while watching.go_round():
            pass


class _Watch:
    def __init__(
        self,
        open_cell: Callable[[], Cell],
        sync_cell: Callable[[Cell], Synced],
        waiter: Waiter,
        tell: Callable[[Round], None],
        rhythm: Rhythm,
        chance: Callable[[], float],
    ) -> None:
        self.open_cell = open_cell
        self.sync_cell = sync_cell
        self.waiter = waiter
        self.tell = tell
        self.rhythm = rhythm
        self.chance = chance
        self.failures = 0
        self.last: Round | None = None

    def go_round(self) -> bool:
        """Sync, tell of it, and wait for the next time; False when it is time to stop."""
        done = self._sync()
        if is_worth_telling(done, self.last):
            self.tell(done)
        self.last = done
        self.failures = self.failures + 1 if done.failed else 0
        return self._wait()

    def _sync(self) -> Round:
        try:
            return told_of(self.sync_cell(self.open_cell()))
        except _ENDING:
            raise
        except NutsyncError as error:
            return told_of_error(error.code, error.message, error.hint, error.as_json())

    def _wait(self) -> bool:
        """Wait until another round is due; while rounds fail, a change alone is no reason for one."""
        due = self.waiter.now() + wait_before(self.rhythm, self.failures, self.chance())
        while (left := due - self.waiter.now()) > 0:
            woken = self.waiter.wait(left)
            if woken is Woken.STOPPED:
                return False
            if woken is Woken.ONLINE:
                return self._rest(self.rhythm.settle) is not Woken.STOPPED
            if woken is Woken.CHANGED and not self.failures:
                unsent, woken = self._settled()
                if woken is Woken.STOPPED:
                    return False
                if unsent is not Unsent.NOTHING:
                    return True
        return True

    def _settled(self) -> tuple[Unsent, Woken]:
        """Wait until nothing changes any more, at most for the usual time between rounds.

        Return what there is to send: a sync that brought something in has changed files as well.
        """
        woken = self._rest(self.rhythm.settle)
        unsent = Unsent.NOTHING if woken is Woken.STOPPED else self._unsent()
        more = self.rhythm.quiet(unsent) - self.rhythm.settle
        if woken is not Woken.STOPPED and more > 0:
            woken = self._rest(more)
        return unsent, woken

    def _rest(self, seconds: float) -> Woken:
        """Wait for so many seconds in which nothing changes."""
        last = self.waiter.now() + max(self.rhythm.every, seconds)
        while True:
            woken = self.waiter.wait(seconds)
            if woken in (Woken.TIME, Woken.STOPPED) or self.waiter.now() >= last:
                return woken

    def _unsent(self) -> Unsent:
        try:
            cell = self.open_cell()
            if cell_status(cell.git, ARCHIVE_DIR):
                return Unsent.BY_HAND
            sent = resolve_ref(cell.git, branch_ref(cell.branch)) == seen_tip(cell.git, cell.branch)
        except NutsyncError:
            return Unsent.COMMITTED  # the round will say what is wrong
        return Unsent.NOTHING if sent else Unsent.COMMITTED


__all__ = ["Waiter", "watch"]
