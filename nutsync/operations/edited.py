"""`forget --edited`: what a person changed or deleted by hand, taken over as one audited forget (design §6).

Only the difference to the version that was edited counts. Bullets that the edit added move into today.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from nutsync.core.append import Placed, Stamper, latest_at
from nutsync.core.cell import day_path
from nutsync.core.day import Day
from nutsync.core.edited import Edited, read_difference
from nutsync.core.entry import Block, check_text
from nutsync.core.errors import ErrUsage
from nutsync.core.forget import ForgetPlan
from nutsync.core.hand import stamp_added
from nutsync.core.layer_requests import check_change
from nutsync.core.moment import Moment, parse_at
from nutsync.core.sync_plan import Held
from nutsync.operations.cell import Cell
from nutsync.operations.forget import (
    ForgetRequest,
    Forgotten,
    Wish,
    carry_out,
    forget_change,
    plan_wish,
)
from nutsync.operations.held import edited_from, held_edit, remember_held
from nutsync.operations.journal import committed_day, entries_audit, placed_json, texts_corrected
from nutsync.operations.pending import HandFile, judge_hand_file, read_hand_files
from nutsync.operations.record import Change, Recorder
from nutsync.operations.takeover import stamp_for_today, with_fresh
from nutsync.store.days import parse_day
from nutsync.store.ids import mint_id
from nutsync.store.repo.commit import blob_id
from nutsync.store.repo.worktree import read_worktree, write_worktree


@dataclass(frozen=True)
class TakenOver:
    """What was taken over: what was forgotten, what moved into today, and which files hold no such edit."""

    forgotten: Forgotten
    moved: tuple[Placed, ...] = ()
    left: tuple[Held, ...] = ()
    days: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return the document of a forget (design §11), with what moved and what is still held."""
        return {
            **self.forgotten.as_json(),
            "days": sorted({*self.forgotten.plan.days, *self.days}),
            "moved": [placed_json(one) for one in self.moved],
            "held": [one.as_json() for one in self.left],
        }


@dataclass(frozen=True)
class _File:
    """One edited day file: its content (None: deleted), the committed day, and what the edit did."""

    date: str
    content: bytes | None
    head: Day | None
    edited: Edited


@dataclass
class _Takeover:
    plan: ForgetPlan
    changes: list[Change] = field(default_factory=list)
    moved: tuple[Placed, ...] = ()
    files: tuple[_File, ...] = ()
    left: tuple[Held, ...] = ()

    def told(self, commit: str | None) -> TakenOver:
        dates = tuple(file.date for file in self.files)
        return TakenOver(Forgotten(self.plan, commit), self.moved, self.left, dates)


def preview_edited(cell: Cell, reason: str, actor: str) -> TakenOver:
    """Return exactly what :func:`forget_edited` would do now; nothing is written."""
    with cell.writing("forget") as recorder:
        takeover = _plan(cell, recorder, reason, actor)
        if takeover.changes:
            recorder.check(takeover.changes)
    return takeover.told(None)


def forget_edited(cell: Cell, reason: str, actor: str) -> TakenOver:
    """Take over every held edit of a day file.

    What the person took away is forgotten, what they changed is replaced, what they added to a day that is
    over moves into today. Raises what :func:`nutsync.operations.forget.forget` raises, and
    :class:`ErrUsage` where a file holds conflict markers; then nothing was changed.
    """
    with cell.writing("forget") as recorder:
        takeover = _plan(cell, recorder, reason, actor)
        if not takeover.files:
            return takeover.told(None)
        commit = None
        if takeover.changes:
            accepted = {
                day_path(file.date): ["" if file.content is None else blob_id(cell.git, file.content)]
                for file in takeover.files
            }
            commit = carry_out(cell, recorder, takeover.changes, "forget", accepted)
        for file in takeover.files:
            _restore(cell, recorder, file)
        remember_held(recorder, [held.date for held in takeover.left])
    return takeover.told(commit)


def _plan(cell: Cell, recorder: Recorder, reason: str, actor: str) -> _Takeover:
    now = cell.clock.now()
    files, left = _edited_files(cell, recorder, recorder.today(now))
    request = ForgetRequest(
        refs=[ref for file in files for ref, _ in file.edited.gone], reason=reason, actor=actor
    )
    if not reason.strip():
        raise ErrUsage("Forgetting needs a reason: it is what an auditor will read.")
    plan = plan_wish(cell, recorder, _wish(cell, request, files))
    takeover = _Takeover(plan, files=files, left=left)
    if plan.gone:
        takeover.changes.append(forget_change(cell, recorder, request, plan))
    _move_additions(cell, recorder, takeover, now)
    return takeover


