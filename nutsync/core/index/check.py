"""Judge an index against its day: coverage, grounding, emptiness, copying (design §3.2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from nutsync.core.index import chinese, english, terms
from nutsync.core.index.build import Said, build_clause
from nutsync.core.index.clauses import split_clauses
from nutsync.core.index.coverage import uncovered
from nutsync.core.index.ground import Ground, fold, wide_runs
from nutsync.core.index.grounding import foreign_words, invented

COVERAGE, GROUNDING, EMPTINESS, COPYING = "coverage", "grounding", "emptiness", "copying"

_SHORT = 80
"""Entries under this many characters may stand in the index whole."""
_COPIED = 0.6
_TAGS = 3


@dataclass(frozen=True, slots=True)
class IndexFinding:
    """One fault of an index. ``clause`` and ``entry`` count from 1; the message holds no memory text."""

    code: str
    message: str
    clause: int | None = None
    entry: int | None = None


def check_index(index: str, entries: Sequence[Said], *, day: str = "") -> list[IndexFinding]:
    """Return what is wrong with ``index`` for a day with these entries; ``day`` is its date.

    Clauses that the builder gives are not judged again.
    """
    clauses = split_clauses(index)
    built = {build_clause(entry) for entry in entries}
    ground = entries_ground(entries, day)
    findings = [
        IndexFinding(COVERAGE, f"Entry {number} has no distinctive word in the index.", entry=number)
        for number in (position + 1 for position in uncovered(clauses, entries))
    ]
    written = [(number, clause) for number, clause in enumerate(clauses, 1) if clause not in built]
    for number, clause in written:
        findings += _grounding(number, clause, ground)
    findings += wordiness(clauses, entries, built)
    return findings


def entries_ground(entries: Sequence[Said], day: str = "") -> Ground:
    """Return what the entries say together, the corrected ones' texts included."""
    texts = []
    for entry in entries:
        texts += [part for part in (entry.text, entry.old_text, entry.actor) if part]
    return Ground(texts, day)


def _grounding(number: int, clause: str, ground: Ground) -> list[IndexFinding]:
    findings = [
        IndexFinding(GROUNDING, f"Clause {number} has a {kind} that no entry of the day has.", clause=number)
        for kind in sorted(set(invented(clause, ground)))
    ]
    if foreign_words(clause, ground):
        findings.append(
            IndexFinding(GROUNDING, f"Clause {number} has words that no entry of the day has.", clause=number)
        )
    return findings


def wordiness(clauses: Sequence[str], entries: Sequence[Said], built: set[str]) -> list[IndexFinding]:
    """Return the empty phrases, bare tag lists and copies among ``clauses``."""
    findings = []
    written = [(number, clause) for number, clause in enumerate(clauses, 1) if clause not in built]
    for number, clause in written:
        if is_empty(clause):
            findings.append(
                IndexFinding(EMPTINESS, f"Clause {number} says nothing of this day.", clause=number)
            )
        elif is_tag_list(clause, entries):
            findings.append(
                IndexFinding(EMPTINESS, f"Clause {number} is a bare list of tags.", clause=number)
            )
    if len(written) >= _TAGS and all(_is_tag(clause) for _, clause in written):
        findings.append(IndexFinding(EMPTINESS, "The index is a bare list of tags.", clause=written[0][0]))
    if written:
        findings += _copies(clauses, entries)
    return findings


def is_empty(clause: str) -> bool:
    """Tell whether a clause holds no word that tells this day from another (进行了讨论, "talked")."""
    rest = _empty_wide().sub("", clause)
    if wide_runs(rest):
        return False
    for token in terms.scan(rest, phrases=False):
        raw = rest[token.start : token.end]
        if token.kind in (terms.NUMBER, terms.IDENTIFIER, terms.NAME):
            return False
        if token.weight > 0 and fold(raw) not in english.EMPTY:
            return False
    return True


@cache
def _empty_wide() -> re.Pattern[str]:
    listed = {*chinese.EMPTY, *chinese.STOP_WORDS, *chinese.STOP_CHARACTERS}
    return re.compile("|".join(sorted(listed, key=lambda w: (-len(w), w))))


@cache
def _list_signs() -> re.Pattern[str]:
    return re.compile(r"\s*[,，、|/]\s*|\s+(?=#)")


def is_tag_list(clause: str, entries: Sequence[Said]) -> bool:
    """Tell whether a clause is only tags in a row (``acme, billing, #todo``) that no entry has so."""
    items = _list_signs().split(clause)
    if len(items) < _TAGS or not all(_is_tag(item) for item in items):
        return False
    return not any(clause in entry.text for entry in entries)


def _is_tag(item: str) -> bool:
    if any(c.isdigit() for c in item):
        return False
    runs = wide_runs(item)
    if runs:
        return len(item) <= 4
    return len(item.split()) == 1


def _copies(clauses: Sequence[str], entries: Sequence[Said]) -> list[IndexFinding]:
    """Return a finding for each long entry that stands in the index nearly as it is."""
    shown = [shingle for clause in clauses for shingle in _shingles(clause)]
    known = set(shown)
    findings = []
    for position, entry in enumerate(entries):
        if len(entry.text) < _SHORT:
            continue
        parts = _shingles(entry.text)
        if parts and sum(part in known for part in parts) >= _COPIED * len(parts):
            findings.append(
                IndexFinding(
                    COPYING, f"The index repeats entry {position + 1} nearly whole.", entry=position + 1
                )
            )
    return findings


def _shingles(text: str) -> list[str]:
    """Return the overlapping stretches of eight letters and digits of a text."""
    letters = "".join(c for c in fold(text) if c.isalnum())
    return [letters[start : start + 8] for start in range(len(letters) - 7)]
