"""Entries made ready for questions: which terms stand where, and how much each tells.

A collection lives for one call; nothing of it is stored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from math import log

from nutsync.core.pattern import pattern
from nutsync.core.recall.dates import find
from nutsync.core.recall.fold import fold
from nutsync.core.recall.tokens import Terms, is_akin, plain

_SATURATION, _DAY_LENGTH, _ENTRY_LENGTH = 1.2, 0.75, 0.2  # BM25's k1, and b for days and for entries
_NEAR = (1.0, 0.5, 0.25)  # what an entry counts for its first and second neighbour
_PAIR = 0.3  # what two words side by side count beside what each of them does
_AKIN = 0.6  # what a term counts that only looks like one of the question's

_LONG_TEXT = 400  # characters; what is said further apart than this belongs less together
_SENTENCE = pattern(r"[^.!?。！？;；\n]*(?:[.!?。！？;；\n]+|$)")


@dataclass(frozen=True, slots=True)
class Passage:
    """One entry, as ranking sees it."""

    date: str
    text: str
    actor: str = ""
    ref: str = ""
    corrects: str = ""


def split(text: str) -> list[str]:
    """Return the parts of an entry: itself, or groups of sentences where it is long."""
    if len(text) <= _LONG_TEXT:
        return [text]
    parts = [""]
    for sentence in _SENTENCE.findall(text):
        if len(parts[-1]) + len(sentence) > _LONG_TEXT and parts[-1]:
            parts.append("")
        parts[-1] += sentence
    return parts


class Collection:
    """Passages and their terms. Passages of one day stand together, in their order.

    ``heads`` limits the words that are looked into to those that one question asks for.
    """

    def __init__(
        self, passages: Sequence[Passage], terms: Terms, heads: frozenset[str] | None = None
    ) -> None:
        self.passages = passages
        self.days = sorted({passage.date for passage in passages})
        number = {day: n for n, day in enumerate(self.days)}
        self.ordinals = [date.fromisoformat(day).toordinal() for day in self.days]
        #: The parts that are scored, each with its passage: a long entry is several.
        self.parts = [(n, part) for n, p in enumerate(passages) for part in split(p.text)]
        self.day_of = [number[passages[n].date] for n, _ in self.parts]
        self.actors = {passage.actor: fold(passage.actor) for passage in passages if passage.actor}
        self.posts: dict[str, dict[int, int]] = defaultdict(dict)
        self.lengths: list[int] = []
        for position, (_, text) in enumerate(self.parts):
            said = [term for term in terms.of_text(text, heads) if term]
            self.lengths.append(len(said))
            for term in said:
                post = self.posts[term]
                post[position] = post.get(position, 0) + 1
        self.posts = dict(self.posts)
        self.day_lengths = [0] * len(self.days)
        for day, length in zip(self.day_of, self.lengths, strict=True):
            self.day_lengths[day] += length

    @cached_property
    def tells_time(self) -> list[bool]:
        """Whether each part names a date, seen from its own day."""
        return [
            bool(find(text, self.ordinals[day]))
            for (_, text), day in zip(self.parts, self.day_of, strict=True)
        ]

    def speaker(self, position: int) -> str:
        """Return who says the part at ``position``."""
        return self.passages[self.parts[position][0]].actor

    def by_passage(self, scores: Mapping[int, float]) -> dict[int, float]:
        """Return for each passage the score of its best part."""
        best: dict[int, float] = {}
        for position, score in scores.items():
            passage = self.parts[position][0]
            best[passage] = max(score, best.get(passage, 0.0))
        return best

    @cached_property
    def corrections(self) -> list[int]:
        return [n for n, passage in enumerate(self.passages) if passage.corrects]

    @cached_property
    def positions(self) -> dict[str, int]:
        return {passage.ref: n for n, passage in enumerate(self.passages) if passage.ref}

    @cached_property
    def _by_head(self) -> dict[str, list[str]]:
        heads: dict[str, list[str]] = defaultdict(list)
        for term in self.posts:
            heads[term[:2]].append(term)
        return heads

    def with_akin(self, asked: Mapping[str, float]) -> dict[str, float]:
        """Return the terms with, for each that nobody said, those that look like it: slips, relatives."""
        found = dict(asked)
        for term, weight in asked.items():
            if term not in self.posts and term.isascii() and len(term) > 4:
                for akin in self._by_head.get(term[:2], ()):
                    if akin not in asked and is_akin(term, akin):
                        found[akin] = max(found.get(akin, 0.0), _AKIN * weight)
        return found

    def pairs(self, asked: Iterable[str]) -> dict[str, dict[int, int]]:
        """Return in which parts each pair of words stands side by side, as postings."""
        found: dict[str, dict[int, int]] = {}
        for pair in asked:
            held = {n: 1 for n, text in enumerate(self._plain) if pair in text}
            if held:
                found[pair] = held
        return found

    @cached_property
    def _plain(self) -> list[str]:
        return [plain(text) for _, text in self.parts]

    def near(self, position: int) -> list[tuple[int, float]]:
        """Return the part and its neighbours on the same day, each with its share."""
        day = self.day_of[position]
        return [
            (near, _NEAR[abs(near - position)])
            for near in range(max(0, position - 2), min(len(self.day_of), position + 3))
            if self.day_of[near] == day
        ]

    def spread(self, scores: Mapping[int, float]) -> dict[int, float]:
        """Return, for each part near one with a score, its own score and its share of the others'."""
        spread: dict[int, float] = defaultdict(float)
        for position, score in scores.items():
            for near, share in self.near(position):
                spread[near] += share * score
        return spread

    def best(self, scores: Mapping[int, float]) -> dict[int, float]:
        """Return the highest score of a part for each day that has one."""
        best: dict[int, float] = {}
        for position, score in scores.items():
            day = self.day_of[position]
            if score > best.get(day, 0.0):
                best[day] = score
        return best


