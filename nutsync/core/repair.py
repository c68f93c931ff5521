"""What a blurred merge should have been: the day that a repair commit must give, exactly (design §7).

Git's own union, in a clone that was not armed, keeps a bullet twice, puts a second index or heading into the
file, mixes the order, or brings back what was forgotten. A repair makes each such day the law's merge of
that merge's own parents, plus the blocks added since, minus F. Whoever repairs and whoever judges a repair
calls :func:`repaired`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from nutsync.core.ancestry import Ancestry, Blur, ForgottenBefore, ForgottenEvents, Past
from nutsync.core.day import Day, count_blocks
from nutsync.core.entry import Block
from nutsync.core.front import Front, front_with_index
from nutsync.core.merge import Side, merge_sides, stamped_key
from nutsync.core.merge_front import merge_front


def repaired(date: str, now: Day | None, ancestry: Ancestry, past: Past) -> Day | None:
    """Return ``date`` with every blur that ``ancestry`` knows of it put right; None where nothing is left.

    ``now`` is the day as it stands in the commit that ``ancestry`` belongs to. The index of the
    result is empty: whoever writes makes it. Several blurs are put right one after the other.
    """
    forgotten = ForgottenBefore(ancestry, past)
    for blur in sorted(ancestry.blurs.get(date) or (), key=lambda blur: blur.merge):
        now = _put_right(date, blur, now, forgotten, past)
    return now


def is_repaired(date: str, expected: Day | None, found: Day | None) -> bool:
    """Tell whether ``found`` is what :func:`repaired` gave, but for the index and empty lines."""
    if expected is None or found is None:
        return expected is found
    same = [block.body for block in expected.blocks] == [block.body for block in found.blocks]
    return same and _same_form(date, expected, found)


def still_blurred(date: str, found: Day | None, ancestry: Ancestry, past: Past) -> bool:
    """Tell whether a day that a legal commit left as ``found`` still needs a repair.

    The place of unstamped blocks does not count: it may depend on the order of merges.
    """
    expected = repaired(date, found, ancestry, past)
    if expected is None or found is None:
        return expected is not found
    order = [block.body for block in expected.stamped] == [block.body for block in found.stamped]
    blocks = count_blocks(expected) == count_blocks(found)
    return not (order and blocks and _same_form(date, expected, found))


def _same_form(date: str, expected: Day, found: Day) -> bool:
    return (
        found.heading_count <= max(1, expected.heading_count)
        and found.front.problem is None
        and _same_front(date, expected.front, found.front)
    )


def _same_front(date: str, expected: Front, found: Front) -> bool:
    if found.index is None or not expected.present:
        return found.index is None and found.present == expected.present
    return front_with_index(expected, date, found.index).raw == front_with_index(found, date, found.index).raw


def _no_index(
    ours: str | None,
    theirs: str | None,
    bases: Sequence[str | None],
    blocks: Sequence[Block],
    forgotten: Sequence[Block],
) -> str:
    return ""


def _put_right(date: str, blur: Blur, now: Day | None, forgotten: ForgottenBefore, past: Past) -> Day | None:
    versions = past.versions(blur.merge, date)
    sides = [
        Side(_parse(content, date), ForgottenEvents(events, forgotten, past))
        for content, events in zip(versions.parents, blur.sides, strict=True)
    ]
    law = merge_sides(date, sides, (), _no_index)
    blurred = _parse(versions.own, date)
    added = _added(blurred, now)
    if law is None and not added:
        return None
    base = law if law is not None else Day.new(date)
    room = count_blocks(now) if now else Counter[bytes]()
    room += count_blocks(base) - (count_blocks(blurred) if blurred else Counter[bytes]())
    groups = _groups(base, room, forgotten)
    _add(groups, added, room, forgotten, date)
    front = base.front
    if now is not None and blurred is not None:
        front = merge_front(base.front, now.front, (blurred.front,))
    day = _without_index(Day(date, front, base.lead, tuple(_flat(date, groups))))
    return day if day.blocks or not (now and now.blocks) else None


def _without_index(day: Day) -> Day:
    return day if day.index is None else day.with_index("")


_Groups = dict[Block | None, list[Block]]
"""Stamped entries (None: the top of the day), each with the unstamped parts under it."""


def _parse(content: bytes | None, date: str) -> Day | None:
    return None if content is None else Day.parse(content, date)


def _added(blurred: Day | None, now: Day | None) -> list[tuple[Block | None, Block]]:
    """Return the blocks of ``now`` that the merge did not have, each with the stamped entry above it."""
    had = Counter(block.body for block in (blurred.blocks if blurred else ()))
    added: list[tuple[Block | None, Block]] = []
    above: Block | None = None
    for block in now.blocks if now else ():
        if had[block.body] > 0:
            had[block.body] -= 1
        else:
            added.append((above, block))
        if block.is_stamped:
            above = block
    return added


def _groups(base: Day, room: Counter[bytes], forgotten: ForgottenBefore) -> _Groups:
    """Group the law's merge, leaving out what was forgotten since."""
    groups: _Groups = {None: []}
    above: Block | None = None
    for part in base.parts:
        if part.id is not None:
            if not forgotten.has(f"{base.date}#{part.id}"):
                above = part
                groups[part] = []
        elif base.is_heading(part):
            groups[above].append(part)
        elif room[part.body] > 0:
            room[part.body] -= 1
            groups[above].append(part)
    return groups


def _add(
    groups: _Groups,
    added: Sequence[tuple[Block | None, Block]],
    room: Counter[bytes],
    forgotten: ForgottenBefore,
    date: str,
) -> None:
    known = {block.body: block for block in groups if block is not None}
    for above, block in added:
        if block.is_stamped:
            if block.body not in known and not forgotten.has(f"{date}#{block.id}"):
                groups[block] = []
                known[block.body] = block
        elif room[block.body] > 0:
            room[block.body] -= 1
            groups[known.get(above.body) if above else None].append(block)


def _flat(date: str, groups: _Groups) -> list[Block]:
    stamped = sorted(
        (block for block in groups if block is not None), key=lambda b: (stamped_key(date, b), b.body)
    )
    parts = list(groups[None])
    for block in stamped:
        parts.append(block)
        parts.extend(groups[block])
    return parts


def dates_to_repair(ancestry: Ancestry) -> Collection[str]:
    """Return the days that wait for a repair."""
    return [date for date, open_blurs in ancestry.blurs.items() if open_blurs]
