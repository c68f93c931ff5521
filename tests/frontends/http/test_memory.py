"""Remember, list, count, recall, context over HTTP: the same operations, the same names of errors."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from nutsync.core.layer import LAYERS
from tests.support.web import HERE, House, refused, remember


def post(client: TestClient, **body: Any) -> Any:
    return client.post(f"{HERE}/memory", json=body)


def test_what_is_remembered_comes_back_as_show_gives_it(ana: TestClient, house: House) -> None:
    response = post(ana, layer="about_me", kind="decision", content="billing moves to PostgreSQL 16")
    entry = response.json()
    assert response.status_code == 201
    assert entry["layer"] == "about_me"
    assert entry["text"] == "billing moves to PostgreSQL 16"
    assert (entry["actor"], entry["kind"], entry["device"]) == ("ana", "decision", "desk")
    assert entry["ref"] == f"2026-11-30#{entry['id']}"
    assert entry["path"] == ".agents/nutstore-sync/memory/archive/2026/2026-11-30.md"
    assert entry["commit"]
    assert house.desk.texts("2026-11-30") == ["billing moves to PostgreSQL 16"]


def test_a_retry_finds_the_same_entry_and_writes_nothing(ana: TestClient, house: House) -> None:
    first = remember(ana, "likes tea")
    again = post(ana, layer="about_me", kind="fact", content="likes tea")
    assert again.status_code == 200
    assert again.json()["duplicate"] is True
    assert again.json()["ref"] == first["ref"]
    assert house.desk.texts("2026-11-30") == ["likes tea"]


@pytest.mark.parametrize(
    ("body", "status", "name"),
    [
        ({"layer": "about_me", "content": "x"}, 400, "ErrKindRequired"),
        ({"layer": "about_me", "content": "x", "kind": ""}, 400, "ErrKindRequired"),
        ({"layer": "about_me", "content": "x", "kind": None}, 400, "ErrKindRequired"),
        ({"layer": "about_me", "content": "x", "kind": "mood"}, 400, "ErrUnknownKind"),
        ({"layer": "about_me", "kind": "fact"}, 400, "ErrEmptyText"),
        ({"layer": "about_me", "kind": "fact", "content": ""}, 400, "ErrEmptyText"),
        ({"kind": "fact", "content": "x"}, 400, "ErrUnknownLayer"),
        ({"layer": "about_us", "kind": "fact", "content": "x"}, 400, "ErrUnknownLayer"),
        ({"layer": "environment", "kind": "fact", "content": "x"}, 400, "ErrLayerNotWritable"),
        ({"layer": "session", "kind": "fact", "content": "x", "session": "s"}, 400, "ErrLayerNotWritable"),
        ({"layer": "working", "kind": "fact", "content": "x"}, 400, "ErrLayerNotWritable"),
        ({"layer": "unknown", "kind": "fact", "content": "x"}, 400, "ErrLayerNotWritable"),
        ({"layer": "consensus", "kind": "fact", "content": "x", "actor": "ana"}, 400, "ErrLayerShared"),
        ({"layer": "consensus", "kind": "fact", "content": "x"}, 403, "ErrLayerAdminRequired"),
        ({"layer": "agent_memory", "kind": "fact", "content": "x"}, 400, "ErrLayerNamespaceRequired"),
        (
            {"layer": "about_me", "kind": "fact", "content": "x", "namespace": "coder"},
            400,
            "ErrLayerNamespaceForbidden",
        ),
        ({"layer": "about_me", "kind": "plan", "content": "x"}, 400, "ErrSessionRequired"),
        ({"layer": "about_me", "kind": "fact", "content": "x", "actor": ""}, 400, "ErrLayerActorRequired"),
        ({"layer": "about_me", "kind": "fact", "content": "x", "actor": "ben"}, 403, "ErrForbidden"),
        (
            {"layer": "about_me", "scope": "global", "kind": "fact", "content": "x"},
            400,
            "ErrMemoryLayerScopeConflict",
        ),
        ({"layer": "about_me", "kind": "fact", "content": "x" * 65_537}, 413, "ErrTooLarge"),
        ({"layer": "about_me", "kind": "fact", "content": "a\x00b"}, 400, "ErrForbiddenCharacter"),
        ({"layer": "about_me", "kind": "fact", "content": "x", "mood": "good"}, 400, "ErrUsage"),
        ({"layer": "about_me", "kind": "fact", "content": 7}, 400, "ErrUsage"),
        ({"layer": "about_me", "kind": "fact", "content": "x", "session": "a\nb"}, 400, "ErrName"),
    ],
)
def test_what_is_at_odds_with_the_model_is_refused_by_name(
    ana: TestClient, house: House, body: dict[str, Any], status: int, name: str
) -> None:
    assert refused(post(ana, **body)) == (status, name)
    assert not house.desk.path("2026-11-30").exists()


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"text"', b'{"layer": "about_me"', b"\xff\xfe"])
def test_a_body_that_is_no_document_is_wrong_usage(ana: TestClient, body: bytes) -> None:
    response = ana.post(f"{HERE}/memory", content=body, headers={"Content-Type": "application/json"})
    assert refused(response) == (400, "ErrUsage")


def test_a_body_that_is_not_said_to_be_json_is_refused(ana: TestClient) -> None:
    body = b'{"layer": "about_me", "kind": "fact", "content": "sent by a form"}'
    assert refused(ana.post(f"{HERE}/memory", content=body, headers={"Content-Type": "text/plain"}))[0] == 400


def test_counts_have_all_seven_keys_in_their_order(ana: TestClient) -> None:
    remember(ana, "likes tea")
    remember(ana, "runs the linter first", layer="agent_memory", namespace="coder")
    document = ana.get(f"{HERE}/memory/counts", params={"actor": "ana"}).json()
    assert list(document) == list(LAYERS)
    assert document == {**dict.fromkeys(LAYERS, 0), "about_me": 1, "agent_memory": 1}


def test_session_bound_entries_are_seen_in_their_session_alone(ana: TestClient) -> None:
    entry = remember(ana, "first the parser", kind="plan", session="4f1c")
    assert entry["session"] == "4f1c"
    assert entry["path"].endswith("/session/4f1c.md")
    assert ana.get(f"{HERE}/memory/counts").json()["about_me"] == 0
    assert ana.get(f"{HERE}/memory/counts", params={"session": "4f1c"}).json()["about_me"] == 1
    listed = ana.get(f"{HERE}/memory", params={"session": "4f1c"}).json()["entries"]
    assert [one["ref"] for one in listed] == [entry["ref"]]


def test_lists_are_paged_newest_first_and_lose_nothing(ana: TestClient, house: House) -> None:
    texts = []
    for day in range(3):
        for number in range(5):
            texts.append(f"note {day} {number}")
            remember(ana, texts[-1])
        house.desk.clock.advance(days=1)
    seen: list[str] = []
    cursor = None
    while True:
        params = {"limit": 4, **({"cursor": cursor} if cursor else {})}
        page = ana.get(f"{HERE}/memory", params=params).json()
        seen += [one["text"] for one in page["entries"]]
        cursor = page["next"]
        if cursor is None:
            break
        assert len(page["entries"]) == 4
    assert seen == texts[::-1]


def test_a_page_stays_where_it_was_when_more_is_remembered(ana: TestClient) -> None:
    for number in range(6):
        remember(ana, f"note {number}")
    first = ana.get(f"{HERE}/memory", params={"limit": 3}).json()
    remember(ana, "note 6")
    second = ana.get(f"{HERE}/memory", params={"limit": 3, "cursor": first["next"]}).json()
    assert [one["text"] for one in second["entries"]] == ["note 2", "note 1", "note 0"]


def test_every_listed_entry_carries_its_layer(ana: TestClient, house: House) -> None:
    remember(ana, "likes tea")
    path = house.desk.path("2026-11-30")
    path.write_text(path.read_text() + "- typed by hand\n")
    entries = ana.get(f"{HERE}/memory").json()["entries"]
    assert [(one["text"], one["layer"]) for one in entries] == [
        ("typed by hand", "unknown"),
        ("likes tea", "about_me"),
    ]


def test_a_list_takes_a_layer_or_a_scope_never_both(ana: TestClient) -> None:
    remember(ana, "likes tea")
    remember(ana, "runs the linter first", layer="agent_memory", namespace="coder")

    def texts(**params: str) -> list[str]:
        return [one["text"] for one in ana.get(f"{HERE}/memory", params=params).json()["entries"]]

    assert texts(layer="about_me") == ["likes tea"]
    assert texts(scope="agent") == ["runs the linter first"]
    both = {"layer": "about_me", "scope": "global"}
    for path in ("memory", "recall", "days"):
        asked = {**both, **({"term": "tea"} if path == "recall" else {})}
        assert refused(ana.get(f"{HERE}/{path}", params=asked)) == (400, "ErrMemoryLayerScopeConflict")
        assert refused(ana.get(f"{HERE}/{path}", params={**asked, "scope": ""}))[0] == 400


@pytest.mark.parametrize(
    ("params", "name"),
    [
        ({"layer": "about_us"}, "ErrUnknownLayer"),
        ({"layer": ""}, "ErrUnknownLayer"),
        ({"since": "30.11.2026"}, "ErrDate"),
        ({"until": ""}, "ErrDate"),
        ({"limit": 0}, "ErrUsage"),
        ({"limit": "many"}, "ErrUsage"),
        ({"cursor": "yesterday"}, "ErrUsage"),
        ({"cursor": "2026-02-31.4"}, "ErrUsage"),
        ({"layr": "about_me"}, "ErrUsage"),
        ({"layer": ["about_me", "consensus"]}, "ErrUsage"),
        ({"session": "a\nb"}, "ErrName"),
    ],
)
def test_a_query_that_says_nothing_known_is_refused_and_not_widened(
    ana: TestClient, params: dict[str, Any], name: str
) -> None:
    assert refused(ana.get(f"{HERE}/memory", params=params)) == (400, name)


def test_recall_tells_the_stages_it_went_through(ana: TestClient, house: House) -> None:
    remember(ana, "billing moves to PostgreSQL 16")
    house.desk.clock.advance(days=60)
    found = ana.get(f"{HERE}/recall", params={"term": "postgresql"}).json()
    assert [stage["stage"] for stage in found["stages"]] == ["recent", "catalog"]
    assert found["hits"][0]["entries"][0]["layer"] == "about_me"
    assert found["not_asked"] == ["session", "frontmatter", "body"]
    assert refused(ana.get(f"{HERE}/recall")) == (400, "ErrUsage")
    assert refused(ana.get(f"{HERE}/recall", params={"term": " "})) == (400, "ErrUsage")


def test_recall_joins_terms_as_the_command_line_does(ana: TestClient) -> None:
    remember(ana, "Acme pays 12,800")
    remember(ana, "Globex asks for a price")

    def hits(**params: Any) -> int:
        return len(ana.get(f"{HERE}/recall", params=params).json()["hits"])

    assert hits(term=["Acme", "nothing"]) == 1
    assert hits(term=["Acme", "nothing"], all=True) == 0
    assert hits(term=["Acme", "Globex"], **{"and": ["price", "12,800"]}) == 1


def test_context_is_what_a_session_starts_with(ana: TestClient, house: House) -> None:
    remember(ana, "likes tea")
    house.desk.clock.advance(days=1)
    document = ana.get(f"{HERE}/context", params={"days": 2}).json()
    assert document["today"] == "2026-12-01"
    assert [item["date"] for item in document["items"]] == ["2026-11-30"]
    assert ana.get(f"{HERE}/context", params={"days": 1}).json()["items"] == []


def test_clearing_a_layer_takes_that_layer_of_that_actor_and_nothing_else(ana: TestClient) -> None:
    remember(ana, "likes tea")
    remember(ana, "runs the linter first", layer="agent_memory", namespace="coder")
    layer = f"{HERE}/memory/layer"
    shown = ana.delete(layer, params={"layer": "about_me", "actor": "ana", "dry_run": True}).json()
    assert shown["commit"] is None and len(shown["forgotten"]) == 1
    done = ana.delete(layer, params={"layer": "about_me", "actor": "ana"})
    assert done.status_code == 200 and done.json()["forgotten"] == shown["forgotten"]
    assert ana.get(f"{HERE}/memory/counts").json()["about_me"] == 0
    assert ana.get(f"{HERE}/memory/counts").json()["agent_memory"] == 1
    assert ana.get(f"{HERE}/audit", params={"op": "forget"}).json()["records"][0]["reason"]
    assert ana.delete(layer, params={"layer": "about_me", "actor": "ana"}).json()["forgotten"] == []


@pytest.mark.parametrize(
    ("params", "status", "name"),
    [
        ({}, 400, "ErrUnknownLayer"),
        ({"layer": "about_me"}, 400, "ErrLayerActorRequired"),
        ({"layer": "about_me", "actor": "ben"}, 403, "ErrForbidden"),
        ({"layer": "about_me", "actor": "*"}, 400, "ErrLayerActorRequired"),
        ({"layer": "about_me", "actor": "ana", "namespace": "coder"}, 400, "ErrLayerNamespaceForbidden"),
        ({"layer": "agent_memory", "actor": "ana", "namespace": ""}, 400, "ErrLayerNamespaceRequired"),
        ({"layer": "environment"}, 400, "ErrLayerNotWritable"),
        ({"layer": "consensus"}, 403, "ErrLayerAdminRequired"),
        ({"layer": "consensus", "actor": "ana"}, 400, "ErrLayerShared"),
    ],
)
def test_a_clear_that_could_take_more_than_meant_is_refused(
    ana: TestClient, params: dict[str, str], status: int, name: str
) -> None:
    assert refused(ana.delete(f"{HERE}/memory/layer", params=params)) == (status, name)


def test_consensus_is_written_by_an_admin_without_an_actor(house: House) -> None:
    house.admins("ana")
    entry = remember(house.client(), "four spaces, no tabs", layer="consensus", kind="convention")
    assert (entry["layer"], entry["actor"]) == ("consensus", "")
