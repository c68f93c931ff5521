"""Sync: make this clone and the remote equal, lose nothing, ask nothing, leave no half state (design §8).

The steps stand in :meth:`_Sync.run`. The clone's lock is held for what changes this clone and not while the
network is waited for, so that a slow line never keeps an agent from remembering something. A lock of
its own lets one sync run at a time.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from nutsync.core.cell import CATALOG_DIR, CELL_DIR, DEVICES_DIR, MEMORY_DIR, PURGED_DIR
from nutsync.core.errors import ErrForeignConflict, ErrOffline, ErrRemote, ErrRemoteRewritten, NutsyncError
from nutsync.core.sync_plan import (
    CONTENDED,
    MOST_ATTEMPTS,
    OFFLINE,
    Receipt,
    Tally,
    last_line,
    pause_before,
    result_word,
)
from nutsync.operations.catalogs import make_good
from nutsync.operations.cell import LOCK_SECONDS, Cell
from nutsync.operations.held import Held, held_edit
from nutsync.operations.integrating import Integrator, Taken, count_new, is_ancestor
from nutsync.operations.last_sync import note_sync
from nutsync.operations.pending import commit_pending
from nutsync.operations.record import Recorder
from nutsync.operations.remote_seen import note_seen, seen_tip
from nutsync.store.files import remove_temporaries
from nutsync.store.lock import clone_lock
from nutsync.store.repo.refs import branch_ref
from nutsync.store.repo.remote import (
    DEFAULT_REMOTE,
    Incoming,
    RefPush,
    device_ref,
    fetch,
    push,
    push_device,
)
from nutsync.store.repo.talk import Progress
from nutsync.store.repo.upkeep import tidy_if_due

_OUR_FOLDERS = (CELL_DIR, DEVICES_DIR, PURGED_DIR, MEMORY_DIR, CATALOG_DIR)


@dataclass(frozen=True)
class Pace:
    """How to wait between tries; given from outside so that tests need no time."""

    pause: Callable[[float], None] = time.sleep
    random: Callable[[], float] = random.random
    attempts: int = MOST_ATTEMPTS


@dataclass(frozen=True)
class Synced:
    """What a sync did. ``waiting`` counts entries that are still only in this clone."""

    result: str
    sent: int = 0
    received: int = 0
    waiting: int = 0
    attempts: int = 0
    held: tuple[Held, ...] = ()
    receipt: Receipt = field(default_factory=Receipt)
    notices: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """0, or 5 where entries could not leave; held edits are said, and no failure (design §11)."""
        return ErrRemote.exit_code if self.result in (OFFLINE, CONTENDED) else 0

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
        }

    def words(self) -> str:
        """Return what people read; the last line says what left, what came, what is still only here."""
        lines = [f"held: {one.date}, {one.reason}. Take it over with: {one.command}" for one in self.held]
        tally = Tally(self.sent, self.received, self.waiting, tuple(one.date for one in self.held))
        return "\n".join([*self.notices, *lines, last_line(self.result, tally)])


def sync(cell: Cell, *, pace: Pace | None = None, progress: Progress | None = None) -> Synced:
    """Sync the cell with its remote.

    Raises the named errors of an unfit repository, :class:`ErrIncoming` where what came breaks the law,
    :class:`ErrForeignConflict`, :class:`ErrUnrelated`, :class:`ErrRemoteRewritten`, and those errors of a
    remote that waiting does not cure. Whatever is raised, all entries are kept here.
    """
    with clone_lock(cell.git.common_dir, timeout=LOCK_SECONDS, command="sync", name="sync"):
        done = _Sync(cell, pace or Pace(), progress).run()
        note_sync(cell, done.result, done.as_json())
    return done


@dataclass
class _Sync:
    cell: Cell
    pace: Pace
    progress: Progress | None
    held: dict[str, Held] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    taken: Taken = field(default_factory=Taken)
    attempts: int = 0
    tip: str | None = None

    def run(self) -> Synced:
        with self._writing() as recorder:
            self._remove_leftovers()
            for one in commit_pending(self.cell, recorder).held:
                self.held[one.date] = one
        try:
            incoming = self._fetch()
            while self.attempts < self.pace.attempts:
                self.attempts += 1
                if self.attempts > 1:
                    self.pace.pause(pause_before(self.attempts, self.pace.random()))
                    incoming = self._fetch()
                self._take_over(incoming)
                if self.tip == incoming.branch or self._push(incoming):
                    return self._finish(incoming)
        except ErrOffline as failure:
            self.notices.append(failure.message)
            return self._stopped(OFFLINE)
        return self._leave_by_own_ref()

    @contextmanager
    def _writing(self) -> Iterator[Recorder]:
        with self.cell.writing("sync") as recorder:
            yield recorder
            self.tip = recorder.tip

    def _remove_leftovers(self) -> None:
        """Remove the temporary files of killed writers where neither Git nor a day's own check shows them."""
        private = self.cell.git.private_dir
        for folder in (private, *(path for path in private.iterdir() if path.is_dir())):
            remove_temporaries(folder)
        for name in _OUR_FOLDERS:
            remove_temporaries(self.cell.root / name)

    def _fetch(self) -> Incoming:
        return fetch(self.cell.git, self.cell.branch, progress=self.progress)

    # --- Taking over (steps 4 to 6) -------------------------------------------------------------------

    def _take_over(self, incoming: Incoming) -> None:
        self._require_descendant(incoming.branch)
        if self.tip == incoming.branch and not incoming.devices:
            return
        try:
            with self._writing() as recorder:
                integrator = Integrator(self.cell, recorder)
                if incoming.branch is not None:
                    self._add(integrator.take(incoming.branch))
                for device, tip in sorted(incoming.devices.items()):
                    self._take_device(integrator, device, tip)
                self._add(integrator.repair())
        except ErrForeignConflict as conflict:
            raise self._sent_aside(conflict) from conflict
        if incoming.branch is not None:
            note_seen(self.cell.git, self.cell.branch, incoming.branch)

    def _require_descendant(self, theirs: str | None) -> None:
        """Refuse a remote that lost what was last seen there (design §8)."""
        seen = seen_tip(self.cell.git, self.cell.branch)
        if theirs is None or seen is None or seen == theirs or is_ancestor(self.cell.git, seen, theirs):
            return
        raise ErrRemoteRewritten(
            f"The remote's history no longer holds {seen[:12]}, which it held at the last sync. "
            "Nothing was taken over and nothing was sent.",
            hint="Find out who rewrote it. `nutsync init --remote URL` accepts a remote as it is now.",
        )

    def _take_device(self, integrator: Integrator, device: str, tip: str) -> None:
        """Merge what a device left aside; where that cannot be, the rest goes on and it is said."""
        try:
            self._add(integrator.take(tip))
        except ErrForeignConflict:
            raise
        except NutsyncError as problem:
            self.notices.append(
                f"What the device {device} left at the remote was not taken over: {problem.message}"
            )

    def _add(self, taken: Taken) -> None:
        self.taken = self.taken + taken
        for date in taken.left:
            self.held.setdefault(date, held_edit(date, "it was edited while the sync ran"))

    # --- Sending (step 7) -----------------------------------------------------------------------------

    def _push(self, incoming: Incoming) -> bool:
        """Push the branch; False where another try may cure a refusal."""
        if self.tip is None:
            return True
        ref = branch_ref(self.cell.branch)
        pushed = push(self.cell.git, [RefPush(ref, self.tip)], progress=self.progress)
        if not pushed.done:
            pushed.require_accepted()
            return False
        note_seen(self.cell.git, self.cell.branch, self.tip)
        return True

    def _leave_by_own_ref(self) -> Synced:
        """Send the entries under this device's own ref, so that they have left this machine."""
        pushed = push_device(self.cell.git, self.cell.device, self.tip)
        where = device_ref(self.cell.device)
        if pushed.done:
            self.notices.append(f"The branch stayed contended; the entries are at the remote under {where}.")
        return self._stopped(CONTENDED)

    def _sent_aside(self, conflict: ErrForeignConflict) -> ErrForeignConflict:
        """Send the entries under this device's own ref where foreign files forbid a merge (exit 4)."""
        try:
            sent = push_device(self.cell.git, self.cell.device, self.tip).done
        except NutsyncError:
            sent = False
        kept = "The entries of this device are at the remote under its own ref." if sent else ""
        return ErrForeignConflict(f"{conflict.message} {kept}".strip(), hint=conflict.hint)

    # --- Afterwards (step 8) --------------------------------------------------------------------------

    def _finish(self, incoming: Incoming) -> Synced:
        own = incoming.devices.get(self.cell.device)
        if own is not None and self.tip is not None and is_ancestor(self.cell.git, own, self.tip):
            push_device(self.cell.git, self.cell.device, None)
        sent = count_new(self.cell.git, incoming.branch, self.tip)
        word = result_word(merged=self.taken.merged, taken=self.taken.moved, sent=self.tip != incoming.branch)
        return self._answer(word, sent=sent, waiting=0)

    def _stopped(self, word: str) -> Synced:
        waiting = count_new(self.cell.git, seen_tip(self.cell.git, self.cell.branch), self.tip)
        return self._answer(word, sent=0, waiting=waiting)

    def _answer(self, word: str, *, sent: int, waiting: int) -> Synced:
        if self.taken.moved:
            tidy_if_due(self.cell.git)
            make_good(self.cell.root, self.cell.git.private_dir, self.cell.clock.now().local_date())
        return Synced(
            word,
            sent=sent,
            received=self.taken.received,
            waiting=waiting,
            attempts=self.attempts,
            held=tuple(self.held[date] for date in sorted(self.held)),
            receipt=self.taken.receipt,
            notices=tuple(self.notices),
        )


__all__ = ["DEFAULT_REMOTE", "Pace", "Synced", "sync"]
