"""Import loses nothing: every word of every row comes out again, and a second run adds nothing."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from nutsync.core.day import Day
from nutsync.operations.imports import Report, import_rows, read_jsonl
from tests.support.cells import Desk, make_desk
from tests.support.repos import git

CASES = Path(__file__).resolve().parents[2].parent / "shared" / "cases"
TODAY = "2026-11-30"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return make_desk(tmp_path / "memory")


def take_in(desk: Desk, rows: list[dict[str, object]], **more: bool) -> Report:
    report = Report()
    lines = [json.dumps(row).encode() for row in rows]
    return import_rows(desk.cell, read_jsonl(lines, desk.cell, report), report, **more)


def in_order(desk: Desk, date: str) -> list[tuple[str, str]]:
    return [(block.attributes["at"][:12], block.text) for block in desk.day(date).blocks]


@pytest.mark.skipif(not CASES.is_dir(), reason="the folder of cases is not here")
@pytest.mark.parametrize(
    ("name", "days"), [("diary-zh", 2719), ("diary-en", 722), ("history-many-actors", 1223)]
)
def test_every_row_of_the_real_diaries_comes_out_as_it_went_in(desk: Desk, name: str, days: int) -> None:
    lines = (CASES / f"{name}.jsonl").read_bytes().split(b"\n")
    report = Report()
    import_rows(desk.cell, read_jsonl(lines, desk.cell, report), report)
    assert (report.days, report.findings) == (days, [])
    wanted: dict[str, Counter[str]] = defaultdict(Counter)
    for line in filter(None, lines):
        row = json.loads(line)
        wanted[row["date"]]["\n\n".join(filter(None, (row["text"], row.get("body"))))] += 1
    for date, texts in wanted.items():
        assert Counter(desk.texts(date)) == texts, date
        assert {block.attributes["formation"] for block in desk.day(date).blocks} == {"imported"}
    assert git(desk.root, "status", "--porcelain") == ""
    again = Report()
    import_rows(desk.cell, read_jsonl(lines, desk.cell, again), again)
    assert (again.days, again.entries, again.commits, again.findings) == (0, 0, [], [])


def test_rows_without_a_time_keep_their_order_and_rows_with_one_stand_in_its_order(desk: Desk) -> None:
    take_in(
        desk,
        [
            {"date": "1960-02-29", "text": "first"},
            {"date": "1960-02-29", "text": "second"},
            {"date": "1960-02-29", "text": "evening", "time": "21:30+08:00"},
            {"date": "1960-02-29", "text": "morning", "time": "8:05"},
        ],
    )
    assert in_order(desk, "1960-02-29") == [
        ("00:00:00.000", "first"),
        ("00:00:00.001", "second"),
        ("08:05:00.000", "morning"),
        ("21:30:00.000", "evening"),
    ]


def test_every_column_is_kept_as_text_or_as_an_attribute(desk: Desk) -> None:
    row = {
        "date": "1999-05-01",
        "text": "the call",
        "body": "with Ana",
        "remark": "she wants it by the end of the week",
        "Mood!": "fine",
        "count": 3,
        "id": "foreign-7",
        "author": "ben",
        "nothing": None,
    }
    take_in(desk, [row])
    (block,) = desk.day("1999-05-01").blocks
    assert block.text == "the call\n\nwith Ana\n\nremark: she wants it by the end of the week"
    kept = {key: block.attributes[key] for key in ("actor", "mood", "count", "source-id")}
    assert kept == {"actor": "ben", "mood": "fine", "count": "3", "source-id": "foreign-7"}


@pytest.mark.parametrize(
    ("rows", "texts"),
    [
        ([{"query": "hi", "response": "hello there"}], ["query: hi\n\nresponse: hello there"]),
        ([{"query": "Where is it?", "answer": "Here"}], ["query: Where is it?\n\nanswer: Here"]),
        ([{"content": "short"}], ["short"]),
        ([{"title": "Trip", "content": "by train"}], ["by train\n\ntitle: Trip"]),
        ([{"话": "你好，很高兴认识你。", "mood": "fine"}], ["话: 你好，很高兴认识你。"]),
        ([{"a": "hm"}], ["a: hm"]),
        ([{"x": "yes"}, {"x": "only if it is dry by then"}], ["x: yes", "x: only if it is dry by then"]),
        ([{"messages": [{"role": "user", "content": "嗨"}]}],
         ['messages: [{"role": "user", "content": "嗨"}]']),
    ],
)  # fmt: skip
def test_a_column_that_bears_text_in_one_row_bears_it_in_all_and_no_row_with_words_is_empty(
    desk: Desk, rows: list[dict[str, object]], texts: list[str]
) -> None:
    report = take_in(desk, [{"date": "1999-05-01", **row} for row in rows])
    assert report.findings == []
    assert desk.texts("1999-05-01") == texts


@pytest.mark.skipif(not CASES.is_dir(), reason="the folder of cases is not here")
@pytest.mark.parametrize("name", ["questions-zh-memory", "questions-en-memory"])
def test_every_turn_of_the_dialogues_is_kept_as_text(desk: Desk, name: str) -> None:
    lines = (CASES / f"{name}.jsonl").read_bytes().split(b"\n")
    report = Report()
    import_rows(desk.cell, read_jsonl(lines, desk.cell, report), report)
    assert report.findings == []
    said: dict[str, str] = defaultdict(str)
    for date in {json.loads(line)["date"] for line in filter(None, lines)}:
        said[date] = "\n".join(desk.texts(date))
    for line in filter(None, lines):
        row = json.loads(line)
        for name in ("text", "query", "response", "caption"):
            assert (row.get(name) or "").replace("\r\n", "\n") in said[row["date"]], name


def test_repeated_rows_stay_repeated_also_today_and_a_second_run_adds_nothing(desk: Desk) -> None:
    rows: list[dict[str, object]] = [{"date": TODAY, "text": "rain"}, {"date": TODAY, "text": "rain"}]
    assert take_in(desk, rows).entries == 2
    assert take_in(desk, rows).entries == 0
    assert desk.texts(TODAY) == ["rain", "rain"]


def test_a_day_that_exists_is_never_touched_and_what_is_missing_in_it_is_reported(desk: Desk) -> None:
    take_in(desk, [{"date": "1999-05-01", "text": "one"}])
    before = desk.path("1999-05-01").read_bytes()
    report = take_in(desk, [{"date": "1999-05-01", "text": "one"}, {"date": "1999-05-01", "text": "two"}])
    assert [finding["line"] for finding in report.findings] == [2]
    assert desk.path("1999-05-01").read_bytes() == before


def test_a_dry_run_counts_and_writes_nothing(desk: Desk) -> None:
    head = git(desk.root, "rev-parse", "HEAD")
    report = take_in(desk, [{"date": "1999-05-01", "text": "one"}], dry_run=True)
    assert (report.days, report.entries, report.commits) == (1, 1, [])
    assert git(desk.root, "rev-parse", "HEAD") == head
    assert not desk.path("1999-05-01").exists()


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ({"date": "2026-02-30", "text": "x"}, "ErrUsage"),
        ({"text": "x"}, "ErrUsage"),
        ({"date": "1999-05-01", "text": " "}, "ErrEmptyText"),
        ({"date": "1999-05-01", "text": "a\u0000b"}, "ErrForbiddenCharacter"),
        ({"date": "1999-05-01", "text": "x", "time": "25:00"}, "ErrUsage"),
        ({"date": "1999-05-01", "text": "x", "kind": "idea"}, "ErrUnknownKind"),
        ({"date": "1999-05-01", "text": "x", "layer": "consensus"}, "ErrLayerAdminRequired"),
        ({"date": "2026-12-01", "text": "x"}, "ErrDate"),
    ],
)
def test_a_row_that_cannot_be_taken_in_is_a_finding_and_the_rest_goes_in(
    desk: Desk, row: dict[str, object], code: str
) -> None:
    report = take_in(desk, [row, {"date": "1998-01-01", "text": "good"}])
    assert [(finding["line"], finding["code"]) for finding in report.findings] == [(1, code)]
    assert desk.texts("1998-01-01") == ["good"]


def test_what_was_imported_is_indexed_and_canonical(desk: Desk) -> None:
    take_in(desk, [{"date": "1999-05-01", "text": "Acme signs in Rotterdam"}])
    content = desk.path("1999-05-01").read_bytes()
    day = Day.parse(content, "1999-05-01")
    assert day.front.canonical
    assert "Rotterdam" in (day.index or "")
