"""Indexes that somebody hands over, and entries that come without one (design §3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nutsync.core.errors import ErrIndexForm, ErrIndexUngrounded
from nutsync.core.front import index_problem
from nutsync.core.index.build import Said, build_clause
from nutsync.core.index.check import IndexFinding, entries_ground, wordiness
from nutsync.core.index.clauses import add_clause, split_clauses
from nutsync.core.index.coverage import uncovered
from nutsync.core.index.grounding import invented


@dataclass(frozen=True, slots=True)
class IndexResult:
    """The index to write, and what could be better about the one that was handed over."""

    index: str
    warnings: tuple[IndexFinding, ...] = ()


def complete_index(
    given: str, entries: Sequence[Said], previous: str | None = None, *, day: str = ""
) -> IndexResult:
    """Return the index to write where ``given`` was handed over for a day with these ``entries``.

    ``given`` stays as it is, spaces at its ends aside. Each entry that it does not speak of gets
    its clause from ``previous``, the day's index so far, or from the builder. ``day`` is the date.

    Raises ErrIndexForm where it is not one line of text, ErrIndexUngrounded where it holds a name,
    a number or a date that no entry has.
    """
    index = given.strip(" ")
    problem = index_problem(index) if index else "the index is empty"
    if problem:
        hint = "Give one line without tabs and control characters, or leave the index to nutsync."
        raise ErrIndexForm(f"The index was refused: {problem}.", hint=hint)
    refuse_invented(index, entries, day=day)
    clauses = list(split_clauses(index))
    warnings = tuple(wordiness(clauses, entries, {build_clause(entry) for entry in entries}))
    kept = split_clauses(previous) if previous else ()
    built = {build_clause(entry) for entry in entries}
    written = [clause for clause in kept if clause not in built]
    for position in uncovered(clauses, entries):
        for clause in _clauses_for(entries[position], written, day):
            if clause not in clauses:
                clauses.append(clause)
                index = add_clause(index, clause)
    return IndexResult(index, warnings)


def refuse_invented(index: str, entries: Sequence[Said], *, day: str = "") -> None:
    """Raise ErrIndexUngrounded where ``index`` has a name, number or date that no entry has."""
    ground = entries_ground(entries, day)
    clauses = split_clauses(index)
    for number, clause in enumerate(clauses, 1):
        for kind in invented(clause, ground):
            raise ErrIndexUngrounded(
                f"Clause {number} of {len(clauses)} of the index has a {kind} that no entry of the day has.",
                hint="An index says only what the entries say. Leave that out, or let nutsync make it.",
            )


def _clauses_for(entry: Said, written: Sequence[str], day: str) -> list[str]:
    """Return those of the ``written`` clauses that speak of one entry alone, or else the builder's."""
    if not written:
        return [build_clause(entry)]
    ground = entries_ground([entry], day)
    mine = [c for c in written if not uncovered([c], [entry]) and not any(invented(c, ground))]
    return mine or [build_clause(entry)]
