"""Which entries an index speaks of (design §3.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from nutsync.core.index import terms
from nutsync.core.index.build import Said, build_clause
from nutsync.core.index.ground import Ground, fold, stem
from nutsync.core.index.grounding import has_wide

_TELLING = 0.7


def telling_terms(text: str) -> tuple[str, ...]:
    """Return the distinctive terms of a text, folded, each once: word stems, numbers, pieces of Chinese."""
    found: dict[str, None] = {}
    for token in terms.scan(text, phrases=False):
        if token.weight >= _TELLING:
            folded = fold(text[token.start : token.end])
            found[stem(folded) if token.kind in (terms.WORD, terms.NAME) else folded] = None
    return tuple(found)


def uncovered(clauses: Sequence[str], entries: Sequence[Said]) -> list[int]:
    """Return the positions of the entries that ``clauses`` do not speak of.

    What counts are the terms that only this entry of the day has: one of a few, some of many. A
    name that stands in every entry speaks of none.
    """
    listed = set(clauses)
    built = [build_clause(entry) for entry in entries]
    if all(not clause or clause in listed for clause in built):
        return []
    own = [telling_terms(entry.text) for entry in entries]
    shared = Counter(term for entry_terms in own for term in entry_terms)
    ground = Ground(clauses)
    missing = []
    for position, clause in enumerate(built):
        if not clause or clause in listed:
            continue
        alone = [t for t in own[position] if shared[t] == 1] or own[position]
        if not alone:
            missing.append(position)
            continue
        need = max(1, min(len(alone) // 3, 2 + len(alone) // 8))
        if sum(_speaks_of(term, ground) for term in alone) < need:
            missing.append(position)
    return missing


def _speaks_of(term: str, ground: Ground) -> bool:
    if term in ground.stems or ground.has_word(term):
        return True
    if term[:1].isdigit():
        return ground.has_number(term)
    return not term.isascii() and has_wide(term, ground)
