"""A clock for tests: it stands where it is put and ticks one millisecond a reading."""

from __future__ import annotations

from datetime import datetime

from nutsync.core.moment import Moment


class FakeClock:
    """Settable; ``FakeClock("2026-11-30T09:14:02.118+08:00")``."""

    def __init__(self, start: str | Moment = "2026-11-30T09:00:00+08:00") -> None:
        self.moment = Moment(0)
        self.set(start)

    def now(self) -> Moment:
        """Return the moment, then tick one millisecond."""
        now = self.moment
        self.moment = Moment(now.millis + 1, now.offset)
        return now

    def at(self, millis: int) -> Moment:
        """Return another instant, told in the offset the clock stands in."""
        return Moment(millis, self.moment.offset)

    def set(self, start: str | Moment) -> None:
        """Put the clock to an ISO time with an offset, or to a moment."""
        self.moment = start if isinstance(start, Moment) else Moment.of(datetime.fromisoformat(start))

    def advance(self, *, days: int = 0, hours: float = 0, seconds: float = 0) -> None:
        """Move the clock on."""
        more = int((days * 86_400 + hours * 3_600 + seconds) * 1000)
        self.moment = Moment(self.moment.millis + more, self.moment.offset)
