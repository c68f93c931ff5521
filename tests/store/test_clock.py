"""The clock tells the instant and the place; the day is never taken from UTC by accident."""

from __future__ import annotations

import os
import time

import pytest

from nutsync.core.errors import ErrZone
from nutsync.core.moment import Moment
from nutsync.store.clock import Clock, SystemClock, ZoneClock
from tests.support.clock import FakeClock

HALF_PAST_MIDNIGHT = "2026-12-01T00:30:00+08:00"

needs_zones = pytest.mark.skipif(not hasattr(time, "tzset"), reason="this system cannot change its zone")


@needs_zones
@pytest.mark.parametrize(
    ("zone", "offset"), [("Asia/Shanghai", 480), ("Asia/Kathmandu", 345), ("UTC", 0), ("Etc/GMT+12", -720)]
)
def test_the_device_s_zone_gives_the_offset(monkeypatch: pytest.MonkeyPatch, zone: str, offset: int) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        before = time.time_ns() // 1_000_000
        now = SystemClock().now()
        after = time.time_ns() // 1_000_000
    finally:
        monkeypatch.undo()
        time.tzset()
    assert before <= now.millis <= after
    assert now.offset == offset


@needs_zones
@pytest.mark.parametrize(("when", "offset"), [(1_782_864_000, 120), (1_798_761_600, 60)])
def test_the_offset_is_that_of_the_season(monkeypatch: pytest.MonkeyPatch, when: int, offset: int) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        monkeypatch.setattr(time, "time_ns", lambda: when * 1_000_000_000)
        now = SystemClock().now()
    finally:
        monkeypatch.undo()
        time.tzset()
    assert now == Moment(when * 1000, offset)


def test_half_past_midnight_in_shanghai_is_today_there() -> None:
    utc = FakeClock(Moment(FakeClock(HALF_PAST_MIDNIGHT).moment.millis, 0))
    clock: Clock = ZoneClock(utc, "Asia/Shanghai")
    assert clock.now().local_date() == "2026-12-01"
    assert utc.now().local_date() == "2026-11-30"


@pytest.mark.parametrize(
    ("instant", "offset"),
    [
        ("2026-03-29T00:59:59.999+00:00", 60),
        ("2026-03-29T01:00:00+00:00", 120),
        ("2026-10-25T01:00:00+00:00", 60),
    ],
)
def test_a_cell_s_zone_follows_its_seasons_to_the_millisecond(instant: str, offset: int) -> None:
    source = FakeClock(instant)
    now = ZoneClock(FakeClock(instant), "Europe/Berlin").now()
    assert (now.millis, now.offset) == (source.moment.millis, offset)


@pytest.mark.parametrize("name", ["Mars/Olympus", "", "../etc/passwd", "/etc/localtime", "a\0b", "Asia"])
def test_what_is_no_zone_is_refused_by_name(name: str) -> None:
    with pytest.raises(ErrZone):
        ZoneClock(FakeClock(), name)


def test_a_fake_clock_ticks_and_obeys() -> None:
    clock = FakeClock()
    first, second = clock.now(), clock.now()
    assert second.millis - first.millis == 1
    clock.advance(days=1, hours=2, seconds=3)
    assert clock.now().local_date() == "2026-12-01"
    assert os.environ.get("TZ") is None or clock.moment.offset == 480
