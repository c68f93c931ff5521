"""Planning an append: what the day will hold, in Git and in the worktree (design §6).

What is committed is HEAD's version plus what was legally written by hand plus the new entries. An
edit that a person has open in the same file stays in the worktree and never makes an append fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from nutsync.core.day import Day
from nutsync.core.entry import Block, Ref, encode_entry
from nutsync.core.hand import Edit, HandEdit, Screen, fence_is_open, read_edit, stamp_added
from nutsync.core.index import Said, extend_index
from nutsync.core.moment import Moment, day_number, parse_at

SAME_ENTRY_KEYS = ("kind", "scope", "actor", "namespace", "session", "corrects")
"""Attributes that, with the text, make two appends of one day the same one (design §6)."""


class NewEntry(NamedTuple):
    """A text to remember and the attributes its layer and kind give it (without id, at and dev).

    ``id`` is one that it had elsewhere and keeps, unless another entry of the day has it.
    """

    text: str
    attributes: Mapping[str, str]
    id: str | None = None


class Placed(NamedTuple):
    """Where an entry stands now; ``duplicate`` when it stood there before."""

    ref: Ref
    block: Block
    duplicate: bool = False


class Stamper(NamedTuple):
    """Gives entries their id, time and device. ``mint`` yields fresh random ids."""

    now: Moment
    device: str
    mint: Callable[[], str]

    def attributes(self, day: str, latest: Moment | None) -> dict[str, str]:
        """Return id, at and dev of the next entry of ``day`` after ``latest``.

        Where the clock stepped back over midnight, the day began for it only now.
        """
        start = Moment(day_number(day) * 86_400_000 - self.now.offset * 60_000, self.now.offset)
        at = max(self.now, start)
        if latest is not None and latest.millis >= at.millis:
            at = Moment(latest.millis + 1, at.offset)
        return {"id": self.mint(), "at": at.at_on(day), "dev": self.device}


class AppendPlan(NamedTuple):
    """What to do. ``pending`` is committed before ``committed``; either may be None for «nothing»."""

    pending: Day | None
    pending_refs: tuple[Ref, ...]
    committed: Day | None
    worktree: Day
    now: Moment
    placed: tuple[Placed, ...]
    warnings: tuple[str, ...]
    held: HandEdit | None


def plan_pending(
    head: Day | None,
    worktree: Day | None,
    date: str,
    stamper: Stamper,
    old_texts: Mapping[str, str],
    is_forgotten: Callable[[str], bool],
    screen: Screen | None = None,
) -> tuple[HandEdit, Day | None, tuple[Ref, ...]]:
    """Return the edit made by hand, the day that takes its additions over, and their refs.

    The day is None where nothing is pending. ``is_forgotten`` is asked for ids that a hand brought. What
    ``screen`` finds a credential in is held.
    """
    edit = read_edit(head, worktree, is_forgotten, screen)
    if edit.edit is not Edit.PENDING or worktree is None:
        return edit, None, ()
    old = head.blocks if head else ()
    latest = latest_at(worktree)

    def next_attributes() -> dict[str, str]:
        nonlocal latest
        attributes = stamper.attributes(date, latest)
        latest = parse_at(date, attributes["at"])
        return attributes

    added = stamp_added(edit.added, next_attributes, open_fence=fence_is_open(old))
    day = worktree
    for before, after in zip(edit.added, added, strict=True):
        day = day.replace_block(before, after)
    index = edit.index
    if index is None:
        index = (head.index if head else None) or ""
        entries = said(day.blocks, old_texts)
        index = extend_index(index, entries, entries[len(old) :])
    day = day.with_index(index)
    refs = tuple(ref for ref, block in day.entries() if any(block is one for one in added))
    return edit, day, refs


def plan_append(
    head: Day | None,
    worktree: Day | None,
    date: str,
    new: Sequence[NewEntry],
    stamper: Stamper,
    *,
    old_texts: Mapping[str, str],
    is_forgotten: Callable[[str], bool],
    index: str | None = None,
    once: bool = True,
    screen: Screen | None = None,
) -> AppendPlan:
    """Plan to append ``new`` to ``date``.

    ``old_texts`` maps the refs that corrections of this day name to the texts they replace, as far as
    those still exist. ``is_forgotten`` is asked for ids that a hand brought. ``index`` is a hand-made
    index of the whole day. With ``once``, a text already said today for the same layer, actor, kind and
    session is not written twice. Hand-written additions that ``screen`` finds a credential in stay
    uncommitted.

    Raises the named errors of :func:`nutsync.core.index.complete_index`.
    """
    edit, pending, pending_refs = plan_pending(head, worktree, date, stamper, old_texts, is_forgotten, screen)
    base = pending or head or Day.new(date)
    day, placed = _place(base, date, new, stamper, once)
    added = tuple(one.block for one in placed if not one.duplicate)
    warnings: tuple[str, ...] = ()
    if index is not None:
        from nutsync.core.index import complete_index  # loads with the first index that is handed over

        result = complete_index(index, said(day.blocks, old_texts), base.index, day=date)
        day = day.with_index(result.index)
        warnings = tuple(finding.message for finding in result.warnings)
    else:
        entries = said(day.blocks, old_texts)
        fresh = entries[len(entries) - len(added) :]
        day = day.with_index(extend_index(base.index, entries, fresh)) if added else day
    changed = bool(added) or (index is not None and day.index != base.index)
    held = edit if edit.edit is Edit.HELD else None
    shown = day if held is None else _beside(held, worktree or Day.new(date), head, day, added)
    return AppendPlan(
        pending, pending_refs, day if changed else None, shown, stamper.now, placed, warnings, held
    )


def said(blocks: Sequence[Block], old_texts: Mapping[str, str]) -> tuple[Said, ...]:
    """Return what the index builder needs to know of ``blocks``."""
    return tuple(Said.of(block, old_texts.get(block.attributes.get("corrects", ""))) for block in blocks)


def latest_at(day: Day) -> Moment | None:
    """Return the latest ``at`` of the day's stamped entries, or None where there is none."""
    moments = (parse_at(day.date, block.attributes.get("at", "")) for block in day.stamped)
    return max((moment for moment in moments if moment), default=None)


