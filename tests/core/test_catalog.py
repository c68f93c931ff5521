"""Catalogs: read whatever stands there, written sorted (design §3.3)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nutsync.core.catalog import catalog_difference, catalog_year, parse_catalog, render_catalog, years_of

DATES = st.dates().map(lambda day: day.isoformat())
INDEXES = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=30)


@settings(max_examples=150)
@given(st.dictionaries(DATES, INDEXES, max_size=8))
def test_what_is_written_reads_back_equal(rows: dict[str, str]) -> None:
    again, problems = parse_catalog(render_catalog(rows))
    assert again == {date: index.removesuffix("\r") for date, index in rows.items()}
    assert problems == []


def test_rows_are_sorted_by_date_one_a_line() -> None:
    content = render_catalog([("2026-11-30", "it's 报价"), ("1912-05-06", "蜰虫")])
    assert content == "1912-05-06\t蜰虫\n2026-11-30\tit's 报价\n".encode()


@settings(max_examples=150)
@given(st.binary(max_size=200))
def test_any_bytes_can_be_read(content: bytes) -> None:
    parse_catalog(content)


def test_lines_that_are_no_rows_are_named_and_the_others_count() -> None:
    content = (
        "\ufeff2026-01-01\ta\r\nnonsense\n2026-13-01\tb\n2026-01-01\tagain\n2026-01-02\tb\tc\n\n2026-01-03\td"
    )
    rows, problems = parse_catalog(content.encode())
    assert rows == {"2026-01-01": "a", "2026-01-03": "d"}
    assert [problem.line for problem in problems] == [2, 3, 4, 5]


def test_the_difference_names_missing_stale_and_surplus_days() -> None:
    rows = {"2026-01-01": "a", "2026-01-02": "old", "2026-01-04": "gone"}
    days = {"2026-01-01": "a", "2026-01-02": "new", "2026-01-03": "c"}
    difference = catalog_difference(rows, days)
    assert difference.missing == ("2026-01-03",)
    assert difference.stale == ("2026-01-02",)
    assert difference.surplus == ("2026-01-04",)
    assert difference
    assert not catalog_difference(days, days)


def test_an_index_that_would_break_the_columns_is_not_written() -> None:
    for index in ("a\tb", "a\nb"):
        with pytest.raises(ValueError, match="2026-01-01"):
            render_catalog({"2026-01-01": index})


def test_dates_belong_to_the_catalogs_of_their_years() -> None:
    assert catalog_year("1912-05-06") == "1912"
    assert years_of(["2026-01-01", "1912-05-06", "2026-11-30"]) == ["1912", "2026"]
