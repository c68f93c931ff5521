"""`forget --purge`: an entry goes from what is remembered, and from every version of it (design §9).

Forget, unless that was done before; rewrite the history of this clone; record the purge on top, signed; send
it; let go of the old history; prove that nothing holds the text. A crash anywhere leaves what the next
sync completes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from nutsync.core.audit import Target
from nutsync.core.cell import PurgeRecord, day_path, purge_path
from nutsync.core.entry import Ref, is_id, split_blocks
from nutsync.core.errors import (
    ErrNoRemote,
    ErrPurgePending,
    ErrRemote,
)
from nutsync.core.layer import layer_of
from nutsync.core.moment import Moment
from nutsync.core.progress import Progress
from nutsync.core.sync_plan import CONTENDED, OFFLINE
from nutsync.operations.catalogs import rebuild
from nutsync.operations.cell import LOCK_SECONDS, Cell
from nutsync.operations.forget import (
    ForgetRequest,
    Forgotten,
    forget_under_lock,
    look_up,
    plan_wish,
)
from nutsync.operations.move_note import Move
from nutsync.operations.moving import move
from nutsync.operations.purging import intent, state
from nutsync.operations.purging.clean import needles
from nutsync.operations.purging.complete import complete
from nutsync.operations.purging.devices import list_purges
from nutsync.operations.purging.follow import fresh_indexes, target_of
from nutsync.operations.purging.in_sync import proof_of, words_of
from nutsync.operations.purging.named import (
    is_shared,
    name_of,
    new_record,
    require_found,
    require_no_twin,
    sort_out,
)
from nutsync.operations.purging.results import DONE, INCOMPLETE, PENDING, Purged, PurgePreview
from nutsync.operations.purging.rewriting import move_all, plan_refs, rewrite_all
from nutsync.operations.purging.rules import read_records, rules_of
from nutsync.operations.record import Change, Recorder
from nutsync.operations.sync import Pace, remote_of, sync
from nutsync.store.days import parse_day
from nutsync.store.lock import clone_lock
from nutsync.store.repo.rewrite import Rewriter


@dataclass
class _Purge:
    """A purge under way: what it names, and what must be gone in the end."""

    targets: list[Target]
    layers: tuple[str, ...]
    forgotten: Forgotten | None
    sought: dict[str, tuple[bytes, ...]] = field(default_factory=dict)
    named: Sequence[str] = ()
    commit: str | None = None
    earlier: tuple[str, ...] = ()


def preview_purge(cell: Cell, request: ForgetRequest) -> PurgePreview:
    """Return what :func:`purge` would do now; no ref moves and no file changes."""
    with cell.writing("purge") as recorder:
        here, long_gone = sort_out(cell, recorder, request)
        forgotten = None
        targets = list(long_gone)
        if here:
            wish = look_up(cell, recorder, replace(request, refs=here))
            require_no_twin(recorder, wish)
            forgotten = Forgotten(plan_wish(cell, recorder, wish), None, wish.unwritten)
            targets += [one.target for one in forgotten.plan.gone if not one.target.unstamped]
        records = read_records(recorder.objects, recorder.tip)
        now = cell.clock.now()
        records |= {name_of(one): new_record(cell, recorder, one, request, now) for one in targets}
        rewriter = _rewrite(recorder, records)
        require_found(cell, request, [records[name_of(one)] for one in long_gone], rewriter)
        plan = plan_refs(cell.git, rewriter, recorder.branch)
        others = tuple(name for name, new, _ in plan.moves if new is not None)
        shared = is_shared(cell, recorder)
        gone = tuple(one.ref for one in long_gone)
        return PurgePreview(forgotten, gone, len(rewriter.new), others, shared, _earlier(rewriter, records))


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
            resume(cell, recorder)
            under = _purge_here(cell, recorder, request, progress)
        refs = tuple(target.ref for target in under.targets)
        purged = Purged(under.forgotten, refs, under.commit, PENDING, earlier=under.earlier)
        if not under.targets:
            return replace(purged, result=DONE)
        if not _has_remote(cell):
            with cell.writing("purge") as recorder:
                done = complete(cell, recorder, under.sought, under.named, progress)
            return _ended(cell, purged, tuple(words_of(done)), proof_of(done))
        try:
            synced = sync(cell, pace=pace, progress=progress, sought=under.sought)
        except (ErrPurgePending, ErrNoRemote, ErrRemote) as problem:
            return replace(purged, problem=problem)
    if synced.result in (OFFLINE, CONTENDED):
        return replace(purged, synced=synced)
    proof = next((words for words in synced.notices if words.startswith("purge ")), "")
    return _ended(cell, replace(purged, synced=synced), synced.leftovers, proof)


def _ended(cell: Cell, purged: Purged, leftovers: tuple[str, ...], proof: str) -> Purged:
    """Return how a purge ended here, and who is still to follow it."""
    mine = {ref.partition("#")[2] for ref in purged.refs}
    waiting = {name for one in list_purges(cell) if one.record.id in mine for name in one.pending}
    result = INCOMPLETE if leftovers else DONE
    pending = tuple(sorted(waiting - {cell.device}))
    return replace(purged, result=result, leftovers=leftovers, proof=proof, pending=pending)


# --- Here -----------------------------------------------------------------------------------------------


def _purge_here(cell: Cell, recorder: Recorder, request: ForgetRequest, progress: Progress | None) -> _Purge:
    """Forget, rewrite the history of this clone, record the purge on top, and move every ref."""
    here, long_gone = sort_out(cell, recorder, request)
    known = read_records(recorder.objects, recorder.tip)
    now = cell.clock.now()
    fresh = {name_of(one): new_record(cell, recorder, one, request, now) for one in long_gone}
    if here and fresh:  # what only history can tell is looked up before anything is forgotten
        require_found(cell, request, list(fresh.values()), _rewrite(recorder, {**known, **fresh}))
    under = _Purge(list(long_gone), (), None)
    if here:
        wish = look_up(cell, recorder, replace(request, refs=here))
        require_no_twin(recorder, wish)
        intent.ask(cell.git, intent.Asked(str(recorder.tip), request.actor, request.reason))
        under.forgotten = forget_under_lock(cell, recorder, replace(request, refs=here))
        gone = under.forgotten.plan.gone
        under.targets += [one.target for one in gone]
        under.layers = tuple(dict.fromkeys(layer_of(one.block.attributes) for one in gone))
        fresh |= {name_of(one.target): new_record(cell, recorder, one.target, request, now) for one in gone}
    fresh = {name: record for name, record in fresh.items() if name not in known}
    if under.targets:
        _rewrite_and_move(cell, recorder, request, under, known, fresh, now, progress)
    intent.settled(cell.git)
    return under


def resume(cell: Cell, recorder: Recorder) -> None:
    """Record a purge whose forget was made when something cut it short; what was not begun stays undone.

    Raises what recording a purge raises; the note stays then.
    """
    asked = intent.read(cell.git)
    targets = intent.forgotten_since(recorder, asked) if asked is not None else []
    if asked is not None and targets:
        refs = [Ref.parse(target.ref) for target in targets]
        _purge_here(cell, recorder, ForgetRequest(refs=refs, reason=asked.reason, actor=asked.actor), None)
    intent.settled(cell.git)


def _rewrite_and_move(
    cell: Cell,
    recorder: Recorder,
    request: ForgetRequest,
    under: _Purge,
    known: Mapping[str, PurgeRecord],
    fresh: Mapping[str, PurgeRecord],
    now: Moment,
    progress: Progress | None,
) -> None:
    old = str(recorder.tip)
    rewriter = _rewrite(recorder, {**known, **fresh}, progress)
    require_found(cell, request, list(fresh.values()), rewriter)
    for target in under.targets:
        under.sought[name_of(target)] = needles(name_of(target), rewriter.found.get(name_of(target)))
    under.earlier = _earlier(rewriter, {**known, **fresh})
    new = rewriter.of(old)
    if fresh:
        files: dict[str, bytes | None] = {purge_path(name): record.render() for name, record in fresh.items()}
        files |= fresh_indexes(recorder.objects, new, rewriter.dates)
        files |= _given_index(recorder, request, under, new)
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


def _earlier(rewriter: Rewriter, records: Mapping[str, PurgeRecord]) -> tuple[str, ...]:
    """Return the refs of what the purged entries had replaced: other texts of the same, still in history."""
    refs: dict[str, None] = {}
    for name, body in rewriter.found.items():
        for block in split_blocks(body)[1][:1]:
            was = block.attributes.get("was", "")
            if is_id(was) and was not in records:
                refs[f"{records[name].day}#{was}"] = None
    return tuple(refs)


def _given_index(
    recorder: Recorder, request: ForgetRequest, under: _Purge, commit: str
) -> dict[str, bytes | None]:
    """Return the day of ``commit`` with the index that was handed over, as the forget completed it."""
    if request.index is None or under.forgotten is None:
        return {}
    plan = under.forgotten.plan
    files: dict[str, bytes | None] = {}
    for date in {one.ref.date for one in plan.gone}:
        wanted, there = plan.days[date], recorder.objects.file(commit, day_path(date))
        if wanted is not None and wanted.index is not None and there is not None:
            files[day_path(date)] = parse_day(there, date).with_index(wanted.index).render()
    return files


def _has_remote(cell: Cell) -> bool:
    return cell.git.config(f"remote.{remote_of(cell)}.url") is not None


def _rewrite(
    recorder: Recorder, records: Mapping[str, PurgeRecord], progress: Progress | None = None
) -> Rewriter:
    tip = str(recorder.tip)
    rules = rules_of(recorder.git, recorder.objects, records, [tip])
    rewriter = rewrite_all(recorder.git, recorder.objects, rules, [tip], progress)
    rewriter.found |= {rule.id: rule.words for rule in rules if rule.words}
    return rewriter