class Sums:
    """The sums over one question's terms, weighed by how few entries or days have them."""

    def __init__(self, held: Collection, asked: Mapping[str, float], pairs: Iterable[str] = ()) -> None:
        self._held = held
        many, days = len(held.parts), len(held.days)
        self.weight = sum(
            weight * _rarity(len(held.posts.get(term, ())), many) for term, weight in asked.items()
        )
        said = held.pairs(pairs)
        self._posts = {term: held.posts[term] for term in asked if term in held.posts} | said
        self._asked = dict.fromkeys(said, _PAIR) | {t: w for t, w in asked.items() if t in held.posts}
        self._rarity = {term: _rarity(len(post), many) for term, post in self._posts.items()}
        self._days = {term: _by_day(post, held.day_of) for term, post in self._posts.items()}
        self._day_rarity = {term: _rarity(len(held_by), days) for term, held_by in self._days.items()}

    def entries(self) -> dict[int, float]:
        """Return the BM25 score of each part that has a term."""
        lengths = self._held.lengths
        usual = max(1.0, sum(lengths) / len(lengths))
        scores: dict[int, float] = defaultdict(float)
        for term, weight in self._asked.items():
            worth = weight * self._rarity[term]
            for position, count in self._posts[term].items():
                scores[position] += worth * _saturated(count, lengths[position] / usual, _ENTRY_LENGTH)
        return dict(scores)

    def days(self) -> dict[int, float]:
        """Return the BM25 score of each day that has a term."""
        lengths = self._held.day_lengths
        usual = max(1.0, sum(lengths) / len(lengths))
        scores: dict[int, float] = defaultdict(float)
        for term, weight in self._asked.items():
            worth = weight * self._day_rarity[term]
            for day, count in self._days[term].items():
                scores[day] += worth * _saturated(count, lengths[day] / usual, _DAY_LENGTH)
        return dict(scores)

    def cover(self) -> dict[int, float]:
        """Return how much of the question each part and its neighbours cover, every term once."""
        scores: dict[int, float] = defaultdict(float)
        for term, weight in self._asked.items():
            reach: dict[int, float] = {}
            for position in self._posts[term]:
                for near, share in self._held.near(position):
                    if share > reach.get(near, 0.0):
                        reach[near] = share
            worth = weight * self._rarity[term]
            for near, share in reach.items():
                scores[near] += worth * share
        return dict(scores)


def _rarity(holders: int, many: int) -> float:
    return log(1 + (many - holders + 0.5) / (holders + 0.5))


def _saturated(count: int, length: float, norm: float) -> float:
    return count * (_SATURATION + 1) / (count + _SATURATION * (1 - norm + norm * length))


def _by_day(post: Mapping[int, int], day_of: Sequence[int]) -> dict[int, int]:
    found: dict[int, int] = defaultdict(int)
    for position, count in post.items():
        found[day_of[position]] += count
    return dict(found)
