"""What recall is asked, and what it answers (design §10, §11)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from nutsync.core.correction import Corrections
from nutsync.core.entry import Block, Ref
from nutsync.core.layer import layer_of
from nutsync.core.recall.match import Query, Term
from nutsync.core.visibility import visible
from nutsync.operations.seen import entry_json

DEFAULT_LIMIT = 20
DEFAULT_MAX_CHARS = 20_000
_LEAST_SHOWN = 80
STAGES = ("session", "recent", "catalog", "frontmatter", "body")


class Question(NamedTuple):
    """What is asked, by whom, and how far to go. Dates are inclusive; None is «any».

    Either ``query`` says what to look for, or ``ask`` is a question in plain words.
    """

    reader: str
    query: Query | None = None
    ask: str | None = None
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

    @property
    def is_narrow(self) -> bool:
        """Whether only some entries of a day count, so that its index does not speak for them."""
        return self.layer is not None or self.scope is not None


def terms_query(
    terms: Sequence[str], *, every: bool = False, others: Sequence[str] = (), regex: bool = False
) -> Query:
    """Return the query of ``TERM… --and OTHER…``: any of the terms, or all; and one of the others, if any.

    Raises :class:`ErrUsage` without a term, :class:`ErrRegex` for what is no regular expression.
    """
    make = _pattern if regex else Term.literal
    asked = [make(term) for term in terms]
    first = [(term,) for term in asked] if every else [tuple(asked)]
    return Query.of([*first, *([tuple(make(term) for term in others)] if others else [])])


def _pattern(asked: str) -> Term:
    from nutsync.store.regexes import searcher

    return Term.pattern(asked, searcher(asked))


@dataclass(frozen=True)
class Hit:
    """A day in which something was found: where, why, and the entries that hold it."""

    date: str
    path: str
    index: str
    stage: str
    found: tuple[Term, ...]
    entries: tuple[tuple[Ref, Block], ...]
    score: float


class Stage(NamedTuple):
    """One stage that was asked: how many files or rows it read, and in how many days it found something.

    It looks no further than the answer has room for, so ``hits`` is at most one more than the limit.
    """

    stage: str
    scanned: int
    hits: int

    def as_json(self) -> dict[str, object]:
        return {"stage": self.stage, "scanned": self.scanned, "hits": self.hits}


class Recalled(NamedTuple):
    """The answer: the stages asked, in order, the best hits, whether there are more, and corrections."""

    query: Query
    stages: tuple[Stage, ...]
    hits: tuple[Hit, ...]
    more: bool
    corrections: Corrections

    @property
    def not_asked(self) -> tuple[str, ...]:
        asked = {stage.stage for stage in self.stages}
        return tuple(name for name in STAGES if name not in asked)

    def as_json(self, *, explain: bool = False, max_chars: int = DEFAULT_MAX_CHARS) -> dict[str, object]:
        """Return the document of design §11. ``max_chars`` cuts texts and marks them; it drops no hit."""
        budget = _Budget(max_chars)
        return {
            "terms": [term.asked for term in self.query.terms],
            "stages": [stage.as_json() for stage in self.stages],
            "not_asked": list(self.not_asked),
            "hits": [self._hit_json(hit, explain, budget) for hit in self.hits],
            "more": self.more,
        }

    def _hit_json(self, hit: Hit, explain: bool, budget: _Budget) -> dict[str, object]:
        document: dict[str, object] = {
            "date": hit.date,
            "path": hit.path,
            "index": hit.index,
            "stage": hit.stage,
            "score": round(hit.score, 3),
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


def matching(
    query: Query, entries: Iterable[tuple[Ref, Block]]
) -> tuple[tuple[tuple[Ref, Block], ...], tuple[Term, ...]]:
    """Return the entries that hold a term, and every term that any of them holds, in the order asked."""
    held = []
    found: set[Term] = set()
    for ref, block in entries:
        terms = query.found_in(block.text)
        if terms:
            held.append((ref, block))
            found.update(terms)
    return tuple(held), tuple(term for term in query.terms if term in found)
