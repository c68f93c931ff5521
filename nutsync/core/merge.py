"""The merge law: one day, two versions, one result (design §8.5).

The state of a day is its stamped entries, named by id and immutable, and its unstamped blocks, named
by (bytes, n-th occurrence). **Merged = (ours ∪ theirs) minus F; no merge base is used for entries.**

Every side comes with the F of its own history: :mod:`nutsync.core.forgotten` tells why.

*Layout.* What the law says nothing of is still chosen so that no order of merges matters: of two
paddings below a block the wider stays, one heading at the earlier of its places, and the frontmatter
as :mod:`nutsync.core.merge_front` says. A day that only one side has, or that both hold alike, keeps
its bytes unless something in it was forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import NamedTuple, Protocol

from nutsync.core.day import Day
from nutsync.core.entry import Block
from nutsync.core.forgotten import NOTHING_FORGOTTEN, Forgotten, ForgottenByAny
from nutsync.core.front import Front
from nutsync.core.merge_front import merge_front
from nutsync.core.moment import parse_at
from nutsync.core.weave import weave


class Side(NamedTuple):
    """One version of a day (None where it has no such file) and the F of its history."""

    day: Day | None
    forgotten: Forgotten = NOTHING_FORGOTTEN


class MergeIndex(Protocol):
    """Makes the index of a merged day (design §8.5, the steps of the index).

    ``blocks`` are the merged day's, ``forgotten`` those that a side still had and the merge leaves out.
    """

    def __call__(
        self,
        ours: str | None,
        theirs: str | None,
        bases: Sequence[str | None],
        blocks: Sequence[Block],
        forgotten: Sequence[Block],
    ) -> str: ...


def merge_day(
    date: str, ours: Side, theirs: Side, bases: Sequence[Front], merge_index: MergeIndex
) -> Day | None:
    """Return the day that both sides make; None where it leaves the tree.

    ``bases`` are the frontmatters of the day in every merge base (only the index and the user's own
    frontmatter lines look at them). A day leaves the tree when neither side has it, or when all it
    held was forgotten. Never raises for any content. Where one id has different bytes on the two
    sides, which only a broken history can bring, both stay, so that nothing is lost while somebody
    looks into it: :func:`clashes` names them.
    """
    if ours.day is None and theirs.day is None:
        return None
    both = ForgottenByAny((ours.forgotten, theirs.forgotten))
    if ours.day is None or theirs.day is None or ours.day == theirs.day:
        return _without_forgotten(date, ours, theirs, both, bases, merge_index)
    ours_side, theirs_side = _read(date, ours, both), _read(date, theirs, both)
    parts = _assemble(date, ours_side, theirs_side)
    front = merge_front(ours.day.front, theirs.day.front, bases)
    merged = Day(date, front, max(ours.day.lead, theirs.day.lead), parts).guarded()
    gone = [*ours_side.gone, *theirs_side.gone]
    if gone and not merged.blocks:
        return None
    if ours.day.index == theirs.day.index and _same_blocks(ours.day, theirs.day, merged):
        return merged
    return _indexed(merged, (ours.day.index, theirs.day.index), bases, gone, merge_index)


def merge_sides(
    date: str, sides: Sequence[Side], bases: Sequence[Front], merge_index: MergeIndex
) -> Day | None:
    """Return the day that any number of versions make, merged one after the other."""
    merged = sides[0]
    for side in sides[1:]:
        day = merge_day(date, merged, side, bases, merge_index)
        merged = Side(day, ForgottenByAny((merged.forgotten, side.forgotten)))
    return merged.day


def clashes(ours: Day | None, theirs: Day | None) -> tuple[str, ...]:
    """Return the ids under which the two versions hold different bytes."""
    if ours is None or theirs is None:
        return ()
    mine = {block.id: block.body for block in ours.blocks}
    return tuple(
        block.id
        for block in theirs.blocks
        if block.id is not None and mine.get(block.id, block.body) != block.body
    )


def stamped_key(date: str, block: Block) -> tuple[int, str, str]:
    """Return what stamped entries are sorted by: ``at`` as an instant, ``dev``, ``id``.

    An entry whose ``at`` is missing or malformed (a forged stamp) stands before all others.
    """
    attributes = block.attributes
    moment = parse_at(date, attributes.get("at", ""))
    return moment.millis if moment else -(1 << 63), attributes.get("dev", ""), attributes.get("id", "")


# --- A version, taken apart -----------------------------------------------------------------------


_Key = tuple[bytes, int]
"""An unstamped block: its bytes and the number of its occurrence. The heading has the number 0."""


_Stamp = tuple[str, bytes]
"""A stamped entry: its id and its bytes, which only a broken history gives two of."""


@dataclass
class _Version:
    stamped: dict[_Stamp, Block]
    blocks: dict[_Key, Block]
    above: dict[_Key, _Stamp | None]
    gone: list[Block]


def _read(date: str, side: Side, both: Forgotten) -> _Version:
    """Take a version apart, leaving out what either side has forgotten."""
    version = _Version({}, {}, {}, [])
    day = side.day
    if day is None:
        return version
    counting = both.unstamped(date)
    seen: dict[bytes, int] = {}
    above: _Stamp | None = None
    for part in day.parts:
        name = part.id
        if name is not None:
            if both.has(f"{date}#{name}"):
                version.gone.append(part)
                continue
            above = (name, part.body)
            version.stamped[above] = _wider(version.stamped.get(above), part)
            continue
        if day.is_heading(part):
            key = (part.first_line.rstrip(), 0)
        else:
            before = seen.get(part.body)
            if before is None:
                before = side.forgotten.count(date, part.body) if counting else 0
            seen[part.body] = before + 1
            if counting and before < both.count(date, part.body):
                version.gone.append(part)
                continue
            key = (part.body, before + 1)
        version.above.setdefault(key, above)
        version.blocks[key] = _wider(version.blocks.get(key), part)
    return version


def _wider(known: Block | None, other: Block) -> Block:
    if known is None:
        return other
    return max(known, other, key=lambda block: (len(block.raw), block.raw))


# --- Two versions, put together -------------------------------------------------------------------


def _assemble(date: str, ours: _Version, theirs: _Version) -> tuple[Block, ...]:
    stamped = dict(ours.stamped)
    for stamp, block in theirs.stamped.items():
        stamped[stamp] = _wider(stamped.get(stamp), block)
    order = sorted(stamped, key=lambda stamp: (stamped_key(date, stamped[stamp]), stamp))
    place: dict[_Stamp | None, int] = {None: -1} | {stamp: at for at, stamp in enumerate(order)}
    runs = _runs(ours, theirs, place)
    blocks = dict(ours.blocks)
    for key, block in theirs.blocks.items():
        blocks[key] = _wider(blocks.get(key), block)
    parts = [blocks[key] for key in runs.get(-1, ())]
    for at, stamp in enumerate(order):
        parts.append(stamped[stamp])
        parts.extend(blocks[key] for key in runs.get(at, ()))
    return _indented_first(parts)


def _indented_first(parts: Sequence[Block]) -> tuple[Block, ...]:
    """Put indented lines that stand under nothing at the top: elsewhere another block would have them."""
    indented = [part for part in parts if is_indented(part)]
    if not indented:
        return tuple(parts)
    top = reduce(join_indented, indented)
    return (top, *(part for part in parts if not is_indented(part)))


def is_indented(block: Block) -> bool:
    """Tell whether this block begins with an indented line, as only the first of a file can."""
    return block.raw[:1] in (b" ", b"\t")


def join_indented(one: Block, other: Block) -> Block:
    """Return the one block that two files' indented first lines make together, the same in either order."""
    first, second = sorted((one, other), key=lambda block: (len(block.body), block.body))
    if first.body in second.body:
        return _wider(first, second) if first.body == second.body else second
    return Block(first.body + second.body)


