"""Planning a forget: exactly the named blocks go, in any day (design §6).

The index of each day that loses something is made anew so that nothing only the forgotten entry said is
left in it; so is the index of each day in which a correction repeats the old subject. What else repeats it
is named before anything happens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from nutsync.core.append import said
from nutsync.core.audit import Target
from nutsync.core.correction import WERE, Corrections
from nutsync.core.day import Day
from nutsync.core.entry import Block, Ref, encode_entry
from nutsync.core.errors import ErrIndexUngrounded, ErrReasonTells, ErrUnknownRef, ErrUsage
from nutsync.core.index import Said, complete_index, index_without, split_clauses, tells
from nutsync.core.index.check import entries_ground
from nutsync.core.index.grounding import reveals
from nutsync.core.moment import offset_text


@dataclass(frozen=True, slots=True)
class Replacement:
    """What takes the place of a block: its text, and attributes that differ from the old entry's."""

    text: str
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Gone:
    """A block that a forget removes: how the audit names it, and what takes its place, if anything."""

    ref: Ref
    block: Block
    target: Target
    replacement: Block | None = None


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """What a forget does. ``days`` holds each changed day, None for one with nothing left.

    ``corrections`` are entries that correct what goes; they stay. ``repeated`` are days whose index is
    made anew although they lose no entry.
    """

    gone: tuple[Gone, ...]
    days: Mapping[str, Day | None]
    corrections: tuple[Ref, ...] = ()
    repeated: tuple[str, ...] = ()

    @property
    def refs(self) -> tuple[str, ...]:
        return tuple(str(one.ref) for one in self.gone)


def expand(
    refs: Sequence[Ref], days: Mapping[str, Day], sees: Callable[[Block], bool] = lambda _block: True
) -> tuple[tuple[Ref, Block], ...]:
    """Return every block that ``refs`` name, each once, in the order of days and files.

    A whole day stands for each of its blocks. Blocks that ``sees`` does not let through are not there.
    Raises :class:`ErrUnknownRef` for a ref that names nothing.
    """
    wanted: dict[Ref, Block] = {}
    for ref in refs:
        day = days.get(ref.date)
        found = [
            one
            for one in (day.entries() if day else ())
            if ref in (one[0], Ref(one[0].date)) and sees(one[1])
        ]
        if not found:
            raise unknown(ref)
        wanted.update(found)
    order = {one[0]: place for day in sorted(days) for place, one in enumerate(days[day].entries())}
    return tuple(sorted(wanted.items(), key=lambda one: (one[0].date, order[one[0]])))


def unknown(ref: Ref) -> ErrUnknownRef:
    """Return the error for a ref that names nothing that the asker may see: the same whichever it is."""
    return ErrUnknownRef(
        f"Nothing is remembered under {ref}; nothing was forgotten.",
        hint="`nutsync show DATE` lists a day's refs.",
    )


def plan_forget(
    blocks: Sequence[tuple[Ref, Block]],
    days: Mapping[str, Day],
    corrections: Corrections,
    mint: Callable[[], str],
    *,
    old_texts: Mapping[str, str],
    replacements: Mapping[Ref, Replacement] | None = None,
    index: str | None = None,
) -> ForgetPlan:
    """Return what forgetting ``blocks`` changes.

    ``days`` holds every day that loses a block and every day with a correction of one. ``replacements``
    maps refs among those of ``blocks`` to what takes their place; ``index`` is a hand-made index of the only
    day. ``old_texts`` maps refs that corrections of these days name to the texts they replace. Raises the
    named errors of an index that is not fit.
    """
    if index is not None and len({ref.date for ref, _ in blocks}) != 1:
        raise ErrUsage("An index goes with the refs of one day.")
    gone = _gone(blocks, days, mint, replacements or {})
    going = {one.ref for one in gone}
    corrected_by = dict.fromkeys(ref for one in gone for ref, _ in corrections.of_ref(one.ref))
    names = {str(one) for one in going}
    remake = _Remake(gone, {ref: text for ref, text in old_texts.items() if ref not in names})
    staying = tuple(ref for ref in corrected_by if ref not in going)
    changed: dict[str, Day | None] = {}
    for date in sorted({ref.date for ref in going}):
        left = _without(days[date], gone)
        changed[date] = remake.index_of(left, index) if left.blocks else None
    repeated = []
    for date in sorted({ref.date for ref in staying} - changed.keys()):
        remade = remake.index_of(days[date])
        if remade.index != days[date].index:
            changed[date] = remade
            repeated.append(date)
    return ForgetPlan(gone, changed, staying, tuple(repeated))


