"""Sync: make this clone and the remote equal, lose nothing, ask nothing, leave no half state (design §8).

The steps stand in :meth:`_Sync.run`. The clone's lock is held for what changes this clone and not while the
network is waited for, so that a slow line never keeps an agent from remembering something. A lock of
its own lets one sync run at a time.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from nutsync.core.cell import ARCHIVE_DIR, CATALOG_DIR, CELL_DIR, DEVICES_DIR, MEMORY_DIR, PURGED_DIR
from nutsync.core.errors import ErrForeignConflict, ErrOffline, ErrRemoteRewritten, NutsyncError
from nutsync.core.progress import Progress
from nutsync.core.sync_plan import (
    CONTENDED,
    MOST_ATTEMPTS,
    OFFLINE,
    Held,
    Synced,
    Taken,
    pause_before,
    result_word,
)
from nutsync.operations.cell import LOCK_SECONDS, Cell
from nutsync.operations.last_sync import note_failure, note_sync
from nutsync.operations.move_note import is_noted
from nutsync.operations.remote_seen import is_ancestor, note_seen, seen_tip
from nutsync.store.files import remove_temporaries
from nutsync.store.lock import clone_lock
from nutsync.store.repo.fitness import require_fit
from nutsync.store.repo.refs import branch_ref, resolve_ref
from nutsync.store.repo.remote import DEFAULT_REMOTE, Incoming, RefPush, device_ref, fetch, push, push_device
from nutsync.store.repo.upkeep import tidy_if_due
from nutsync.store.repo.worktree import PathState, cell_status

if TYPE_CHECKING:
    from nutsync.operations.integrating import Integrator
    from nutsync.operations.purging.in_sync import Purges
    from nutsync.operations.record import Recorder

# What judges, merges and counts is imported where something has to be judged, merged or counted: most
# syncs find nothing new, and then the imports would be most of their time.

_OUR_FOLDERS = (CELL_DIR, DEVICES_DIR, PURGED_DIR, MEMORY_DIR, CATALOG_DIR)


_NAMED = 3


class Pace(NamedTuple):
    """How to wait between tries; given from outside so that tests need no time."""

    pause: Callable[[float], None] = time.sleep
    random: Callable[[], float] = random.random
    attempts: int = MOST_ATTEMPTS


def sync(
    cell: Cell,
    *,
    pace: Pace | None = None,
    progress: Progress | None = None,
    sought: Mapping[str, Sequence[bytes]] | None = None,
) -> Synced:
    """Sync the cell with its remote.

    ``sought`` is, by id, what a purge wants gone from this clone once the remote has what was rewritten.

    Raises the named errors of an unfit repository, :class:`ErrIncoming` where what came breaks the law,
    :class:`ErrForeignConflict`, :class:`ErrUnrelated`, :class:`ErrRemoteRewritten`, :class:`ErrPurgePending`
    and those errors of a remote that waiting does not cure. Whatever is raised, all entries are kept here.
    """
    with clone_lock(cell.git.common_dir, timeout=LOCK_SECONDS, command="sync", name="sync"):
        try:
            done = _Sync(cell, pace or Pace(), progress, sought).run()
        except NutsyncError as failure:
            note_failure(cell, failure)
            raise
        note_sync(cell, done.result, done.as_json())
    return done


class _Sync:
    def __init__(
        self,
        cell: Cell,
        pace: Pace,
        progress: Progress | None,
        sought: Mapping[str, Sequence[bytes]] | None = None,
    ) -> None:
        self.cell = cell
        self.pace = pace
        self.progress = progress
        self.remote = remote_of(cell)
        self.held: dict[str, Held] = {}
        self.notices: list[str] = []
        self.taken = Taken()
        self.attempts = 0
        self.tip: str | None = None
        self.sought = sought
        self.purges: Purges | None = None
        self.leftovers: tuple[str, ...] = ()

    def run(self) -> Synced:
        require_fit(self.cell.git, self.cell.branch)
        try:
            incoming = self._look_around()
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

    def _look_around(self) -> Incoming:
        """Fetch, while the worktree is looked at; commit what was written by hand also when that fails."""
        looking = _Background(lambda: cell_status(self.cell.git, ARCHIVE_DIR))
        try:
            return self._fetch()
        finally:
            self._commit_pending(looking.result())
            self.tip = resolve_ref(self.cell.git, branch_ref(self.cell.branch))

    def _commit_pending(self, changed: list[PathState]) -> None:
        """Commit what was legally written by hand, and name what is held (step 2)."""
        self._remove_leftovers()
        if not changed and not is_noted(self.cell.git) and not (self.cell.git.private_dir / "held").exists():
            return
        from nutsync.operations.pending import commit_pending

        with self.cell.writing("sync") as recorder:
            for one in commit_pending(self.cell, recorder).held:
                self.held[one.date] = one

    def _remove_leftovers(self) -> None:
        """Remove the temporary files of killed writers where neither Git nor a day's own check shows them."""
        private = self.cell.git.private_dir
        with clone_lock(self.cell.git.common_dir, timeout=LOCK_SECONDS, command="sync"):
            for folder in (private, *(path for path in private.iterdir() if path.is_dir())):
                remove_temporaries(folder)
            for name in _OUR_FOLDERS:
                remove_temporaries(self.cell.root / name)

    def _fetch(self) -> Incoming:
        return fetch(self.cell.git, self.cell.branch, self.remote, progress=self.progress)

    # --- Taking over (steps 4 to 6) -------------------------------------------------------------------

    def _take_over(self, incoming: Incoming) -> None:
        self._name_strange(incoming)
        before = self.tip
        if self.tip == incoming.branch and not incoming.devices:
            if self.tip is not None and seen_tip(self.cell.git, self.cell.branch) != self.tip:
                note_seen(self.cell.git, self.cell.branch, self.tip)  # plain Git brought it here
            return
        from nutsync.operations.integrating import Integrator

        try:
            with self.cell.writing("sync") as recorder:
                integrator = Integrator(self.cell, recorder, self.progress)
                devices = self._reconcile(recorder, incoming)
                if devices is None:
                    self._require_descendant(incoming.branch)
                    if incoming.branch is not None:
                        self._add(integrator.take(incoming.branch))
                for device, tip in sorted((incoming.devices if devices is None else devices).items()):
                    self._take_device(integrator, device, tip)
                self._add(integrator.repair())
                if self.taken.moved:
                    self._keep_enrolled(recorder)
                integrator.require_sendable(incoming.branch)
                self.tip = recorder.tip
                self._name_exposed(before)
        except ErrForeignConflict as conflict:
            raise self._sent_aside(conflict) from conflict
        if incoming.branch is not None and self._lease is None:
            note_seen(self.cell.git, self.cell.branch, incoming.branch)

    def _reconcile(self, recorder: Recorder, incoming: Incoming) -> dict[str, str] | None:
        """Bring the histories together where one was purged (design §9); return what devices left, purged.

        None where no purge tells them apart: then they are taken over as ever.
        """
        from nutsync.operations.purging.in_sync import Purges, may_concern

        if not may_concern(recorder.objects, [recorder.tip, incoming.branch, *incoming.devices.values()]):
            return None
        self.purges = self.purges or Purges(self.cell, self.remote, self.sought, self.progress)
        seen = seen_tip(self.cell.git, self.cell.branch)
        taken = self.purges.reconcile(recorder, incoming, seen)
        if taken is None:
            return None
        self._add(taken)
        return self.purges.devices

    @property
    def _lease(self) -> str | None:
        """What the remote's branch has to hold for it to be replaced by ours; None for an ordinary push."""
        return self.purges.lease if self.purges else None

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
        """Merge what a device left aside; where that cannot be, the rest goes on and it is said.

        So nothing that a clone left, which may never come back, keeps the others apart.
        """
        try:
            self._add(integrator.take(tip))
        except NutsyncError as problem:
            self.notices.append(
                f"What the device {device} left at the remote was not taken over: {problem.message}"
            )

    def _name_strange(self, incoming: Incoming) -> None:
        if incoming.strange:
            names = ", ".join(repr(name)[1:-1] for name in incoming.strange[:_NAMED])
            more = f" and {len(incoming.strange) - _NAMED} more" if len(incoming.strange) > _NAMED else ""
            words = f"No device left these at the remote under refs/nutsync/devices/: {names}{more}."
            if words not in self.notices:
                self.notices.append(words)

    def _name_exposed(self, before: str | None) -> None:
        """Say which credentials came; they are kept, or an entry would be lost."""
        if self.taken.received and before is not None and self.tip is not None:
            from nutsync.operations.exposed import words_about

            self.notices += words_about(self.cell.git, before, self.tip)

    def _keep_enrolled(self, recorder: Recorder) -> None:
        """Enrol anew under another name where a device enrolled earlier holds this one's (design §8.5)."""
        from nutsync.operations.enrolling import enrol

        settings, _ = enrol(recorder, self.cell.settings, self.cell.clock.now())
        if settings != self.cell.settings:
            self.notices.append(
                f"Another device is called {self.cell.device}; this is {settings.device} now."
            )
            self.cell = replace(self.cell, settings=settings)

    def _add(self, taken: Taken) -> None:
        self.taken = self.taken.plus(taken)
        for date in taken.left:
            from nutsync.operations.held import held_edit

            self.held.setdefault(date, held_edit(date, "it was edited while the sync ran"))

    # --- Sending (step 7) -----------------------------------------------------------------------------

    def _push(self, incoming: Incoming) -> bool:
        """Push the branch; False where another try may cure a refusal."""
        if self.tip is None:
            return True
        from nutsync.operations.hooks.push import judged_here

        ref = branch_ref(self.cell.branch)
        pushes = [RefPush(ref, self.tip, self._lease)]
        with judged_here(self.cell.git, incoming.branch, self.tip):
            pushed = push(self.cell.git, pushes, self.remote, progress=self.progress)
        if self.purges:
            self.purges.pushed(pushed, ref)
        if not pushed.done:
            pushed.require_accepted()
            return False
        note_seen(self.cell.git, self.cell.branch, self.tip)
        return True

    def _leave_by_own_ref(self) -> Synced:
        """Send the entries under this device's own ref, so that they have left this machine."""
        pushed = push_device(self.cell.git, self.cell.device, self.tip, self.remote)
        where = device_ref(self.cell.device)
        if pushed.done:
            self.notices.append(f"The branch stayed contended; the entries are at the remote under {where}.")
        return self._stopped(CONTENDED)

    def _sent_aside(self, conflict: ErrForeignConflict) -> ErrForeignConflict:
        """Send the entries under this device's own ref where foreign files forbid a merge (exit 4)."""
        try:
            sent = push_device(self.cell.git, self.cell.device, self.tip, self.remote).done
        except NutsyncError:
            sent = False
        kept = "The entries of this device are at the remote under its own ref." if sent else ""
        return ErrForeignConflict(f"{conflict.message} {kept}".strip(), hint=conflict.hint)

    # --- Afterwards (step 8) --------------------------------------------------------------------------

    def _finish(self, incoming: Incoming) -> Synced:
        left = self.purges.devices if self.purges and self.purges.devices else incoming.devices
        own = left.get(self.cell.device)
        if own is not None and self.tip is not None and is_ancestor(self.cell.git, own, self.tip):
            push_device(self.cell.git, self.cell.device, None, self.remote)
        sent = self._count_new(incoming.branch)
        word = result_word(merged=self.taken.merged, taken=self.taken.moved, sent=self.tip != incoming.branch)
        self._finish_purges()
        return self._answer(word, sent=sent, waiting=0)

    def _finish_purges(self) -> None:
        """Let go of purged history once the remote has everything, and confirm it there (design §9)."""
        if self.tip is None or not (self.cell.root / PURGED_DIR).is_dir():
            return
        from nutsync.operations.purging.in_sync import Purges, proof_of, words_of

        purges = self.purges or Purges(self.cell, self.remote, self.sought, self.progress)
        with self.cell.writing("sync") as recorder:
            done = purges.finish(recorder)
            confirmed, self.tip = recorder.tip != self.tip, recorder.tip
        if done is not None:
            self.leftovers = tuple(words_of(done))
            self.notices += [proof] if (proof := proof_of(done)) else []
        if confirmed and self.tip is not None:  # where others were faster, the next sync sends it
            pushed = push(self.cell.git, [RefPush(branch_ref(self.cell.branch), self.tip)], self.remote)
            if pushed.done:
                note_seen(self.cell.git, self.cell.branch, self.tip)

    def _stopped(self, word: str) -> Synced:
        waiting = self._count_new(seen_tip(self.cell.git, self.cell.branch))
        return self._answer(word, sent=0, waiting=waiting)

    def _count_new(self, there: str | None) -> int:
        if self.tip == there:
            return 0
        from nutsync.operations.counting import count_new

        return count_new(self.cell.git, there, self.tip)

    def _answer(self, word: str, *, sent: int, waiting: int) -> Synced:
        if self.taken.moved:
            from nutsync.operations.catalogs import make_good

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
            leftovers=self.leftovers,
        )


def remote_of(cell: Cell) -> str:
    """Return the remote that the memory branch tracks; the usual one where it tracks none."""
    tracked = cell.git.own_config(f"branch.{cell.branch}.remote")
    return tracked if tracked not in (None, "", ".") else DEFAULT_REMOTE


class _Background:
    """A look at the clone that goes on while the network is waited for."""

    def __init__(self, look: Callable[[], list[PathState]]) -> None:
        self._look = look
        self._found: list[PathState] = []
        self._problem: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._found = self._look()
        except BaseException as problem:
            self._problem = problem

    def result(self) -> list[PathState]:
        """Wait for the look, and return what it found or raise what it raised."""
        self._thread.join()
        if self._problem is not None:
            raise self._problem
        return self._found
