"""Forgetting: the owner's explicit wish, in one audited commit (design §6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nutsync.core.cell import day_path
from nutsync.core.correction import Corrections, successor
from nutsync.core.day import Day
from nutsync.core.entry import Block, Ref, check_text
from nutsync.core.errors import ErrUsage
from nutsync.core.forget import ForgetPlan, expand, plan_forget, require_discreet, same_in_worktree
from nutsync.core.layer import layer_of
from nutsync.core.layer_requests import ClearLayerRequest, check_change, resolve_clear
from nutsync.core.visibility import visible
from nutsync.operations.catalogs import rebuild
from nutsync.operations.cell import LOCK_SECONDS, Cell, archive_of
from nutsync.operations.corrections import read_corrections
from nutsync.operations.journal import committed_day, texts_corrected
from nutsync.operations.record import Change, Recorder
from nutsync.store.days import read_day
from nutsync.store.files import day_files
from nutsync.store.ids import mint_id
from nutsync.store.lock import clone_lock


@dataclass(frozen=True)
class Forgotten:
    """What a forget did, or would do (``commit`` is None then)."""

    plan: ForgetPlan
    commit: str | None

    def as_json(self) -> dict[str, object]:
        """Return the document of design §11."""
        replaced = [one for one in self.plan.gone if one.replacement is not None]
        return {
            "forgotten": [one.target.ref for one in self.plan.gone],
            "days": sorted(self.plan.days),
            "commit": self.commit,
            "replaced": [f"{one.ref.date}#{one.replacement.id}" for one in replaced if one.replacement],
            "corrections": [str(ref) for ref in self.plan.corrections],
            "reindexed": list(self.plan.repeated),
            "emptied": sorted(date for date, day in self.plan.days.items() if day is None),
        }


@dataclass(frozen=True, kw_only=True)
class ForgetRequest:
    """What is to be forgotten, why, and by whom.

    ``is_admin`` is None where the cell's own list of admins decides. ``walled`` says that what the actor does
    not see must not show: then it does not exist for this request either.
    """

    refs: Sequence[Ref]
    reason: str
    actor: str
    replacement: str | None = None
    index: str | None = None
    is_admin: bool | None = None
    walled: bool = False

    def has_rights(self, admins: Sequence[str]) -> bool:
        """Tell whether the asker has an admin's rights."""
        return self.actor in admins if self.is_admin is None else self.is_admin


def preview(cell: Cell, request: ForgetRequest) -> Forgotten:
    """Return exactly what :func:`forget` would change now; nothing is written."""
    with cell.writing("forget") as recorder:
        plan = _plan(cell, recorder, request)
        recorder.check([_change(cell, recorder, request, plan)])
    return Forgotten(plan, None)


def forget(cell: Cell, request: ForgetRequest) -> Forgotten:
    """Remove exactly the named entries, in one commit, from Git's newest version and the worktree.

    Corrections of them stay. Raises :class:`ErrUnknownRef`, :class:`ErrForbidden` and
    :class:`ErrLayerAdminRequired` for entries that are not the asker's, :class:`ErrReasonTells`, and the
    named errors of an unfit repository; then nothing was changed.
    """
    with cell.writing("forget") as recorder:
        plan = _plan(cell, recorder, request)
        worktree = _worktree_after(cell, recorder, plan)
        change = _change(cell, recorder, request, plan)
        recorder.check([change])
        commit = recorder.commit([change], worktree)
        rebuild(cell.root, cell.git.private_dir, cell.clock.now().local_date(), _years(plan))
    return Forgotten(plan, commit)


def clear_plan(cell: Cell, request: ClearLayerRequest) -> ForgetRequest | None:
    """Return the forget that clears a layer of an actor, and namespace; None where nothing is there.

    Raises what :func:`resolve_clear` raises.
    """
    clearing = resolve_clear(request)
    refs: list[Ref] = []
    with cell.writing("clear") as recorder:
        for date, _ in day_files(archive_of(cell.root)):
            day = committed_day(recorder, date)
            refs += [ref for ref, b in (day.entries() if day else ()) if clearing.matches(b.attributes)]
    actor = request.own_actor or cell.actor
    if not refs:
        return None
    return ForgetRequest(refs=refs, reason=clearing.reason, actor=actor, is_admin=request.is_admin)