def _runs(
    ours: _Version, theirs: _Version, place: Mapping[_Stamp | None, int]
) -> Mapping[int, Iterable[_Key]]:
    """Return, by the place of the stamped entry above it, each run of unstamped blocks."""
    if not ours.blocks and not theirs.blocks:
        return {}
    chains: dict[int, tuple[list[_Key], list[_Key]]] = {}
    for which, (own, other) in enumerate(((ours, theirs), (theirs, ours))):
        for key, stamp in own.above.items():
            at = place[stamp]
            if key in other.above:
                pick = max if key[1] else min
                at = pick(at, place[other.above[key]])
            chains.setdefault(at, ([], []))[which].append(key)
    return {at: weave(*pair) for at, pair in chains.items()}


# --- One version only -----------------------------------------------------------------------------


def _without_forgotten(
    date: str,
    ours: Side,
    theirs: Side,
    both: Forgotten,
    bases: Sequence[Front],
    merge_index: MergeIndex,
) -> Day | None:
    """Return the day that one side has, or that both hold alike, without what was forgotten."""
    day = ours.day or theirs.day
    assert day is not None  # noqa: S101 - told to the type checker
    alive = [_read(date, side, both) for side in (ours, theirs) if side.day is not None]
    gone = [block for version in alive for block in version.gone]
    if not gone:
        return day
    counts = [_count(version) for version in alive]
    kept: list[Block] = []
    for part in reversed(day.parts):
        name = part.id
        if name is not None:
            if not both.has(f"{date}#{name}"):
                kept.append(part)
        elif day.is_heading(part) or any(count.get(part.body, 0) > 0 for count in counts):
            kept.append(part)
            for count in counts:
                count[part.body] = count.get(part.body, 0) - 1
    if len(kept) == len(day.parts):
        return day
    left = replace(day, parts=tuple(reversed(kept))).guarded()
    if not left.blocks:
        return None
    indexes = (ours.day.index if ours.day else None, theirs.day.index if theirs.day else None)
    return _indexed(left, indexes, bases, gone, merge_index)


def _count(version: _Version) -> dict[bytes, int]:
    counted: dict[bytes, int] = {}
    for body, number in version.blocks:
        if number:
            counted[body] = counted.get(body, 0) + 1
    return counted


def _same_blocks(ours: Day, theirs: Day, merged: Day) -> bool:
    bodies = [block.body for block in merged.blocks]
    return all(bodies == [block.body for block in day.blocks] for day in (ours, theirs))


def _indexed(
    day: Day,
    indexes: tuple[str | None, str | None],
    bases: Sequence[Front],
    gone: Sequence[Block],
    merge_index: MergeIndex,
) -> Day:
    """Return ``day`` with the merged index; a day that never had one gets none."""
    if indexes == (None, None):
        return day
    return day.with_index(merge_index(*indexes, [front.index for front in bases], day.blocks, gone))
