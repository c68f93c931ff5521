"""What texts say, kept so that the terms of an index can be looked up in it.

Two strengths. *Loose*: word forms, ways to write a number or a date and digits for numerals count
as the same. *Strict*: every term stands in the texts exactly so; needed where something was
forgotten, since a term that only the forgotten entry had must not survive.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from functools import cache, lru_cache
from typing import NamedTuple, Self

from nutsync.core.index import chinese, english, terms
from nutsync.core.recall.fold import fold as recall_fold

WORDS = 1 << 14
"""Of how many words the forms are remembered: entries use the same ones again and again."""


@cache
def _parts() -> re.Pattern[str]:
    return re.compile(r"\d+|[^\W\d_]+")


@cache
def _steps() -> re.Pattern[str]:
    return re.compile(r"[/@?&=]|://")


@cache
def _signs() -> re.Pattern[str]:
    return re.compile(r"[\W_]+")


@cache
def _wide_runs() -> re.Pattern[str]:
    return re.compile(rf"[{terms.CJK_RANGE}]+")


@cache
def _numeral_runs() -> re.Pattern[str]:
    return re.compile(rf"[{chinese.NUMERALS}]+")


@cache
def _dates() -> re.Pattern[str]:
    return re.compile(
        r"(?:周|星期|礼拜|禮拜|週)([一二三四五六日天])|([月火水木金土日])曜|([\d一二三四五六七八九十]{1,3})月"
    )


def fold(text: str) -> str:
    """Return ``text`` as terms are compared: as recall folds it, apostrophes made one."""
    return recall_fold(text if text.isascii() else text.replace("’", "'"))


@lru_cache(maxsize=WORDS)
def compact(text: str) -> str:
    """Return ``text`` folded, with nothing but its letters and digits: ``X-200`` and ``x200`` agree."""
    return "".join(c for c in fold(text) if c.isalnum())


@lru_cache(maxsize=WORDS)
def stem(word: str) -> str:
    """Return a folded English word without its commonest endings."""
    base = word.partition("'")[0]
    if len(base) < 4 or not base.isascii():
        return base
    for ending, keep in (
        ("ies", "y"),
        ("ied", "y"),
        ("ying", "y"),
        ("ing", ""),
        ("ed", ""),
        ("ly", ""),
        ("es", ""),
        ("s", ""),
    ):
        if base.endswith(ending) and len(base) - len(ending) >= 3 and not base.endswith("ss"):
            base = base[: -len(ending)] + keep
            break
    if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "sl":
        base = base[:-1]
    return base.rstrip("e") if len(base) > 3 else base


def numeral(run: str) -> str | None:
    """Return the digits of a Chinese numeral (``三十`` → ``30``), or None where it is none."""
    if all(c in chinese.DIGITS for c in run):
        return str(int("".join(str(chinese.DIGITS[c]) for c in run)))
    total, section, digit = 0, 0, 0
    for c in run:
        if c in chinese.DIGITS:
            digit = chinese.DIGITS[c]
        elif c in "十百千":
            section += (digit or 1) * {"十": 10, "百": 100, "千": 1000}[c]
            digit = 0
        else:
            total += (section + digit or 1) * (10_000 if c in "万萬" else 100_000_000)
            section, digit = 0, 0
    return str(total + section + digit)


def plain_number(text: str) -> str:
    """Return a number without grouping commas and leading zeros."""
    digits = fold(text).replace(",", "").rstrip("%")
    return digits.lstrip("0") or "0"


class _Forms(NamedTuple):
    """What one folded word adds to a ground."""

    whole: frozenset[str]
    parts: frozenset[str]
    stems: frozenset[str]
    numbers: frozenset[str]
    weekdays: frozenset[int]
    months: frozenset[int]


@lru_cache(maxsize=WORDS)
def _forms(word: str) -> _Forms:
    """Return what a folded word of a spaced script stands for."""
    steps = _steps() if len(word) <= terms.LONGEST else _signs()
    whole = {compact(word), *(compact(step) for step in steps.split(word) if step)}
    found = _parts().findall(word.replace(",", ""))
    parts = frozenset(part for part in found if not part.isdigit())
    numbers = {plain_number(part) for part in found if part.isdigit()}
    months = {english.MONTHS[part] for part in parts if part in english.MONTHS}
    numbers.update(map(str, months))
    numbers.update(english.NUMBERS[part] for part in parts if part in english.NUMBERS)
    if word[:1].isdigit():
        numbers.add(plain_number(word))
        if word.count("-") == 2:
            months.update(_month(word.split("-")[1]))
    weekdays = frozenset(english.WEEKDAYS[part] for part in parts if part in english.WEEKDAYS)
    stems = frozenset(map(stem, parts))
    return _Forms(frozenset(whole), parts, stems, frozenset(numbers), weekdays, frozenset(months))


def _month(text: str) -> Iterable[int]:
    """Return the number of a month in digits or Chinese numerals; nothing where it is none."""
    digits = text if text.isdigit() else numeral(text) if text else None
    return (int(digits),) if digits and digits.isdigit() else ()


class Ground:
    """The terms of some texts.

    ``whole`` are tokens as they stand, ``joined`` two of them in a row written as one, ``parts`` their
    letters, ``wide`` the characters, pairs and triples of Chinese and Japanese.
    """

    __slots__ = ("joined", "months", "numbers", "parts", "stems", "weekdays", "whole", "wide")

    def __init__(self, texts: Iterable[str], day: str = "") -> None:
        self.whole: set[str] = set()
        self.parts: set[str] = set()
        self.stems: set[str] = set()
        self.numbers: set[str] = set()
        self.weekdays: set[int] = set()
        self.months: set[int] = set()
        self.wide: set[str] = set()
        self.joined: set[str] = set()
        for text in texts:
            self._add(text)
        if day:
            self._add_day(day)

    def _add(self, text: str) -> None:
        before = ""
        for start, end in terms.word_spans(text):
            word = fold(text[start:end])
            self._add_word(word)
            whole = compact(word)
            self.joined.add(before + whole)
            before = whole
        folded = fold(text)
        for match in _wide_runs().finditer(folded):
            self.wide.update(grams(match.group()))
            self._add_wide(match.group())
        for match in _dates().finditer(folded):
            self._add_date(*match.groups())

    def _add_word(self, word: str) -> None:
        forms = _forms(word)
        self.whole |= forms.whole
        self.parts |= forms.parts
        self.stems |= forms.stems
        if forms.numbers:
            self.numbers |= forms.numbers
        if forms.weekdays or forms.months:
            self.weekdays |= forms.weekdays
            self.months |= forms.months

    def _add_wide(self, run: str) -> None:
        for match in _numeral_runs().finditer(run):
            digits = numeral(match.group())
            if digits is not None:
                self.numbers.add(digits)

    def _add_date(self, chinese: str | None, japanese: str | None, month: str | None) -> None:
        if chinese:
            self.weekdays.add("一二三四五六日".find(chinese.replace("天", "日")) + 1)
        if japanese:
            self.weekdays.add("月火水木金土日".find(japanese) + 1)
        if month:
            self.months.update(_month(month))

    def _add_day(self, day: str) -> None:
        when = date.fromisoformat(day)
        self.numbers.update((str(when.year), str(when.month), str(when.day)))
        self.weekdays.add(when.isoweekday())
        self.months.add(when.month)
        self.whole.add(compact(day))

    def __ior__(self, other: Ground) -> Self:
        """Take in what ``other`` has: a day's ground is that of its entries together."""
        for name in self.__slots__:
            getattr(self, name).update(getattr(other, name))
        return self

    def has_word(self, word: str) -> bool:
        """Tell whether a folded word, or another form of it, stands here."""
        return word in self.parts or compact(word) in self.whole or stem(word) in self.stems

    def has_number(self, token: str) -> bool:
        """Tell whether a number stands here, however it is written."""
        if plain_number(token) in self.numbers or compact(token) in self.whole:
            return True
        parts = re.split(r"[:/-]", fold(token))
        return len(parts) > 1 and all(p and plain_number(p) in self.numbers for p in parts)

    def has_identifier(self, token: str) -> bool:
        """Tell whether a name with digits or signs in it stands here, whatever signs it is written with."""
        if compact(token) in self.whole or compact(token) in self.joined:
            return True
        if token.isdigit():
            return self.has_number(token)
        parts = _parts().findall(fold(token))
        return not any(p.isdigit() for p in parts) and all(self.has_word(p) for p in parts)

    def has_exactly(self, token: str) -> bool:
        """Tell whether a token of a spaced script stands here exactly, case and signs aside."""
        folded = fold(token)
        return compact(token) in self.whole or folded in self.parts or folded.partition("'")[0] in self.parts


def grams(run: str) -> Iterable[str]:
    """Yield the characters, pairs and triples of a run of Chinese or Japanese."""
    yield from run
    for size in (2, 3):
        for start in range(len(run) - size + 1):
            yield run[start : start + size]


def wide_runs(text: str) -> list[str]:
    """Return the runs of Chinese and Japanese in ``text``, folded."""
    return _wide_runs().findall(fold(text))
