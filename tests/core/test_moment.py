"""Moments: instants that know the offset of the place where they were read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nutsync.core.errors import ErrDate
from nutsync.core.moment import (
    Moment,
    day_number,
    is_date,
    offset_text,
    parse_at,
    require_date,
    shift_day,
)

SHANGHAI = 8 * 60
MOMENTS = st.builds(
    Moment,
    st.integers(-9_000_000_000_000, 9_000_000_000_000),
    st.integers(-14 * 60, 14 * 60),
)


def test_half_past_midnight_in_shanghai_is_today_there() -> None:
    assert Moment.of(datetime(2026, 11, 29, 16, 30, tzinfo=UTC)).local_date() == "2026-11-29"
    assert Moment(Moment.of(datetime(2026, 11, 29, 16, 30, tzinfo=UTC)).millis, SHANGHAI).local_date() == (
        "2026-11-30"
    )


def test_a_time_without_an_offset_is_no_moment() -> None:
    with pytest.raises(ValueError, match="offset"):
        Moment.of(datetime(2026, 11, 30))


@given(MOMENTS)
def test_the_day_and_its_at_give_the_moment_back(moment: Moment) -> None:
    day = moment.local_date()
    assert parse_at(day, moment.at_on(day)) == moment


def test_an_entry_a_little_past_midnight_still_belongs_to_the_day_it_was_written_on() -> None:
    late = Moment.of(datetime(2026, 12, 1, 0, 0, 0, 100_000, tzinfo=timezone(timedelta(hours=8))))
    assert late.at_on("2026-11-30") == "24:00:00.100+08:00"
    assert parse_at("2026-11-30", "24:00:00.100+08:00") == late


def test_days_before_1970_are_days_like_others() -> None:
    assert day_number("1970-01-01") == 0
    assert day_number("1969-12-31") == -1
    old = Moment.of(datetime(1660, 1, 1, 12, tzinfo=UTC))
    assert old.local_date() == "1660-01-01"
    assert parse_at("1660-01-01", old.at_on("1660-01-01")) == old


@pytest.mark.parametrize(
    "at", ["", "9:14", "09:14:02.118", "09:14:02.118Z", "09:14:02+08:00", "x09:14:02.118+08:00"]
)
def test_what_is_no_at_is_none(at: str) -> None:
    assert parse_at("2026-11-30", at) is None


@pytest.mark.parametrize("text", ["2026-11-30", "2024-02-29", "0001-01-01", "9999-12-31"])
def test_dates_of_the_calendar_are_dates(text: str) -> None:
    assert is_date(text)
    assert require_date(text) == text


@pytest.mark.parametrize(
    "text",
    ["", "2026-02-30", "2023-02-29", "2026-13-01", "20261130", "2026-1-3", "٢٠٢٦-11-30", "2026-11-30\n"],
)
def test_anything_else_is_refused_by_name(text: str) -> None:
    assert not is_date(text)
    with pytest.raises(ErrDate):
        require_date(text)


def test_shifting_a_day_crosses_months_and_leap_days() -> None:
    assert shift_day("2024-02-28", 1) == "2024-02-29"
    assert shift_day("2026-01-01", -1) == "2025-12-31"


@pytest.mark.parametrize(
    ("minutes", "text"), [(480, "+08:00"), (0, "+00:00"), (-210, "-03:30"), (345, "+05:45"), (-30, "-00:30")]
)
def test_offsets_are_written_as_people_read_them(minutes: int, text: str) -> None:
    assert offset_text(minutes) == text
    assert parse_at("2026-11-30", f"12:00:00.000{text}") == Moment(
        day_number("2026-11-30") * 86_400_000 + 12 * 3_600_000 - minutes * 60_000, minutes
    )
