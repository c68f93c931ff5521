"""Recall: from near to far, stopping where something is found (design §10).

session → recent (30 local dates) → catalog → frontmatter → body. What the asker may not see is taken away
before anything is matched or ranked. A hit found below the catalog repairs the catalog on the spot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nutsync.core.catalog import parse_catalog
from nutsync.core.cell import day_path
from nutsync.core.correction import Corrections
from nutsync.core.day import Day
from nutsync.core.errors import ErrUsage, NutsyncError
from nutsync.core.moment import shift_day
from nutsync.core.recall.match import Query
from nutsync.operations.catalogs import make_good, rebuild
from nutsync.operations.cell import Cell
from nutsync.operations.corrections import find_corrections
from nutsync.operations.recall_walk import Candidate, Walk, read_candidate, same_index
from nutsync.operations.recalled import STAGES, Hit, Question, Recalled, Stage, matching
from nutsync.operations.seen import index_for, visible_corrections
from nutsync.store.catalogs import read_catalog

RECENT_DAYS = 30


def recall(cell: Cell, question: Question) -> Recalled:
    """Ask the stages one after the other and return what was found.

    Raises :class:`ErrUnreadable` where a file or folder cannot be read: that is not «nothing found».
    """
    today = cell.clock.now().local_date()
    make_good(cell.root, cell.git.private_dir, today)
    if question.ask is not None:
        from nutsync.operations.ask import ask

        return ask(cell, question, today)
    if question.query is None:
        raise ErrUsage("There is nothing to search for.", hint="Give one to three distinctive words.")
    return _Recall(cell, question, question.query, today).answer()


class _Recall:
    """One recall of literal terms or expressions."""

    def __init__(self, cell: Cell, question: Question, query: Query, today: str) -> None:
        self._cell = cell
        self._question = question
        self._query = query
        self._today = today
        self._recent = recent_from(today)
        self._walk = Walk(cell.root, query, recent=self._recent, since=question.since, until=question.until)

    def answer(self) -> Recalled:
        asked: list[Stage] = []
        hits: dict[str, Hit] = {}
        for name in STAGES:
            if name == "session" and not self._question.session:
                continue
            scanned, found = self._ask(name)
            asked.append(Stage(name, scanned, len(found)))
            for hit in found:
                hits.setdefault(hit.path, hit)
            if hits and not self._question.deep:
                break
        ordered = sorted(hits.values(), key=lambda hit: (hit.score, hit.date), reverse=True)
        best = tuple(ordered[: self._question.limit])
        corrections = corrections_for(self._cell, self._question, best, self._recent)
        return Recalled(self._query, tuple(asked), best, len(ordered) > len(best), corrections)

    def _ask(self, stage: str) -> tuple[int, list[Hit]]:
        """Return how much one stage read and what it found, one more than the answer has room for."""
        if stage == "session":
            return 1, list(self._in_session())
        gathered = {
            "recent": self._walk.recent,
            "catalog": self._walk.catalog,
            "frontmatter": self._walk.frontmatter,
            "body": self._walk.body,
        }[stage]()
        found: list[Hit] = []
        wrong: set[str] = set()
        for candidate in gathered.candidates:
            day = read_candidate(self._cell, candidate)
            if day is None:
                wrong.add(candidate.date)
                continue
            hit = self._look_at(day, stage)
            if hit is not None:
                found.append(hit)
            if len(found) > self._question.limit:
                break
        if stage in ("frontmatter", "body"):
            wrong |= {hit.date for hit in found if not self._has_row(hit)}
        repair_catalogs(self._cell, self._today, wrong)
        return gathered.scanned, found

    def _in_session(self) -> Iterator[Hit]:
        from nutsync.operations.session import read_session, session_path  # few questions come from one

        session = self._question.session
        own = read_session(self._cell, session, self._question.reader)
        entries, found = matching(self._query, (one for one in own if self._question.sees(one[1])))
        if self._query.met_by(found):
            date = entries[-1][0].date
            yield Hit(date, session_path(session), "", "session", found, entries, len(found) + 0.5)

    def _look_at(self, day: Day, stage: str) -> Hit | None:
        """Return the hit that a day is for this reader, or None."""
        question = self._question
        every = day.entries()
        seen = [one for one in every if question.sees(one[1])]
        if every and not seen:
            return None
        index = index_for(day, question.reader, question.session) or ""
        entries, found = matching(self._query, seen)
        if not question.is_narrow:
            either = {*found, *self._query.found_in(index)}
            if len(seen) == len(every) and not day.front.canonical:
                # What a hand wrote beside date and index is text as well; it may speak of any entry.
                either |= {*self._query.found_in(day.front.raw.decode("utf-8", "surrogateescape"))}
            found = tuple(term for term in self._query.terms if term in either)
        if not self._query.met_by(found):
            return None
        # An entry that has the terms counts more than an index that does.
        score = len(found) + (0.5 if entries else 0.0)
        return Hit(day.date, day_path(day.date), index, stage, found, entries, score)

    def _has_row(self, hit: Hit) -> bool:
        """Tell whether the catalog has the row of a hit that was found below it."""
        day = read_candidate(self._cell, Candidate(hit.date, 0))
        rows, _ = parse_catalog(read_catalog(self._cell.root, hit.date[:4]) or b"")
        return day is None or (hit.date in rows and same_index(rows[hit.date], day))


def recent_from(today: str) -> str:
    """Return the first of the recent local dates; today is the last of them."""
    return shift_day(today, 1 - RECENT_DAYS)


def repair_catalogs(cell: Cell, today: str, wrong: Iterable[str]) -> None:
    """Make the catalogs anew in which these dates have a wrong row or none.

    Where they cannot be written the next search walks further down again; it still finds.
    """
    years = sorted({date[:4] for date in wrong})
    if not years:
        return
    try:
        rebuild(cell.root, cell.git.private_dir, today, years)
    except NutsyncError:
        return


def corrections_for(cell: Cell, question: Question, hits: Iterable[Hit], recent: str) -> Corrections:
    """Return the corrections that the reader sees, as far as they can concern the hits."""
    first = min((hit.date for hit in hits if hit.entries), default=None)
    if first is None:
        return Corrections()
    found = find_corrections(cell.root, cell.git.private_dir, first, recent)
    return visible_corrections(found, question.reader, question.session)
