"""Each format's dates, times and kinds; each malformation is handled and told with file and line."""

from __future__ import annotations

import json

import pytest

from nutsync.core.sources import Reading, SourceFile, read_sources

TODAY = "2026-11-30"


def read(format: str, *files: tuple[str, str | bytes]) -> Reading:
    made = [SourceFile(name, c.encode() if isinstance(c, str) else c) for name, c in files]
    return read_sources(format, made, 480, TODAY)


def said(reading: Reading) -> list[tuple[str, str]]:
    return [(row.date, row.text) for row in reading.rows]


def codes(reading: Reading) -> list[tuple[str, int, str]]:
    return [(note.file, note.line, note.code) for note in reading.notes]


@pytest.mark.parametrize(
    "name",
    ["2026-01-30.md", "2026_01_30.md", "20260130.md", "2026-01-30-1153.md", "2026_01_30~2.md",
     "x/2026-01-30 Fri.md", "session-2026-01-30-talk.md", "2026/01/30.txt"],
)  # fmt: skip
def test_a_name_or_its_folders_tell_the_date(name: str) -> None:
    assert said(read("markdown", (name, "- a\n"))) == [("2026-01-30", "a")]


def test_frontmatter_and_text_tell_the_date_where_the_name_does_not() -> None:
    assert (
        read("obsidian", ("note.md", "---\ncreated: 2026-01-30T10:00\n---\nx\n")).rows[0].date == "2026-01-30"
    )
    assert read("claude-memory", ("s.md", "# Talk\n\n**Date**: 2026-01-30\n")).rows[0].date == "2026-01-30"


def test_what_nothing_dates_is_todays_and_says_so() -> None:
    reading = read("letta", ("persona.md", "---\ndescription: who\n---\nI help.\n"))
    assert said(reading) == [(TODAY, "description: who\nI help.")]
    assert reading.rows[0].undated
    assert reading.files[0].dated_by == "nothing"
    assert codes(reading) == [("persona.md", 1, "undated")]
    assert codes(read("markdown", ("empty.md", ""))) == [("empty.md", 1, "empty-file")]


def test_a_date_no_calendar_has_is_told_and_loses_no_text() -> None:
    reading = read("logseq", ("2026_02_30.md", "- a\n"))
    assert said(reading) == [(TODAY, "a")]
    assert codes(reading) == [("2026_02_30.md", 1, "no-such-date")]


def test_openclaw_sessions_and_days_of_one_date_are_one_day_in_their_times_order() -> None:
    session = "# Session: 2026-01-30 11:53:01 UTC\n\n- **Source**: chat\n\n## Talk\n\nuser: hello\n"
    reading = read(
        "openclaw", ("2026-01-30-1153.md", session), ("2026-01-30.md", "# 2026-01-30\n\n## 04:57 - Go\n\nx\n")
    )
    first, second, *_ = reading.rows
    assert {row.date for row in reading.rows} == {"2026-01-30"}
    assert first.file == "2026-01-30.md"
    assert first.moment is not None
    assert second.moment is not None
    assert first.moment.at_on("2026-01-30") == "04:57:00.000+08:00"
    assert second.moment.at_on("2026-01-30") == "11:53:01.000+00:00"
    assert {row.kind for row in reading.rows} == {"event"}


def test_open_tasks_are_tasks_and_tags_become_an_attribute() -> None:
    page = "---\ntags:\n  - daily\n  - home\n---\n"
    reading = read("obsidian", ("2026-01-30.md", page + "- [ ] call Ana\n- [x] paid\n- TODO sow\n"))
    assert [row.kind for row in reading.rows] == ["fact", "fact", "task"]
    assert {row.extra["tags"] for row in reading.rows} == {"daily,home"}
    assert read("logseq", ("2026_01_30.md", "- LATER read\n- read\n")).rows[0].kind == "task"


def test_kinds_come_from_types_and_categories() -> None:
    memory = "---\nname: x\ntype: feedback\n---\nno tabs\n"
    assert read("claude-memory", ("x.md", memory)).rows[0].kind == "convention"
    note = "---\ntitle: Coffee\ntype: note\ncreated: 2026-01-30\n---\n- [preference] likes it black #taste\n"
    assert read("basic-memory", ("c.md", note)).rows[0].kind == "fact"
    assert read("basic-memory", ("c.md", "- [preference] likes it black\n")).rows[0].kind == "preference"


