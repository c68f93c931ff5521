"""`grep` rules day files out as reading them here would; what it cannot do is said by None."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nutsync.core.recall.match import Query, Term
from nutsync.store.scan import count_days, days_with, lines_with

needs_grep = pytest.mark.skipif(shutil.which("grep") is None, reason="there is no grep on this machine")


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    for date, text in {
        "2024-02-29": "Billing moves to PostgreSQL",
        "2025-01-01": "報價定為 12,800 元",
        "2025-01-02": "ｘ－２００ is full width",
    }.items():
        put(tmp_path / date[:4] / f"{date}.md", text)
    put(tmp_path / "2025" / "notes.md", "PostgreSQL")
    put(tmp_path / "2025" / "2025-02-30.md", "PostgreSQL")
    put(tmp_path / "2025" / "2024-01-01.md", "PostgreSQL in the wrong year")
    return tmp_path


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def found(archive: Path, term: str) -> list[str]:
    strings = Query.any_of([Term.literal(term)]).fixed_strings()
    assert strings is not None
    days = days_with(str(archive), strings)
    assert days is not None
    assert all(Path(path).is_file() for _, path in days)
    return [date for date, _ in days]


@needs_grep
@pytest.mark.parametrize(
    ("term", "dates"),
    [
        ("postgresql", ["2024-02-29", "2025-01-02"]),
        ("报价", ["2025-01-01"]),
        ("X-200", ["2025-01-02"]),
    ],
)
def test_it_names_the_days_that_may_match(archive: Path, term: str, dates: list[str]) -> None:
    # What is written in full width may be anything to a search for bytes.
    assert found(archive, term) == dates


@needs_grep
def test_a_link_or_a_pipe_is_no_day(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    import os

    outside = tmp_path_factory.mktemp("outside") / "secret.md"
    outside.write_text("PostgreSQL")
    (archive / "2025" / "2025-03-03.md").symlink_to(outside)
    os.mkfifo(archive / "2025" / "2025-03-04.md")
    assert "2025-03-03" not in found(archive, "postgresql")


def test_no_grep_or_a_complaint_is_none(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert days_with(str(tmp_path / "nowhere"), [b"x"]) is None
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert days_with(str(archive), [b"x"]) is None


@needs_grep
def test_rows_are_found_in_the_files_named(tmp_path: Path) -> None:
    put(tmp_path / "a" / "2024.tsv", "2024-01-01\tBilling\n2024-01-02\tnothing\n")
    put(tmp_path / "a" / "2025.tsv", "2025-01-01\tbilling again\n")
    paths = [str(tmp_path / "a" / f"{year}.tsv") for year in (2024, 2025)]
    assert lines_with(paths, [b"billing"]) == [b"2024-01-01\tBilling", b"2025-01-01\tbilling again"]
    assert lines_with(paths, [b"nowhere"]) == []
    assert lines_with([*paths, str(tmp_path / "gone")], [b"billing"]) is None


def test_days_are_counted_from_names(archive: Path) -> None:
    assert count_days(str(archive), "2025-01-01") == 3  # one of them in the wrong year
    assert count_days(str(archive / "nowhere")) == 0


@needs_grep
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(alphabet="aAbKｋKx²½①９，发發髮车車\uf902é\u0301 \n", max_size=12), data=st.data())
def test_no_day_that_matches_is_ruled_out(tmp_path: Path, text: str, data: st.DataObject) -> None:
    from nutsync.core.recall.fold import fold

    folded = fold(text)
    start = data.draw(st.integers(0, max(0, len(folded) - 1)))
    term = folded[start : start + data.draw(st.integers(1, 3))]
    if not term.strip():
        return
    query = Query.any_of([Term.literal(term)])
    strings = query.fixed_strings()
    if strings is None:
        return
    put(tmp_path / "2025" / "2025-01-01.md", text)
    assert query.matches(text)
    days = days_with(str(tmp_path), strings)
    assert days is not None
    assert [date for date, _ in days] == ["2025-01-01"]
