"""Forgetting: the owner's explicit wish, in one audited commit (design §6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nutsync.core.audit import Audit
from nutsync.core.cell import day_path
from nutsync.core.correction import Corrections, successors
from nutsync.core.day import Day
from nutsync.core.edited import carry_removals
from nutsync.core.entry import Block, Ref, check_text
from nutsync.core.errors import ErrChanged, ErrUsage
from nutsync.core.forget import ForgetPlan, Replacement, expand, plan_forget, require_discreet
from nutsync.core.hand import Edit, read_edit
from nutsync.core.layer import layer_of
from nutsync.core.layer_requests import ClearLayerRequest, check_change, resolve_clear
from nutsync.core.visibility import visible
from nutsync.operations.catalogs import rebuild
from nutsync.operations.cell import LOCK_SECONDS, Cell, archive_of
from nutsync.operations.corrections import read_corrections
from nutsync.operations.held import edited_from
from nutsync.operations.journal import committed_day, texts_corrected
from nutsync.operations.move_note import Move
from nutsync.operations.moving import move
from nutsync.operations.record import Change, Recorder
from nutsync.store.days import parse_day, read_day
from nutsync.store.files import day_files
from nutsync.store.ids import mint_id
from nutsync.store.lock import clone_lock
from nutsync.store.repo.worktree import read_worktree, write_worktree


@dataclass(frozen=True)
class Forgotten:
    """What a forget did, or would do (``commit`` is None then).

    ``unwritten`` are blocks that stood in files only and were never committed.
    """

    plan: ForgetPlan
    commit: str | None
    unwritten: tuple[tuple[Ref, Block], ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return the document of design §11."""
        replaced = [one for one in self.plan.gone if one.replacement is not None]
        gone = [one.target.ref for one in self.plan.gone] + [str(ref) for ref, _ in self.unwritten]
        return {
            "forgotten": gone,
            "days": sorted({*self.plan.days, *(ref.date for ref, _ in self.unwritten)}),
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
    not see must not show: then it does not exist for this request either. ``reason_is_ours`` where
    nobody wrote the reason: it says no more than who cleared which layer.
    """

    refs: Sequence[Ref]
    reason: str
    actor: str
    reason_is_ours: bool = False
    replacement: str | None = None
    index: str | None = None
    is_admin: bool | None = None
    walled: bool = False

    def has_rights(self, admins: Sequence[str]) -> bool:
        """Tell whether the asker has an admin's rights."""
        return self.actor in admins if self.is_admin is None else self.is_admin


@dataclass
class Wish:
    """A request, looked up: the committed blocks that it names, and those that only a file holds."""

    request: ForgetRequest
    blocks: tuple[tuple[Ref, Block], ...]
    unwritten: tuple[tuple[Ref, Block], ...] = ()
    replacements: Mapping[Ref, Replacement] = field(default_factory=dict)


def preview(cell: Cell, request: ForgetRequest) -> Forgotten:
    """Return exactly what :func:`forget` would change now; nothing is written."""
    with cell.writing("forget") as recorder:
        wish = look_up(cell, recorder, request)
        plan = plan_wish(cell, recorder, wish)
        if plan.gone:
            recorder.check([forget_change(cell, recorder, request, plan)])
    return Forgotten(plan, None, wish.unwritten)


def forget(cell: Cell, request: ForgetRequest) -> Forgotten:
    """Remove exactly the named entries, in one commit, from Git's newest version and the worktree.

    Corrections of them stay. Raises :class:`ErrUnknownRef`, :class:`ErrForbidden` and
    :class:`ErrLayerAdminRequired` for entries that are not the asker's, :class:`ErrReasonTells`, and the
    named errors of an unfit repository; then nothing was changed.
    """
    with cell.writing("forget") as recorder:
        return forget_under_lock(cell, recorder, request)


def forget_under_lock(cell: Cell, recorder: Recorder, request: ForgetRequest) -> Forgotten:
    """Do what :func:`forget` does; the clone's lock is held."""
    wish = look_up(cell, recorder, request)
    plan = plan_wish(cell, recorder, wish)
    _remove_unwritten(cell, wish.unwritten)
    if not plan.gone:
        return Forgotten(plan, None, wish.unwritten)
    change = forget_change(cell, recorder, request, plan)
    commit = carry_out(cell, recorder, [change], "forget")
    return Forgotten(plan, commit, wish.unwritten)


def carry_out(
    cell: Cell,
    recorder: Recorder,
    changes: Sequence[Change],
    reason: str,
    accepted: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Judge and write commits that forget, move the branch, and let files and catalogs follow.

    A crash leaves what the next command completes. ``accepted`` are contents of files that may be written
    over (see :class:`Move`). In a file with an open edit the same entries go.
    """
    recorder.check(changes)
    old = new = recorder.tip
    for change in changes:
        new = recorder.write(new, change)
        recorder.guard.follow(new)
    if new is None:
        raise ValueError("there is nothing to carry out")
    for path in move(recorder, Move(old, new, accepted or {}), reason):
        _carry_to_edited(cell, recorder, path, old)
    years = sorted({path[-13:-9] for change in changes for path in change.files})
    rebuild(cell.root, cell.git.private_dir, cell.clock.now().local_date(), years)
    return new


def _carry_to_edited(cell: Cell, recorder: Recorder, path: str, old: str | None) -> None:
    """Take out of an open edit what the user has just asked to forget, also where the edit changed it."""
    date = path[-13:-3]
    before = recorder.objects.file(old, path) if old else None
    there = read_worktree(cell.git, path)
    if before is None or there is None or path != day_path(date):
        return
    day = parse_day(there, date)
    left = carry_removals(day, parse_day(before, date), committed_day(recorder, date), edited_too=True)
    if left is None or left.render() != day.render():
        write_worktree(cell.git, path, left.render() if left else None, expected=there)


# --- What is wished -----------------------------------------------------------------------------------


def clear_plan(cell: Cell, request: ClearLayerRequest) -> ForgetRequest | None:
    """Return the forget that clears a layer of an actor, and namespace; None where nothing is there.

    Raises what :func:`resolve_clear` raises.
    """
    clearing = resolve_clear(request)
    refs: list[Ref] = []
    with cell.writing("clear") as recorder:
        dates = {date for date, _ in day_files(archive_of(cell.root))} | edited_from(cell.git).keys()
        for date in sorted(dates):
            day = committed_day(recorder, date)
            refs += [ref for ref, b in (day.entries() if day else ()) if clearing.matches(b.attributes)]
    actor = request.own_actor or cell.actor
    if not refs:
        return None
    return ForgetRequest(
        refs=refs,
        reason=clearing.reason,
        actor=actor,
        is_admin=request.is_admin,
        reason_is_ours=not request.reason,
    )


def clear(cell: Cell, request: ClearLayerRequest, *, dry_run: bool = False) -> Forgotten | None:
    """Clear a layer of an actor, and namespace, or say what that would take; None where nothing is there.

    Raises what :func:`clear_plan` and :func:`forget` raise.
    """
    with clone_lock(cell.git.common_dir, timeout=LOCK_SECONDS, command="clear"):
        asked = clear_plan(cell, request)
        if asked is None:
            return None
        return preview(cell, asked) if dry_run else forget(cell, asked)


def look_up(cell: Cell, recorder: Recorder, request: ForgetRequest) -> Wish:
    """Return what ``request`` names. Raises :class:`ErrUnknownRef` and :class:`ErrUsage`."""
    if not request.refs:
        raise ErrUsage("Name what is to be forgotten.")
    if not request.reason.strip():
        raise ErrUsage("Forgetting needs a reason: it is what an auditor will read.")
    days: dict[str, Day] = {}
    pending: dict[str, Day] = {}
    for date in {ref.date for ref in request.refs}:
        head, there = committed_day(recorder, date), read_day(cell.root, date)
        if head is not None:
            days[date] = head
        if there is not None and read_edit(head, there, recorder.forgotten_on(date)).edit is Edit.PENDING:
            pending[date] = there
    is_admin = request.has_rights(cell.config.admins)

    def sees(block: Block) -> bool:
        return is_admin or not request.walled or visible(block.attributes, request.actor)

    shown = {**days, **pending}
    found = expand([new for ref in request.refs for new in _newest(shown, ref)], shown, sees)
    committed = {date: len(day.blocks) for date, day in days.items()}
    place = {ref: at for day in pending.values() for at, (ref, _) in enumerate(day.entries())}
    unwritten = tuple(one for one in found if place.get(one[0], -1) >= committed.get(one[0].date, 0))
    names = [ref for ref, _ in found if ref not in {ref for ref, _ in unwritten}]
    blocks = expand(names, days) if names else ()
    return Wish(request, blocks, unwritten, _replacements(request, blocks))


def _replacements(request: ForgetRequest, blocks: Sequence[tuple[Ref, Block]]) -> Mapping[Ref, Replacement]:
    if request.replacement is None:
        return {}
    if len(blocks) != 1:
        raise ErrUsage("A replacement takes the place of one remembered entry; give one ref.")
    check_text(request.replacement)
    return {blocks[0][0]: Replacement(request.replacement)}


def _newest(days: Mapping[str, Day], ref: Ref) -> Sequence[Ref]:
    """Return the ref itself, or those of the entries that replaced it."""
    day = days.get(ref.date)
    if day is None or ref.id is None or day.find(ref) is not None:
        return (ref,)
    return [one for one, _ in successors(day.entries(), ref)] or (ref,)


def plan_wish(cell: Cell, recorder: Recorder, wish: Wish) -> ForgetPlan:
    """Plan the forget of what is committed.

    Raises :class:`ErrForbidden`, :class:`ErrLayerAdminRequired`, :class:`ErrReasonTells` and the named errors
    of an index.
    """
    request = wish.request
    for _, block in [*wish.blocks, *wish.unwritten]:
        check_change(block.attributes, request.actor, is_admin=request.has_rights(cell.config.admins))
    if not request.reason_is_ours:
        require_discreet(request.reason, [block for _, block in [*wish.blocks, *wish.unwritten]])
    if not wish.blocks:
        return ForgetPlan((), {})
    dates = {ref.date for ref, _ in wish.blocks}
    corrections = _corrections(cell, recorder, min(dates))
    dates |= {one.date for ref, _ in wish.blocks for one, _ in corrections.of_ref(ref)}
    days = {date: day for date in dates if (day := committed_day(recorder, date)) is not None}
    return plan_forget(
        expand([ref for ref, _ in wish.blocks], days),
        days,
        corrections,
        mint_id,
        old_texts=texts_corrected(recorder, list(days.values()), []),
        replacements=wish.replacements,
        index=request.index,
    )


def _corrections(cell: Cell, recorder: Recorder, since: str) -> Corrections:
    """Return the committed corrections since a date: those in the files, and in versions of edited files."""
    found = read_corrections(cell.root, since=since)
    held = [committed_day(recorder, date) for date in edited_from(cell.git) if date >= since]
    entries = {one: block for ones in found.by_target.values() for one, block in ones}
    entries |= {one: block for day in held if day for one, block in day.entries()}
    return Corrections.of(entries.items())


def forget_change(cell: Cell, recorder: Recorder, request: ForgetRequest, plan: ForgetPlan) -> Change:
    """Return the commit that carries the plan out."""
    files = {day_path(date): day.render() if day else None for date, day in plan.days.items()}
    return Change(forget_audit(recorder, request, plan), files, cell.clock.now())


def forget_audit(recorder: Recorder, request: ForgetRequest, plan: ForgetPlan) -> Audit:
    """Return what the forget's commit says of itself."""
    return recorder.audit(
        "forget",
        targets=tuple(one.target for one in plan.gone),
        layers=tuple(dict.fromkeys(layer_of(one.block.attributes) for one in plan.gone)),
        actor=request.actor,
        reason=request.reason,
    )


def _remove_unwritten(cell: Cell, unwritten: Sequence[tuple[Ref, Block]]) -> None:
    """Take blocks that nobody has committed out of their files."""
    for date in sorted({ref.date for ref, _ in unwritten}):
        path = day_path(date)
        content = read_worktree(cell.git, path)
        day = parse_day(content or b"", date)
        going = [day.find(ref) for ref, _ in unwritten if ref.date == date]
        wanted = [block.body for ref, block in unwritten if ref.date == date]
        if [block.body for block in going if block] != wanted:
            raise ErrChanged(f"{path} was saved meanwhile; nothing was changed.", hint="Repeat the command.")
        left = day.without([block for block in going if block])
        write_worktree(cell.git, path, left.render() if left.blocks else None, expected=content)