def test_jrnl_as_text_json_and_day_one() -> None:
    text = (
        "[2019-10-01 08:00] October.\nNo rain.\n\n[2019-10-02 09:14:00 PM] Late. *\n"
        "2018-05-01 07:30 Old form\n"
    )
    reading = read("jrnl", ("my.journal", text))
    assert said(reading) == [
        ("2019-10-01", "October.\nNo rain."),
        ("2019-10-02", "Late. *"),
        ("2018-05-01", "Old form"),
    ]
    assert reading.rows[1].moment is not None
    assert reading.rows[1].moment.at_on("2019-10-02") == "21:14:00.000+08:00"
    rows = [
        {
            "title": "Went out",
            "body": "far",
            "date": "2019-10-01",
            "time": "08:00",
            "tags": ["@sea"],
            "starred": True,
        }
    ]
    entry = read("jrnl", ("out.json", json.dumps({"tags": {}, "entries": rows}))).rows[0]
    assert (entry.text, entry.extra["tags"], entry.extra["starred"]) == ("Went out\nfar", '["@sea"]', "true")
    plist = (
        '<?xml version="1.0"?><plist version="1.0"><dict>'
        "<key>Creation Date</key><date>2020-09-24T16:14:00Z</date>"
        "<key>Entry Text</key><string>A plain day.</string></dict></plist>"
    )
    assert said(read("jrnl", ("a.doentry", plist))) == [("2020-09-24", "A plain day.")]


def test_an_encrypted_journal_is_named_and_left_out() -> None:
    reading = read("jrnl", ("safe.journal", b"gAAAAAB" + b"x1Y_" * 100))
    assert said(reading) == []
    assert [(note.code, note.skipped) for note in reading.notes] == [("not-text", True)]
    assert "decrypt" in reading.notes[0].message


def test_letta_agent_files_give_their_blocks() -> None:
    agent = {
        "agents": [
            {
                "blocks": [
                    {"label": "human", "value": "Ana, likes tea", "limit": 9},
                    {"label": "x", "value": ""},
                ]
            }
        ]
    }
    assert said(read("letta", ("a.af", json.dumps(agent)))) == [(TODAY, "human\nAna, likes tea")]


BROKEN = [
    (b"- a\n<<<<<<< HEAD\n- b\n=======\n- c\n>>>>>>> 12ab\n", ["a", "b", "c"],
     [(2, "conflict-marker"), (4, "conflict-marker"), (6, "conflict-marker")]),
    (b"- a\x00b\n", ["a␀b"], [(1, "nul")]),
    (b"- a", ["a"], [(1, "no-final-newline")]),
    (b"- a\r\n  b\r\n", ["a\n  b"], [(1, "line-ends")]),
    (b"- a\n\t- b\n", ["a\n\t- b"], [(2, "tabs")]),
    (b"- a\n-\n", ["a"], [(2, "empty-bullet")]),
    (b"- a\n\n```\ncode\n", ["a", "```\ncode\n```"], [(3, "unclosed-fence")]),
    (b"", [], [(1, "empty-file")]),
    (b"\xef\xbb\xbf- a\n", ["a"], [(1, "byte-order-mark")]),
    (b"- caf\xe9\n", ["café"], [(1, "encoding")]),
    ("- 报价定为\n- 周五\n".encode("gb18030"), ["报价定为", "周五"], [(1, "encoding")]),
    ("- a\n".encode("utf-16"), ["a"], [(1, "encoding")]),
    ("- a\u202eb\n".encode(), ["ab"], [(1, "hidden-direction")]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "texts", "expected"), BROKEN, ids=[b[2][0][1] + str(n) for n, b in enumerate(BROKEN)]
)
def test_each_malformation_is_handled_and_told_with_its_line(
    content: bytes, texts: list[str], expected: list[tuple[int, str]]
) -> None:
    reading = read("logseq", ("2026_01_30.md", content))
    assert [row.text for row in reading.rows] == texts
    assert [(note.line, note.code) for note in reading.notes] == expected
    assert all(note.as_json()["severity"] == "notice" for note in reading.notes)
    assert all(str(note.as_json()["message"]).startswith("2026_01_30.md, line ") for note in reading.notes)


def test_a_picture_is_no_text() -> None:
    reading = read("markdown", ("2026-01-30.md", bytes(range(32)) * 40))
    assert said(reading) == []
    assert [note.code for note in reading.notes] == ["not-text"]
