"""Which day a foreign file belongs to: its name says so, its folders, its frontmatter, or nothing does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from nutsync.core.moment import is_date
from nutsync.core.pattern import pattern
from nutsync.core.sources.reading import SourceFile

_NAME = pattern(r"(?<!\d)(\d{4})([-_.]?)(\d{2})\2(\d{2})(?!\d)")
_FOLDERS = pattern(r"(?:^|/)(\d{4})/(\d{2})/(?:\d{4}-\d{2}-)?(\d{2})\.[A-Za-z]+$")
_IN_TEXT = pattern(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_NAMED = pattern(r"^\W*(?:date|created|日期)\W{1,6}(\d{4}-\d{2}-\d{2})", re.IGNORECASE)
_FRONT_KEYS = ("date", "day", "created", "createddate", "created_at", "date-created", "creation-date")
_TIME = pattern(r"(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(AM|PM)?\b", re.IGNORECASE)


class Dated(NamedTuple):
    """A file's date and what told it; ``wrong`` is a date that stood there and that no calendar has."""

    date: str | None
    by: str
    wrong: str = ""


def date_of(file: SourceFile, front: Mapping[str, str], lines: list[tuple[int, str]]) -> Dated:
    """Return the date of ``file``; None where nothing tells it."""
    named = _in_name(file)
    if named.date is not None:
        return named
    for key in _FRONT_KEYS:
        match = _IN_TEXT.search(front.get(key, ""))
        if match and is_date(match[0]):
            return Dated(match[0], "frontmatter", named.wrong)
    for _, text in lines[:20]:
        match = _NAMED.match(text)
        if match is None and text.startswith("# "):
            match = re.search(r"(?<!\d)(\d{4}-\d{2}-\d{2})(?!\d)", text)
        if match and is_date(match[1]):
            return Dated(match[1], "text", named.wrong)
    return Dated(None, "nothing", named.wrong)


def clock_time(text: str) -> str | None:
    """Return the first time of day in ``text`` as HH:MM:SS, or None; with an AM or PM it is understood."""
    match = _TIME.search(text)
    if match is None:
        return None
    hour, minute, second = int(match[1]), int(match[2]), int(match[3] or 0)
    half = (match[4] or "").upper()
    if half and hour <= 12:
        hour = hour % 12 + (12 if half == "PM" else 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    return f"{hour:02}:{minute:02}:{second:02}"


def _in_name(file: SourceFile) -> Dated:
    wrong = ""
    for match in _NAME.finditer(file.stem):
        date = f"{match[1]}-{match[3]}-{match[4]}"
        if is_date(date):
            return Dated(date, "name")
        wrong = wrong or (date if match[2] else "")
    folders = _FOLDERS.search(file.name)
    if folders:
        date = "-".join(folders.groups())
        if is_date(date):
            return Dated(date, "folders")
        wrong = wrong or date
    return Dated(None, "nothing", wrong)