def _place(
    base: Day, date: str, new: Sequence[NewEntry], stamper: Stamper, once: bool
) -> tuple[Day, tuple[Placed, ...]]:
    known = {_identity(block): ref for ref, block in _stamped(base)} if once else {}
    day, latest = base, latest_at(base)
    placed: list[Placed] = []
    for entry in new:
        identity = (entry.text, *(entry.attributes.get(key, "") for key in SAME_ENTRY_KEYS))
        if once and identity in known:
            ref = known[identity]
            block = day.find(ref)
            if block is not None:
                placed.append(Placed(ref, block, duplicate=True))
                continue
        stamps = stamper.attributes(date, latest)
        if entry.id is not None and day.find(Ref(date, id=entry.id)) is None:
            stamps["id"] = entry.id
        latest = parse_at(date, stamps["at"])
        block = encode_entry(entry.text, {**stamps, **entry.attributes})
        ref = Ref(date, id=stamps["id"])
        known[identity] = ref
        placed.append(Placed(ref, block))
        day = day.append(block)
    return day, tuple(placed)


def _stamped(day: Day) -> Iterator[tuple[Ref, Block]]:
    return ((ref, block) for ref, block in day.entries() if ref.id is not None)


def _identity(block: Block) -> tuple[str, ...]:
    return (block.text, *(block.attributes.get(key, "") for key in SAME_ENTRY_KEYS))


def _beside(held: HandEdit, worktree: Day, head: Day | None, day: Day, added: tuple[Block, ...]) -> Day:
    """Return the held worktree version with the new entries.

    They stand at its end; before the additions where only a likely credential holds these.
    """
    if held.has_secret:
        return day.append(*held.added).with_index(held.index or day.index or "")
    untouched = head is not None and worktree.index == head.index and not worktree.front.problem
    shown = worktree.append(*added)
    return shown.with_index(day.index or "") if untouched else shown
