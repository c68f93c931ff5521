"""What people wrote into day files by hand: committed where it is legal, else held (design §5, §8.2).

Bullets added to today's file are committed as they are, stamped. Bullets added to a day that is over are
committed with the file's own time where that proves they were written on their day; else they stay, and
`append --from` moves them into today.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from nutsync.core.append import Stamper, plan_pending, said
from nutsync.core.cell import ARCHIVE_DIR, CELL_PATH, date_of_path, day_path
from nutsync.core.day import Day
from nutsync.core.entry import Block, Ref
from nutsync.core.errors import ErrUnreadable
from nutsync.core.hand import Edit, HandEdit, read_edit
from nutsync.core.index import extend_index
from nutsync.core.moment import Moment
from nutsync.core.sync_plan import Held
from nutsync.operations.cell import Cell
from nutsync.operations.held import held_additions, held_edit, held_secret, remember_held
from nutsync.operations.integrating import write_judged
from nutsync.operations.journal import entries_audit, texts_corrected
from nutsync.operations.merging import Merger, merge_bases
from nutsync.operations.move_note import Move
from nutsync.operations.moving import move
from nutsync.operations.record import Change, Recorder
from nutsync.store.days import parse_day
from nutsync.store.files import TEMP_PREFIX
from nutsync.store.ids import mint_id
from nutsync.store.repo.commit import blob_id
from nutsync.store.repo.worktree import (
    PathState,
    cell_status,
    read_worktree,
    set_index,
    worktree_path,
    write_worktree,
)


class HandFile(NamedTuple):
    """A day file that Git finds changed, and what was done to it; ``is_clean`` where it holds the tip's."""

    date: str
    committed: Day | None
    worktree: Day | None
    content: bytes | None
    edit: HandEdit
    is_clean: bool = False


@dataclass
class Pending:
    """What was committed of what people wrote, and what is held."""

    refs: list[Ref] = field(default_factory=list)
    held: list[Held] = field(default_factory=list)


def commit_pending(cell: Cell, recorder: Recorder) -> Pending:
    """Commit what was legally written by hand, and name the rest.

    Raises what recording a commit raises; files committed before stay committed.
    """
    pending = Pending()
    today = recorder.today(cell.clock.now())
    for file in read_hand_files(recorder):
        _settle(cell, recorder, file, today, pending)
    remember_held(recorder, (held.date for held in pending.held))
    return pending


def read_hand_files(recorder: Recorder) -> list[HandFile]:
    """Return the day files that differ from the tip, by date.

    Files that only look changed to Git are put right in its index; temporary files of a killed
    writer are removed. Only call it under the clone's lock.
    """
    git = recorder.git
    states = cell_status(git, ARCHIVE_DIR)
    for state in states:
        if state.path.rpartition("/")[2].startswith(TEMP_PREFIX):
            write_worktree(git, state.path, None)
    files = find_hand_files(recorder, states)
    stale = [day_path(file.date) for file in files if file.edit.edit is Edit.NONE and file.is_clean]
    if stale:
        tip = recorder.tip
        set_index(git, {path: recorder.objects.entry(tip, path) if tip else None for path in stale})
    return [file for file in files if file.edit.edit is not Edit.NONE]


def find_hand_files(recorder: Recorder, states: Sequence[PathState] | None = None) -> list[HandFile]:
    """Return the day files that Git finds changed, by date, with or without an edit; changes nothing."""
    found: list[HandFile] = []
    if states is None:
        states = cell_status(recorder.git, ARCHIVE_DIR)
    for path in dict.fromkeys(state.path for state in states):
        date = date_of_path(path)
        if date is not None:
            found.append(_read_hand_file(recorder, date, path))
    return sorted(found, key=lambda file: file.date)


def _read_hand_file(recorder: Recorder, date: str, path: str) -> HandFile:
    head = recorder.committed(path)
    committed = None if head is None else parse_day(head, date)
    try:
        content = read_worktree(recorder.git, path)
    except ErrUnreadable as problem:
        return HandFile(date, committed, None, None, HandEdit(Edit.HELD, reason=problem.message))
    worktree = None if content is None else parse_day(content, date)
    edit = HandEdit(Edit.NONE)
    if content != head:
        edit = read_edit(committed, worktree, recorder.forgotten_on(date), recorder.screen)
    return HandFile(date, committed, worktree, content, edit, content == head)


