"""A sync's part in purges: before it takes over, when it pushes, and once all is sent (design §9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nutsync.core.cell import PURGED_DIR
from nutsync.core.progress import Progress
from nutsync.core.sync_plan import Taken
from nutsync.operations.cell import Cell
from nutsync.operations.purging import state
from nutsync.operations.purging.complete import Completed, complete, has_to_complete
from nutsync.operations.purging.follow import reconcile
from nutsync.operations.purging.publish import publish_others, require_taken
from nutsync.operations.record import Recorder
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.remote import Incoming, Pushed


def may_concern(objects: Objects, tips: Sequence[str | None]) -> bool:
    """Tell whether any of these commits records a purge at all."""
    return any(tip is not None and objects.entry(tip, PURGED_DIR) is not None for tip in tips)


class Purges:
    """What one sync keeps of the purges that it meets. ``sought`` is what must be gone in the end, by id."""

    def __init__(
        self,
        cell: Cell,
        remote: str,
        sought: Mapping[str, Sequence[bytes]] | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.cell = cell
        self.remote = remote
        self.progress = progress
        self.sought = {name: tuple(marks) for name, marks in (sought or {}).items()}
        self.lease: str | None = None
        self.devices: dict[str, str] = {}
        self.stale: dict[str, str] = {}
        self.rewrote = False
        self.named: list[str] = []
        self.completed: Completed | None = None

    def reconcile(self, recorder: Recorder, incoming: Incoming, seen: str | None) -> Taken | None:
        """Bring both histories together where a purge tells them apart; None where none does."""
        done = reconcile(self.cell, recorder, incoming, seen, self.progress)
        self.devices, self.stale, self.lease = {}, {}, None
        if done is None:
            return None
        self.lease = done.lease
        self.devices, self.stale = dict(done.devices), dict(done.stale)
        self.named = list(done.named)
        for name, marks in done.sought.items():
            known = self.sought.get(name, ())
            self.sought[name] = marks if len(marks) > len(known) else known
        return done.taken

    def pushed(self, pushed: Pushed, ref: str) -> None:
        """Take note of what became of the push of the memory branch. Raises :class:`ErrPurgePending`."""
        if self.lease is not None:
            require_taken(pushed, ref)
            self.rewrote = self.rewrote or pushed.done
        if pushed.done:
            state.sent(self.cell.git)

    def finish(self, recorder: Recorder) -> Completed | None:
        """Rewrite the remote's other refs where this device has to, and let go of old history here.

        None where there was nothing to do. A confirming commit may have moved the branch.
        """
        state.sent(self.cell.git)  # whatever a crash has left undone, the remote holds what we hold
        if self.rewrote or self.stale:
            self.named += publish_others(self.cell.git, recorder, self.remote, self.stale)
        if not self.sought and not has_to_complete(self.cell, recorder):
            return None
        self.completed = complete(self.cell, recorder, self.sought, self.named, self.progress)
        return self.completed


def words_of(done: Completed) -> list[str]:
    """Return what a sync says of a clean-up that found something left."""
    if done.clean:
        return []
    return [left.words() for left in done.leftovers] + [f"purge: {one}." for one in done.named]


def proof_of(done: Completed) -> str:
    """Return what is said of a clean-up after which the text is nowhere; empty where nobody knew the text."""
    if not done.clean or not done.proved:
        return ""
    names = ", ".join(done.proved)
    return (
        f"purge {names}: {done.objects:,} objects and {done.files:,} files of this clone were searched; "
        "the text is in none of them."
    )
