"""Appending: the one way in which memory grows (design §6).

Lock, resolve the day, read, plan, judge, write the file, commit, read back. Success is reported only
after that; a crash anywhere leaves an entry whole or absent, and the next command goes on from there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from nutsync.core.append import AppendPlan, NewEntry, Placed, Stamper, plan_append
from nutsync.core.audit import Audit
from nutsync.core.cell import day_path
from nutsync.core.day import Day
from nutsync.core.entry import Block, Ref, check_text
from nutsync.core.errors import ErrChanged, ErrGit, ErrRef
from nutsync.core.hand import may_stand_uncommitted
from nutsync.core.layer import layer_of
from nutsync.operations.cell import Cell
from nutsync.operations.record import Change, Recorder
from nutsync.operations.secrets import require_no_secret
from nutsync.store.days import parse_day
from nutsync.store.ids import mint_id
from nutsync.store.repo.worktree import read_worktree, write_worktree

_TRIES = 3


class Appended(NamedTuple):
    """What an append did: the entries as they stand, the commit (None where nothing was new)."""

    date: str
    placed: tuple[Placed, ...]
    commit: str | None
    warnings: tuple[str, ...]
    held: bool = False

    def entries_json(self) -> list[dict[str, object]]:
        """Return the entries as `append` reports them (design §11)."""
        return [placed_json(one) for one in self.placed]


def placed_json(one: Placed) -> dict[str, object]:
    """Return an entry as ``append`` reports it (design §11)."""
    attributes = one.block.attributes
    return {
        "ref": str(one.ref),
        "id": one.ref.id,
        "date": one.ref.date,
        "path": day_path(one.ref.date),
        "layer": layer_of(attributes),
        "kind": attributes.get("kind", ""),
        "actor": attributes.get("actor", ""),
        "duplicate": one.duplicate,
    }


def append(
    cell: Cell, new: Sequence[NewEntry], *, index: str | None = None, op: str = "append", once: bool = True
) -> Appended:
    """Remember ``new`` today, in one commit.

    ``index`` is a hand-made index of the whole day. The day is resolved inside the lock. Raises the
    named errors of :func:`check_text`, of the index, of an unfit repository and of the freeze law;
    then nothing was written.
    """
    for entry in new:
        check_text(entry.text)
    if index is not None and not cell.allow_secret:
        require_no_secret(index, "the index")
    with cell.writing(op) as recorder:
        return _append(cell, recorder, new, index, op, once)


def _append(
    cell: Cell, recorder: Recorder, new: Sequence[NewEntry], index: str | None, op: str, once: bool
) -> Appended:
    """Append under the lock; begin again where a person saved the file in the meantime."""
    for attempt in range(1, _TRIES + 1):
        now = cell.clock.now()
        date = recorder.today(now)
        head = committed_day(recorder, date)
        content = read_worktree(cell.git, day_path(date))
        worktree = None if content is None else parse_day(content, date)
        stamper = Stamper(now, cell.device, mint_id)
        old_texts = texts_corrected(recorder, [head, worktree], [entry.attributes for entry in new])
        plan = plan_append(
            head,
            worktree,
            date,
            new,
            stamper,
            old_texts=old_texts,
            is_forgotten=recorder.forgotten_on(date),
            index=index,
            once=once,
            screen=recorder.screen,
        )
        try:
            commit = _carry_out(cell, recorder, plan, content, op)
        except ErrChanged:
            if attempt == _TRIES:
                raise
            continue
        return Appended(date, plan.placed, commit, plan.warnings, held=plan.held is not None)
    raise ErrChanged("Today's file was saved again and again meanwhile; nothing was written.")


def committed_day(recorder: Recorder, date: str) -> Day | None:
    """Return the day as HEAD holds it, or None."""
    content = recorder.committed(day_path(date))
    return None if content is None else parse_day(content, date)


def texts_corrected(
    recorder: Recorder, days: Sequence[Day | None], attributes: Sequence[Mapping[str, str]]
) -> dict[str, str]:
    """Return the texts that corrections among these days and attributes replace, by ref.

    Refs whose entry was forgotten are left out.
    """
    wanted = {block.attributes.get("corrects", "") for day in days if day for block in day.stamped}
    wanted |= {one.get("corrects", "") for one in attributes}
    found: dict[str, str] = {}
    for text in sorted(wanted - {""}):
        try:
            ref = Ref.parse(text)
        except ErrRef:  # a hand wrote the attribute
            continue
        day = committed_day(recorder, ref.date)
        block = day.find(ref) if day else None
        if block is not None:
            found[text] = block.text
    return found


def _carry_out(cell: Cell, recorder: Recorder, plan: AppendPlan, before: bytes | None, op: str) -> str | None:
    """Judge, write the file, commit, read back. ``before`` is what the file held when it was read."""
    now = plan.now
    path = day_path(plan.worktree.date)
    changes: list[Change] = []
    if plan.pending is not None:
        found = [(ref, plan.pending.find(ref)) for ref in plan.pending_refs]
        changes.append(Change(entries_audit(recorder, "append", found), {path: plan.pending.render()}, now))
    if plan.committed is not None:
        fresh = [(one.ref, one.block) for one in plan.placed if not one.duplicate]
        changes.append(Change(entries_audit(recorder, op, fresh), {path: plan.committed.render()}, now))
    if not changes:
        return None
    recorder.check(changes)
    shown = plan.worktree.render()
    if all(may_stand_uncommitted(layer_of(one.block.attributes)) for one in plan.placed):
        write_worktree(cell.git, path, shown, expected=before)
        commit = recorder.commit(changes)
    else:
        # Left in the file by a crash, what hands do not write would be taken for a forgery.
        commit = recorder.commit(changes, {path: shown})
    if recorder.committed(path) != changes[-1].files[path]:
        raise ErrGit(
            "The commit does not hold what was written.",
            hint="The text is in today's file. `git fsck` names what is wrong with the repository.",
        )
    return commit


def entries_audit(recorder: Recorder, op: str, entries: Sequence[tuple[Ref, Block | None]]) -> Audit:
    """Return the audit of entries written together: what they have in common is said once."""
    known = [block.attributes for _, block in entries if block is not None]
    actors = sorted({one.get("actor", "") for one in known} - {""})
    sessions = sorted({one.get("session", "") for one in known} - {""})
    return recorder.audit(
        op,
        entries=tuple(str(ref) for ref, _ in entries),
        layers=tuple(dict.fromkeys(layer_of(one) for one in known)),
        kinds=tuple(dict.fromkeys(one["kind"] for one in known if one.get("kind"))),
        actor=actors[0] if len(actors) == 1 else recorder.actor,
        session=sessions[0] if len(sessions) == 1 else "",
    )
