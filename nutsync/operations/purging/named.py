"""What a purge names: entries that are remembered, and what was forgotten before (design §9)."""

from __future__ import annotations

from collections.abc import Sequence

from nutsync.core.audit import Target
from nutsync.core.cell import CELL_DIR, PurgeRecord
from nutsync.core.entry import Block, Ref
from nutsync.core.errors import ErrUsage
from nutsync.core.forget import require_discreet, unknown
from nutsync.core.layer_requests import check_change
from nutsync.core.moment import Moment
from nutsync.core.visibility import visible
from nutsync.operations.cell import Cell
from nutsync.operations.corrections import read_corrections
from nutsync.operations.forget import ForgetRequest, Wish
from nutsync.operations.journal import committed_day
from nutsync.operations.purging.rewriting import other_branches
from nutsync.operations.purging.rules import forgotten_words, sign_record
from nutsync.operations.record import Recorder
from nutsync.store.repo.keys import load_key
from nutsync.store.repo.rewrite import Rewriter


def name_of(target: Target) -> str:
    return target.ref.partition("#")[2]


def new_record(
    cell: Cell, recorder: Recorder, target: Target, request: ForgetRequest, now: Moment
) -> PurgeRecord:
    """Return the signed record of one purge; it names the days whose indexes repeat the subject."""
    ref = Ref.parse(target.ref)
    corrections = read_corrections(cell.root, since=ref.date).of_ref(ref)
    days = dict.fromkeys([ref.date, *sorted({one.date for one, _ in corrections})])
    record = PurgeRecord(
        id=str(ref.id),
        day=ref.date,
        days=tuple(days),
        actor=request.actor,
        device=recorder.device,
        at=now,
        reason=request.reason,
        unstamped=target.unstamped,
    )
    return sign_record(record, load_key(cell.git.common_dir))


def sort_out(cell: Cell, recorder: Recorder, request: ForgetRequest) -> tuple[list[Ref], list[Target]]:
    """Return the refs that are remembered now, and those that were forgotten before.

    A replacement is not taken for what it replaced: its old ref names text that only history holds.
    """
    if request.replacement is not None and len(request.refs) != 1:
        raise ErrUsage("A replacement takes the place of one remembered entry; give one ref.")
    here: list[Ref] = []
    long_gone: list[Target] = []
    for ref in request.refs:
        day = committed_day(recorder, ref.date)
        forgotten = ref.id is not None and (day is None or day.find(ref) is None)
        if forgotten and recorder.guard.forgotten(recorder.tip).has(str(ref)):
            words = forgotten_words(cell.git, recorder.objects, str(ref), [str(recorder.tip)])
            long_gone.append(Target(str(ref), unstamped=words is not None))
        else:
            here.append(ref)
    if long_gone and request.replacement is not None:
        raise ErrUsage("What was forgotten before has no place left for a replacement.")
    return here, long_gone


def require_no_twin(recorder: Recorder, wish: Wish) -> None:
    """Refuse to purge a block without an id while the same words stand on its day once more.

    Nothing tells the two apart in history, so both go or none.
    """
    names = {ref for ref, _ in wish.blocks}
    for ref, block in wish.blocks:
        day = committed_day(recorder, ref.date) if ref.id is None else None
        for other, twin in day.entries() if day is not None else ():
            if other not in names and other.id is None and twin.body == block.body:
                raise ErrUsage(
                    f"{other} says the same as {ref}, and nothing tells them apart in history. Nothing was "
                    "changed.",
                    hint=f"Name {other} as well; what is to stay can be remembered anew afterwards.",
                )


def require_found(
    cell: Cell, request: ForgetRequest, records: Sequence[PurgeRecord], rewriter: Rewriter
) -> None:
    """Check that the asker may purge what only history holds, and that the reason does not repeat it."""
    for record in records:
        one, is_admin = Block(rewriter.found.get(record.id, b"")), request.has_rights(cell.config.admins)
        walled = request.walled and not is_admin and not visible(one.attributes, request.actor)
        if walled or not one.raw:
            raise unknown(Ref(record.day, id=record.id))
        check_change(one.attributes, request.actor, is_admin=is_admin)
        require_discreet(request.reason, [one])


def is_shared(cell: Cell, recorder: Recorder) -> bool:
    """Tell whether the repository holds other things, or branches and tags whose commits are others' too."""
    ours = {CELL_DIR.partition("/")[0], ".gitattributes", ".gitignore"}
    foreign = set(recorder.objects.tree(str(recorder.tip))) - ours
    return bool(foreign or other_branches(cell.git, recorder.branch))
