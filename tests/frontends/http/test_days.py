"""Days, entries, corrections and forgetting over HTTP, and changes on condition."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.support.web import HERE, House, refused, remember


def at_of(entry: dict[str, Any]) -> str:
    """The path of an entry."""
    return f"{HERE}/days/{entry['date']}/{entry['id']}"


def test_days_come_newest_first_a_page_at_a_time(ana: TestClient, house: House) -> None:
    for day in range(5):
        remember(ana, f"note of day {day}")
        house.desk.clock.advance(days=1)
    first = ana.get(f"{HERE}/days", params={"limit": 3}).json()
    assert [day["date"] for day in first["days"]] == ["2026-12-04", "2026-12-03", "2026-12-02"]
    assert first["days"][0]["layers"]["about_me"] == first["days"][0]["entries"] == 1
    second = ana.get(f"{HERE}/days", params={"limit": 3, "cursor": first["next"]}).json()
    assert [day["date"] for day in second["days"]] == ["2026-12-01", "2026-11-30"]
    assert second["next"] is None


def test_a_day_of_nothing_but_prose_is_still_a_day(ana: TestClient, house: House) -> None:
    path = house.desk.path("2026-11-29")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("A quiet Sunday.\n")
    days = ana.get(f"{HERE}/days").json()["days"]
    assert [(day["date"], day["entries"]) for day in days] == [("2026-11-29", 0)]


def test_years_count_what_each_has(ana: TestClient, house: House) -> None:
    remember(ana, "late autumn")
    house.desk.clock.set("2027-02-03T09:00:00+08:00")
    remember(ana, "deep winter")
    assert ana.get(f"{HERE}/years").json() == {"today": "2027-02-03", "years": {"2027": 1, "2026": 1}}
    assert ana.get(f"{HERE}/years/2027").json() == {"year": "2027", "days": {"2027-02-03": 1}}
    assert ana.get(f"{HERE}/years/1999").json()["days"] == {}
    assert refused(ana.get(f"{HERE}/years/99")) == (400, "ErrUsage")


def test_a_file_edited_by_hand_is_counted_anew(ana: TestClient, house: House) -> None:
    entry = remember(ana, "likes tea")
    assert ana.get(f"{HERE}/memory/counts").json()["unknown"] == 0
    path = house.desk.path(entry["date"])
    path.write_text(path.read_text() + "- typed by hand\n")
    assert ana.get(f"{HERE}/memory/counts").json()["unknown"] == 1
    path.unlink()
    assert sum(ana.get(f"{HERE}/memory/counts").json().values()) == 0


def test_a_day_is_shown_with_a_tag_that_tells_whether_it_changed(ana: TestClient) -> None:
    entry = remember(ana, "likes tea")
    path = f"{HERE}/days/{entry['date']}"
    first = ana.get(path)
    assert first.json()["entries"][0]["ref"] == entry["ref"]
    same = ana.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert (same.status_code, same.content) == (304, b"")
    remember(ana, "likes coffee, too")
    changed = ana.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert changed.status_code == 200
    assert changed.headers["etag"] != first.headers["etag"]


def test_an_entry_tells_its_corrections_newest_first(ana: TestClient, house: House) -> None:
    entry = remember(ana, "billing moves to PostgreSQL 16")
    house.desk.clock.advance(days=1)
    first = ana.post(f"{HERE}/correct", json={"ref": entry["ref"], "content": "it is PostgreSQL 17"})
    assert first.status_code == 201
    assert first.json()["layer"] == "about_me"
    assert first.json()["corrects"] == entry["ref"]
    house.desk.clock.advance(days=1)
    ana.post(f"{HERE}/correct", json={"ref": first.json()["ref"], "content": "it is PostgreSQL 18"})
    shown = ana.get(at_of(entry)).json()
    assert [one["text"] for one in shown["corrections"]] == ["it is PostgreSQL 18", "it is PostgreSQL 17"]
    assert shown["frozen"] is True
    assert shown["text"] == "billing moves to PostgreSQL 16"


def test_an_unstamped_block_is_shown_by_its_number(ana: TestClient, house: House) -> None:
    path = house.desk.path("2026-11-29")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("- typed by hand\n")
    assert ana.get(f"{HERE}/days/2026-11-29/~1").json()["text"] == "typed by hand"


@pytest.mark.parametrize(
    ("path", "status", "name"),
    [
        ("days/2026-11-29", 404, "ErrUnknownRef"),
        ("days/2026-11-30/k3f9x2ab", 404, "ErrUnknownRef"),
        ("days/2026-11-30/~9", 404, "ErrUnknownRef"),
        ("days/2026-13-01", 400, "ErrDate"),
        ("days/2026-11-30/nothing", 400, "ErrRef"),
        ("days/2026-11-30?at=:/billing", 404, "ErrUnknownRef"),
        ("days/2026-11-30?at=HEAD", 404, "ErrUnknownRef"),
        ("moods", 404, "ErrUnknownPath"),
    ],
)
def test_what_is_not_there_is_said_by_name(ana: TestClient, path: str, status: int, name: str) -> None:
    remember(ana, "likes tea")
    assert refused(ana.get(f"{HERE}/{path}")) == (status, name)


def test_an_earlier_version_of_a_day_is_shown(ana: TestClient, house: House) -> None:
    first = remember(ana, "likes tea")
    remember(ana, "likes coffee, too")
    then = ana.get(f"{HERE}/days/{first['date']}", params={"at": first["commit"]}).json()
    assert [entry["text"] for entry in then["entries"]] == ["likes tea"]


def test_forgetting_shows_first_and_then_does_the_same(ana: TestClient, house: House) -> None:
    entry = remember(ana, "likes tea")
    remember(ana, "likes coffee, too")
    body = {"refs": [entry["ref"]], "reason": "asked by the client"}
    shown = ana.post(f"{HERE}/forget", json={**body, "dry_run": True}).json()
    assert shown["commit"] is None
    assert ana.get(at_of(entry)).status_code == 200
    done = ana.post(f"{HERE}/forget", json=body).json()
    assert done["commit"]
    assert {**done, "commit": None} == shown
    assert refused(ana.get(at_of(entry))) == (404, "ErrUnknownRef")
    assert house.desk.texts("2026-11-30") == ["likes coffee, too"]


def test_a_replacement_takes_the_place_of_the_entry(ana: TestClient, house: House) -> None:
    entry = remember(ana, "the number is 16")
    body = {"refs": [entry["ref"]], "reason": "wrong", "replace": "the number is 17"}
    done = ana.post(f"{HERE}/forget", json=body).json()
    assert done["replaced"] == [f"{entry['date']}#{done['replaced'][0][-8:]}"]
    assert house.desk.texts("2026-11-30") == ["the number is 17"]
    assert ana.get(at_of(entry)).json()["text"] == "the number is 17"


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({}, "ErrUsage"),
        ({"refs": [], "reason": "wrong"}, "ErrUsage"),
        ({"refs": ["2026-11-30"]}, "ErrUsage"),
        ({"refs": ["2026-11-30"], "reason": " "}, "ErrUsage"),
        ({"refs": ["yesterday"], "reason": "wrong"}, "ErrRef"),
        ({"refs": ["2026-11-30"], "reason": "likes PostgreSQL"}, "ErrReasonTells"),
    ],
)
def test_a_forget_without_refs_or_reason_changes_nothing(
    ana: TestClient, house: House, body: dict[str, Any], name: str
) -> None:
    remember(ana, "likes PostgreSQL")
    assert refused(ana.post(f"{HERE}/forget", json=body)) == (400, name)
    assert house.desk.texts("2026-11-30") == ["likes PostgreSQL"]


def test_a_correction_needs_an_entry_that_is_there(ana: TestClient) -> None:
    entry = remember(ana, "likes tea")

    def correct(**body: Any) -> tuple[int, str]:
        return refused(ana.post(f"{HERE}/correct", json=body))

    assert correct(content="likes coffee") == (400, "ErrRef")
    assert correct(ref=entry["date"], content="likes coffee") == (400, "ErrRef")
    assert correct(ref=entry["ref"]) == (400, "ErrEmptyText")
    assert correct(ref="2026-11-30#k3f9x2ab", content="likes coffee") == (404, "ErrUnknownRef")
    ana.post(f"{HERE}/forget", json={"refs": [entry["ref"]], "reason": "asked"})
    assert correct(ref=entry["ref"], content="likes coffee") == (404, "ErrForgotten")


@pytest.mark.parametrize("change", ["correct", "forget"])
def test_a_change_on_condition_is_refused_when_the_day_changed(
    ana: TestClient, house: House, change: str
) -> None:
    entry = remember(ana, "likes tea")
    tag = ana.get(at_of(entry)).headers["etag"]
    assert tag == ana.get(f"{HERE}/days/{entry['date']}").headers["etag"]
    bodies = {
        "correct": {"ref": entry["ref"], "content": "likes coffee"},
        "forget": {"refs": [entry["ref"]], "reason": "asked"},
    }
    house.desk.append("meanwhile on the command line")
    stale = ana.post(f"{HERE}/{change}", json=bodies[change], headers={"If-Match": tag})
    assert refused(stale) == (409, "ErrChanged")
    assert house.desk.texts("2026-11-30") == ["likes tea", "meanwhile on the command line"]
    fresh = ana.get(at_of(entry)).headers["etag"]
    done = ana.post(f"{HERE}/{change}", json=bodies[change], headers={"If-Match": f'"other", {fresh}'})
    assert done.status_code in (200, 201)


def test_audit_says_who_did_what_and_why(ana: TestClient, house: House) -> None:
    entry = remember(ana, "likes tea")
    ana.post(f"{HERE}/forget", json={"refs": [entry["ref"]], "reason": "asked by the client"})
    records = ana.get(f"{HERE}/audit", params={"entry": entry["ref"]}).json()["records"]
    assert [record["op"] for record in records] == ["forget", "append"]
    assert records[0]["reason"] == "asked by the client"
    assert {record["signature"] for record in records} == {"good"}
    assert len(ana.get(f"{HERE}/audit", params={"limit": 1}).json()["records"]) == 1
    assert refused(ana.get(f"{HERE}/audit", params={"layer": "about_us"})) == (400, "ErrUnknownLayer")
    assert refused(ana.get(f"{HERE}/audit", params={"entry": ""})) == (400, "ErrRef")


def test_a_cell_says_who_is_asking_and_what_its_layers_are_called(ana: TestClient) -> None:
    assert ana.get("/cells").json() == {"cells": ["main"]}
    about = ana.get(HERE).json()
    assert (about["id"], about["today"], about["actor"], about["admin"]) == (
        "main",
        "2026-11-30",
        "ana",
        False,
    )
    assert [layer["layer"] for layer in about["layers"] if layer["writable"]] == [
        "consensus",
        "about_me",
        "agent_memory",
    ]
    assert about["layers"][1]["words"] == {"en": "Team consensus", "zh": "部门共识"}
    assert refused(ana.get("/cells/other")) == (404, "ErrUnknownCell")
