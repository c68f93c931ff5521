"""What a question asks for: its telling terms with their weights, its dates, what sort of answer.

Deterministic and without a model. Words that a question is made of weigh little or nothing; dates
are taken out of the text and become days.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from nutsync.core.index.chinese import JAPANESE_STOP_WORDS, STOP_WORDS
from nutsync.core.pattern import pattern
from nutsync.core.recall.dates import When, find
from nutsync.core.recall.fold import fold
from nutsync.core.recall.tokens import Terms, bare, grams, pieces, plain_pair
from nutsync.core.recall.wordforms import ASKING_HAN, written_ways

MOST_PICKS = 3
"""How many terms select the days to read (design §10)."""

_LIGHT = 0.5
_CUT = 0.3
_ASKS_TIME = pattern(
    r"\s*(?:when|how long|(?:on |in )?(?:what|which) (?:day|date|year|month|time))\b"
    r"|什么时候|何时|哪一?[天日年]|几[月号]|いつ"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """One telling piece of a question: as it was asked, the term it counts as, how it may be written.

    Whatever has the term holds one of ``written``; they are literals to search for.
    """

    word: str
    term: str
    weight: float
    written: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, taken apart."""

    asked: tuple[Asked, ...]
    whens: tuple[When, ...]
    asks_time: bool
    words: Mapping[str, str]
    """Every folded word of the question with its term, to know an actor by."""
    pairs: tuple[str, ...]
    """Words that stand side by side in the question, two by two, as :func:`plain` writes them."""

    @property
    def terms(self) -> Mapping[str, float]:
        return {one.term: one.weight for one in self.asked}

    def heads(self) -> frozenset[str]:
        """Return the beginnings of every word that can count as one of the terms."""
        return frozenset(written[:2] for one in self.asked for written in (*one.written, one.term))


def take_apart(text: str, today: str, terms: Terms) -> Question:
    """Return what ``text`` asks for; relative dates are seen from ``today``."""
    whens = find(text, date.fromisoformat(today).toordinal())
    asked: dict[str, Asked] = {}
    words: dict[str, str] = {}
    pairs: list[str] = []
    before = ""
    for run, word in pieces(_without_numbers(text, whens)):
        if word:
            words[bare(word)] = terms.of_word(word)
            if before and (words[bare(before)] or words[bare(word)]):
                pairs.append(plain_pair(before, word))
        before = word
        for one in _asked_in_run(run) if run else _asked_in_word(word, terms):
            if one.term not in asked or asked[one.term].weight < one.weight:
                asked[one.term] = one
    folded = fold(text)
    asks_time = _ASKS_TIME.search(folded) is not None
    return Question(tuple(asked.values()), tuple(whens), asks_time, words, tuple(dict.fromkeys(pairs)))


def _without_numbers(text: str, whens: Sequence[When]) -> str:
    """Return the question without the numbers of its dates; "last weekend", "July" may stand in an entry."""
    for when in whens:
        named = text[when.start : when.end]
        text = text.replace(named, "".join(" " if c.isdecimal() else c for c in named))
    return text


def pick(
    asked: Sequence[Asked], rarity: Callable[[Asked], float], most: int = MOST_PICKS
) -> tuple[Asked, ...]:
    """Return the terms to select by: the heaviest by weight and rarity, in the order of the question.

    ``rarity`` is larger the fewer days hold the term, and 0 where none does: such a term selects nothing.
    """
    worth = {one: one.weight * rarity(one) for one in asked}
    chosen = sorted((one for one in asked if worth[one] > 0), key=lambda one: -worth[one])[:most]
    return tuple(one for one in asked if one in chosen)


def _asked_in_word(word: str, terms: Terms) -> Iterator[Asked]:
    term = terms.of_word(word)
    if term:
        plain = bare(word)
        weight = _LIGHT if plain in terms.light or term in terms.light else 1.0
        ways = {_common(way, terms.of_word(way) or way) for way in (plain, *written_ways(plain))}
        yield Asked(plain, term, weight, tuple(sorted(ways | _grouped(plain))))


def _grouped(number: str) -> set[str]:
    """Return how a number is written with a comma before each three digits: pieces have lost them."""
    if not (number.isascii() and number.isdecimal()) or number[0] == "0" or not 4 <= len(number) <= 15:
        return set()
    return {f"{int(number):,}"}


def _common(word: str, stem: str) -> str:
    """Return what all forms of a word begin with, as far as its stem tells: ``mov`` for moving, moved."""
    length = next(
        (i for i, (a, b) in enumerate(zip(word, stem, strict=False)) if a != b), min(len(word), len(stem))
    )
    shared = word[:length]
    return shared[:-1] if len(shared) > 3 and shared[-1] in "eiy" else shared if len(shared) > 2 else word


def _asked_in_run(run: str) -> Iterator[Asked]:
    for part in _asking_han().split(run):
        if len(part) == 1:
            yield Asked(part, part, _LIGHT, (part,))
        elif part:
            for gram in grams(part)[len(part) :]:
                yield Asked(gram, gram, 1.0, (gram,))
    # What was cut may have been part of a name or a phrase.
    for gram in grams(run)[len(run) :]:
        yield Asked(gram, gram, _CUT, (gram,))


@lru_cache(maxsize=1)
def _asking_han() -> re.Pattern[str]:
    """Return a pattern of what is cut out of a run of Chinese or Japanese, the longest first."""
    cut = {fold(word) for word in (*ASKING_HAN, *STOP_WORDS, *JAPANESE_STOP_WORDS)}
    longest = sorted(cut, key=lambda word: (-len(word), word))
    particles = "[\u3041-\u309f]{1,2}(?![\u3041-\u309f])"
    return re.compile("|".join([*map(re.escape, longest), particles]))
