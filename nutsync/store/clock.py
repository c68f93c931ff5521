"""The one clock (design §5). Everything else is given a moment or a :class:`Clock`."""

from __future__ import annotations

import time
from typing import Protocol

from nutsync.core.errors import ErrZone
from nutsync.core.moment import Moment


class Clock(Protocol):
    """Something that can be asked what time it is."""

    def now(self) -> Moment:
        """Return the present instant with the offset of the place."""
        ...

    def at(self, millis: int) -> Moment:
        """Return another instant, such as a file's time, with the offset of the place at that instant."""
        ...


class SystemClock:
    """The device's own clock and zone."""

    def now(self) -> Moment:
        """Return the present instant with the device's offset."""
        return self.at(time.time_ns() // 1_000_000)

    def at(self, millis: int) -> Moment:
        """Return an instant with the offset that the device's zone has or had then."""
        east = time.localtime(millis // 1000).tm_gmtoff
        return Moment(millis, east // 60)


def zone_offset(zone: str, millis: int) -> int | None:
    """Return a zone's minutes east of UTC at an instant (milliseconds); None where there is no such zone."""
    from datetime import UTC, datetime, timedelta
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        instant = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=millis)
        return Moment.of(instant.astimezone(ZoneInfo(zone))).offset
    except (ZoneInfoNotFoundError, ValueError, OSError, OverflowError):
        return None


class ZoneClock:
    """Another clock's instants, told in a zone that the cell names.

    Raises :class:`ErrZone` where the name is no zone of the tz database.
    """

    def __init__(self, clock: Clock, zone: str) -> None:
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

        self._clock = clock
        try:
            self._zone = ZoneInfo(zone)
        except (ZoneInfoNotFoundError, ValueError, OSError) as problem:
            raise ErrZone(f"{zone!r} is not a time zone.") from problem

    def now(self) -> Moment:
        """Return the present instant with the zone's offset."""
        return self.at(self._clock.now().millis)

    def at(self, millis: int) -> Moment:
        """Return an instant with the offset that the zone has or had then."""
        from datetime import UTC, datetime, timedelta

        instant = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=millis)
        return Moment(millis, Moment.of(instant.astimezone(self._zone)).offset)