def require_discreet(reason: str, gone: Sequence[Block]) -> None:
    """Raise :class:`ErrReasonTells` where the reason repeats distinctive words of what is forgotten.

    Reasons last for ever in the history; what they repeat would not be forgotten.
    """
    if tells(reason, [Said(block.text) for block in gone]):
        raise ErrReasonTells("The reason repeats words of what is to be forgotten. Nothing was changed.")


# --- What goes, and under which name ----------------------------------------------------------------


def _gone(
    blocks: Sequence[tuple[Ref, Block]],
    days: Mapping[str, Day],
    mint: Callable[[], str],
    replacements: Mapping[Ref, Replacement],
) -> tuple[Gone, ...]:
    """Return each block that goes, with its target; days in order, in a day the unstamped blocks last.

    A minted id names a block by its place among those that the commit takes from its day. Where the same
    words stand there several times, the earliest ones count as taken, whichever was meant: so the minted
    ids follow the order that everybody finds (:func:`nutsync.core.ancestry.removed_unstamped`).
    """
    found: list[Gone] = []
    for date in sorted({ref.date for ref, _ in blocks}):
        mine = [(ref, block) for ref, block in blocks if ref.date == date]
        stamped = [one for one in mine if one[0].id is not None]
        wordless = [one for one in mine if one[0].id is None]
        for ref, block in [*stamped, *_as_taken(wordless, days[date])]:
            target = Target(str(Ref(date, id=ref.id or mint())), unstamped=ref.id is None)
            new = replacements.get(ref)
            stand_in = _stand_in(block, days[date], target, new, mint) if new is not None else None
            found.append(Gone(ref, block, target, stand_in))
    return tuple(found)


def _as_taken(wordless: Sequence[tuple[Ref, Block]], day: Day) -> list[tuple[Ref, Block]]:
    waiting: dict[bytes, list[tuple[Ref, Block]]] = {}
    for one in wordless:
        waiting.setdefault(one[1].body, []).append(one)
    going = Counter(block.body for _, block in wordless)
    ordered = []
    for block in day.blocks:
        if not block.is_stamped and going[block.body] > 0:
            going[block.body] -= 1
            ordered.append(waiting[block.body].pop(0))
    return ordered


def _stand_in(block: Block, day: Day, target: Target, new: Replacement, mint: Callable[[], str]) -> Block:
    """Return the entry that takes the place of ``block``: a new id, the same time and device, and ``was``."""
    was = target.ref.partition("#")[2]
    kept = {**_stamps_before(day, block), **block.attributes, **new.attributes}
    fixed = {key: block.attributes[key] for key in ("at", "dev") if key in block.attributes}
    earlier = [name for key in (WERE, "was") if (name := block.attributes.get(key))]
    lineage = {WERE: ".".join(earlier)} if earlier else {}
    return encode_entry(new.text, {**kept, **fixed, "id": mint(), "was": was, **lineage})


def _stamps_before(day: Day, block: Block) -> dict[str, str]:
    """Return time and device of the stamped entry above an unstamped block: it stays under that one."""
    found = {"id": "", "at": f"00:00:00.000{offset_text(0)}", "dev": "unknown"}
    for other in day.blocks:
        if other is block:
            break
        if other.is_stamped:
            found |= {key: other.attributes[key] for key in ("at", "dev") if key in other.attributes}
    return found


def _without(day: Day, gone: Sequence[Gone]) -> Day:
    for one in gone:
        if one.ref.date == day.date:
            day = (
                day.without([one.block])
                if one.replacement is None
                else day.replace_block(one.block, one.replacement)
            )
    return day


# --- Indexes ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Remake:
    """Makes indexes anew, so that every term that only a forgotten entry had is gone."""

    gone: Sequence[Gone]
    old_texts: Mapping[str, str]

    def index_of(self, day: Day, given: str | None = None) -> Day:
        """Return ``day`` with such an index; a day without frontmatter has none to remake.

        ``given`` is one that was written by hand: it has to be grounded, and to keep silent of what goes.
        """
        if not day.front.present:
            return day
        forgotten = said([one.block for one in self.gone], {})
        remaining = said(day.blocks, self.old_texts)
        if given is None:
            return day.with_index(index_without(day.index, remaining, forgotten, day=day.date))
        index = complete_index(given, remaining, day=day.date).index
        gone, kept = entries_ground(forgotten), entries_ground(remaining, day.date)
        if any(reveals(clause, gone, kept) for clause in split_clauses(given)):
            raise ErrIndexUngrounded(
                "The index repeats words of what is to be forgotten. Nothing was changed.",
                hint="Leave them out, or let nutsync make the index.",
            )
        return day.with_index(index)
