"""Recall: from near to far, stopping where something is found (design §10).

session → recent (30 local dates) → catalog → frontmatter → body. What the asker may not see is taken away
before anything is matched or ranked. A hit found below the catalog repairs the catalog on the spot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from nutsync.core.catalog import parse_catalog
from nutsync.core.cell import ARCHIVE_DIR, day_path
from nutsync.core.correction import Corrections
from nutsync.core.day import Day
from nutsync.core.entry import Block, Ref
from nutsync.core.layer import layer_of
from nutsync.core.moment import shift_day
from nutsync.core.recall.match import Query, Term
from nutsync.core.visibility import visible
from nutsync.operations.catalogs import make_good
from nutsync.operations.cell import Cell
from nutsync.operations.corrections import read_corrections
from nutsync.operations.session import read_session, session_path
from nutsync.operations.show import entry_json, index_for, visible_corrections
from nutsync.store.catalogs import read_catalog, read_indexes, year_states
from nutsync.store.days import parse_day
from nutsync.store.files import day_paths, read_if_there

RECENT_DAYS = 30
DEFAULT_LIMIT = 20
DEFAULT_MAX_CHARS = 20_000
_LEAST_SHOWN = 80
STAGES = ("session", "recent", "catalog", "frontmatter", "body")


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked, by whom, and how far to go. Dates are inclusive; None is «any»."""

    query: Query
    reader: str
    session: str = ""
    layer: str | None = None
    scope: str | None = None
    since: str | None = None
    until: str | None = None
    deep: bool = False
    limit: int = DEFAULT_LIMIT

    def sees(self, block: Block) -> bool:
        """Tell whether an entry may be shown to the reader and is of the layer or scope asked for."""
        attributes = block.attributes
        return (
            visible(attributes, self.reader, self.session)
            and self.layer in (None, layer_of(attributes))
            and self.scope in (None, attributes.get("scope", ""))
        )

    def wants_day(self, date: str) -> bool:
        """Tell whether ``date`` lies in the period asked for."""
        return (self.since is None or date >= self.since) and (self.until is None or date <= self.until)

    @property
    def is_narrow(self) -> bool:
        """Whether only some entries of a day count, so that its index does not speak for them."""
        return self.layer is not None or self.scope is not None


@dataclass(frozen=True)
class Hit:
    """A day in which something was found: where, why, and the entries that hold it."""

    date: str
    path: str
    index: str
    stage: str
    found: tuple[Term, ...]
    entries: tuple[tuple[Ref, Block], ...]

    @property
    def score(self) -> float:
        """How many of the terms the day has; an entry that has them counts more than an index."""
        return len(self.found) + (0.5 if self.entries else 0.0)


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage that was asked: how many files or rows it looked at, and how many days it found."""

    stage: str
    scanned: int
    hits: int

    def as_json(self) -> dict[str, object]:
        return {"stage": self.stage, "scanned": self.scanned, "hits": self.hits}


@dataclass(frozen=True)
class Recalled:
    """The answer: the stages asked, in order, the best hits, and what corrects them."""

    question: Question
    stages: tuple[Stage, ...]
    hits: tuple[Hit, ...]
    total: int
    corrections: Corrections

    @property
    def not_asked(self) -> tuple[str, ...]:
        asked = {stage.stage for stage in self.stages}
        return tuple(name for name in STAGES if name not in asked)

    def as_json(self, *, explain: bool = False, max_chars: int = DEFAULT_MAX_CHARS) -> dict[str, object]:
        """Return the document of design §11. ``max_chars`` cuts texts and marks them; no hit is dropped."""
        budget = _Budget(max_chars)
        return {
            "terms": [term.asked for term in self.question.query.terms],
            "stages": [stage.as_json() for stage in self.stages],
            "not_asked": list(self.not_asked),
            "hits": [self._hit_json(hit, explain, budget) for hit in self.hits],
            "total": self.total,
        }

    def _hit_json(self, hit: Hit, explain: bool, budget: _Budget) -> dict[str, object]:
        document: dict[str, object] = {
            "date": hit.date,
            "path": hit.path,
            "index": hit.index,
            "stage": hit.stage,
            "score": hit.score,
            "entries": [self._entry_json(ref, block, budget) for ref, block in hit.entries],
        }
        if explain:
            document["matched"] = [term.asked for term in hit.found]
        return document

    def _entry_json(self, ref: Ref, block: Block, budget: _Budget) -> dict[str, object]:
        chain = self.corrections.of_ref(ref)
        newest = [budget.cut(entry_json(one, by, self.corrections)) for one, by in chain]
        return budget.cut(entry_json(ref, block, self.corrections)) | {"corrections": newest}


class _Budget:
    """How many characters of text an answer may still hold."""

    def __init__(self, characters: int) -> None:
        self.left = characters

    def cut(self, entry: dict[str, object]) -> dict[str, object]:
        """Return the entry with its text cut to what is left, at least a first line's worth of it."""
        text = str(entry["text"])
        most = max(self.left, _LEAST_SHOWN)
        self.left = max(0, self.left - len(text))
        return entry if len(text) <= most else entry | {"text": text[:most] + "…", "cut": True}


