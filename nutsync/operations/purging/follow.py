"""What a sync does where history was purged: at the remote, or here (design §9).

Both histories are rewritten by every purge that either of them records. What comes out of that is related
again, whoever purged what: it is merged like any other, and unsynced entries come along. That nothing but
the purged is missing at the remote is proved before anything moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nutsync.core.append import said
from nutsync.core.audit import Target
from nutsync.core.cell import PURGED_INDEX, PurgeRecord, day_path
from nutsync.core.day import Day
from nutsync.core.entry import Ref
from nutsync.core.errors import ErrRef, ErrRemoteRewritten, ErrUnrelated
from nutsync.core.index import build_index
from nutsync.core.progress import Progress
from nutsync.core.sync_plan import Step, Taken, plan_step
from nutsync.operations.cell import Cell
from nutsync.operations.counting import count_new
from nutsync.operations.incoming import judge_incoming
from nutsync.operations.integrating import require_complete, write_judged
from nutsync.operations.merging import Merger, merge_bases
from nutsync.operations.move_note import Move
from nutsync.operations.moving import move
from nutsync.operations.purging import state
from nutsync.operations.purging.clean import needles
from nutsync.operations.purging.rewriting import move_all, plan_refs, rewrite_all
from nutsync.operations.purging.rules import read_records, require_trusted, rules_of, same_records
from nutsync.operations.purging.words import with_words
from nutsync.operations.record import Change, Recorder
from nutsync.operations.remote_seen import is_ancestor
from nutsync.store.days import parse_day
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.remote import Incoming
from nutsync.store.repo.rewrite import Rewriter

Sought = dict[str, tuple[bytes, ...]]


@dataclass
class Reconciled:
    """What came of two histories of which one was purged.

    ``lease`` is what the remote's branch must hold for it to be moved to ours, None where no force is needed.
    ``devices`` are the tips that devices left, rewritten; ``stale`` those of them at the remote that are not.
    ``sought`` is what must be gone from this clone in the end, ``named`` what holds on to it.
    """

    taken: Taken = field(default_factory=Taken)
    lease: str | None = None
    devices: Mapping[str, str] = field(default_factory=dict)
    stale: Mapping[str, str] = field(default_factory=dict)
    sought: Sought = field(default_factory=dict)
    named: Sequence[str] = ()


def reconcile(
    cell: Cell,
    recorder: Recorder,
    incoming: Incoming,
    seen: str | None,
    progress: Progress | None = None,
) -> Reconciled | None:
    """Bring this clone's history and the remote's together by all purges that either records.

    ``seen`` is what the remote's branch held when this clone last saw it. Returns None where no purge tells
    the histories apart: then nothing was done. Raises :class:`ErrRemoteRewritten` where the remote lacks
    more than was purged, :class:`ErrIncoming` for a purge that nobody signed and for what breaks the law,
    :class:`ErrUnrelated` and :class:`ErrForeignConflict`; then nothing was changed.
    """
    ours, theirs = recorder.tip, incoming.branch
    others = [tip for tip in (theirs, *incoming.devices.values()) if tip is not None]
    tips = [*others, *([seen] if seen else [])]  # where a crash cut this short, only ``seen`` is still old
    if ours is None or all(same_records(recorder.objects, ours, tip) for tip in tips):
        return None
    records = _all_records(recorder, ours, others)
    rewriter = _rewriter(recorder, records, [ours, *tips], progress)
    if not any(rewriter.of(tip) != tip for tip in (ours, *tips)):
        return None
    _require_honest(recorder, rewriter, seen, theirs)
    return _join(cell, recorder, incoming, records, rewriter)


def _all_records(recorder: Recorder, ours: str, others: Sequence[str]) -> dict[str, PurgeRecord]:
    records = read_records(recorder.objects, ours)
    for tip in others:
        new = {name: one for name, one in read_records(recorder.objects, tip).items() if name not in records}
        require_trusted(recorder.objects, tip, new.values())
        records |= new
    return records


def _rewriter(
    recorder: Recorder,
    records: Mapping[str, PurgeRecord],
    tips: Sequence[str],
    progress: Progress | None,
) -> Rewriter:
    git, objects = recorder.git, recorder.objects
    rules = rules_of(git, objects, records, tips)
    rewriter = rewrite_all(git, objects, with_words(git, objects, rules, tips), tips, progress)
    rewriter.found |= {rule.id: rule.words for rule in rewriter.purges if rule.words}
    return rewriter


def _require_honest(recorder: Recorder, rewriter: Rewriter, seen: str | None, theirs: str | None) -> None:
    """Raise :class:`ErrRemoteRewritten` unless what was last seen there, purged, is still all there."""
    if seen is None or theirs is None or is_ancestor(recorder.git, rewriter.of(seen), rewriter.of(theirs)):
        return
    raise ErrRemoteRewritten(
        f"The remote's history no longer holds {seen[:12]}, which it held at the last sync, and the purges "
        "that it records do not explain that. Nothing was taken over and nothing was sent.",
        hint="Find out who rewrote it. `nutsync init --remote URL` accepts a remote as it is now.",
    )


def _join(
    cell: Cell,
    recorder: Recorder,
    incoming: Incoming,
    records: Mapping[str, PurgeRecord],
    rewriter: Rewriter,
) -> Reconciled:
    ours, theirs = str(recorder.tip), incoming.branch
    base = rewriter.of(ours)
    other = None if theirs is None else rewriter.of(theirs)
    if theirs is not None and other != theirs:
        recorder.guard.purges.rewritten = {new: old for old, new in rewriter.new.items()}
    new, taken = _merged(cell, recorder, base, other)
    rewrote_theirs = theirs is not None and other != theirs
    answer = rewrote_theirs and new != base
    new = _with_fresh_indexes(cell, recorder, new, records, rewriter, answer=answer)
    plan = plan_refs(recorder.git, rewriter, recorder.branch)
    state.note(recorder.git, records, state.SEND if rewrote_theirs else state.CLEAN)
    move_all(recorder.git, plan)
    left: tuple[str, ...] = ()
    if new != ours:
        left = move(recorder, Move(ours, new), "purge")
    devices = {name: rewriter.of(tip) for name, tip in incoming.devices.items()}
    return Reconciled(
        taken=taken._replace(moved=new != ours, left=tuple(path[-13:-3] for path in left)),
        lease=theirs if rewrote_theirs else None,
        devices=devices,
        stale={name: tip for name, tip in incoming.devices.items() if devices[name] != tip},
        sought={name: needles(name, rewriter.found.get(name)) for name in records},
        named=plan.named,
    )


def _merged(cell: Cell, recorder: Recorder, base: str, other: str | None) -> tuple[str, Taken]:
    """Return the rewritten histories' merge, or the one that holds the other; no ref moves."""
    if other is None:
        return base, Taken()
    git = recorder.git
    bases = merge_bases(git, base, other)
    if not bases:
        raise ErrUnrelated(
            "The remote holds a history that has nothing in common with this one. Nothing was changed."
        )
    step = plan_step(base, other, ours_in_theirs=bases == (base,), theirs_in_ours=bases == (other,))
    recorder.guard.ancestry(base)
    if step is not Step.NOTHING:
        judge_incoming(recorder.guard, other, (base,), cell.clock.now())
    if step is Step.NOTHING:
        return base, Taken()
    if step is Step.TAKE:
        return other, Taken(received=count_new(git, base, other))
    merged = Merger(recorder.guard).merge(base, other, bases)
    require_complete(merged.receipt)
    change = Change(recorder.audit("merge"), merged.files, cell.clock.now(), merged=(other,))
    new = write_judged(recorder, base, change, merged.taken)
    return new, Taken(merged=True, received=merged.received, receipt=merged.receipt)


