"""Sync over HTTP: its state, its answer, and how far it is as server-sent events."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nutsync.core.errors import ErrIncoming
from nutsync.frontends.http_api import routes_cell
from nutsync.frontends.http_api.setup import Served, Setup
from tests.support.fleet import Fleet
from tests.support.web import HERE, House, refused, remember


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    return Fleet(tmp_path)


@pytest.fixture
def house(fleet: Fleet) -> House:
    fleet.sync_all()
    desk = fleet["desk"]
    return House(desk, Setup({"main": Served.at(desk.root)}, clock=desk.clock))


def events(text: str) -> list[tuple[str, Any]]:
    found = []
    for block in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found


def test_sync_sends_what_waits_here(house: House, fleet: Fleet) -> None:
    client = house.client()
    remember(client, "likes tea")
    assert client.get(f"{HERE}/sync").json()["waiting"] == 1
    done = client.post(f"{HERE}/sync").json()
    assert (done["result"], done["sent"]) == ("pushed", 1)
    fleet.sync("lap")
    assert fleet["lap"].texts("2026-11-30") == ["likes tea"]
    assert client.get(f"{HERE}/sync").json()["waiting"] == 0


def test_what_came_by_sync_is_counted_at_once(house: House, fleet: Fleet) -> None:
    client = house.client()
    assert client.get(f"{HERE}/memory/counts").json()["about_me"] == 0
    fleet["lap"].append("from the other device")
    fleet.sync("lap")
    client.post(f"{HERE}/sync")
    assert client.get(f"{HERE}/memory/counts").json()["about_me"] == 1


def test_the_stream_ends_with_what_was_done(house: House) -> None:
    client = house.client()
    remember(client, "likes tea")
    response = client.post(f"{HERE}/sync", headers={"Accept": "text/event-stream"})
    assert response.headers["content-type"].startswith("text/event-stream")
    told = events(response.text)
    assert told[-1][0] == "done"
    assert told[-1][1]["result"] == "pushed"
    assert all(name == "progress" for name, _ in told[:-1])


def test_progress_and_failure_are_told_in_the_stream(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(_cell: Any, *, progress: Any) -> Any:
        if progress is not None:
            progress("Receiving objects: 50% (1/2)")
        raise ErrIncoming("What came breaks the law.")

    monkeypatch.setattr(routes_cell, "sync", failing)
    response = house.client().post(f"{HERE}/sync", headers={"Accept": "text/event-stream"})
    told = events(response.text)
    assert told[0] == ("progress", {"line": "Receiving objects: 50% (1/2)"})
    assert (told[1][0], told[1][1]["error"]["code"]) == ("error", "ErrIncoming")
    assert refused(house.client().post(f"{HERE}/sync")) == (503, "ErrIncoming")


def test_offline_is_an_answer_and_no_failure(house: House, fleet: Fleet) -> None:
    fleet.unplug("desk")
    done = house.client().post(f"{HERE}/sync")
    assert (done.status_code, done.json()["result"]) == (200, "offline")


def test_held_edits_are_named_with_the_command_that_takes_them_over(house: House) -> None:
    client = house.client()
    remember(client, "likes tea")
    house.desk.clock.advance(days=1)
    path = house.desk.path("2026-11-30")
    path.write_text(path.read_text().replace("tea", "rum"))
    held = client.get(f"{HERE}/sync").json()["held"]
    assert [one["date"] for one in held] == ["2026-11-30"]
    assert held[0]["command"].startswith("nutsync ")


def test_without_a_remote_sync_is_refused_by_name(house: House) -> None:
    from tests.support.repos import git

    git(house.desk.root, "remote", "remove", "origin")
    assert refused(house.client().post(f"{HERE}/sync"))[1] == "ErrNoRemote"


def test_who_comes_in_by_a_token_is_told_no_numbers_of_everybody(house: House) -> None:
    remember(house.client(), "likes tea")
    state = house.client("ben").get(f"{HERE}/sync").json()
    assert "waiting" not in state and "devices" not in state
    done = house.client("ben").post(f"{HERE}/sync").json()
    assert done == {"result": "pushed"}
