"""Planning a forget: exactly the named blocks go, in any day (design §6).

The index of each day that loses something is made anew so that nothing only the forgotten entry said is
left in it; so is the index of each day in which a correction repeats the old subject. What else repeats it
is named before anything happens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from nutsync.core.append import said
from nutsync.core.audit import Target
from nutsync.core.correction import Corrections
from nutsync.core.day import Day
from nutsync.core.entry import Block, Ref, encode_entry
from nutsync.core.errors import ErrReasonTells, ErrUnknownRef, ErrUsage
from nutsync.core.index import Said, index_without, tells
from nutsync.core.moment import offset_text


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
    corrections: tuple[Ref, ...]
    repeated: tuple[str, ...]

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
            one for one in (day.entries() if day else ()) if ref in (one[0], Ref(ref.date)) and sees(one[1])
        ]
        if not found:
            raise ErrUnknownRef(
                f"Nothing is remembered under {ref}; nothing was forgotten.",
                hint="`nutsync show DATE` lists a day's refs.",
            )
        wanted.update(found)
    order = {one[0]: place for day in sorted(days) for place, one in enumerate(days[day].entries())}
    return tuple(sorted(wanted.items(), key=lambda one: (one[0].date, order[one[0]])))


def plan_forget(
    blocks: Sequence[tuple[Ref, Block]],
    days: Mapping[str, Day],
    corrections: Corrections,
    mint: Callable[[], str],
    *,
    old_texts: Mapping[str, str],
    replacement: str | None = None,
    index: str | None = None,
) -> ForgetPlan:
    """Return what forgetting ``blocks`` changes.

    ``days`` holds every day that loses a block and every day with a correction of one. ``replacement`` is
    the text that takes the place of the only block; ``index`` a hand-made index of its day. ``old_texts``
    maps refs that corrections of these days name to the texts they replace.
    """
    if (replacement is not None or index is not None) and len({ref.date for ref, _ in blocks}) != 1:
        raise ErrUsage("An index goes with the refs of one day.")
    if replacement is not None and len(blocks) != 1:
        raise ErrUsage("A replacement takes the place of one entry; give one ref.")
    gone = tuple(_gone(ref, block, days[ref.date], mint, replacement) for ref, block in blocks)
    corrected_by = dict.fromkeys(ref for one in gone for ref, _ in corrections.of_ref(one.ref))
    going = {one.ref for one in gone}
    kept_texts = {ref: text for ref, text in old_texts.items() if ref not in {str(one) for one in going}}
    remake = _Remake(gone, kept_texts)
    staying = tuple(ref for ref in corrected_by if ref not in going)
    changed: dict[str, Day | None] = {}
    for date in sorted({ref.date for ref, _ in blocks}):
        changed[date] = _without(days[date], remake, index)
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


def _gone(ref: Ref, block: Block, day: Day, mint: Callable[[], str], replacement: str | None) -> Gone:
    known = ref.id if ref.id is not None else mint()
    target = Target(str(Ref(ref.date, id=known)), unstamped=ref.id is None)
    if replacement is None:
        return Gone(ref, block, target)
    attributes = {**_stamps_before(day, block), **block.attributes, "id": mint(), "was": known}
    return Gone(ref, block, target, encode_entry(replacement, attributes))


def _stamps_before(day: Day, block: Block) -> dict[str, str]:
    """Return time and device of the stamped entry above an unstamped block: it stays under that one."""
    found = {"id": "", "at": f"00:00:00.000{offset_text(0)}", "dev": "unknown"}
    for other in day.blocks:
        if other is block:
            break
        if other.is_stamped:
            found |= {key: other.attributes[key] for key in ("at", "dev") if key in other.attributes}
    return found


def taken_out(day: Day, block: Block, replacement: Block | None) -> Day:
    """Return ``day`` without its own ``block``, or with ``replacement`` in its place."""
    return day.without([block]) if replacement is None else day.replace_block(block, replacement)


def _without(day: Day, remake: _Remake, index: str | None) -> Day | None:
    left = day
    for one in remake.gone:
        if one.ref.date != day.date:
            continue
        left = (
            left.replace_block(one.block, one.replacement) if one.replacement else left.without([one.block])
        )
    if not left.blocks:
        return None
    return left.with_index(index) if index is not None else remake.index_of(left)


@dataclass(frozen=True, slots=True)
class _Remake:
    """Makes indexes anew, so that every term that only a forgotten entry had is gone."""

    gone: Sequence[Gone]
    old_texts: Mapping[str, str]

    def index_of(self, day: Day) -> Day:
        """Return ``day`` with such an index; a day without frontmatter has none to remake."""
        if not day.front.present:
            return day
        forgotten = said([one.block for one in self.gone], {})
        remaining = said(day.blocks, self.old_texts)
        return day.with_index(index_without(day.index, remaining, forgotten, day=day.date))


def same_in_worktree(worktree: Day, gone: Sequence[Gone]) -> Iterator[tuple[Block, Block | None]]:
    """Yield the blocks of a held worktree version that a forget takes out too, with their replacements."""
    for one in gone:
        for block in worktree.blocks:
            if (one.ref.id is not None and block.id == one.ref.id) or block.body == one.block.body:
                yield block, one.replacement
                break
