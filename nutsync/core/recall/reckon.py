"""Reckoning for dates in text: from names and counts to days, as ordinals (``date.toordinal``)."""

from __future__ import annotations

from datetime import date

MONTHS = "january february march april may june july august september october november december".split()
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
SEASONS = {"winter": 12, "spring": 3, "summer": 6, "autumn": 9, "fall": 9}
NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
NAMED_DAYS = {
    day: step
    for step, days in {
        -3: "大前天",
        -2: "the day before yesterday|前天|一昨日",
        -1: "yesterday|昨天|昨日|昨晚|昨夜",
        0: "today|tonight|今天|今日|今晚",
        1: "tomorrow|明天|明日",
        2: "the day after tomorrow|后天|後天|明後日",
    }.items()
    for day in days.split("|")
}
"""Days that are named by how far they are from today."""

_COUNTS = {word: n for n, word in enumerate(NUMBERS)} | {
    "a": 1,
    "an": 1,
    "a couple of": 2,
    "couple of": 2,
    "a few": 3,
    "few": 3,
    "several": 4,
}
_DIGITS = {char: n for n, char in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2}
_WEEK = ("week", "周", "週", "星期", "礼拜", "禮拜")
_PARTS_OF_DAY = ("night", "evening", "morning", "afternoon")

Days = tuple[int, int]
"""The first and the last of some days."""


def day(year: int, month: int, number: int) -> Days:
    """Raises ValueError where the calendar has no such day, like all functions here."""
    found = date(year, month, number).toordinal()
    return found, found


def month(year: int, number: int) -> Days:
    after = date(year + number // 12, number % 12 + 1, 1)
    return date(year, number, 1).toordinal(), after.toordinal() - 1


def year(number: int) -> Days:
    return date(number, 1, 1).toordinal(), date(number, 12, 31).toordinal()


def season(name: str, of_year: int) -> Days:
    """Return the three months of a season; a winter belongs to the year it ends in."""
    first = SEASONS[name]
    start = of_year - (name == "winter")
    return month(start, first)[0], month(start + (first + 1) // 12, (first + 1) % 12 + 1)[1]


def last_past(today: int, month_number: int, number: int | None) -> Days:
    """Return the latest such day, or month where ``number`` is None, that had begun by ``today``."""
    this_year = date.fromordinal(today).year
    for candidate in range(this_year, max(this_year - 9, 0), -1):
        try:
            found = day(candidate, month_number, number) if number else month(candidate, month_number)
        except ValueError:
            continue  # 29 February is not in every year
        if found[0] <= today:
            return found
    raise ValueError("no such day")


def week(today: int, weeks: int) -> Days:
    """Return the week, Monday to Sunday, that is ``weeks`` from the present one."""
    monday = today - (today - 1) % 7 + 7 * weeks
    return monday, monday + 6


def weekday(today: int, number: int, step: int) -> Days:
    """Return what English means by last (-1), this (0) or next (1) Monday (``number`` 0) …

    "Last Friday" is the Friday last past, "next Friday" the first to come.
    """
    if step == 0:
        found = week(today, 0)[0] + number
    elif step > 0:
        found = today + (number - (today - 1) - 1) % 7 + 1
    else:
        found = today - ((today - 1) - number - 1) % 7 - 1
    return found, found


def weekday_of_week(today: int, number: int, weeks: int) -> Days:
    """Return what Chinese and Japanese mean by 上周五, 先週の金曜日: a day of a week by the calendar."""
    found = week(today, weeks)[0] + number
    return found, found


def around(today: int, count: int, unit: str) -> Days:
    """Return the days about ``count`` units from today; the coarser the unit, the wider."""
    if unit.startswith(("day", "night", "天", "日")):
        return today + count, today + count
    if unit.startswith(_WEEK) or unit[1:].startswith(_WEEK):
        return today + 7 * count - 3, today + 7 * count + 3
    if unit.startswith("month") or unit.endswith("月"):
        middle = today + round(30.44 * count)
        return middle - 15, middle + 15
    return year(date.fromordinal(today).year + count)


def step_of(word: str) -> int:
    """Return how many units away "last", "this", "next" and their sisters are."""
    word = word.lower()
    if word in ("上上", "先々", "前", "一昨"):
        return -2
    if word.startswith(("last", "past", "previous", "上", "先", "去", "昨")):
        return -1
    return 1 if word.startswith(("next", "coming", "下", "来", "來", "明")) else 0


def relative_unit(today: int, step: int, unit: str) -> Days:
    """Return last week, this month, next year …; ``unit`` in any of the languages."""
    unit = unit.lower()
    here = date.fromordinal(today)
    if unit in _WEEK:
        return week(today, step)
    if unit in ("weekend", "周末", "週末"):
        saturday = week(today, step)[0] + 5
        return saturday, saturday + 1
    if unit in ("month", "月"):
        index = here.year * 12 + here.month - 1 + step
        return month(index // 12, index % 12 + 1)
    if unit in _PARTS_OF_DAY:
        return today + step, today + step
    if unit in SEASONS:
        return _relative_season(today, step, unit)
    return year(here.year + step)


def _relative_season(today: int, step: int, name: str) -> Days:
    """Return the last such season that is over, the next that has not begun, or this year's."""
    this_year = date.fromordinal(today).year
    if step < 0:
        return next(s for s in (season(name, this_year - n) for n in range(3)) if s[1] < today)
    if step > 0:
        return next(s for s in (season(name, this_year + n) for n in range(3)) if s[0] > today)
    return season(name, this_year)


def number_of(word: str) -> int:
    """Return the number that digits, an English word or Chinese numerals below 100 write."""
    word = word.lower().strip()
    if word.isdecimal():
        return int(word)
    if word in _COUNTS:
        return _COUNTS[word]
    try:
        tens, ten, ones = word.rpartition("十")
        if ten:
            return (_DIGITS[tens] if tens else 1) * 10 + (_DIGITS[ones] if ones else 0)
        return int("".join(str(_DIGITS[char]) for char in word))
    except KeyError:
        raise ValueError(f"not a number: {word!r}") from None


def month_of(name: str) -> int:
    return next(n for n, full in enumerate(MONTHS, 1) if full.startswith(name.lower()[:3]))


def weekday_of(char: str, *, japanese: bool) -> int:
    """Return the number of the weekday that one character names: 五 or 金 for a Friday."""
    names = "月火水木金土日" if japanese else "一二三四五六日"
    return names.index("日" if char == "天" else char)
