"""The end of a purge in one clone: old history goes, that is proved, and the device says so (design §9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nutsync.core.cell import PurgeRecord
from nutsync.core.progress import Progress
from nutsync.operations.cell import Cell
from nutsync.operations.purging import state
from nutsync.operations.purging.clean import Leftover, Searched, kept_packs, let_go, needles, search
from nutsync.operations.purging.devices import devices_before, followers
from nutsync.operations.purging.rewriting import move_all, plan_refs, rewrite_all
from nutsync.operations.purging.rules import read_records, rules_of
from nutsync.operations.record import Change, Recorder


@dataclass(frozen=True)
class Completed:
    """What a clean-up found: which purges are done here, what still holds text, and the confirming commit.

    ``objects`` and ``files`` count what was searched for the text. ``proved`` are those purges whose text was
    known here and sought; of the others only the id was.
    """

    ids: tuple[str, ...] = ()
    leftovers: tuple[Leftover, ...] = ()
    named: tuple[str, ...] = ()
    commit: str | None = None
    objects: int = 0
    files: int = 0
    proved: tuple[str, ...] = ()

    @property
    def clean(self) -> bool:
        return not self.leftovers and not self.named


def has_to_complete(cell: Cell, recorder: Recorder) -> bool:
    """Tell whether this clone has something left to do for a purge, and may do it without the remote."""
    under = state.read(cell.git)
    if under is not None:
        return under.step == state.CLEAN
    records = read_records(recorder.objects, recorder.tip)
    return bool(records.keys() - state.followed(cell.git))


def complete(
    cell: Cell,
    recorder: Recorder,
    sought: Mapping[str, Sequence[bytes]],
    named: Sequence[str] = (),
    progress: Progress | None = None,
) -> Completed:
    """Let go of old history, prove that nothing holds the purged text, and confirm it in a commit.

    ``sought`` are the bytes that must be gone, by id; where it names none for a purge, only its id is sought.
    ``named`` is what is known to hold on to old history. Nothing is confirmed unless nothing was found.
    """
    git = cell.git
    under = state.read(git)
    records = read_records(recorder.objects, recorder.tip)
    ids = tuple(sorted((records.keys() - state.followed(git)) | (records.keys() & sought.keys())))
    marks = {name: tuple(sought.get(name) or needles(name, None)) for name in ids}
    rewritten = under is not None
    recorder.objects.close()
    say = progress or (lambda _words: None)
    if rewritten:
        say("Letting go of old history")
        let_go(git)
    found = search(git, marks, say) if marks else Searched()
    if found.leftovers:
        named = list(dict.fromkeys((*named, *_rewrite_refs(recorder, records, progress))))
        let_go(git)
        found = search(git, marks, say)
    left = found.leftovers
    packs = [f"the pack {name}: a .keep file holds on to it" for name in kept_packs(git)] if left else []
    if left or named:
        return Completed(ids, left, (*named, *packs), None, found.objects, found.files)
    commit = _confirm(cell, recorder, ids)
    state.note_followed(git, ids)
    state.done(git)
    proved = tuple(name for name in ids if len(marks[name]) > 1)
    return Completed(ids, commit=commit, objects=found.objects, files=found.files, proved=proved)


def _rewrite_refs(
    recorder: Recorder, records: Mapping[str, PurgeRecord], progress: Progress | None
) -> Sequence[str]:
    """Rewrite what still leads to old history, and return what cannot be rewritten.

    Plain Git may have moved the branch to the rewritten history, a worktree may have let go of its branch.
    """
    git, objects, tip = recorder.git, recorder.objects, str(recorder.tip)
    rewriter = rewrite_all(git, objects, rules_of(git, objects, records, [tip]), [tip], progress)
    plan = plan_refs(git, rewriter, recorder.branch)
    move_all(git, plan)
    objects.close()
    return plan.named


def complete_here(cell: Cell, recorder: Recorder) -> None:
    """Complete a clean-up that a crash cut short; what is left over is said by the next sync."""
    if state.is_cleaning(cell.git):
        complete(cell, recorder, {})


def _confirm(cell: Cell, recorder: Recorder, ids: Sequence[str]) -> str | None:
    """Say in a commit which purges this device has followed, if it had anything to follow."""
    tip = recorder.tip
    if tip is None or not ids:
        return None
    said = followers(cell.git, recorder.objects, tip).get(cell.device, frozenset())
    records = read_records(recorder.objects, tip)
    mine = [
        name
        for name in ids
        if name not in said
        and records[name].device != cell.device
        and cell.device in devices_before(cell.git, recorder.objects, tip, name)
    ]
    if not mine:
        return None
    audit = recorder.audit("follow", followed=tuple(mine))
    change = Change(audit, {}, cell.clock.now(), about=f"{len(mine)} purged")
    recorder.check([change])
    new = recorder.write(tip, change)
    recorder.guard.follow(new)
    recorder.advance(new, "follow")
    return new
