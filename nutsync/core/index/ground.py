"""What texts say, kept so that the terms of an index can be looked up in it.

Two strengths. *Loose*: word forms, ways to write a number or a date and digits for numerals count
as the same. *Strict*: every term stands in the texts exactly so; needed where something was
forgotten, since a term that only the forgotten entry had must not survive.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from functools import cache

from nutsync.core.index import chinese, english, terms
from nutsync.core.recall.fold import fold as recall_fold


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


def compact(text: str) -> str:
    """Return ``text`` folded, with nothing but its letters and digits: ``X-200`` and ``x200`` agree."""
    return "".join(c for c in fold(text) if c.isalnum())


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
        self.whole.add(compact(word))
        steps = _steps() if len(word) <= terms.LONGEST else _signs()
        self.whole.update(compact(step) for step in steps.split(word) if step)
        for part in _parts().findall(word.replace(",", "")):
            if part.isdigit():
                self.numbers.add(plain_number(part))
                continue
            self.parts.add(part)
            self.stems.add(stem(part))
            if part in english.WEEKDAYS:
                self.weekdays.add(english.WEEKDAYS[part])
            if part in english.MONTHS:
                self.months.add(english.MONTHS[part])
                self.numbers.add(str(english.MONTHS[part]))
            if part in english.NUMBERS:
                self.numbers.add(english.NUMBERS[part])
        if word[:1].isdigit():
            self.numbers.add(plain_number(word))
            if word.count("-") == 2:
                self._add_date(None, None, word.split("-")[1])

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
            digits = month if month.isdigit() else numeral(month)
            if digits and digits.isdigit():
                self.months.add(int(digits))

    def _add_day(self, day: str) -> None:
        when = date.fromisoformat(day)
        self.numbers.update((str(when.year), str(when.month), str(when.day)))
        self.weekdays.add(when.isoweekday())
        self.months.add(when.month)
        self.whole.add(compact(day))

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
