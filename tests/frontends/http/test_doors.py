"""What a request passes before its path is looked at, and what no answer lacks."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from nutsync.frontends.http_api import routes_memory
from tests.support.web import BASE, HERE, House, make_house, refused, remember

EVIL = "evil.example"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8765",
        "127.0.0.1.evil.example",
        "localhost@evil.example",
        "",
        "a b",
        "x:y",
    ],
)
def test_a_page_that_rebinds_its_own_name_to_this_machine_is_refused(ana: TestClient, host: str) -> None:
    assert refused(ana.get("/cells", headers={"Host": host})) == (403, "ErrHost")


@pytest.mark.parametrize("host", ["localhost:8765", "127.0.0.1", "LOCALHOST", "[::1]:8765"])
def test_this_machines_own_names_are_served(ana: TestClient, host: str) -> None:
    assert ana.get("/cells", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "file://"])
def test_what_another_sites_page_sends_is_refused(ana: TestClient, house: House, origin: str) -> None:
    body = {"layer": "about_me", "kind": "fact", "content": "planted"}
    response = ana.post(f"{HERE}/memory", json=body, headers={"Origin": origin})
    assert refused(response) == (403, "ErrOrigin")
    assert refused(ana.get("/cells", headers={"Origin": origin})) == (403, "ErrOrigin")
    assert not house.desk.path("2026-11-30").exists()


def test_the_servers_own_page_is_let_in(ana: TestClient) -> None:
    own = {"Origin": BASE, "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}
    assert ana.get("/cells", headers=own).status_code == 200


def test_a_picture_on_another_site_cannot_ask(ana: TestClient) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert refused(ana.get(f"{HERE}/recall?term=x", headers=headers)) == (403, "ErrOrigin")


def test_every_answer_carries_the_headers_that_keep_pages_in(ana: TestClient) -> None:
    for path in ("/cells", "/nothing", f"{HERE}/memory?layer=no", "/openapi.json"):
        headers = ana.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "access-control-allow-origin" not in headers


def test_a_body_over_the_limit_is_refused_before_it_is_read(house: House) -> None:
    client = house.limited(body_bytes=2048).client()
    body = {"layer": "about_me", "kind": "fact", "content": "x" * 4096}
    assert refused(client.post(f"{HERE}/memory", json=body)) == (413, "ErrTooLarge")

    def stream() -> Any:
        for _ in range(100):
            yield b"x" * 1024

    headers = {"Content-Type": "application/json"}
    chunked = client.post(f"{HERE}/memory", content=stream(), headers=headers)
    assert refused(chunked) == (413, "ErrTooLarge")


def test_a_query_over_the_limit_is_refused(house: House) -> None:
    client = house.limited(query_bytes=100).client()
    assert refused(client.get(f"{HERE}/recall", params={"term": "x" * 200})) == (413, "ErrTooLarge")


def test_an_answer_that_takes_too_long_is_said_so_and_the_change_completes(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    may_go_on = threading.Event()
    real = routes_memory.remember

    def slow(*args: Any, **more: Any) -> Any:
        may_go_on.wait(10)
        return real(*args, **more)

    monkeypatch.setattr(routes_memory, "remember", slow)
    with house.limited(answer_seconds=0.05).client() as client:
        body = {"layer": "about_me", "kind": "fact", "content": "slowly but surely"}
        assert refused(client.post(f"{HERE}/memory", json=body)) == (503, "ErrBusy")
        may_go_on.set()
        for _ in range(1000):
            if house.desk.path("2026-11-30").exists():
                break
            threading.Event().wait(0.01)
    assert house.desk.texts("2026-11-30") == ["slowly but surely"]


def test_a_bug_is_answered_without_what_it_held(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_args: Any, **_more: Any) -> Any:
        raise RuntimeError("the secret word is xyzzy")

    monkeypatch.setattr(routes_memory, "remember", broken)
    with caplog.at_level(logging.DEBUG):
        body = {"layer": "about_me", "kind": "fact", "content": "xyzzy"}
        response = house.client().post(f"{HERE}/memory", json=body)
    assert refused(response) == (500, "ErrBug")
    assert "xyzzy" not in response.text + caplog.text


def test_the_log_says_which_path_and_never_what(house: House, caplog: pytest.LogCaptureFixture) -> None:
    ben = house.client("ben")
    with caplog.at_level(logging.DEBUG, logger="nutsync"):
        remember(ben, "the secret word is xyzzy")
        ben.get(f"{HERE}/recall", params={"term": "xyzzy"})
        ben.get("/xyzzy")
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("nutsync")]
    assert [line.rsplit(" ", 2)[0] for line in ours] == [
        "POST /cells/{id}/memory 201",
        "GET /cells/{id}/recall 200",
        "GET (no path) 404",
    ]
    everything = "\n".join(ours)
    for told in ("xyzzy", house.secret("ben"), str(house.desk.root), "ben"):
        assert told not in everything


def test_trouble_with_the_repository_is_said_without_its_path(ana: TestClient, house: House) -> None:
    (house.desk.root / ".git" / "HEAD").write_text("ref: refs/heads/other\n")
    response = ana.post(f"{HERE}/memory", json={"layer": "about_me", "kind": "fact", "content": "x"})
    assert response.status_code == 503
    assert str(house.desk.root) not in response.text


def test_several_cells_are_served_side_by_side(tmp_path: Path) -> None:
    one, two = make_house(tmp_path / "one"), make_house(tmp_path / "two")
    one.setup.cells["other"] = two.setup.cells["main"]  # type: ignore[index]
    client = one.client()
    assert client.get("/cells").json() == {"cells": ["main", "other"]}
    remember(client, "in the first")
    assert client.get("/cells/other/memory/counts").json()["about_me"] == 0
    assert client.get("/cells/main/memory/counts").json()["about_me"] == 1


def test_a_cell_that_went_away_is_not_sought_elsewhere(ana: TestClient, house: House) -> None:
    house.desk.root.rename(house.desk.root.with_name("moved"))
    assert refused(ana.get(f"{HERE}/memory/counts")) == (503, "ErrNoCell")


def test_a_method_that_a_path_does_not_take_is_said_by_name(ana: TestClient) -> None:
    response = ana.put(f"{HERE}/memory", json={})
    assert refused(response) == (405, "ErrMethod")
    assert "allow" in response.headers


def test_every_path_of_the_description_refuses_by_name_and_never_with_422(ana: TestClient) -> None:
    description = ana.get("/openapi.json").json()
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            assert "422" not in operation["responses"], (method, path)
            assert "400" in operation["responses"], (method, path)
    assert "HTTPValidationError" not in description["components"]["schemas"]


def test_every_path_is_described_to_people_without_a_script(ana: TestClient) -> None:
    page = ana.get("/docs")
    assert page.status_code == 200
    for path in ana.get("/openapi.json").json()["paths"]:
        assert path in page.text
    assert "<script" not in page.text