def _with_fresh_indexes(
    cell: Cell,
    recorder: Recorder,
    commit: str,
    records: Mapping[str, PurgeRecord],
    rewriter: Rewriter,
    *,
    answer: bool,
) -> str:
    """Return ``commit``, or one on top of it that makes blank indexes anew.

    With ``answer`` it is made in any case: this device rewrote commits of others and answers for them.
    """
    files = fresh_indexes(recorder.objects, commit, rewriter.dates)
    if not files and not answer:
        return commit
    targets = tuple(target_of(record) for _, record in sorted(records.items()))
    change = Change(recorder.audit("purge", targets=targets), files, cell.clock.now())
    return write_judged(recorder, commit, change)


def target_of(record: PurgeRecord) -> Target:
    """Return how the audit names what was purged."""
    return Target(f"{record.day}#{record.id}", record.unstamped)


def fresh_indexes(objects: Objects, commit: str, dates: set[str]) -> dict[str, bytes | None]:
    """Return the days of ``commit`` whose index a purge has blanked, each with a fresh one."""
    files: dict[str, bytes | None] = {}
    for date in sorted(dates):
        day = _day(objects, commit, date)
        if day is not None and day.index == PURGED_INDEX:
            texts = {
                ref: text for ref in _corrected(day) if (text := _text(objects, commit, ref)) is not None
            }
            files[day_path(date)] = day.with_index(build_index(said(day.blocks, texts))).render()
    return files


def _day(objects: Objects, commit: str, date: str) -> Day | None:
    content = objects.file(commit, day_path(date))
    return None if content is None else parse_day(content, date)


def _corrected(day: Day) -> set[str]:
    return {block.attributes["corrects"] for block in day.stamped if block.attributes.get("corrects")}


def _text(objects: Objects, commit: str, text: str) -> str | None:
    """Return what a corrected entry says, as far as ``commit`` still holds it."""
    try:
        ref = Ref.parse(text)
    except ErrRef:
        return None
    day = _day(objects, commit, ref.date)
    block = day.find(ref) if day is not None else None
    return None if block is None else block.text
