"""Instants with the offset of the place where they were read (design §5).

A moment is milliseconds since 1970-01-01T00:00:00Z plus minutes east of UTC. Days are always
local days; nothing here ever falls back to UTC.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache
from typing import NamedTuple

from nutsync.core.errors import ErrDate
from nutsync.core.pattern import pattern

SKEW_MS = 15 * 60 * 1000
"""How far two honest clocks may disagree (design §5)."""

_DATE = pattern(r"\d{4}-\d{2}-\d{2}")
_AT = pattern(r"(\d{2}):(\d{2}):(\d{2})\.(\d{3})([+-])(\d{2}):(\d{2})")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Moment(NamedTuple):
    """An instant, ordered by time. ``offset`` is minutes east of UTC."""

    millis: int
    offset: int = 0

    @classmethod
    def of(cls, when: datetime) -> Moment:
        """Return the moment of an aware ``datetime``."""
        delta = when.utcoffset()
        if delta is None:
            raise ValueError("a moment needs an offset")
        return cls((when - _EPOCH) // timedelta(milliseconds=1), int(delta.total_seconds() // 60))

    def local(self) -> datetime:
        """Return the aware local ``datetime``."""
        zone = timezone(timedelta(minutes=self.offset))
        return (_EPOCH + timedelta(milliseconds=self.millis)).astimezone(zone)

    def local_date(self) -> str:
        """Return the local date, ``YYYY-MM-DD``."""
        return _date_of_day((self.millis + self.offset * 60_000) // 86_400_000)

    def at_on(self, day: str) -> str:
        """Return the ``at`` attribute of this moment on ``day``.

        The hour may be 24 when the moment lies a little past midnight (design §3.1).
        """
        shifted = self.millis + self.offset * 60_000 - day_number(day) * 86_400_000
        seconds, ms = divmod(shifted, 1000)
        minutes, s = divmod(seconds, 60)
        hours, m = divmod(minutes, 60)
        return f"{hours:02d}:{m:02d}:{s:02d}.{ms:03d}{offset_text(self.offset)}"


def day_number(day: str) -> int:
    """Return the days from 1970-01-01 to ``day``; negative before it."""
    return date.fromisoformat(day).toordinal() - 719_163


@lru_cache(maxsize=1024)
def _date_of_day(number: int) -> str:
    """Undo :func:`day_number`; whoever walks a history asks for the same days again and again."""
    return date.fromordinal(number + 719_163).isoformat()


def is_date(text: str) -> bool:
    """Tell whether ``text`` is a date of the calendar, written ``YYYY-MM-DD``."""
    if not _DATE.fullmatch(text) or not text.isascii():
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def require_date(text: str) -> str:
    """Return ``text`` if it is a date, else raise :class:`ErrDate`."""
    if not is_date(text):
        raise ErrDate(f"{text!r} is not a date.", hint="Dates are written YYYY-MM-DD.")
    return text


def shift_day(day: str, days: int) -> str:
    """Return the date ``days`` after ``day``."""
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def offset_text(minutes: int) -> str:
    """Return ``+08:00`` for 480."""
    sign = "-" if minutes < 0 else "+"
    hours, rest = divmod(abs(minutes), 60)
    return f"{sign}{hours:02d}:{rest:02d}"


def parse_at(day: str, at: str) -> Moment | None:
    """Return the moment that ``day`` and an ``at`` attribute make, or None where ``at`` is none."""
    match = _AT.fullmatch(at)
    if match is None:
        return None
    h, m, s, ms, sign, oh, om = match.groups()
    offset = (int(oh) * 60 + int(om)) * (-1 if sign == "-" else 1)
    local = ((int(h) * 60 + int(m)) * 60 + int(s)) * 1000 + int(ms)
    return Moment(day_number(day) * 86_400_000 + local - offset * 60_000, offset)
