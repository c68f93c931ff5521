"""What a person's edit of a day file took away, changed and added (design §6, `forget --edited`).

Everything is told by the difference to the version that the edit was made from. What arrived after that
version, by a sync or by an agent's append, was not in front of the person, so it is never taken for deleted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from nutsync.core.day import Day
from nutsync.core.entry import Block, Ref
from nutsync.core.forget import Replacement

_FIXED = ("id", "at", "dev", "was")
_Key = tuple[str, str | bytes]


@dataclass(frozen=True, slots=True)
class Edited:
    """What an edit did to the day as it is committed now.

    ``gone`` are committed blocks that the person took away or changed, in file order; ``replacements``
    what takes the place of those that were changed. ``added`` are the blocks that nobody knew before,
    without an id of another entry.
    """

    gone: tuple[tuple[Ref, Block], ...] = ()
    replacements: tuple[tuple[Ref, Replacement], ...] = ()
    added: tuple[Block, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.gone or self.added)


def read_difference(
    base: Day | None, head: Day | None, worktree: Day | None, is_forgotten: Callable[[str], bool]
) -> Edited:
    """Return what was done by hand to get from ``base`` to ``worktree``, applied to ``head``.

    None stands for a file that is not there. ``is_forgotten`` tells whether an id of this day was
    forgotten: what stands under one in the worktree only lingers there, or is new words.
    """
    old = base.blocks if base else ()
    new = worktree.blocks if worktree else ()
    left_out, extra = _unmatched(old, new)
    changed = _paired(old, new, left_out, extra)
    known = {block.id for day in (base, head) if day for block in day.stamped}
    arrived = _arrived(base, head)
    gone, replacements = _in_head(head, left_out, changed)
    added = []
    taken = {id(block) for block in changed.values()}
    lingering = Counter(block.body for block in old)
    for block in extra:
        if id(block) in taken:
            continue
        if arrived[_key(block)] > 0:
            arrived[_key(block)] -= 1
        elif not (block.id and is_forgotten(block.id) and lingering[block.body]):
            added.append(_nameless(block) if block.id in known or is_forgotten(block.id or "") else block)
    return Edited(gone, replacements, tuple(added))


def carry_removals(worktree: Day, old: Day, new: Day | None, *, edited_too: bool = False) -> Day | None:
    """Return an edited version without what went from ``old`` to ``new``; None where nothing is left of it.

    What took the place of an entry takes it here too. An entry that the person has changed stays, unless
    ``edited_too``. The index follows where the person left it alone.
    """
    kept = Counter(_key(block) for block in (new.blocks if new else ()))
    by_was = {block.attributes.get("was"): block for block in (new.stamped if new else ())}
    left = worktree
    for block in old.blocks:
        if kept[_key(block)] > 0:
            kept[_key(block)] -= 1
            continue
        own = next((b for b in left.blocks if _is_same(b, block, edited_too)), None)
        if own is not None:
            stand_in = by_was.get(block.id) if block.id else None
            left = left.without([own]) if stand_in is None else left.replace_block(own, stand_in)
    if left is worktree:
        return worktree
    if not left.blocks:
        return None
    if left.front.present and worktree.index == old.index and not left.front.problem:
        left = left.with_index((new.index if new else None) or "")
    return left


def version_edited(edit: Day, versions: Sequence[Day]) -> int:
    """Return the place of the version, newest first, that an edit was made from.

    An editor that was open while an agent appended saves over a newer version than the one it had read. A
    version that lacks a committed block which the edit holds had not been read. Of the others, one with the
    edit's own index line is taken before any other, since whoever deletes a block rarely touches that line
    and whoever appends does; then the one of which the fewest blocks are left out, then the newest.
    """
    newest = Counter(_key(block) for block in versions[0].blocks)
    seen = newest & Counter(_key(block) for block in edit.blocks)

    def unlikely(place: int) -> tuple[bool, bool, int, int]:
        day = versions[place]
        had = Counter(_key(block) for block in day.blocks)
        return bool(seen - had), day.index != edit.index, left_out(edit, day), place

    return min(range(len(versions)), key=unlikely)


def left_out(edit: Day, day: Day) -> int:
    """Count the blocks of a day that an edit has no longer, or not as they were."""
    return (
        Counter(block.body for block in day.blocks) - Counter(block.body for block in edit.blocks)
    ).total()


def _is_same(mine: Block, other: Block, edited_too: bool) -> bool:
    return mine.body == other.body or (edited_too and other.id is not None and mine.id == other.id)


def _key(block: Block) -> _Key:
    return ("id", block.id) if block.id is not None else ("body", block.body)


def _unmatched(old: Sequence[Block], new: Sequence[Block]) -> tuple[list[Block], list[Block]]:
    """Return the blocks of ``old`` that ``new`` lacks or has otherwise, and those of ``new`` besides."""
    there: dict[_Key, list[Block]] = {}
    for block in new:
        there.setdefault(_key(block), []).append(block)
    left_out: list[Block] = []
    matched: set[int] = set()
    for block in old:
        candidates = there.get(_key(block), [])
        if candidates and _says_the_same(candidates[0], block):
            matched.add(id(candidates.pop(0)))
        else:
            left_out.append(block)
    extra = [block for block in new if id(block) not in matched]
    return _without_bare(left_out, extra)


def _without_bare(left_out: list[Block], extra: list[Block]) -> tuple[list[Block], list[Block]]:
    """Leave out the entries of which only the attributes went: their words are all there."""
    bare = [block for block in extra if not block.is_stamped]
    lost = []
    for block in left_out:
        twin = next((b for b in bare if block.is_stamped and b.text == block.text), None)
        if twin is None:
            lost.append(block)
        else:
            bare.remove(twin)
            extra = [b for b in extra if b is not twin]
    return lost, extra


def _says_the_same(new: Block, old: Block) -> bool:
    return new.body == old.body or (
        old.is_stamped and new.text == old.text and dict(new.attributes) == dict(old.attributes)
    )


def _paired(
    old: Sequence[Block], new: Sequence[Block], left_out: Sequence[Block], extra: Sequence[Block]
) -> dict[int, Block]:
    """Return, by the identity of an old block, the new one that was written in its place."""
    going, coming = {id(b) for b in left_out}, {id(b) for b in extra}
    by_id = {b.id: b for b in reversed(extra) if b.id is not None and b.text.strip()}
    found = {id(b): by_id[b.id] for b in left_out if b.id is not None and b.id in by_id}
    taken = {id(b) for b in found.values()}
    matcher = SequenceMatcher(None, [_key(b) for b in old], [_key(b) for b in new], autojunk=False)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        if tag != "replace" or end - start != new_end - new_start:
            continue
        for before, after in zip(old[start:end], new[new_start:new_end], strict=True):
            fits = id(before) in going and id(after) in coming and not after.is_stamped and after.text.strip()
            if fits and id(before) not in found and id(after) not in taken:
                found[id(before)] = after
                taken.add(id(after))
    return found


def _in_head(
    head: Day | None, left_out: Sequence[Block], changed: dict[int, Block]
) -> tuple[tuple[tuple[Ref, Block], ...], tuple[tuple[Ref, Replacement], ...]]:
    """Find what is left out among the committed blocks; what went meanwhile need not go again."""
    waiting = list(head.entries()) if head else []
    gone: dict[Ref, Block] = {}
    replacements: dict[Ref, Replacement] = {}
    for block in left_out:
        found = next((one for one in waiting if _key(one[1]) == _key(block)), None)
        if found is None:
            continue
        waiting.remove(found)
        gone[found[0]] = found[1]
        new = changed.get(id(block))
        if new is not None:
            attributes = {key: value for key, value in new.attributes.items() if key not in _FIXED}
            replacements[found[0]] = Replacement(new.text, attributes)
    order = {ref: place for place, (ref, _) in enumerate(head.entries() if head else ())}
    return (
        tuple(sorted(gone.items(), key=lambda one: order[one[0]])),
        tuple(replacements.items()),
    )


def _arrived(base: Day | None, head: Day | None) -> Counter[_Key]:
    """Count the committed blocks that the version which was edited did not have."""
    later = Counter(_key(block) for block in (head.blocks if head else ()))
    return later - Counter(_key(block) for block in (base.blocks if base else ()))


def _nameless(block: Block) -> Block:
    """Return a copied entry without the attributes that make it that entry."""
    first, _, rest = block.raw.partition(b"\n")
    mark = first.rfind(b" <!-- nut ")
    return Block(first[:mark] + b"\n" + rest) if mark >= 0 else block