def clear(cell: Cell, request: ClearLayerRequest, *, dry_run: bool = False) -> Forgotten | None:
    """Clear a layer of an actor, and namespace, or say what that would take; None where nothing is there.

    Raises what :func:`clear_plan` and :func:`forget` raise.
    """
    with clone_lock(cell.git.common_dir, timeout=LOCK_SECONDS, command="clear"):
        asked = clear_plan(cell, request)
        if asked is None:
            return None
        return preview(cell, asked) if dry_run else forget(cell, asked)


def _plan(cell: Cell, recorder: Recorder, request: ForgetRequest) -> ForgetPlan:
    if not request.reason.strip():
        raise ErrUsage("Forgetting needs a reason: it is what an auditor will read.")
    if request.replacement is not None:
        check_text(request.replacement)
    dates = {ref.date for ref in request.refs}
    days = {date: day for date in dates if (day := committed_day(recorder, date)) is not None}
    is_admin = request.has_rights(cell.config.admins)

    def sees(block: Block) -> bool:
        return is_admin or not request.walled or visible(block.attributes, request.actor)

    blocks = expand([_newest(days, ref) for ref in request.refs], days, sees)
    for _, block in blocks:
        check_change(block.attributes, request.actor, is_admin=is_admin)
    require_discreet(request.reason, [block for _, block in blocks])
    corrections = read_corrections(cell.root, since=min(days))
    for date in _correcting_days(corrections, blocks) - days.keys():
        day = committed_day(recorder, date)
        if day is not None:
            days[date] = day
    return plan_forget(
        blocks,
        days,
        corrections,
        mint_id,
        old_texts=texts_corrected(recorder, list(days.values()), []),
        replacement=request.replacement,
        index=request.index,
    )


def _newest(days: Mapping[str, Day], ref: Ref) -> Ref:
    """Return the ref itself, or that of the entry that replaced it."""
    day = days.get(ref.date)
    if day is None or ref.id is None or day.find(ref) is not None:
        return ref
    replaced = successor(day.entries(), ref)
    return replaced[0] if replaced else ref


def _correcting_days(corrections: Corrections, blocks: Sequence[tuple[Ref, Block]]) -> set[str]:
    return {one.date for ref, _ in blocks for one, _ in corrections.of_ref(ref)}


def _change(cell: Cell, recorder: Recorder, request: ForgetRequest, plan: ForgetPlan) -> Change:
    known = [one.block.attributes for one in plan.gone]
    audit = recorder.audit(
        "forget",
        targets=tuple(one.target for one in plan.gone),
        layers=tuple(dict.fromkeys(map(layer_of, known))),
        actor=request.actor,
        reason=request.reason,
    )
    files = {day_path(date): day.render() if day else None for date, day in plan.days.items()}
    return Change(audit, files, cell.clock.now())


def _worktree_after(cell: Cell, recorder: Recorder, plan: ForgetPlan) -> dict[str, bytes | None]:
    """Return what the worktree's files hold afterwards; an edit that is open loses the same blocks only."""
    files: dict[str, bytes | None] = {}
    for date, day in plan.days.items():
        path = day_path(date)
        there, head = read_day(cell.root, date), committed_day(recorder, date)
        if there is None:
            continue
        if head is not None and there.render() == head.render():
            files[path] = day.render() if day else None
        else:
            files[path] = _edited_without(there, head, day, plan)
    return files


def _edited_without(there: Day, head: Day | None, after: Day | None, plan: ForgetPlan) -> bytes | None:
    left = there
    for block, replacement in list(
        same_in_worktree(there, [g for g in plan.gone if g.ref.date == there.date])
    ):
        left = left.replace_block(block, replacement) if replacement else left.without([block])
    if head is not None and after is not None and there.index == head.index:
        left = left.with_index(after.index or "")
    return left.render() if left.blocks else None


def _years(plan: ForgetPlan) -> tuple[str, ...]:
    return tuple(sorted({date[:4] for date in plan.days}))