def recall(cell: Cell, question: Question) -> Recalled:
    """Ask the stages one after the other and return what was found.

    Raises :class:`ErrUnreadable` where a file or folder cannot be read: that is not «nothing found».
    """
    today = cell.clock.now().local_date()
    make_good(cell.root, cell.git.private_dir, today)
    walk = _Walk(cell, question, shift_day(today, 1 - RECENT_DAYS))
    asked: list[Stage] = []
    hits: dict[str, Hit] = {}
    for name, ask in walk.stages():
        found = list(ask())
        fresh = {hit.path: hit for hit in found if hit.path not in hits}
        hits.update(fresh)
        asked.append(Stage(name, walk.scanned, len(found)))
        if fresh and name in ("frontmatter", "body"):
            make_good(cell.root, cell.git.private_dir, today)
        if hits and not question.deep:
            break
    ordered = sorted(hits.values(), key=lambda hit: (hit.score, hit.date), reverse=True)
    best = tuple(ordered[: question.limit])
    return Recalled(question, tuple(asked), best, len(ordered), _corrections(cell, question, best))


def _corrections(cell: Cell, question: Question, hits: Iterable[Hit]) -> Corrections:
    first = min((hit.date for hit in hits if hit.entries), default=None)
    if first is None:
        return Corrections()
    found = read_corrections(cell.root, since=first)
    return visible_corrections(found, question.reader, question.session)


class _Walk:
    """One walk through the stages; ``scanned`` counts what the present stage has looked at."""

    def __init__(self, cell: Cell, question: Question, recent: str) -> None:
        self.cell = cell
        self.question = question
        self.recent = recent
        self.scanned = 0

    def stages(self) -> Iterator[tuple[str, Callable[[], Iterator[Hit]]]]:
        """Yield the stages to ask, from near to far."""
        ways = {
            "session": self._session,
            "recent": self._recent,
            "catalog": self._catalog,
            "frontmatter": self._frontmatter,
            "body": self._body,
        }
        for name in STAGES:
            if name != "session" or self.question.session:
                self.scanned = 0
                yield name, ways[name]

    def _session(self) -> Iterator[Hit]:
        session = self.question.session
        own = read_session(self.cell, session, self.question.reader)
        self.scanned = 1
        entries, found = self._matching(one for one in own if self.question.sees(one[1]))
        if self.question.query.met_by(found):
            date = entries[-1][0].date
            yield Hit(date, session_path(session), "", "session", found, entries)

    def _recent(self) -> Iterator[Hit]:
        yield from self._read_days("recent", self.recent, "9999-12-31")

    def _body(self) -> Iterator[Hit]:
        yield from self._read_days("body", "", shift_day(self.recent, -1))

    def _read_days(self, stage: str, since: str, until: str) -> Iterator[Hit]:
        """Read whole day files of a period: index and text."""
        query = self.question.query
        for date, path in self._days(since, until):
            content = read_if_there(path)
            self.scanned += 1
            if content is not None and query.may_match(content):
                hit = self._look_at(parse_day(content, date), stage)
                if hit is not None:
                    yield hit

    def _catalog(self) -> Iterator[Hit]:
        query = self.question.query
        for year in year_states(self.cell.root):
            content = read_catalog(self.cell.root, year) or b""
            self.scanned += content.count(b"\n")
            rows, _ = parse_catalog(b"".join(line + b"\n" for line in query.candidate_lines(content)))
            for date, index in rows.items():
                if date < self.recent and self.question.wants_day(date) and query.matches(index):
                    yield from self._check(date, index)

    def _check(self, date: str, index: str) -> Iterator[Hit]:
        """Show a catalog's hit only where its day file says the same."""
        content = read_if_there(self.cell.root / day_path(date))
        day = parse_day(content, date) if content is not None else None
        if day is None or (day.index or "").split() != index.split():
            return
        hit = self._look_at(day, "catalog")
        if hit is not None:
            yield hit

    def _frontmatter(self) -> Iterator[Hit]:
        query = self.question.query
        for year in year_states(self.cell.root):
            for date, index in read_indexes(self.cell.root, year, self.recent).items():
                self.scanned += 1
                if self.question.wants_day(date) and query.matches(index):
                    content = read_if_there(self.cell.root / day_path(date))
                    hit = self._look_at(parse_day(content, date), "frontmatter") if content else None
                    if hit is not None:
                        yield hit

    def _days(self, since: str, until: str) -> Iterator[tuple[str, str]]:
        first = max(since, self.question.since or "")
        last = min(until, self.question.until or until)
        return day_paths(str(self.cell.root / ARCHIVE_DIR), first, last)

    def _look_at(self, day: Day, stage: str) -> Hit | None:
        """Return the hit that a day is for this reader, or None."""
        question = self.question
        seen = [one for one in day.entries() if question.sees(one[1])]
        if not seen:
            return None
        index = index_for(day, question.reader, question.session) or ""
        entries, found = self._matching(seen)
        if not question.is_narrow:
            found = tuple(dict.fromkeys((*found, *question.query.found_in(index))))
        if not question.query.met_by(found):
            return None
        return Hit(day.date, day_path(day.date), index, stage, found, entries)

    def _matching(
        self, entries: Iterable[tuple[Ref, Block]]
    ) -> tuple[tuple[tuple[Ref, Block], ...], tuple[Term, ...]]:
        """Return the entries that hold a term, and every term that any of them holds."""
        held = []
        found: dict[Term, None] = {}
        for ref, block in entries:
            terms = self.question.query.found_in(block.text)
            if terms:
                held.append((ref, block))
                found.update(dict.fromkeys(terms))
        return tuple(held), tuple(found)
