"""Taking over what a remote holds: judged, then fast-forwarded or merged by blocks (design §8.4 to §8.6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nutsync.core.cell import date_of_path
from nutsync.core.errors import ErrFreezeLaw, ErrGit, ErrUnrelated
from nutsync.core.freeze import Severity
from nutsync.core.progress import Progress
from nutsync.core.sync_plan import Receipt, Step, Taken, plan_step
from nutsync.operations.cell import Cell
from nutsync.operations.counting import count_new
from nutsync.operations.guard import require_legal
from nutsync.operations.incoming import judge_incoming, repair
from nutsync.operations.merging import Merger, merge_bases
from nutsync.operations.move_note import Move
from nutsync.operations.moving import move
from nutsync.operations.record import Change, Recorder
from nutsync.store.repo.history import recorded
from nutsync.store.repo.trees import TreeEntry


@dataclass
class Integrator:
    """Takes over commits of a remote into the memory branch, under the clone's lock."""

    cell: Cell
    recorder: Recorder
    progress: Progress | None = None

    def take(self, theirs: str) -> Taken:
        """Take over ``theirs`` and everything before it.

        Raises :class:`ErrIncoming` where one of its commits breaks the law, :class:`ErrUnrelated`, and
        :class:`ErrForeignConflict`; then nothing was changed.
        """
        ours = self.recorder.tip
        bases = () if ours is None else merge_bases(self.recorder.git, ours, theirs)
        if ours is not None and not bases:
            raise ErrUnrelated(
                "The remote holds a history that has nothing in common with this one. Nothing was changed.",
                hint="Look at the remote's address. To join two memories, import one into the other.",
            )
        step = plan_step(ours, theirs, ours_in_theirs=bases == (ours,), theirs_in_ours=bases == (theirs,))
        if step is Step.NOTHING:
            return Taken()
        known = () if ours is None else (ours,)
        judge_incoming(self.recorder.guard, theirs, known, self.cell.clock.now(), self.progress)
        return self._forward(theirs) if step is Step.TAKE else self._merge(theirs, bases)

    def require_sendable(self, theirs: str | None) -> None:
        """Judge what is about to leave beyond ``theirs``: plain Git may have bypassed the hooks.

        Raises :class:`ErrFreezeLaw` for the first commit that everybody else would refuse.
        """
        tip = self.recorder.tip
        if tip is None or theirs is None or tip == theirs:
            return
        for commit, findings in self.recorder.guard.judge_range(tip, [theirs]):
            broken = [finding for finding in findings if finding.severity is Severity.VIOLATION]
            if broken:
                raise ErrFreezeLaw(
                    f"The commit {commit.id[:12]} of this clone breaks the freeze law: {broken[0].message} "
                    "Nothing was sent; every other device would refuse it.",
                    hint=broken[0].hint,
                )

    def _forward(self, theirs: str) -> Taken:
        ours = self.recorder.tip
        self.recorder.guard.keep(theirs)
        left = move(self.recorder, Move(ours, theirs), "fast-forward")
        return Taken(True, False, count_new(self.recorder.git, ours, theirs), left=_dates(left))

    def _merge(self, theirs: str, bases: tuple[str, ...]) -> Taken:
        recorder, ours = self.recorder, str(self.recorder.tip)
        merged = Merger(recorder.guard, self.progress).merge(ours, theirs, bases)
        require_complete(merged.receipt)
        change = Change(recorder.audit("merge"), merged.files, self.cell.clock.now(), merged=(theirs,))
        new = write_judged(recorder, ours, change, merged.taken)
        left = move(recorder, Move(ours, new), "merge")
        return Taken(True, True, merged.received, merged.receipt, _dates(left))

    def repair(self) -> Taken:
        """Put right, in one commit that says so, what Git's own union blurred (design §7)."""
        recorder = self.recorder
        change = repair(recorder, self.cell.clock.now())
        if change is None:
            return Taken()
        new = write_judged(recorder, recorder.tip, change)
        return Taken(True, left=_dates(move(recorder, Move(recorder.tip, new), "repair")))


def require_complete(receipt: Receipt) -> None:
    """Raise :class:`ErrGit` for a merge that would lose an entry or bring back one; nobody makes it."""
    if not receipt.complete:
        raise ErrGit(
            f"The merge would not hold {', '.join(receipt.lost + receipt.returned)} as it should; it was not "
            "made and nothing was changed.",
            hint="This is a fault of nutsync; please report it. Both histories are kept.",
        )


def write_judged(
    recorder: Recorder,
    parent: str | None,
    change: Change,
    taken: Mapping[str, TreeEntry | None] | None = None,
) -> str:
    """Write one commit on ``parent`` and judge it as everybody will; no ref moves.

    Raises :class:`ErrFreezeLaw`; then only unreachable objects were written.
    """
    new = recorder.write(parent, change, taken)
    _, findings = recorder.guard.judge_commit(recorded(recorder.objects, new))
    require_legal(findings)
    recorder.guard.keep(new)
    return new


def _dates(paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(date for path in paths if (date := date_of_path(path)) is not None)


__all__ = ["Integrator", "Taken", "write_judged"]