def _edited_files(cell: Cell, recorder: Recorder, today: str) -> tuple[tuple[_File, ...], tuple[Held, ...]]:
    """Return the held files with what was done to them, and those of which nothing can be taken over."""
    verdicts = [(file, judge_hand_file(cell, file, today)) for file in read_hand_files(recorder)]
    held = [(file, verdict) for file, verdict in verdicts if isinstance(verdict, Held)]
    remember_held(recorder, [file.date for file, _ in held])
    made_from = edited_from(cell.git)
    files: list[_File] = []
    left: list[Held] = []
    for file, verdict in held:
        read = _read(cell, recorder, file, made_from.get(file.date)) if file.date <= today else None
        if read is not None and read.edited:
            files.append(read)
        else:
            why = "only its index, layout or frontmatter was changed" if read else verdict.reason
            left.append(held_edit(file.date, why))
    return tuple(files), tuple(left)


def _read(cell: Cell, recorder: Recorder, file: HandFile, made_from: str | None) -> _File:
    content = read_worktree(cell.git, day_path(file.date))  # a file that cannot be read is not a deleted one
    if content is not None and any(
        line.startswith((b"<<<<<<< ", b">>>>>>> ")) for line in content.split(b"\n")
    ):
        raise ErrUsage(
            f"The file of {file.date} holds conflict markers; nothing was changed.",
            hint="Take the markers out and keep the text of both sides, then repeat.",
        )
    base = parse_day(recorder.objects.blob(made_from), file.date) if made_from else None
    there = None if content is None else parse_day(content, file.date)
    head = committed_day(recorder, file.date)
    edited = read_difference(base, head, there, recorder.forgotten_on(file.date))
    return _File(file.date, content, head, edited)


def _wish(cell: Cell, request: ForgetRequest, files: Sequence[_File]) -> Wish:
    blocks = tuple(one for file in files for one in file.edited.gone)
    replacements = dict(one for file in files for one in file.edited.replacements)
    known = dict(blocks)
    for ref, new in replacements.items():
        check_text(new.text)
        attributes = {**known[ref].attributes, **new.attributes}
        check_change(attributes, request.actor, is_admin=request.actor in cell.config.admins)
    return Wish(request, blocks, (), replacements)


def _move_additions(cell: Cell, recorder: Recorder, takeover: _Takeover, now: Moment) -> None:
    """Add a commit that appends to today what the edits added."""
    today = recorder.today(now)
    if not any(file.edited.added for file in takeover.files):
        return
    base = committed_day(recorder, today)
    if today in takeover.plan.days:
        base = takeover.plan.days[today]
    day = base or Day.new(today)
    stamper = Stamper(now, cell.device, mint_id)
    fresh: list[Block] = []
    for file in takeover.files:
        grown = day.append(*fresh)
        if file.date == today:
            fresh += _stamp(grown, file.edited.added, stamper)
        else:
            fresh += stamp_for_today(grown, file.date, file.edited.added, stamper, file.head)[0]
    texts = texts_corrected(recorder, [base], [block.attributes for block in fresh])
    after = with_fresh(day, fresh, texts)
    takeover.moved = tuple(
        Placed(ref, block) for ref, block in after.entries() if any(block is one for one in fresh)
    )
    audit = entries_audit(recorder, "append", [(one.ref, one.block) for one in takeover.moved])
    takeover.changes.append(Change(audit, {day_path(today): after.render()}, now, about=today))


def _stamp(day: Day, added: Sequence[Block], stamper: Stamper) -> tuple[Block, ...]:
    latest = latest_at(day)

    def attributes() -> dict[str, str]:
        nonlocal latest
        stamps = stamper.attributes(day.date, latest)
        latest = parse_at(day.date, stamps["at"])
        return stamps

    return stamp_added(added, attributes)


def _restore(cell: Cell, recorder: Recorder, file: _File) -> None:
    """Let a file hold what is committed, unless somebody has saved it anew."""
    path = day_path(file.date)
    if read_worktree(cell.git, path) == file.content:
        write_worktree(cell.git, path, recorder.committed(path), expected=file.content)
