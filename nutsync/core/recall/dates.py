"""Dates that text names, in English, Chinese and Japanese, as the days they mean.

``find(text, today)`` reads relative ones ("yesterday", "上周五", "先月") from ``today``: for an
entry that is its own day. Days are ordinals (``date.toordinal``). A date without a year ("5月4日",
"in May") means the same days of any year.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from nutsync.core.recall import reckon
from nutsync.core.recall.reckon import MONTHS, NAMED_DAYS, NUMBERS, SEASONS, WEEKDAYS, Days


@dataclass(frozen=True, slots=True)
class When:
    """The days from ``first`` to ``last``, both included.

    ``start`` and ``end`` say where the text names them. Without a year they are the latest ones past.
    """

    first: int
    last: int
    start: int = 0
    end: int = 0
    yearless: bool = False

    @property
    def is_day(self) -> bool:
        return self.first == self.last

    def moved_to(self, year: int) -> When:
        """Return these days in another year; of a date that names its year, itself."""
        if not self.yearless:
            return self
        first, last = date.fromordinal(self.first), date.fromordinal(self.last)
        try:
            moved = first.replace(year=year), last.replace(year=year + last.year - first.year)
        except ValueError:
            moved = date(year, 3, 1), date(year, 3, 1)  # 29 February, elsewhere the day after the 28th
        return When(moved[0].toordinal(), moved[1].toordinal())

    def gap(self, day: int) -> int:
        """Return the days from these to ``day``: 0 inside, positive after, negative before."""
        if self.yearless:
            here = date.fromordinal(day).year
            near = (self.moved_to(year) for year in range(max(here - 1, 1), here + 2))
            return min((moved.gap(day) for moved in near), key=abs)
        return day - self.last if day > self.last else min(0, day - self.first)


def find(text: str, today: int) -> list[When]:
    """Return the dates that ``text`` names, seen from ``today``, in the order of the text."""
    if _hint().search(text) is None:
        return []
    found: list[When] = []
    for when in sorted(_all(text, today), key=lambda when: (when.start, -when.end)):
        if not found or when.start >= found[-1].end:
            found.append(when)
    return found


def _all(text: str, today: int) -> Iterator[When]:
    for pattern, read in _rules():
        for match in pattern.finditer(text):
            try:
                first, last = read(match, today)
            except (ValueError, OverflowError):
                continue  # 31 February, year 0: no date of the calendar
            groups = match.groupdict()
            yearless = "month" in groups and not groups.get("year") and not groups.get("yearword")
            yield When(first, last, match.start(), match.end(), yearless)


Rule = tuple[re.Pattern[str], Callable[[re.Match[str], int], Days]]


@lru_cache(maxsize=1)
def _hint() -> re.Pattern[str]:
    """Return a pattern of which every date holds a match; most text has none."""
    names = "|".join((*MONTHS, *SEASONS))
    return re.compile(
        rf"\d|[年月日天周週曜昨]|星期|礼拜|禮拜|day\b|week|month|year|night|\bago\b|morning|evening|afternoon"
        rf"|tomorrow|yesterday|{names}|\b(?:jan|feb|mar|apr|aug|sept?|oct|nov|dec)\b",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _rules() -> tuple[Rule, ...]:
    return (*_absolute_english(), *_relative_english(), *_absolute_han(), *_relative_han())


def _english(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b{pattern}", re.IGNORECASE)


def _absolute_english() -> tuple[Rule, ...]:
    names = [rf"{name[:3]}(?:{name[3:]})?" for name in MONTHS if name != "may"]
    month = rf"(?P<month>may|sept|{'|'.join(names)})\b\.?"
    day = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\b"
    year = r"(?P<year>(?:1\d|20)\d\d)\b"
    # "may" alone is seldom the month: without a day or a year a month needs such a word before it.
    before = r"(?:in|since|by|of|during|until|last|this|early|late|mid)[\s-]+"
    iso = re.compile(r"(?<!\d)(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)")
    return (
        (iso, lambda m, _: reckon.day(int(m["year"]), int(m["month"]), int(m["day"]))),
        (_english(rf"{day}(?:\s+of)?\s+{month}(?:,?\s+{year})?"), _english_date),
        (_english(rf"{month}\s+(?:the\s+)?{day}(?:,?\s+{year})?"), _english_date),
        (_english(rf"{month},?\s+(?:of\s+)?{year}"), _english_date),
        (_english(rf"{before}{month}(?!,?\s+\d)"), _english_date),
        (
            _english(rf"(?:in|since|of|during|until|year|for)\s+{year}"),
            lambda m, _: reckon.year(int(m["year"])),
        ),
        (
            _english(rf"(?P<season>{'|'.join(SEASONS)})(?:\s+of)?\s+{year}"),
            lambda m, _: reckon.season(m["season"].lower(), int(m["year"])),
        ),
    )


def _english_date(match: re.Match[str], today: int) -> Days:
    groups = match.groupdict()
    month = reckon.month_of(match["month"])
    number = int(match["day"]) if groups.get("day") else None
    if not groups.get("year"):
        return reckon.last_past(today, month, number)
    year = int(match["year"])
    return reckon.day(year, month, number) if number else reckon.month(year, month)


def _relative_english() -> tuple[Rule, ...]:
    named = "|".join(sorted(NAMED_DAYS, key=len, reverse=True))
    step = r"(?P<step>last|past|previous|this|next|coming)\s+"
    weekday = rf"(?P<weekday>{'|'.join(WEEKDAYS)})\b"
    unit = rf"(?P<unit>weekend|week|month|year|night|evening|morning|afternoon|{'|'.join(SEASONS)})\b"
    count = rf"(?P<count>\d{{1,3}}|a couple of|couple of|a few|few|several|an?|{'|'.join(NUMBERS[1:])})\s+"

    def on_weekday(match: re.Match[str], today: int) -> Days:
        word = match.groupdict().get("step") or "last"
        return reckon.weekday(today, WEEKDAYS.index(match["weekday"].lower()), reckon.step_of(word))

    def counted(match: re.Match[str], today: int, sign: int) -> Days:
        return reckon.around(today, sign * reckon.number_of(match["count"]), match["unit"].lower())

    def named_day(match: re.Match[str], today: int) -> Days:
        return (today + NAMED_DAYS[match[0].lower()],) * 2

    return (
        (re.compile(rf"(?<![a-z])(?:{named})(?![a-z])", re.IGNORECASE), named_day),
        (_english(step + weekday), on_weekday),
        (_english(rf"on\s+{weekday}"), on_weekday),
        (
            _english(step + unit),
            lambda m, today: reckon.relative_unit(today, reckon.step_of(m["step"]), m["unit"]),
        ),
        (
            _english(rf"{count}(?P<unit>days?|nights?|weeks?|months?|years?)\s+(?:ago|back|earlier)\b"),
            lambda m, today: counted(m, today, -1),
        ),
        (
            _english(rf"in\s+{count}(?P<unit>days?|weeks?|months?|years?)\b"),
            lambda m, today: counted(m, today, 1),
        ),
    )


_HAN_DIGIT = r"[〇零一二三四五六七八九十两兩\d]"
_HAN_YEAR = r"(?P<year>\d{4}|[〇零一二三四五六七八九]{4})\s*年"
_YEAR_WORD = r"(?P<yearword>前年|去年|昨年|今年|明年|来年)"


def _absolute_han() -> tuple[Rule, ...]:
    month = rf"(?<!\d)(?P<month>{_HAN_DIGIT}{{1,3}})\s*月"
    day = rf"\s*(?P<day>{_HAN_DIGIT}{{1,3}})\s*[日号號]"
    return (
        (re.compile(rf"(?:(?:{_HAN_YEAR}|{_YEAR_WORD})\s*的?\s*)?{month}(?:份|の)?{day}"), _han_date),
        (re.compile(rf"(?:{_HAN_YEAR}|{_YEAR_WORD})\s*[的の]?\s*{month}份?"), _han_date),
        # Without a year or a day, a month needs a sign that it is one: 三月 can be a name.
        (re.compile(rf"{month}(?:份|に|の|里|初|底|末|中)"), _han_date),
        (re.compile(_HAN_YEAR), lambda m, _: reckon.year(reckon.number_of(m["year"]))),
    )


def _han_date(match: re.Match[str], today: int) -> Days:
    groups = match.groupdict()
    month = reckon.number_of(match["month"])
    number = reckon.number_of(match["day"]) if groups.get("day") else None
    if groups.get("year"):
        year = reckon.number_of(match["year"])
    elif groups.get("yearword"):
        year = date.fromordinal(today).year + reckon.step_of(match["yearword"][:-1])
    else:
        return reckon.last_past(today, month, number)
    return reckon.day(year, month, number) if number else reckon.month(year, month)


def _relative_han() -> tuple[Rule, ...]:
    step = r"(?P<step>上上|上|这|這|本|下|今|先々|先|来)(?:个|個|一)?"
    week = r"(?:周|週|星期|礼拜|禮拜)"
    counted = rf"(?P<count>{_HAN_DIGIT}{{1,3}})\s*"
    units = r"(?P<unit>天|日|[周週]間?|[个個]?星期|[个個]?(?:礼拜|禮拜)|(?:[个個]|か|ヶ|カ)月|年)"

    def of_week(match: re.Match[str], today: int, *, japanese: bool) -> Days:
        number = reckon.weekday_of(match["weekday"], japanese=japanese)
        return reckon.weekday_of_week(today, number, reckon.step_of(match.groupdict().get("step") or ""))

    return (
        (
            re.compile(rf"{step}{week}(?P<weekday>[一二三四五六日天])(?!曜)"),
            lambda m, today: of_week(m, today, japanese=False),
        ),
        (
            re.compile(rf"{step}週の?(?P<weekday>[月火水木金土日])曜日?"),
            lambda m, today: of_week(m, today, japanese=True),
        ),
        (
            re.compile(rf"{step}(?P<unit>周末|週末|周|週|星期|礼拜|禮拜|月)(?!\d|の?[月火水木金土日]曜)"),
            lambda m, today: reckon.relative_unit(today, reckon.step_of(m["step"]), m["unit"]),
        ),
        (
            re.compile(r"(?P<step>一昨|前|去|昨|今|明|来)年"),
            lambda m, today: reckon.relative_unit(today, reckon.step_of(m["step"]), "年"),
        ),
        (
            re.compile(rf"{counted}{units}(?:以|之)?前"),
            lambda m, today: reckon.around(today, -reckon.number_of(m["count"]), m["unit"]),
        ),
        (
            re.compile(rf"(?<![上下这這本个個]){week}(?P<weekday>[一二三四五六日天])"),
            lambda m, today: of_week(m, today, japanese=False),
        ),
    )
