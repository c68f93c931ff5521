"""Memory of other tools comes in whole, once, and goes out whole."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from nutsync.core.entry import Ref
from nutsync.operations.exports import ExportRequest, export
from nutsync.operations.import_report import Report
from nutsync.operations.imports import Defaults, import_rows
from nutsync.operations.show import show
from nutsync.operations.sources import read_files, read_jsonl_reading
from nutsync.store.files import day_files
from tests.support.cells import Desk, make_desk
from tests.support.repos import git

CASES = Path(__file__).resolve().parents[2].parent / "shared" / "cases" / "daily-notes"
FORMATS = ("openclaw", "logseq", "obsidian", "jrnl", "claude-memory", "letta")
TODAY = "2026-11-30"
MARKER = re.compile(r"(?:<{7}|>{7}|\|{7}|={7}$)")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return make_desk(tmp_path / "memory")


def take_in(desk: Desk, format: str, path: Path, **more: object) -> Report:
    report = Report()
    reading = read_files(format, path, desk.cell, report)
    return import_rows(desk.cell, reading.rows, report, indexes=reading.indexes, **more)  # type: ignore[arg-type]


def everything_shown(desk: Desk) -> set[str]:
    """Return every line that `show` gives, day by day, without bullet markers."""
    shown: set[str] = set()
    for date, _ in day_files(desk.root / ".agents/nutstore-sync/memory/archive"):
        for entry in show(desk.cell, Ref(date), actor="ana").as_json()["entries"]:  # type: ignore[attr-defined]
            shown.update(words(line) for line in entry["text"].split("\n"))
    return shown


def words(line: str) -> str:
    return re.sub(r"^\s*[-*+]\s+", "", line.replace("\0", "␀")).strip()


@pytest.mark.skipif(not CASES.is_dir(), reason="the folder of cases is not here")
@pytest.mark.parametrize("format", FORMATS)
def test_every_line_of_every_real_file_is_found_again_in_show(desk: Desk, format: str) -> None:
    report = take_in(desk, format, CASES / format)
    shown = everything_shown(desk)
    left_out = {finding["file"] for finding in report.findings if finding["severity"] == "skipped"}
    assert len(left_out) == (3 if format == "jrnl" else 0), "encrypted journals only"
    for path in sorted((CASES / format).iterdir()):
        if path.name in left_out:
            continue
        for line in re.split(r"\r\n|\n", path.read_bytes().decode("utf-8")):
            said = words(re.sub(r"^\[\d{4}-\d\d-\d\d [\d:]+( [AP]M)?\] ", "", line))
            if said and not MARKER.match(line) and said not in ("---", "-", "*"):
                assert said in shown, f"{path.name}: a line of {len(line)} characters"
    assert git(desk.root, "status", "--porcelain") == ""
    assert [file.file for file in report.files] == sorted(
        (file.file for file in report.files), key=lambda name: name.rpartition(".")[0]
    )


@pytest.mark.skipif(not CASES.is_dir(), reason="the folder of cases is not here")
@pytest.mark.parametrize("format", FORMATS)
def test_a_second_run_adds_nothing(desk: Desk, format: str) -> None:
    first = take_in(desk, format, CASES / format)
    assert first.entries > 0
    desk.clock.set("2026-12-03T09:00:00+08:00")
    again = take_in(desk, format, CASES / format)
    assert (again.days, again.entries, again.commits) == (0, 0, [])
    assert again.skipped == first.entries
    assert [f for f in again.findings if f["severity"] == "skipped" and f["code"] != "not-text"] == []


def test_a_dry_run_says_all_and_writes_nothing(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "2026-01-30.md").write_text("- walked\n- read\n")
    (tmp_path / "notes" / "idea.md").write_text("a thought\n")
    head = git(desk.root, "rev-parse", "HEAD")
    report = take_in(desk, "markdown", tmp_path / "notes", dry_run=True)
    assert (report.days, report.entries) == (2, 3)
    assert [file.as_json() for file in report.files] == [
        {"file": "2026-01-30.md", "dated_by": "name", "dates": {"2026-01-30": 2}},
        {"file": "idea.md", "dated_by": "nothing", "dates": {TODAY: 1}},
    ]
    assert git(desk.root, "rev-parse", "HEAD") == head
    assert not desk.path("2026-01-30").exists()


def test_an_import_that_was_stopped_goes_on_where_it_was(desk: Desk, tmp_path: Path) -> None:
    for number in range(1, 4):
        (tmp_path / f"2026-01-0{number}.md").write_text(f"- day {number}\n")
    take_in(desk, "markdown", tmp_path / "2026-01-01.md")
    report = take_in(desk, "markdown", tmp_path)
    assert (report.days, report.entries, report.skipped) == (2, 2, 1)


def test_an_agents_memory_can_be_put_in_its_own_layer(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "persona.md").write_text("I keep answers short.\n")
    take_in(desk, "letta", tmp_path / "persona.md", defaults=Defaults("agent_memory", None, "letta"))
    (entry,) = show(desk.cell, Ref(TODAY), actor="ana").as_json()["entries"]  # type: ignore[misc]
    assert (entry["layer"], entry["namespace"], entry["actor"]) == ("agent_memory", "letta", "ana")


def test_hidden_folders_links_and_pictures_are_passed_over(desk: Desk, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / ".obsidian" / "2026-01-01.md").write_text("- setting\n")
    (vault / "2026-01-02.md").write_text("- note\n")
    (vault / "2026-01-03.png").write_bytes(b"\x89PNG")
    (vault / "2026-01-04.md").symlink_to(vault / "2026-01-02.md")
    assert take_in(desk, "obsidian", vault).entries == 1


def test_our_own_export_comes_back_whole(desk: Desk, tmp_path: Path) -> None:
    first = desk.append(
        "X-200 costs 12,800",
        "second\nwith a line",
        kind="decision",
        about="2026-01-01",
        note="a remark of five words",
    ).placed
    desk.append(
        "prefers tea", kind="preference", session="s1", index="tea for Ana; X-200 costs 12,800; second line"
    )
    path = desk.path(TODAY)
    path.write_bytes(path.read_bytes() + "- by hand 手写\n\nsome prose\n".encode())
    desk.append("last")
    desk.append("not 12,800 but 13,000", kind="correction", corrects=str(first[0].ref))
    content = export(desk.cell, ExportRequest(actor="ana")).content
    other = make_desk(tmp_path / "other", "2026-12-05T09:00:00+08:00", device="laptop")
    report = Report()
    reading = read_jsonl_reading(content.encode().split(b"\n"), other.cell, report)
    import_rows(other.cell, reading.rows, report, indexes=reading.indexes)
    assert report.findings == []
    old, new = desk.day(TODAY), other.day(TODAY)
    assert [block.text for block in new.blocks] == [block.text for block in old.blocks]
    assert new.index == old.index
    for block in old.stamped:
        kept = other.day(TODAY).find(Ref(TODAY, id=block.id))
        assert kept is not None
        told = {
            "kind": "fact",
            "scope": "global",
            "actor": "ana",
            **block.attributes,
            "formation": "imported",
        }
        # Prose without a time stands between entries a millisecond apart: it needs one of its own.
        assert {**kept.attributes, "at": ""} == {**told, "at": ""}
    again = export(other.cell, ExportRequest(actor="ana")).content
    assert again.count("\n") == content.count("\n")
    repeated = Report()
    import_rows(other.cell, reading.rows, repeated)
    assert (repeated.entries, repeated.commits) == (0, [])


def test_what_was_forgotten_here_no_export_brings_back(desk: Desk, tmp_path: Path) -> None:
    from nutsync.operations.forget import ForgetRequest, forget

    ref = desk.append("the secret garden", "stays").placed[0].ref
    rows = export(desk.cell, ExportRequest(actor="ana")).content.encode().split(b"\n")
    forget(desk.cell, ForgetRequest(refs=[ref], reason="asked for", actor="ana"))
    desk.clock.set("2026-12-05T09:00:00+08:00")
    report = Report()
    import_rows(desk.cell, read_jsonl_reading(rows, desk.cell, report).rows, report)
    assert desk.texts(TODAY) == ["stays"]


def test_refs_hold_also_where_an_export_of_today_is_taken_in_today(desk: Desk, tmp_path: Path) -> None:
    old = desk.append("X-200 costs 12,800").placed[0].ref
    new = desk.append("not 12,800 but 13,000", kind="correction", corrects=str(old)).placed[0].ref
    rows = export(desk.cell, ExportRequest(actor="ana")).content.encode().split(b"\n")
    other = make_desk(tmp_path / "other", device="laptop")
    other.append("here already")
    report = Report()
    import_rows(other.cell, read_jsonl_reading(rows, other.cell, report).rows, report)
    assert report.findings == []
    assert show(other.cell, old, actor="ana").as_json()["entries"][0]["corrected_by"] == [str(new)]  # type: ignore[index]
    assert other.texts(TODAY) == ["here already", "X-200 costs 12,800", "not 12,800 but 13,000"]


def test_what_was_forgotten_today_no_export_brings_back_today(desk: Desk) -> None:
    from nutsync.operations.forget import ForgetRequest, forget

    ref = desk.append("the secret garden", "stays").placed[0].ref
    rows = export(desk.cell, ExportRequest(actor="ana")).content.encode().split(b"\n")
    forget(desk.cell, ForgetRequest(refs=[ref], reason="asked for", actor="ana"))
    report = Report()
    import_rows(desk.cell, read_jsonl_reading(rows, desk.cell, report).rows, report)
    assert [finding["code"] for finding in report.findings] == ["ErrForgotten"]
    assert desk.texts(TODAY) == ["stays"]


def test_an_export_holds_only_what_its_actor_sees(desk: Desk) -> None:
    desk.append("Ana's wish")
    desk.append("Ben's wish", actor="ben")
    for form in ("jsonl", "markdown", "html"):
        seen = export(desk.cell, ExportRequest(actor="ben", form=form)).content
        assert "Ben" in seen
        assert "Ana" not in seen
    assert export(desk.cell, ExportRequest(actor="*")).entries == 2


def test_the_html_page_needs_nothing_else_and_shows_text_as_text(desk: Desk) -> None:
    desk.append("<script>alert(1)</script> & more")
    page = export(desk.cell, ExportRequest(actor="ana", form="html")).content
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more" in page
    assert re.findall(r"(?:src|href)=", page) == []
    assert f'<section id="d{TODAY}">' in page


def test_markdown_is_a_page_a_person_reads(desk: Desk) -> None:
    desk.append("one\ntwo")
    page = export(desk.cell, ExportRequest(actor="ana", form="markdown")).content
    assert page.startswith(f"## {TODAY}\n\n> ")
    assert "- one\n  two\n" in page
    assert "<!-- nut" not in page


def test_rows_of_ours_name_every_attribute(desk: Desk) -> None:
    desk.append("one", note="see above")
    rows = [json.loads(line) for line in export(desk.cell, ExportRequest(actor="ana")).content.splitlines()]
    assert rows[0].keys() == {"date", "index"}
    assert rows[1] | {"id": "", "at": ""} == {
        "date": TODAY, "text": "one", "layer": "about_me", "kind": "fact", "actor": "ana", "device": "desk",
        "note": "see above", "id": "", "at": "",
    }  # fmt: skip
