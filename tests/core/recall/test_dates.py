"""Dates in text, in three languages, seen from a day."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nutsync.core.recall.dates import When, find

WEDNESDAY = date(2023, 5, 10).toordinal()


def days(text: str, today: int = WEDNESDAY) -> list[tuple[str, str]]:
    return [(str(date.fromordinal(w.first)), str(date.fromordinal(w.last))) for w in find(text, today)]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("on 2023-04-03", "2023-04-03", "2023-04-03"),
        ("on 7 May 2023", "2023-05-07", "2023-05-07"),
        ("the 3rd of July, 2021", "2021-07-03", "2021-07-03"),
        ("May 7th, 2023", "2023-05-07", "2023-05-07"),
        ("in May 2023", "2023-05-01", "2023-05-31"),
        ("in Feb 2024", "2024-02-01", "2024-02-29"),
        ("in 2022", "2022-01-01", "2022-12-31"),
        ("Summer 2022", "2022-06-01", "2022-08-31"),
        ("winter of 2022", "2021-12-01", "2022-02-28"),
        ("yesterday", "2023-05-09", "2023-05-09"),
        ("the day before yesterday", "2023-05-08", "2023-05-08"),
        ("last Friday", "2023-05-05", "2023-05-05"),
        ("last Wednesday", "2023-05-03", "2023-05-03"),
        ("on Friday", "2023-05-05", "2023-05-05"),
        ("next Monday", "2023-05-15", "2023-05-15"),
        ("last week", "2023-05-01", "2023-05-07"),
        ("last weekend", "2023-05-06", "2023-05-07"),
        ("last month", "2023-04-01", "2023-04-30"),
        ("last year", "2022-01-01", "2022-12-31"),
        ("last summer", "2022-06-01", "2022-08-31"),
        ("two weeks ago", "2023-04-23", "2023-04-29"),
        ("3 days ago", "2023-05-07", "2023-05-07"),
        ("2023年5月7日", "2023-05-07", "2023-05-07"),
        ("一九一二年五月六日", "1912-05-06", "1912-05-06"),
        ("去年12月25号", "2022-12-25", "2022-12-25"),
        ("2023年4月", "2023-04-01", "2023-04-30"),
        ("前年", "2021-01-01", "2021-12-31"),
        ("昨天", "2023-05-09", "2023-05-09"),
        ("前天", "2023-05-08", "2023-05-08"),
        ("上周五", "2023-05-05", "2023-05-05"),
        ("上個禮拜天", "2023-05-07", "2023-05-07"),
        ("周三", "2023-05-10", "2023-05-10"),
        ("下周一", "2023-05-15", "2023-05-15"),
        ("上个月", "2023-04-01", "2023-04-30"),
        ("三天前", "2023-05-07", "2023-05-07"),
        ("两个星期前", "2023-04-23", "2023-04-29"),
        ("十二天前", "2023-04-28", "2023-04-28"),
        ("一昨日", "2023-05-08", "2023-05-08"),
        ("先週の金曜日", "2023-05-05", "2023-05-05"),
        ("先月", "2023-04-01", "2023-04-30"),
    ],
)
def test_a_date_means_these_days(text: str, first: str, last: str) -> None:
    assert days(f"… {text}, …") == [(first, last)]


@pytest.mark.parametrize("text", ["5月4日", "在5月4号这天", "五月四號", "May 4", "the 4th of May"])
def test_a_date_without_a_year_means_that_day_of_any_year(text: str) -> None:
    [when] = find(text, WEDNESDAY)
    assert str(date.fromordinal(when.first)) == "2023-05-04"
    assert when.gap(date(2019, 5, 4).toordinal()) == 0
    assert when.gap(date(2019, 5, 6).toordinal()) == 2
    assert when.gap(date(2023, 5, 1).toordinal()) == -3


@pytest.mark.parametrize(
    "text", ["May I go?", "30 February", "2023-13-01", "0000-01-01", "一月前的", "it may rain", "no date"]
)
def test_what_is_no_date_gives_no_days(text: str) -> None:
    assert all(first != last for first, last in days(text))


def test_a_month_that_has_not_come_is_last_year_s() -> None:
    assert days("in June") == [("2022-06-01", "2022-06-30")]


def test_29_february_is_looked_for_where_there_is_one() -> None:
    assert days("on 29 February") == [("2020-02-29", "2020-02-29")]
    [when] = find("2月29日", WEDNESDAY)
    assert when.gap(date(2021, 3, 1).toordinal()) == 0


def test_several_dates_come_in_the_order_of_the_text() -> None:
    assert days("between 3 May 2023 and yesterday, not in 2021") == [
        ("2023-05-03", "2023-05-03"),
        ("2023-05-09", "2023-05-09"),
        ("2021-01-01", "2021-12-31"),
    ]


def test_the_gap_counts_from_the_nearer_end() -> None:
    week = When(100, 106)
    assert [week.gap(day) for day in (98, 100, 103, 106, 109)] == [-2, 0, 0, 0, 3]


@given(
    st.text(alphabet="0123456789年月日号周上下前天 /-.abcdefmayjuneonilst一二三十", max_size=30),
    st.integers(1, 3_000_000),
)
def test_no_text_makes_it_fail(text: str, today: int) -> None:
    for when in find(text, today):
        assert when.first <= when.last
        assert 0 <= when.start < when.end <= len(text)
