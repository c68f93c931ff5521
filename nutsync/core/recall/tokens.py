"""The terms of a text, as ranking counts them: word stems, numbers, character pairs.

A term is a short string that is equal for all forms of a word: ``painted`` and ``paintings`` give
``paint``, ``bought`` gives ``buy``. Chinese, Japanese and Korean text has no word borders; there
every character and every pair of neighbours is a term.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache

from nutsync.core.index.english import COMMON, STOP
from nutsync.core.pattern import pattern
from nutsync.core.recall.fold import fold
from nutsync.core.recall.wordforms import ASKING, same_words

Stem = Callable[[str], str]
"""Returns the stem of a lower-case English word."""

_CJK = "\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3\U00020000-\U000323af"
_PIECE = pattern(rf"([{_CJK}]+)|([^\W_{_CJK}]+(?:['’][^\W_{_CJK}]+)*)")
_GROUPED = pattern(r"(?<=\d),(?=\d{3}(?!\d))")


class Terms:
    """Makes terms of text. Keeps the stem of every word it has met, so one per call is enough."""

    def __init__(self, stem: Stem) -> None:
        same = same_words()
        root = {word: stem(first) for word, first in same.items()}
        # The table speaks of words; a text may have another form of them ("purchasing").
        self._same = {stem(word): of for word, of in root.items()} | root
        self._stem = stem
        self.of_word = lru_cache(maxsize=None)(self._of_word)

    @cached_property
    def light(self) -> frozenset[str]:
        """Words and terms that say little in a question."""
        words = COMMON | ASKING
        return words | {self.of_word(word) for word in words}

    def _of_word(self, word: str) -> str:
        """Return the term of a folded word, an empty one where it says nothing."""
        base = bare(word)
        if base in STOP or not base or (len(base) == 1 and base.isascii() and base.isalpha()):
            return ""
        known = self._same.get(base)
        if known is not None:
            return known
        if not (base.isascii() and base.isalpha()):
            return base
        stem = self._stem(base)
        return self._same.get(stem, stem)

    def of_text(self, text: str, heads: frozenset[str] | None = None) -> list[str]:
        """Return the terms of ``text`` in order, an empty one for each word that says nothing.

        With ``heads`` only words that begin with one of them are looked into: where one question
        is asked, all other words need no stem. They count as terms that nobody asks for.
        """
        found: list[str] = []
        for run, word in pieces(text):
            if run:
                found += grams(run)
            elif heads is None or word[:2] in heads:
                found.append(self.of_word(word))
            else:
                found.append("" if word in STOP else "*")
        return found


def bare(word: str) -> str:
    """Return a word without what an apostrophe ties to it: ``ana`` for ana's, ``don`` for don't."""
    first, mark, rest = word.replace("’", "'").partition("'")
    return first if mark and len(rest) < 3 else first + rest.replace("'", "")


def pieces(text: str) -> list[tuple[str, str]]:
    """Return the pieces of ``text``, folded: each a run without word borders, or a word."""
    return _PIECE.findall(_GROUPED.sub("", fold(text)))


def plain(text: str) -> str:
    """Return the words of ``text`` with one space around each, so that neighbours can be looked for."""
    return f" {' '.join(word for _, word in pieces(text))} "


def plain_pair(first: str, second: str) -> str:
    """Return two words as neighbours stand in :func:`plain` text."""
    return f" {first} {second} "


def grams(run: str) -> list[str]:
    """Return the characters of ``run`` and its pairs of neighbours."""
    return [*run, *(run[i : i + 2] for i in range(len(run) - 1))]


def is_akin(one: str, other: str) -> bool:
    """Tell whether two terms with one beginning look alike: a slip of the pen, or a common stem."""
    short, long = sorted((len(one), len(other)))
    if short < 5 or long - short > 4:
        return False
    front = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), short)
    if front >= 5 and front * 10 >= long * 7:
        return True
    back = 0
    while back < short - front and one[-1 - back] == other[-1 - back]:
        back += 1
    # What is left between front and back: one letter more, less or changed, or two swapped.
    rest, rest_other = one[front : len(one) - back], other[front : len(other) - back]
    return max(len(rest), len(rest_other)) <= 1 or (len(rest) == 2 and rest == rest_other[::-1])
