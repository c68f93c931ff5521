"""Recall for a question in plain words: the same stages, then the days ranked (design §10).

At most three terms, rare in the index lines, select the days whose bodies are read; all of them rank.
Everything is scanned only where that finds nothing. No model, and nothing is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import islice
from math import log

import snowballstemmer  # type: ignore[import-untyped]

from nutsync.core.cell import day_path
from nutsync.core.day import Day
from nutsync.core.entry import Block, Ref
from nutsync.core.errors import ErrUsage
from nutsync.core.recall.collection import Collection, Passage
from nutsync.core.recall.dates import When
from nutsync.core.recall.fold import fold
from nutsync.core.recall.match import Query, Term
from nutsync.core.recall.needles import Content
from nutsync.core.recall.question import Asked, pick, take_apart
from nutsync.core.recall.rank import RankedDay, rank
from nutsync.core.recall.tokens import Terms
from nutsync.core.visibility import EVERYONE
from nutsync.operations.cell import Cell
from nutsync.operations.recall import corrections_for, recent_from, repair_catalogs
from nutsync.operations.recall_walk import Candidate, Walk, read_candidate
from nutsync.operations.recalled import Hit, Question, Recalled, Stage, matching
from nutsync.operations.seen import index_for
from nutsync.operations.session import read_session, session_path
from nutsync.store.catalogs import read_catalog, year_states

MOST_DAYS = 64
"""How many days are read whole; an archive that has no more is ranked as it is."""

_SHOWN_ENTRIES = 5
_FEW_ROWS = 8
_MANY_ROWS = 1000
_AFTER_DATE = 7  # days: telling follows the event
_LONGEST_PERIOD = 31  # days: a longer one is no reason to read all of its days


def ask(cell: Cell, question: Question, today: str) -> Recalled:
    """Return the days that answer ``question.ask`` best.

    Raises :class:`ErrUsage` where the question holds nothing to go by, :class:`ErrUnreadable` where a file or
    folder cannot be read.
    """
    return _Ask(cell, question, today).answer()


@dataclass
class _Read:
    """A day that was read for ranking: where it came from, what the reader sees of it."""

    stage: str
    day: Day
    entries: Sequence[tuple[Ref, Block]]


class _Ask:
    def __init__(self, cell: Cell, question: Question, today: str) -> None:
        self._cell = cell
        self._question = question
        self._today = today
        self._recent = recent_from(today)
        self._terms = Terms(snowballstemmer.stemmer("english").stemWord)
        self._asked = take_apart(question.ask or "", today, self._terms)
        if not self._asked.asked and not self._asked.whens:
            raise ErrUsage(
                "The question has no word to go by.", hint="Name what it is about: a person, a thing, a date."
            )
        self._stages: list[Stage] = []
        self._read: dict[str, _Read] = {}
        self._own: list[Hit] = []
        self._rarities: dict[Asked, float] = {}
        self._wrong: set[str] = set()

    def answer(self) -> Recalled:
        self._session()
        if self._goes_on(found=bool(self._own)):
            self._recent_days()
            if self._goes_on(found=self._is_answered()):
                self._catalog()
            if self._goes_on(found=self._has_found()):
                self._scan()
        repair_catalogs(self._cell, self._today, self._wrong)
        return self._recalled()

    def _goes_on(self, *, found: bool) -> bool:
        return self._question.deep or not found

    # --- Selecting -------------------------------------------------------------------------------

    @cached_property
    def _catalogs(self) -> list[Content]:
        root = self._cell.root
        return [Content(read_catalog(root, year) or b"") for year in year_states(root)]

    @cached_property
    def _rows(self) -> int:
        return sum(content.data.count(b"\n") for content in self._catalogs)

    def _rarity(self, one: Asked) -> float:
        """Return how rare a term is in the index lines; 0 where none that the reader sees has it."""
        if one not in self._rarities:
            terms = _literals([one])
            held = sum(term.needles.count(content) for term in terms for content in self._catalogs)
            # A few rows may all be another actor's: which terms select must not tell that they exist.
            hidden = 0 < held <= _FEW_ROWS and self._question.reader != EVERYONE and not self._sees_any(terms)
            self._rarities[one] = log(1 + self._rows / held) if held and not hidden else 0.0
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

    @cached_property
    def _picks(self) -> tuple[Asked, ...]:
        """The terms that tell most; one that no index line has is the rarest of all."""
        unknown = log(2 + 2 * self._rows)
        return pick(self._asked, lambda one: self._rarity(one) or unknown)

    @cached_property
    def _selecting(self) -> tuple[Asked, ...]:
        """The terms that select rows of the catalogs: the rarest that these have.

        One that many rows have selects only where no rarer one does.
        """
        chosen = pick(self._asked, self._rarity)
        enough = log(1 + self._rows / _MANY_ROWS)
        telling = tuple(one for one in chosen if self._rarity(one) >= enough)
        return telling or tuple(sorted(chosen, key=self._rarity)[-1:])

    @cached_property
    def _everything(self) -> Query | None:
        return Query.any_of(_literals(self._asked.asked)) if self._asked.asked else None

    def _walk(self, query: Query | None) -> Walk | None:
        if query is None:
            return None
        since, until = self._question.since, self._question.until
        return Walk(self._cell.root, query, recent=self._recent, since=since, until=until)

    def _session(self) -> None:
        """Look into the session's own file; what it says stands before everything else."""
        session = self._question.session
        if not session:
            return
        own = read_session(self._cell, session, self._question.reader)
        if self._everything is not None:
            seen = (one for one in own if self._question.sees(one[1]))
            entries, found = matching(self._everything, seen)
            if entries:
                path, day = session_path(session), entries[-1][0].date
                self._own.append(Hit(day, path, "", "session", found, entries, float(len(found))))
        self._stages.append(Stage("session", 1, len(self._own)))

    def _recent_days(self) -> None:
        walk = self._walk(self._everything)
        gathered = walk.recent() if walk else None
        candidates = [
            *self._named_days(self._recent, "9999-12-31"),
            *(gathered.candidates if gathered else ()),
        ]
        self._keep("recent", gathered.scanned if gathered else len(candidates), candidates)

    def _is_answered(self) -> bool:
        """Tell whether one day has all that was picked, or is the day that was asked for."""
        if any(when.is_day and not when.yearless for when in self._asked.whens):
            asked = {date.fromordinal(when.first).isoformat() for when in self._asked.whens}
            return not asked.isdisjoint(self._read)
        if not self._asked.asked:
            return bool(self._read)
        groups = Query.of([_literals([one]) for one in self._picks])
        return any(
            groups.matches("\n".join(block.text for _, block in read.entries)) for read in self._read.values()
        )

    def _has_found(self) -> bool:
        """Tell whether what was read is what the question is about.

        That is a day it names, or days that have every picked term between them. A term that none of them
        has may be the one that matters, dropped by the index lines.
        """
        return bool(self._asked.whens and self._read) or (bool(self._picks) and not self._missing())

    def _missing(self) -> list[Asked]:
        """Return the picked terms that no day that was read has."""
        texts = [block.text for read in self._read.values() for _, block in read.entries]
        queries = {one: Query.any_of(_literals([one])) for one in self._picks}
        return [one for one, query in queries.items() if not any(query.matches(text) for text in texts)]

    def _catalog(self) -> None:
        walk = self._walk(Query.any_of(_literals(self._selecting)) if self._selecting else None)
        gathered = walk.catalog() if walk else None
        candidates = list(self._named_days("", self._recent))
        if self._rows <= MOST_DAYS:
            candidates += self._every_row()
        elif gathered:
            candidates += sorted(islice(gathered.candidates, 3 * MOST_DAYS), key=self._promise, reverse=True)
        self._keep("catalog", self._rows, candidates)

    def _every_row(self) -> Iterator[Candidate]:
        lines = (
            line for content in self._catalogs for line in content.data.decode("utf-8", "replace").split("\n")
        )
        for day, tab, index in (line.partition("\t") for line in lines):
            if tab and self._is_wanted(day) and day < self._recent:
                yield Candidate(day, 0, index)

    def _promise(self, candidate: Candidate) -> tuple[float, str]:
        """Return how much of the question a catalog row holds, and its date."""
        folded = fold(candidate.row or "")
        held = (one for one in self._asked.asked if any(word in folded for word in one.written))
        return sum(one.weight * self._rarity(one) for one in held), candidate.date

    def _named_days(self, first: str, last: str) -> Iterator[Candidate]:
        """Yield the days that the question names, and those shortly after."""
        years = [int(year) for year in year_states(self._cell.root)]
        for when in self._asked.whens:
            for moved in (when.moved_to(year) for year in years) if when.yearless else [when]:
                for day in _days_about(moved):
                    if first <= day <= last and self._is_wanted(day):
                        yield Candidate(day, 0)

    def _is_wanted(self, day: str) -> bool:
        since, until = self._question.since, self._question.until
        return (since is None or day >= since) and (until is None or day <= until)

    def _scan(self) -> None:
        """Read every day for the terms that nothing nearer has."""
        asked = self._missing() or self._picks
        walk = self._walk(Query.any_of(_literals(asked)) if asked else None)
        if walk is None:
            return
        for stage, ask_stage in (("frontmatter", walk.frontmatter), ("body", walk.body)):
            gathered = ask_stage()
            self._keep(stage, gathered.scanned, gathered.candidates)
            if not self._goes_on(found=self._has_found()):
                break

    def _keep(self, stage: str, scanned: int, candidates: Iterable[Candidate]) -> None:
        """Read the best candidates whole."""
        before = len(self._read)
        for candidate in candidates:
            if candidate.date in self._read:
                continue
            if len(self._read) - before >= MOST_DAYS:
                break
            day = read_candidate(self._cell, candidate)
            if day is None:
                if candidate.row is not None:
                    self._wrong.add(candidate.date)
                continue
            entries = [one for one in day.entries() if self._question.sees(one[1])]
            if entries:
                self._read[candidate.date] = _Read(stage, day, entries)
        self._stages.append(Stage(stage, scanned, len(self._read) - before))

    # --- Ranking ---------------------------------------------------------------------------------

    def _recalled(self) -> Recalled:
        entries = [one for day in sorted(self._read) for one in self._read[day].entries]
        passages = [
            Passage(
                ref.date,
                block.text,
                block.attributes.get("actor", ""),
                str(ref),
                block.attributes.get("corrects", ""),
            )
            for ref, block in entries
        ]
        ranked = rank(Collection(passages, self._terms, self._asked.heads()), self._asked)
        every = [*self._own, *(self._hit(day, entries) for day in ranked[: self._question.limit])]
        hits = every[: self._question.limit]
        corrections = corrections_for(self._cell, self._question, hits, self._recent)
        words = Query.any_of(Term.literal(one.word) for one in self._picks) if self._picks else Query(())
        return Recalled(
            words, tuple(self._stages), tuple(hits), len(ranked) + len(self._own) > len(hits), corrections
        )

    def _hit(self, ranked: RankedDay, entries: Sequence[tuple[Ref, Block]]) -> Hit:
        read = self._read[ranked.date]
        best = [entries[position] for position, _ in ranked.entries[:_SHOWN_ENTRIES]]
        shown = tuple(best or read.entries[:_SHOWN_ENTRIES])
        index = index_for(read.day, self._question.reader, self._question.session) or ""
        text = "\n".join(block.text for _, block in read.entries)
        found = self._everything.found_in(text) if self._everything else ()
        return Hit(ranked.date, day_path(ranked.date), index, read.stage, found, shown, ranked.score)


def _literals(asked: Iterable[Asked]) -> list[Term]:
    return [Term.literal(word) for one in asked for word in one.written]


def _days_about(when: When) -> Iterator[str]:
    if when.last - when.first <= _LONGEST_PERIOD:
        for day in range(max(when.first, 1), when.last + _AFTER_DATE + 1):
            yield date.fromordinal(day).isoformat()
