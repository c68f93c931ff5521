"""`forget --purge`: an entry goes from what is remembered, and from every version of it (design §9).

Forget, unless that was done before; rewrite the history of this clone; record the purge on top, signed; send
it; let go of the old history; prove that nothing holds the text. A crash anywhere leaves what the next
sync completes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from nutsync.core.audit import Target
from nutsync.core.cell import CELL_DIR, PurgeRecord, purge_path
from nutsync.core.entry import Block, Ref
from nutsync.core.errors import (
    ErrNoRemote,
    ErrPurgePending,
    ErrRemote,
    ErrUnknownRef,
    ErrUsage,
)
from nutsync.core.forget import require_discreet
from nutsync.core.layer import layer_of
from nutsync.core.layer_requests import check_change
from nutsync.core.moment import Moment
from nutsync.core.sync_plan import CONTENDED, OFFLINE
from nutsync.operations.catalogs import rebuild
from nutsync.operations.cell import LOCK_SECONDS, Cell
from nutsync.operations.corrections import read_corrections
from nutsync.operations.forget import (
    ForgetRequest,
    Forgotten,
    Wish,
    forget_under_lock,
    look_up,
    plan_wish,
)
from nutsync.operations.journal import committed_day
from nutsync.operations.move_note import Move
from nutsync.operations.moving import move
from nutsync.operations.purging import state
from nutsync.operations.purging.clean import needles
from nutsync.operations.purging.complete import Completed, complete
from nutsync.operations.purging.follow import fresh_indexes, target_of
from nutsync.operations.purging.in_sync import words_of
from nutsync.operations.purging.results import DONE, INCOMPLETE, PENDING, Purged, PurgePreview
from nutsync.operations.purging.rewriting import move_all, other_branches, plan_refs, rewrite_all
from nutsync.operations.purging.rules import forgotten_words, read_records, rules_of, sign_record
from nutsync.operations.record import Change, Recorder
from nutsync.operations.sync import Pace, remote_of, sync
from nutsync.store.lock import clone_lock
from nutsync.store.repo.keys import load_key
from nutsync.store.repo.rewrite import Rewriter
from nutsync.store.repo.talk import Progress


@dataclass
class _Purge:
    """A purge under way: what it names, and what must be gone in the end."""

    targets: list[Target]
    layers: tuple[str, ...]
    forgotten: Forgotten | None
    sought: dict[str, tuple[bytes, ...]] = field(default_factory=dict)
    named: Sequence[str] = ()
    commit: str | None = None


def preview_purge(cell: Cell, request: ForgetRequest) -> PurgePreview:
    """Return what :func:`purge` would do now; no ref moves and no file changes."""
    with cell.writing("purge") as recorder:
        here, long_gone = _sort_out(cell, recorder, request)
        forgotten = None
        targets = list(long_gone)
        if here:
            wish = look_up(cell, recorder, replace(request, refs=here))
            _require_no_twin(recorder, wish)
            forgotten = Forgotten(plan_wish(cell, recorder, wish), None, wish.unwritten)
            targets += [one.target for one in forgotten.plan.gone if not one.target.unstamped]
        records = read_records(recorder.objects, recorder.tip)
        now = cell.clock.now()
        records |= {_name(one): _record(cell, recorder, one, request, now) for one in targets}
        rewriter = _rewrite(recorder, records)
        _require_found(cell, request, [records[_name(one)] for one in long_gone], rewriter)
        plan = plan_refs(cell.git, rewriter, recorder.branch)
        others = tuple(name for name, new, _ in plan.moves if new is not None)
        shared = _is_shared(cell, recorder)
        gone = tuple(one.ref for one in long_gone)
        return PurgePreview(forgotten, gone, len(rewriter.new), others, shared)


def purge(
    cell: Cell, request: ForgetRequest, *, pace: Pace | None = None, progress: Progress | None = None
) -> Purged:
    """Forget what ``request`` names and remove its text from history, here and at the remote.

    Raises what :func:`nutsync.operations.forget.forget` raises, :class:`ErrUnknownRef` where no version in
    any history here ever held a ref, and what a sync raises for other reasons than that the remote does not
    let history be rewritten; what was rewritten by then stays, noted, and the next sync goes on with it.
    """
    with clone_lock(cell.git.common_dir, timeout=LOCK_SECONDS, command="purge", name="sync"):
        with cell.writing("purge") as recorder:
            under = _purge_here(cell, recorder, request)
        refs = tuple(target.ref for target in under.targets)
        if not under.targets:
            return Purged(under.forgotten, (), None, DONE)
        if not _has_remote(cell):
            with cell.writing("purge") as recorder:
                done = complete(cell, recorder, under.sought, under.named)
            return Purged(under.forgotten, refs, under.commit, _word(done), tuple(words_of(done)))
        try:
            synced = sync(cell, pace=pace, progress=progress, sought=under.sought)
        except (ErrPurgePending, ErrNoRemote, ErrRemote) as problem:
            return Purged(under.forgotten, refs, under.commit, PENDING, problem=problem)
    if synced.result in (OFFLINE, CONTENDED):
        return Purged(under.forgotten, refs, under.commit, PENDING, synced=synced)
    result = INCOMPLETE if synced.leftovers else DONE
    return Purged(under.forgotten, refs, under.commit, result, synced.leftovers, synced)


def _word(done: Completed) -> str:
    return DONE if done.clean else INCOMPLETE


# --- Here -----------------------------------------------------------------------------------------------


def _purge_here(cell: Cell, recorder: Recorder, request: ForgetRequest) -> _Purge:
    """Forget, rewrite the history of this clone, record the purge on top, and move every ref."""
    here, long_gone = _sort_out(cell, recorder, request)
    known = read_records(recorder.objects, recorder.tip)
    now = cell.clock.now()
    fresh = {_name(one): _record(cell, recorder, one, request, now) for one in long_gone}
    if here and fresh:  # what only history can tell is looked up before anything is forgotten
        _require_found(cell, request, list(fresh.values()), _rewrite(recorder, {**known, **fresh}))
    under = _Purge(list(long_gone), (), None)
    if here:
        wish = look_up(cell, recorder, replace(request, refs=here))
        _require_no_twin(recorder, wish)
        under.forgotten = forget_under_lock(cell, recorder, replace(request, refs=here))
        gone = under.forgotten.plan.gone
        under.targets += [one.target for one in gone]
        under.layers = tuple(dict.fromkeys(layer_of(one.block.attributes) for one in gone))
        fresh |= {_name(one.target): _record(cell, recorder, one.target, request, now) for one in gone}
    fresh = {name: record for name, record in fresh.items() if name not in known}
    if under.targets:
        _rewrite_and_move(cell, recorder, request, under, known, fresh, now)
    return under


def _rewrite_and_move(
    cell: Cell,
    recorder: Recorder,
    request: ForgetRequest,
    under: _Purge,
    known: Mapping[str, PurgeRecord],
    fresh: Mapping[str, PurgeRecord],
    now: Moment,
) -> None:
    old = str(recorder.tip)
    rewriter = _rewrite(recorder, {**known, **fresh})
    _require_found(cell, request, list(fresh.values()), rewriter)
    for target in under.targets:
        under.sought[_name(target)] = needles(_name(target), rewriter.found.get(_name(target)))
    new = rewriter.of(old)
    if fresh:
        files: dict[str, bytes | None] = {purge_path(name): record.render() for name, record in fresh.items()}
        files |= fresh_indexes(recorder.objects, new, rewriter.dates)
        audit = recorder.audit(
            "purge",
            targets=tuple(target_of(record) for record in fresh.values()),
            layers=under.layers,
            actor=request.actor,
            reason=request.reason,
        )
        change = Change(audit, files, now)
        recorder.guard.check(new, [change])
        new = recorder.write(new, change)
        recorder.guard.follow(new)
        under.commit = new
    plan = plan_refs(cell.git, rewriter, recorder.branch)
    under.named = plan.named
    state.note(cell.git, [*known, *fresh], state.SEND if _has_remote(cell) else state.CLEAN)
    move_all(cell.git, plan)
    if new != old:
        move(recorder, Move(old, new), "purge")
    years = sorted({date[:4] for date in rewriter.dates})
    rebuild(cell.root, cell.git.private_dir, cell.clock.now().local_date(), years)


def _has_remote(cell: Cell) -> bool:
    return cell.git.config(f"remote.{remote_of(cell)}.url") is not None


def _rewrite(recorder: Recorder, records: Mapping[str, PurgeRecord]) -> Rewriter:
    tip = str(recorder.tip)
    rules = rules_of(recorder.git, recorder.objects, records, [tip])
    rewriter = rewrite_all(recorder.git, recorder.objects, rules, [tip])
    rewriter.found |= {rule.id: rule.words for rule in rules if rule.words}
    return rewriter


def _name(target: Target) -> str:
    return target.ref.partition("#")[2]


def _record(
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


# --- What is named --------------------------------------------------------------------------------------


def _sort_out(cell: Cell, recorder: Recorder, request: ForgetRequest) -> tuple[list[Ref], list[Target]]:
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


def _require_no_twin(recorder: Recorder, wish: Wish) -> None:
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


def _require_found(
    cell: Cell, request: ForgetRequest, records: Sequence[PurgeRecord], rewriter: Rewriter
) -> None:
    """Check that the asker may purge what only history holds, and that the reason does not repeat it."""
    for record in records:
        block = rewriter.found.get(record.id)
        if block is None:
            raise ErrUnknownRef(
                f"No version of {record.day} here holds #{record.id}; nothing was purged.",
                hint="`nutsync log --op forget` lists what was forgotten.",
            )
        one = Block(block)
        check_change(one.attributes, request.actor, is_admin=request.has_rights(cell.config.admins))
        require_discreet(request.reason, [one])


def _is_shared(cell: Cell, recorder: Recorder) -> bool:
    """Tell whether the repository holds other things, or branches and tags whose commits are others' too."""
    ours = {CELL_DIR.partition("/")[0], ".gitattributes", ".gitignore"}
    foreign = set(recorder.objects.tree(str(recorder.tip))) - ours
    return bool(foreign or other_branches(cell.git, recorder.branch))
