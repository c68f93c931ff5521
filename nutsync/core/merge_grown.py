"""Merging two versions of a day that only grew: what nearly every merge is, at a tenth of the cost.

The result is what :func:`nutsync.core.merge.merge_day` gives, with one liberty about the index that it has
in common with appending: a hand-made index that both sides left alone keeps every character, and the
clauses of what came later follow it (design §3.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from nutsync.core.entry import Block, split_blocks
from nutsync.core.freeze.form import sound_index
from nutsync.core.freeze.tails import split_tails
from nutsync.core.front import new_front
from nutsync.core.index import Said, build_clause
from nutsync.core.index.clauses import add_clause, split_clauses
from nutsync.core.merge import stamped_key


class Grown(NamedTuple):
    """A merged day, and how many blocks each side added to what both have."""

    content: bytes
    common: int
    ours: int
    theirs: int


def merge_grown(date: str, ours: bytes, theirs: bytes, bases: Sequence[bytes]) -> Grown | None:
    """Return the merge of two versions of ``date``, of which nothing was ever forgotten.

    ``bases`` are its versions in the merge bases. None where the whole days have to be merged: a side
    changed more than its end, wrote prose there, has its own idea of the index, or corrects something.
    """
    indexes = {sound_index(base, date) for base in bases}
    parts = split_tails(date, (ours, theirs)) if len(indexes) == 1 else None
    if parts is None:
        return None
    base = indexes.pop()
    added = [_entries(tail) for tail in parts.tails]
    if not base or added[0] is None or added[1] is None:
        return None
    if {block.id for block in added[0]} & {block.id for block in added[1]}:
        return None
    union = sorted((*added[0], *added[1]), key=lambda block: stamped_key(date, block))
    clauses = {id(block): build_clause(Said.of(block)) for block in union}
    for front, blocks in zip(parts.fronts, added, strict=True):
        if sound_index(front, date) != _extended(base, [clauses[id(block)] for block in blocks or ()]):
            return None
    index = _extended(base, [clauses[id(block)] for block in union])
    content = new_front(date, index).raw + parts.common + b"".join(block.raw for block in union)
    return Grown(content, _count(parts.common, date), len(added[0]), len(added[1]))


def _entries(tail: bytes) -> list[Block] | None:
    """Return the stamped entries of a tail; None where it holds anything else, or space below an entry."""
    lead, blocks = split_blocks(tail)
    plain = all(b.id is not None and b.raw == b.body and "corrects" not in b.attributes for b in blocks)
    return list(blocks) if plain and not lead else None


def _extended(index: str, clauses: Sequence[str]) -> str:
    """Return what appending entries with these clauses makes of an index (see :func:`extend_index`)."""
    known = set(split_clauses(index))
    for clause in clauses:
        if clause and clause not in known:
            known.add(clause)
            index = add_clause(index, clause)
    return index


def _count(common: bytes, date: str) -> int:
    _, blocks = split_blocks(common)
    heading = f"## {date}".encode()
    return sum(block.body.rstrip() != heading for block in blocks)
