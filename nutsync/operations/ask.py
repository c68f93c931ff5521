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

import snowballstemmer  # type: ignore[import-untyped]

from nutsync.core.cell import day_path
from nutsync.core.day import Day
from nutsync.core.entry import Block, Ref
from nutsync.core.errors import ErrUsage
from nutsync.core.recall.collection import Collection, Passage
from nutsync.core.recall.dates import When
from nutsync.core.recall.match import Query, Term
from nutsync.core.recall.question import Asked, take_apart
from nutsync.core.recall.rank import RankedDay, rank
from nutsync.core.recall.tokens import Terms
from nutsync.operations.cell import Cell
from nutsync.operations.recall import corrections_for, recent_from, repair_catalogs
from nutsync.operations.recall_walk import Candidate, Walk, read_candidate
from nutsync.operations.recalled import Hit, Question, Recalled, Stage, matching
from nutsync.operations.seen import index_for
from nutsync.operations.session import read_session, session_path
from nutsync.operations.telling import Telling, literals
from nutsync.store.catalogs import year_states

MOST_DAYS = 64
"""How many days are read whole; an archive that has no more is ranked as it is."""

_SHOWN_ENTRIES = 5
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
        self._telling = Telling(cell, question, self._asked.asked)
        self._stages: list[Stage] = []
        self._read: dict[str, _Read] = {}
        self._own: list[Hit] = []
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
    def _everything(self) -> Query | None:
        return Query.any_of(literals(self._asked.asked)) if self._asked.asked else None

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
        groups = Query.of([literals([one]) for one in self._telling.picks])
        return any(
            groups.matches("\n".join(block.text for _, block in read.entries)) for read in self._read.values()
        )

    def _has_found(self) -> bool:
        """Tell whether what was read is what the question is about.

        That is a day it names, or days that have every picked term between them. A term that none of them
        has may be the one that matters, dropped by the index lines.
        """
        return bool(self._asked.whens and self._read) or (bool(self._telling.picks) and not self._missing())

    def _missing(self) -> list[Asked]:
        """Return the picked terms that no day that was read has."""
        texts = [block.text for read in self._read.values() for _, block in read.entries]
        queries = {one: Query.any_of(literals([one])) for one in self._telling.picks}
        return [one for one, query in queries.items() if not any(query.matches(text) for text in texts)]

    def _catalog(self) -> None:
        candidates = list(self._named_days("", self._recent))
        telling = self._telling
        if telling.rows <= MOST_DAYS:
            rows = (one for one in telling.every_row() if one.date < self._recent)
            candidates += (one for one in rows if self._is_wanted(one.date))
        elif telling.selecting:
            walk = self._walk(Query.any_of(literals(telling.selecting)))
            gathered = walk.catalog().candidates if walk else iter(())
            candidates += sorted(islice(gathered, 3 * MOST_DAYS), key=telling.promise, reverse=True)
        self._keep("catalog", telling.rows, candidates)

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
        asked = self._missing() or self._telling.picks
        walk = self._walk(Query.any_of(literals(asked)) if asked else None)
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
            if entries and self._speaks(candidate, day, entries):
                self._read[candidate.date] = _Read(stage, day, entries)
        self._stages.append(Stage(stage, scanned, len(self._read) - before))

    def _speaks(self, candidate: Candidate, day: Day, entries: Sequence[tuple[Ref, Block]]) -> bool:
        """Tell whether what the reader sees of a day has a term, or the question names the day by its date.

        A day found by words that only others see would tell that they were said.
        """
        if candidate.terms == 0 or self._everything is None:
            return True
        index = index_for(day, self._question.reader, self._question.session) or ""
        texts = "\n".join([index, *(block.text for _, block in entries)])
        return bool(self._everything.found_in(texts))

    # --- Ranking ---------------------------------------------------------------------------------

    def _recalled(self) -> Recalled:
        entries = [one for day in sorted(self._read) for one in self._read[day].entries]
        passages = [_passage(ref, block) for ref, block in entries]
        ranked = rank(Collection(passages, self._terms, self._asked.heads()), self._asked)
        every = [*self._own, *(self._hit(day, entries) for day in ranked[: self._question.limit])]
        hits = every[: self._question.limit]
        corrections = corrections_for(self._cell, self._question, hits, self._recent)
        words = (
            Query.any_of(Term.literal(one.word) for one in self._telling.picks)
            if self._telling.picks
            else Query(())
        )
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


def _passage(ref: Ref, block: Block) -> Passage:
    """Return an entry as ranking sees it. A dialogue that was imported says who spoke in `speaker`."""
    attributes = block.attributes
    spoke = attributes.get("speaker") or attributes.get("actor", "")
    return Passage(ref.date, block.text, spoke, str(ref), attributes.get("corrects", ""))


def _days_about(when: When) -> Iterator[str]:
    if when.last - when.first <= _LONGEST_PERIOD:
        for day in range(max(when.first, 1), when.last + _AFTER_DATE + 1):
            yield date.fromordinal(day).isoformat()