def judge_hand_file(cell: Cell, file: HandFile, today: str) -> Held | Moment | None:
    """Tell what becomes of a file: held, or committed at that moment; None for «committed now»."""
    if file.edit.has_secret:
        return held_secret(file.date, file.edit.reason)
    if file.edit.edit is Edit.HELD:
        return held_edit(file.date, file.edit.reason)
    if file.date == today:
        return None
    if file.date > today:
        return Held(file.date, "that day has not come yet", "nutsync append …")
    written = _written(cell, file.date)
    if written is None or written.local_date() != file.date:
        return held_additions(file.date, "bullets were added after the day was over")
    return written


def _written(cell: Cell, date: str) -> Moment | None:
    """Return when the day's file was last written, on the cell's clock."""
    try:
        stat = worktree_path(cell.git, day_path(date)).stat()
    except OSError:
        return None
    return cell.clock.at(stat.st_mtime_ns // 1_000_000)


def _settle(cell: Cell, recorder: Recorder, file: HandFile, today: str, pending: Pending) -> None:
    verdict = judge_hand_file(cell, file, today)
    if isinstance(verdict, Held):
        pending.held.append(verdict)
        return
    base = recorder.tip if verdict is None else _newest_not_later(recorder, verdict)
    if base is None and verdict is not None:
        pending.held.append(held_additions(file.date, "the bullets are older than this cell"))
        return
    moment = cell.clock.now() if verdict is None else verdict
    change, refs = _change(cell, recorder, file, base, moment)
    accepted = {day_path(file.date): [blob_id(recorder.git, file.content or b"")]}
    new = write_judged(recorder, base, change)
    if base != recorder.tip:
        new = _joined(cell, recorder, new)
    move(recorder, Move(recorder.tip, new, accepted), "append")
    pending.refs.extend(refs)


def _joined(cell: Cell, recorder: Recorder, late: str) -> str:
    """Return the merge of the tip with a late commit that was made where it belongs."""
    tip = str(recorder.tip)
    merged = Merger(recorder.guard).merge(tip, late, merge_bases(recorder.git, tip, late))
    change = Change(recorder.audit("merge"), merged.files, cell.clock.now(), "late entries", (late,))
    return write_judged(recorder, tip, change, merged.taken)


def _change(
    cell: Cell, recorder: Recorder, file: HandFile, base: str | None, moment: Moment
) -> tuple[Change, Sequence[Ref]]:
    """Return the commit on ``base`` that takes the file's additions over, and their refs."""
    texts = texts_corrected(recorder, [file.committed, file.worktree], [])
    stamper = Stamper(moment, cell.device, mint_id)
    _, day, refs = plan_pending(
        file.committed,
        file.worktree,
        file.date,
        stamper,
        texts,
        recorder.forgotten_on(file.date),
        recorder.screen,
    )
    if day is None:
        raise ValueError(f"nothing is pending on {file.date}")
    path = day_path(file.date)
    if base != recorder.tip:
        content = recorder.objects.file(base, path) if base else None
        added = day.blocks[len(file.committed.blocks) if file.committed else 0 :]
        if content is not None:
            day = _with_added(parse_day(content, file.date), added, texts)
        elif file.committed is not None:
            day = _with_added(Day.new(file.date), added, texts)
    entries = [(ref, day.find(ref)) for ref in refs]
    return Change(entries_audit(recorder, "append", entries), {path: day.render()}, moment), refs


def _with_added(day: Day, added: Sequence[Block], texts: Mapping[str, str]) -> Day:
    extended = day.append(*added)
    entries = said(extended.blocks, texts)
    return extended.with_index(extend_index(day.index, entries, entries[len(day.blocks) :]))


def _newest_not_later(recorder: Recorder, moment: Moment) -> str | None:
    """Return the newest ancestor, on this device's own line, that was not made after ``moment``."""
    commit = recorder.tip
    while commit is not None:
        known = recorder.objects.commit(commit)
        if known.author.moment.millis <= moment.millis:
            return commit if recorder.objects.entry(commit, CELL_PATH) else None
        commit = known.parents[0] if known.parents else None
    return None
