"""Merge the indexes of one day, and make one anew after a forget (design §8.5, §6)."""

from __future__ import annotations

from collections.abc import Sequence

from nutsync.core.index import grounding
from nutsync.core.index.build import REPLACES, Said, build_clause, build_index
from nutsync.core.index.check import entries_ground
from nutsync.core.index.clauses import PURGED, join_clauses, split_clauses
from nutsync.core.index.coverage import uncovered
from nutsync.core.index.ground import Ground
from nutsync.core.index.grounding import invented, is_strict, overlap, reveals, telling_checks


def merge_index(
    ours: str | None,
    theirs: str | None,
    bases: Sequence[str | None],
    entries: Sequence[Said],
    *,
    forgotten: Sequence[Said] | None = None,
    day: str = "",
) -> str:
    """Return the index of a merged day; it does not matter which side is which.

    ``bases`` are the indexes of that day in all merge bases, ``entries`` the merged entries in
    their order. ``forgotten`` are the entries that one side still had and the merge leaves out:
    where there are none, pass an empty sequence, and clauses that say things in other words stay.
    Without it every term of a clause must stand in an entry.

    The steps are those of design §8.5: split; three-way by clause against the union of the bases;
    strip what the builder gives; drop what is ungrounded; add the builder's clause for each entry
    not covered; order by the first entry that grounds a clause, then by bytes.
    """
    left, right = set(split_clauses(ours or "")), set(split_clauses(theirs or ""))
    base = {clause for index in bases for clause in split_clauses(index or "")}
    merged = (left & right) | (left - base) | (right - base)
    return _remake(merged, entries, forgotten, day)


def index_without(
    index: str | None, remaining: Sequence[Said], forgotten: Sequence[Said], *, day: str = ""
) -> str:
    """Return the index of a day from which ``forgotten`` goes and ``remaining`` stays.

    Hand-made clauses stay where every term stands in what remains; no term that only a forgotten
    entry had is left. Also for a day with a correction whose target is forgotten elsewhere.
    """
    return _remake(set(split_clauses(index or "")), remaining, forgotten, day)


def tells(text: str, forgotten: Sequence[Said]) -> bool:
    """Tell whether ``text`` repeats one of the distinctive words of ``forgotten``: those of their clauses."""
    return grounding.tells(text, Ground(map(build_clause, forgotten)))


def _remake(clauses: set[str], entries: Sequence[Said], forgotten: Sequence[Said] | None, day: str) -> str:
    built = [build_clause(entry) for entry in entries]
    written = {clause for clause in clauses - {PURGED} if not _is_built(clause, built)}
    grounds = [entries_ground([entry], day) for entry in entries] if written else []
    if written:
        written = _grounded(written, grounds, forgotten, day)
    if not written:
        return build_index(entries)
    ordered = sorted(written, key=lambda c: c.encode("utf-8", "surrogatepass"))
    placed = _first_entries(ordered, grounds)
    for position in uncovered(ordered, entries):
        placed.setdefault(built[position], position)
    return join_clauses(sorted(placed, key=lambda c: (placed[c], c.encode("utf-8", "surrogatepass"))))


def _is_built(clause: str, built: Sequence[str]) -> bool:
    """Tell whether the builder gives ``clause`` for an entry, whatever a correction once replaced."""
    return clause in built or clause.partition(REPLACES)[0] in built


def _grounded(
    clauses: set[str], grounds: Sequence[Ground], forgotten: Sequence[Said] | None, day: str
) -> set[str]:
    ground = Ground((), day)
    for one in grounds:
        ground |= one
    kept = {clause for clause in clauses if not any(invented(clause, ground))}
    if forgotten is None or forgotten:
        kept = {clause for clause in kept if is_strict(clause, ground)}
    if forgotten:
        gone = entries_ground(forgotten)
        kept = {clause for clause in kept if not reveals(clause, gone, ground)}
    return kept


def _first_entries(clauses: Sequence[str], grounds: Sequence[Ground]) -> dict[str, int]:
    """Return, for each clause, the position of the first entry that has all its terms, else any of them."""
    placed = {}
    for clause in clauses:
        first = len(grounds)
        checks = telling_checks(clause)
        for position, ground in enumerate(grounds):
            whole, some = overlap(checks, ground)
            if whole:
                first = position
                break
            if some:
                first = min(first, position)
        placed[clause] = first
    return placed
