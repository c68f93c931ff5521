"""`append --from DATE`: what was added by hand to a day that is over moves into today (design §5, §6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nutsync.core.append import Placed, Stamper, latest_at, plan_pending, said
from nutsync.core.cell import day_path
from nutsync.core.day import Day
from nutsync.core.entry import Block, Ref
from nutsync.core.errors import ErrFrozen, ErrUsage
from nutsync.core.hand import Edit, fence_is_open, read_edit, stamp_added
from nutsync.core.index import extend_index
from nutsync.core.moment import parse_at, require_date
from nutsync.operations.cell import Cell
from nutsync.operations.journal import Appended, committed_day, entries_audit, texts_corrected
from nutsync.operations.record import Change, Recorder
from nutsync.store.days import parse_day, read_day
from nutsync.store.files import write_atomic
from nutsync.store.ids import mint_id
from nutsync.store.repo.worktree import read_worktree, write_worktree


def take_over_from(cell: Cell, date: str) -> dict[str, object]:
    """Move what was added by hand to ``date`` into today, with ``about=date``; return what `append` returns.

    The day's own file then holds again what was committed. Repeated after a crash, nothing is written
    twice. Raises :class:`ErrUsage` where nothing was added there, or the day is not over, and
    :class:`ErrFrozen` where the edit did more than add.
    """
    require_date(date)
    with cell.writing("append") as recorder:
        now = cell.clock.now()
        today = recorder.today(now)
        if date >= today:
            raise ErrUsage(f"{date} is not over; what is added to it needs no taking over.")
        content = read_worktree(cell.git, day_path(date))
        added, old = _additions(recorder, date, content)
        head, worktree = committed_day(recorder, today), read_day(cell.root, today)
        texts = texts_corrected(recorder, [head, worktree, old], [])
        stamper = Stamper(now, cell.device, mint_id)
        forgotten = recorder.forgotten_on(today)
        edit, pending, refs = plan_pending(head, worktree, today, stamper, texts, forgotten, recorder.screen)
        base = pending or head or Day.new(today)
        fresh, known = stamp_for_today(base, date, added, stamper, old)
        day = with_fresh(base, fresh, texts)
        changes = []
        if pending is not None:
            found = [(ref, pending.find(ref)) for ref in refs]
            changes.append(
                Change(entries_audit(recorder, "append", found), {day_path(today): pending.render()}, now)
            )
        placed = [Placed(ref, block) for ref, block in day.entries() if any(block is one for one in fresh)]
        if fresh:
            audit = entries_audit(recorder, "append", [(one.ref, one.block) for one in placed])
            changes.append(Change(audit, {day_path(today): day.render()}, now, about=today))
        commit = None
        if changes:
            recorder.check(changes)
            shown = worktree.append(*fresh) if edit.edit is Edit.HELD and worktree else day
            write_atomic(cell.root / day_path(today), shown.render())
            commit = recorder.commit(changes)
        write_worktree(cell.git, day_path(date), recorder.committed(day_path(date)), expected=content)
    done = Appended(today, (*known, *placed), commit, ())
    return {"entries": done.entries_json(), "commit": commit, "warnings": []}


def _additions(recorder: Recorder, date: str, content: bytes | None) -> tuple[Sequence[Block], Day | None]:
    """Return the blocks that a hand added to the day, and the day as it was committed."""
    old = committed_day(recorder, date)
    there = None if content is None else parse_day(content, date)
    edit = read_edit(old, there, recorder.forgotten_on(date))
    if edit.edit is Edit.HELD:
        raise ErrFrozen(
            f"The file of {date} was not only added to: {edit.reason}. Nothing was changed.",
            hint="`nutsync forget --edited` takes over what was changed or removed.",
        )
    if not edit.added:
        raise ErrUsage(f"Nothing was added by hand to {date}.")
    return edit.added, old


def stamp_for_today(
    base: Day, date: str, added: Sequence[Block], stamper: Stamper, old: Day | None
) -> tuple[list[Block], list[Placed]]:
    """Return the blocks to write, stamped for today, and those that an earlier try has written already."""
    latest = latest_at(base)
    there = {block.text: ref for ref, block in base.entries() if block.attributes.get("about") == date}
    fresh: list[Block] = []
    known: list[Placed] = []

    def attributes() -> dict[str, str]:
        nonlocal latest
        stamps = stamper.attributes(base.date, latest)
        latest = parse_at(base.date, stamps["at"])
        return {**stamps, "about": date}

    for block in stamp_added(added, attributes, open_fence=fence_is_open(old.blocks if old else ())):
        ref: Ref | None = there.get(block.text)
        found = base.find(ref) if ref is not None else None
        if ref is not None and found is not None:
            known.append(Placed(ref, found, duplicate=True))
        else:
            fresh.append(block)
    return fresh, known


def with_fresh(day: Day, fresh: Sequence[Block], texts: Mapping[str, str]) -> Day:
    """Return ``day`` with further blocks, and an index that speaks of them."""
    if not fresh:
        return day
    extended = day.append(*fresh)
    entries = said(extended.blocks, texts)
    return extended.with_index(extend_index(day.index, entries, entries[len(day.blocks) :]))
