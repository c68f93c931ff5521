"""Which words of a question tell most, by how few index lines have them (design §10).

Index lines cover everybody's entries. What only another actor's entries say counts as said nowhere, so that
an answer does not tell that it is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from math import log

from nutsync.core.recall.fold import fold
from nutsync.core.recall.match import Query, Term
from nutsync.core.recall.needles import Content
from nutsync.core.recall.question import Asked, pick
from nutsync.core.visibility import EVERYONE
from nutsync.operations.cell import Cell
from nutsync.operations.recall_walk import Candidate, Walk, read_candidate
from nutsync.operations.recalled import Question
from nutsync.store.catalogs import read_catalog, year_states

_FEW_ROWS = 8
_MANY_ROWS = 1000


def literals(asked: Iterable[Asked]) -> list[Term]:
    """Return every way in which these words may be written, as terms to search for."""
    return [Term.literal(word) for one in asked for word in one.written]


class Telling:
    """The words of one question, weighed by the catalogs of one cell as one reader sees them."""

    def __init__(self, cell: Cell, question: Question, asked: Sequence[Asked]) -> None:
        self._cell = cell
        self._question = question
        self._asked = asked
        self._rarities: dict[Asked, float] = {}

    @cached_property
    def _catalogs(self) -> list[Content]:
        root = self._cell.root
        return [Content(read_catalog(root, year) or b"") for year in year_states(root)]

    @cached_property
    def rows(self) -> int:
        """How many rows all catalogs have."""
        return sum(content.data.count(b"\n") for content in self._catalogs)

    def every_row(self) -> Iterator[Candidate]:
        """Yield every row as a candidate."""
        for content in self._catalogs:
            for line in content.data.decode("utf-8", "replace").split("\n"):
                day, tab, index = line.partition("\t")
                if tab:
                    yield Candidate(day, 0, index)

    @cached_property
    def picks(self) -> tuple[Asked, ...]:
        """The words that tell most; one that no index line has is the rarest of all."""
        unknown = log(2 + 2 * self.rows)
        return pick(self._asked, lambda one: self._rarity(one) or unknown)

    @cached_property
    def selecting(self) -> tuple[Asked, ...]:
        """The words that select rows of the catalogs: the rarest that these have.

        One that many rows have selects only where no rarer one does.
        """
        chosen = pick(self._asked, self._rarity)
        enough = log(1 + self.rows / _MANY_ROWS)
        rare = tuple(one for one in chosen if self._rarity(one) >= enough)
        return rare or tuple(sorted(chosen, key=self._rarity)[-1:])

    def promise(self, candidate: Candidate) -> tuple[float, str]:
        """Return how much of the question a catalog row holds, and its date."""
        folded = fold(candidate.row or "")
        held = (one for one in self._asked if any(word in folded for word in one.written))
        return sum(one.weight * self._rarity(one) for one in held), candidate.date

    def _rarity(self, one: Asked) -> float:
        """Return how rare a word is in the index lines; 0 where none that the reader sees has it."""
        if one not in self._rarities:
            terms = literals([one])
            held = sum(term.needles.count(content) for term in terms for content in self._catalogs)
            hidden = 0 < held <= _FEW_ROWS and self._question.reader != EVERYONE and not self._sees_any(terms)
            self._rarities[one] = log(1 + self.rows / held) if held and not hidden else 0.0
        return self._rarities[one]

    def _sees_any(self, terms: Sequence[Term]) -> bool:
        """Tell whether an entry that the reader sees has one of the terms, on a day whose row has it."""
        query = Query.any_of(terms)
        walk = Walk(self._cell.root, query, recent="9999-12-31", since=None, until=None)
        days = (read_candidate(self._cell, candidate) for candidate in walk.catalog().candidates)
        return any(
            query.matches(block.text)
            for day in days
            if day is not None
            for _, block in day.entries()
            if self._question.sees(block)
        )
