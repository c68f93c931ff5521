"""Three ways to rank the days of a memory for a question: nutsync's, plain grep's, BM25's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Protocol

import snowballstemmer  # type: ignore[import-untyped]

from nutsync.core.moment import shift_day
from nutsync.core.recall.collection import Collection, Passage
from nutsync.core.recall.question import take_apart
from nutsync.core.recall.rank import rank
from nutsync.core.recall.tokens import Terms

_WIDE = "\u3041-\u30ff\u3400-\u9fff"
_WORD = re.compile(rf"[{_WIDE}]+|[^\W_{_WIDE}]+")


class Ranker(Protocol):
    """Ranks the days of one memory. Making it is reading; only :meth:`days` is timed."""

    def days(self, question: str) -> list[str]:
        """Return days, best first."""


def words(text: str) -> list[str]:
    """Return the lower-case words of a text, Chinese and Japanese as pairs of characters."""
    found: list[str] = []
    for run in _WORD.findall(text.lower()):
        wide = run[0] >= "\u3041"
        found += [run[i : i + 2] for i in range(len(run) - 1)] or [run] if wide else [run]
    return found


class Nutsync:
    """What `recall --ask` ranks by, on the day after the memory's last."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._held = Collection(passages, _terms())
        self._today = shift_day(self._held.days[-1], 1)
        self.days("when")  # what is made ready with the first question belongs to reading

    def days(self, question: str) -> list[str]:
        return [day.date for day in rank(self._held, take_apart(question, self._today, _terms()))]


class Grep:
    """Counts how many of the question's words a day's text holds, as `grep -i` finds them."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._texts = {day: text.lower() for day, text in _texts(passages).items()}

    def days(self, question: str) -> list[str]:
        asked = set(words(question))
        counts = {day: sum(word in text for word in asked) for day, text in self._texts.items()}
        return [day for day in sorted(counts, key=lambda day: (-counts[day], day)) if counts[day]]


class Bm25:
    """The bm25s library over whole days, with its English stop words."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        import bm25s  # type: ignore[import-not-found, import-untyped, unused-ignore]
        from bm25s.stopwords import STOPWORDS_EN  # type: ignore[import-untyped, unused-ignore]

        self._stop = frozenset(STOPWORDS_EN)
        texts = _texts(passages)
        self._days = list(texts)
        self._index = bm25s.BM25()
        self._index.index([self._kept(text) for text in texts.values()], show_progress=False)

    def _kept(self, text: str) -> list[str]:
        return [word for word in words(text) if word not in self._stop]

    def days(self, question: str) -> list[str]:
        asked = self._kept(question)
        if not asked:
            return []
        scores = self._index.get_scores(asked)
        order = sorted(range(len(self._days)), key=lambda n: (-scores[n], n))
        return [self._days[n] for n in order if scores[n] > 0]


RANKERS: dict[str, type[Nutsync] | type[Grep] | type[Bm25]] = {
    "nutsync": Nutsync,
    "grep": Grep,
    "bm25": Bm25,
}


def _texts(passages: Sequence[Passage]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for passage in passages:
        found.setdefault(passage.date, []).append(passage.text)
    return {day: "\n".join(texts) for day, texts in sorted(found.items())}


@cache
def _terms() -> Terms:
    return Terms(snowballstemmer.stemmer("english").stemWord)
