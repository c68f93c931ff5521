"""Dates that text names, in English, Chinese and Japanese, as the days they mean.

``find(text, day)`` reads relative ones ("yesterday", "上周五", "先月") from ``day``: today for a
question, an entry's own day for an entry. Days are ordinals (``date.toordinal``). A date without
a year ("5月4日", "in May") is kept as such: it means the same days of any year, the one last past
first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date

_MONTHS = "january february march april may june july august september october november december".split()
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_SEASONS = {"winter": 12, "spring": 3, "summer": 6, "autumn": 9, "fall": 9}
_COUNTS = {
    **{word: n for n, word in enumerate("zero one two three four five six seven eight nine ten".split())},
    **{"a": 1, "an": 1, "a couple of": 2, "couple of": 2, "a few": 3, "few": 3, "several": 4},
    **{"eleven": 11, "twelve": 12},
}
_DIGITS = {char: n for n, char in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2}
_HAN_DAYS = {char: n for n, char in enumerate("一二三四五六")} | {"日": 6, "天": 6}
_JA_DAYS = {char: n for n, char in enumerate("月火水木金土日")}


@dataclass(frozen=True, slots=True)
class When:
    """The days from ``first`` to ``last``, both included; ``start`` and ``end`` say where the text says so."""

    first: int
    last: int
    start: int
    end: int
    yearless: bool = False

    def gap(self, day: int) -> int:
        """Return the days from these to ``day``: 0 inside, positive after, negative before."""
        if not self.yearless:
            return day - self.last if day > self.last else min(0, day - self.first)
        return min((self._moved(years).gap(day) for years in self._years(day)), key=abs)

    def _years(self, day: int) -> range:
        apart = (day - self.first) // 365
        return range(apart - 1, apart + 2)

    def _moved(self, years: int) -> When:
        move = round(years * 365.2425)
        return When(self.first + move, self.last + move, self.start, self.end)


def find(text: str, day: int) -> list[When]:
    """Return the dates that ``text`` names, seen from ``day``, in the order of the text."""
    if _HINT.search(text) is None:
        return []
    found: list[When] = []
    taken = 0
    spans = sorted(_all(text, day), key=lambda when: (when.start, -when.end))
    for when in spans:
        if when.start >= taken:
            found.append(when)
            taken = when.end
    return found


def _all(text: str, day: int) -> Iterator[When]:
    for pattern, read in _RULES:
        for match in pattern.finditer(text):
            try:
                days = read(match, day)
            except (ValueError, OverflowError):
                continue  # 31 February, year 0: no date of the calendar
            if days is not None:
                yield When(*days[:2], match.start(), match.end(), *days[2:])


Days = tuple[int, int] | tuple[int, int, bool] | None
Rule = tuple[re.Pattern[str], Callable[[re.Match[str], int], Days]]


def _day(year: int, month: int, day: int) -> Days:
    number = date(year, month, day).toordinal()
    return number, number


def _month(year: int, month: int) -> tuple[int, int]:
    after = date(year + month // 12, month % 12 + 1, 1)
    return date(year, month, 1).toordinal(), after.toordinal() - 1


def _year(year: int) -> tuple[int, int]:
    return date(year, 1, 1).toordinal(), date(year, 12, 31).toordinal()


def _months(year: int, month: int, count: int) -> tuple[int, int]:
    last = month + count - 1
    return _month(year, month)[0], _month(year + (last - 1) // 12, (last - 1) % 12 + 1)[1]


def _last_past(month: int, number: int | None, today: int) -> Days:
    """Return the latest such day or month that had begun by ``today``, as one without a year."""
    year = date.fromordinal(today).year
    for candidate in range(year, year - 5, -1):
        try:
            days = _day(candidate, month, number) if number else _month(candidate, month)
        except ValueError:
            continue  # 29 February
        if days is not None and days[0] <= today:
            return days[0], days[1], True
    return None


def _number(word: str) -> int:
    """Return the number that digits, an English word or Chinese numerals below 100 write."""
    word = word.lower().strip()
    if word.isdecimal():
        return int(word)
    if word in _COUNTS:
        return _COUNTS[word]
    tens, ten, ones = word.rpartition("十")
    if ten:
        return (_DIGITS[tens] if tens else 1) * 10 + (_DIGITS[ones] if ones else 0)
    return int("".join(str(_DIGITS[char]) for char in word))


def _month_number(word: str) -> int:
    return next(n for n, name in enumerate(_MONTHS, 1) if name.startswith(word.lower()[:3]))


def _week(day: int, weeks: int) -> tuple[int, int]:
    monday = day - (day - 1) % 7 + 7 * weeks
    return monday, monday + 6


def _units(day: int, count: int, unit: str) -> Days:
    """Return the days about ``count`` units from ``day``: the coarser the unit, the wider."""
    if unit.startswith(("day", "night", "天", "日")):
        return day + count, day + count
    if unit.startswith(("week", "周", "週", "星期", "礼拜", "禮拜")):
        return day + 7 * count - 3, day + 7 * count + 3
    if unit.startswith(("month", "个月", "個月", "か月", "ヶ月", "ヵ月", "カ月")):
        return day + round(30.44 * count) - 15, day + round(30.44 * count) + 15
    return _year(date.fromordinal(day).year + count)


def _step(word: str) -> int:
    """Return how many units away "last", "this", "next" and their sisters are."""
    word = word.lower()
    if word.startswith(("last", "past", "previous", "上", "先", "去", "昨")):
        return -2 if word in ("上上", "先々") else -1
    if word.startswith(("next", "coming", "下", "来", "來", "明")):
        return 1
    return -2 if word in ("前", "一昨") else 0


def _relative_unit(step: int, unit: str, day: int) -> Days:
    """Return last week, this month, next year …; ``unit`` in any of the languages."""
    unit = unit.lower()
    today = date.fromordinal(day)
    if unit in ("week", "周", "週", "星期", "礼拜", "禮拜"):
        return _week(day, step)
    if unit in ("weekend", "周末", "週末"):
        saturday = _week(day, step)[0] + 5
        return saturday, saturday + 1
    if unit.endswith(("month", "月")):
        index = today.year * 12 + today.month - 1 + step
        return _month(index // 12, index % 12 + 1)
    if unit in ("year", "年"):
        return _year(today.year + step)
    if unit in ("night", "evening", "morning", "afternoon"):
        return day + step, day + step
    if unit in _SEASONS:
        return _season(unit, today.year + (step if step < 0 and today.month > 8 else min(step, 0)))
    return None


def _season(name: str, year: int) -> Days:
    return _months(year - (name == "winter"), _SEASONS[name], 3)


def _weekday(step: int | None, number: int, day: int, *, by_week: bool) -> Days:
    """Return the weekday of last, this or next week; "last Friday" in English is the one last past."""
    if by_week:
        found = _week(day, step or 0)[0] + number
    elif step == 1:
        found = day + (number - (day - 1) - 1) % 7 + 1
    elif step == 0:
        found = _week(day, 0)[0] + number
    else:
        found = day - ((day - 1) - number - 1) % 7 - 1
    return found, found


_EN_MONTH = r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
_EN_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\b"
_EN_YEAR = r"(?P<year>(?:1\d|20)\d\d)\b"
_EN_COUNT = (
    r"(?P<count>\d{1,3}|a couple of|couple of|a few|few|several|an?|" + "|".join(list(_COUNTS)[1:11]) + ")"
)
_HAN = r"[〇零一二三四五六七八九十两兩\d]"
_HAN_YEAR = r"(?P<year>\d{4}|[〇零一二三四五六七八九]{4})\s*年"

_HINT = re.compile(
    r"\d|[年月日天周週曜]|星期|礼拜|禮拜|昨|day\b|week|month|year|night|ago\b|morning|evening|afternoon"
    r"|tomorrow|yesterday|(?:" + "|".join((*_MONTHS, *_SEASONS)) + r")|\b(?:jan|feb|mar|apr|aug|sep|sept|oct|nov|dec)\b",
    re.IGNORECASE,
)


def _en(pattern: str) -> re.Pattern[str]:
    return re.compile(r"\b" + pattern, re.IGNORECASE)


def _iso(match: re.Match[str], _today: int) -> Days:
    return _day(int(match["year"]), int(match["month"]), int(match["day"]))


def _english_date(match: re.Match[str], today: int) -> Days:
    groups = match.groupdict()
    month = _month_number(match["month"])
    number = int(match["day"]) if groups.get("day") else None
    if groups.get("year"):
        year = int(match["year"])
        return _day(year, month, number) if number else _month(year, month)
    return _last_past(month, number, today)


def _han_date(match: re.Match[str], today: int) -> Days:
    groups = match.groupdict()
    month = _number(match["month"])
    number = _number(match["day"]) if groups.get("day") else None
    if groups.get("year"):
        year = _number(match["year"])
    elif groups.get("yearword"):
        year = date.fromordinal(today).year + _step(match["yearword"])
    else:
        return _last_past(month, number, today)
    return _day(year, month, number) if number else _month(year, month)


_NAMED_DAYS = {
    **{"the day before yesterday": -2, "yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1},
    **{"the day after tomorrow": 2, "大前天": -3, "前天": -2, "昨天": -1, "昨日": -1, "昨晚": -1, "昨夜": -1},
    **{"今天": 0, "今日": 0, "今晚": 0, "明天": 1, "明日": 1, "后天": 2, "後天": 2, "一昨日": -2, "明後日": 2},
}


def _named_day(match: re.Match[str], today: int) -> Days:
    day = today + _NAMED_DAYS[match[0].lower()]
    return day, day


_RULES: tuple[Rule, ...] = (
    (re.compile(r"(?<!\d)(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)"), _iso),
    (_en(rf"{_EN_DAY}(?:\s+of)?\s+{_EN_MONTH}(?:,?\s+{_EN_YEAR})?"), _english_date),
    (_en(rf"{_EN_MONTH}\s+(?:the\s+)?{_EN_DAY}(?:,?\s+{_EN_YEAR})?"), _english_date),
    (_en(rf"{_EN_MONTH},?\s+(?:of\s+)?{_EN_YEAR}"), _english_date),
    (_en(rf"(?:in|since|by|of|during|until|last|this|early|late|mid)[\s-]+{_EN_MONTH}(?!,?\s+\d)"), _english_date),
    (_en(rf"(?:in|since|of|during|until|year|for)\s+{_EN_YEAR}"), lambda m, _: _year(int(m["year"]))),
    (
        _en(rf"(?P<season>{'|'.join(_SEASONS)})(?:\s+of)?\s+{_EN_YEAR}"),
        lambda m, _: _season(m["season"].lower(), int(m["year"])),
    ),
    (
        re.compile(rf"(?<!\w)(?:{'|'.join(sorted(_NAMED_DAYS, key=len, reverse=True))})", re.IGNORECASE),
        _named_day,
    ),
    (
        _en(rf"(?P<step>last|past|previous|this|next|coming)\s+(?P<weekday>{'|'.join(_WEEKDAYS)})\b"),
        lambda m, day: _weekday(_step(m["step"]), _WEEKDAYS.index(m["weekday"].lower()), day, by_week=False),
    ),
    (
        _en(rf"on\s+(?P<weekday>{'|'.join(_WEEKDAYS)})\b"),
        lambda m, day: _weekday(-1, _WEEKDAYS.index(m["weekday"].lower()), day, by_week=False),
    ),
    (
        _en(
            r"(?P<step>last|past|previous|this|next|coming)\s+(?P<unit>weekend|week|month|year|night|evening|morning|afternoon|"
            rf"{'|'.join(_SEASONS)})\b"
        ),
        lambda m, day: _relative_unit(_step(m["step"]), m["unit"], day),
    ),
    (
        _en(rf"{_EN_COUNT}\s+(?P<unit>days?|nights?|weeks?|months?|years?)\s+(?:ago|back|earlier)\b"),
        lambda m, day: _units(day, -_number(m["count"]), m["unit"].lower()),
    ),
    (
        _en(rf"in\s+{_EN_COUNT}\s+(?P<unit>days?|weeks?|months?|years?)\b"),
        lambda m, day: _units(day, _number(m["count"]), m["unit"].lower()),
    ),
    (
        re.compile(
            rf"(?:{_HAN_YEAR}|(?P<yearword>前年|去年|昨年|今年|明年|来年)\s*的?)?(?<!\d)(?P<month>{_HAN}{{1,3}})\s*月(?:份|の)?\s*"
            rf"(?P<day>{_HAN}{{1,3}})\s*[日号號]"
        ),
        _han_date,
    ),
    (
        re.compile(rf"{_HAN_YEAR}(?:的|の)?\s*(?P<month>{_HAN}{{1,3}})\s*月"),
        _han_date,
    ),
    (
        re.compile(rf"(?P<yearword>前年|去年|昨年|今年|明年|来年)?的?の?(?P<month>{_HAN}{{1,2}})\s*月(?:份|に|の|里|初|底|末|中)"),
        _han_date,
    ),
    (re.compile(_HAN_YEAR), lambda m, _: _year(_number(m["year"]))),
    (
        re.compile(
            r"(?P<step>上上|上|这|這|本|下|今|先々|先|来)(?:个|個|一)?(?P<unit>周|週|星期|礼拜|禮拜)(?P<of>の)?(?P<weekday>[一二三四五六日天月火水木金土])"
            r"(?P<ja>曜)?"
        ),
        lambda m, day: _weekday(
            _step(m["step"]),
            _JA_DAYS[m["weekday"]] if m["of"] or m["ja"] else _HAN_DAYS[m["weekday"]],
            day,
            by_week=True,
        )
        if m["weekday"] in (_JA_DAYS if m["of"] or m["ja"] else _HAN_DAYS)
        else None,
    ),
    (
        re.compile(r"(?P<step>上上|上|这|這|本|下|今|先々|先|来)(?:个|個|一)?(?P<unit>周末|週末|周|週|星期|礼拜|禮拜|月)(?!\d|曜)"),
        lambda m, day: _relative_unit(_step(m["step"]), m["unit"], day),
    ),
    (
        re.compile(r"(?P<step>前|去|昨|今|明|来|一昨)年"),
        lambda m, day: _relative_unit(_step(m["step"]), "年", day),
    ),
    (
        re.compile(
            rf"(?P<count>{_HAN}{{1,3}})\s*(?P<unit>天|日|周間|週間|周|週|个星期|個星期|星期|个礼拜|礼拜|个月|個月|か月|ヶ月|カ月|年)(?:以|之)?前"
        ),
        lambda m, day: _units(day, -_number(m["count"]), m["unit"].lstrip("个個") if "月" not in m["unit"] else m["unit"]),
    ),
    (
        re.compile(r"(?<![上下这這本个個])(?:周|週|星期|礼拜|禮拜)(?P<weekday>[一二三四五六日天])"),
        lambda m, day: _weekday(0, _HAN_DAYS[m["weekday"]], day, by_week=True),
    ),
)
