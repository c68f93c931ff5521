"""The four situations the layers were made for, and three actors in one cell, through the operations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nutsync.core.entry import Ref
from nutsync.core.errors import ErrLayerAdminRequired, ErrLayerShared, ErrUnknownRef
from nutsync.core.index import Said, build_clause, split_clauses
from nutsync.core.layer import LAYERS
from nutsync.core.layer_queries import Query
from nutsync.core.layer_requests import WriteRequest
from nutsync.core.visibility import EVERYONE
from nutsync.operations.layers import counts, entries, list_entries
from nutsync.operations.remember import Memo, remember
from nutsync.operations.sense import sense
from nutsync.operations.show import show
from tests.support.cells import Desk, make_desk

HISTORY = Path(__file__).resolve().parents[2] / "shared" / "cases" / "history-many-actors.jsonl"
TODAY = Ref("2026-11-30")


def say(desk: Desk, text: str, layer: str = "about_me", kind: str = "fact", **said: object) -> str:
    """Remember one text as the desk's own actor and return its ref."""
    asking = str(said.pop("own_actor", desk.cell.actor))
    is_admin = asking in desk.cell.config.admins
    request = WriteRequest(layer=layer, kind=kind, own_actor=asking, is_admin=is_admin, **said)  # type: ignore[arg-type]
    answer = remember(desk.cell, [Memo(text, request)])
    (entry,) = answer["entries"]  # type: ignore[misc]
    return str(entry["ref"])


def texts(desk: Desk, actor: str, layer: str | None = None, session: str = "") -> list[str]:
    found = entries(desk.cell, actor=actor, session=session, query=Query(layer=layer))
    return [block.text for _, block in found]


def filled(desk: Desk, actor: str, session: str = "") -> list[str]:
    return [layer for layer, count in counts(desk.cell, actor=actor, session=session).items() if count]


def test_one_workspace_where_everyone_is_local_keeps_consensus_and_about_me_apart(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "memory", actor="local", admin=True)
    say(desk, "four spaces, no tabs", "consensus", "convention")
    say(desk, "prefers short answers", "about_me", "preference")
    say(desk, "the linter wants sorted imports", "agent_memory", "skill", namespace="coder")
    assert texts(desk, "local", "consensus") == ["four spaces, no tabs"]
    assert texts(desk, "local", "about_me") == ["prefers short answers"]
    number = counts(desk.cell, actor="local")
    assert tuple(number) == LAYERS
    assert (number["consensus"], number["about_me"], number["agent_memory"]) == (1, 1, 1)


def test_a_personal_assistant_has_no_admin_and_its_consensus_stays_empty(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "memory", actor="local")
    say(desk, "buys oat milk")
    with pytest.raises(ErrLayerAdminRequired):
        say(desk, "everyone buys oat milk", "consensus")
    with pytest.raises(ErrLayerShared):
        say(desk, "everyone buys oat milk", "consensus", actor="local")
    assert counts(desk.cell, actor="local")["consensus"] == 0
    assert filled(desk, "local") == ["about_me"]


def test_a_team_has_four_layers_filled_at_once(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "memory", actor="ana", admin=True)
    sense(desk.cell, look=lambda: {"Python": "3.12.1"})
    say(desk, "reviews before merging", "consensus", "convention")
    say(desk, "ana likes mornings", "about_me", "preference")
    say(desk, "ana wants diffs, not files", "agent_memory", "skill", namespace="coder")
    say(desk, "ben likes evenings", "about_me", "preference", own_actor="ben")
    assert filled(desk, "ana") == ["environment", "consensus", "about_me", "agent_memory"]
    assert filled(desk, "ben") == ["environment", "consensus", "about_me"]
    assert texts(desk, "ben", "about_me") == ["ben likes evenings"]
    with pytest.raises(ErrLayerAdminRequired):
        say(desk, "ben decides alone", "consensus", own_actor="ben")


def test_a_department_shares_its_consensus_and_keeps_its_employees_apart(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "memory", actor="head", admin=True)
    say(desk, "expenses are due on the 5th", "consensus", "convention")
    for employee in ("ana", "ben", "cleo"):
        say(desk, f"{employee} is paid grade 7", own_actor=employee)
        say(
            desk,
            f"{employee} asks for tables",
            "agent_memory",
            "skill",
            own_actor=employee,
            namespace="clerk",
        )
    for employee in ("ana", "ben", "cleo"):
        assert texts(desk, employee) == [
            "expenses are due on the 5th",
            f"{employee} is paid grade 7",
            f"{employee} asks for tables",
        ]
    assert texts(desk, "head") == ["expenses are due on the 5th"]
    assert len(texts(desk, EVERYONE)) == 7


def test_a_session_is_seen_in_itself_alone_and_never_committed(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "memory", actor="ana")
    say(desk, "first rename, then move", kind="plan", session="4f1c")
    say(desk, "likes plans", session="4f1c")
    assert texts(desk, "ana", session="4f1c") == ["likes plans", "first rename, then move"]
    assert texts(desk, "ana") == texts(desk, "ana", session="other") == ["likes plans"]
    assert texts(desk, "ben", session="4f1c") == []
    assert "rename" not in desk.path("2026-11-30").read_text(encoding="utf-8")


def test_an_answer_for_one_actor_never_carries_anothers_words_not_even_in_the_index(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "memory", actor="ana")
    say(desk, "Zanzibar trip on 2027-03-01")
    secret = say(desk, "Quetzal account 4711", own_actor="ben")
    for actor, own, other in (("ana", "Zanzibar", "Quetzal"), ("ben", "Quetzal", "Zanzibar")):
        answer = json.dumps(show(desk.cell, TODAY, actor=actor).as_json())
        assert own in answer
        assert other not in answer
        listed = json.dumps(list_entries(desk.cell, actor=actor))
        assert own in listed
        assert other not in listed
    with pytest.raises(ErrUnknownRef):
        show(desk.cell, Ref.parse(secret), actor="ana")
    assert "Quetzal" in (show(desk.cell, TODAY, actor=EVERYONE).index or "")


@pytest.mark.skipif(not HISTORY.is_file(), reason="the shared cases are not here")
def test_three_actors_of_a_real_history_see_their_own_and_the_shared_entries(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "memory", actor="head", admin=True)
    rows = [json.loads(line) for line in HISTORY.read_text(encoding="utf-8").splitlines()]
    often = sorted({row["author"] for row in rows}, key=lambda who: -sum(r["author"] == who for r in rows))
    actors = often[:3]
    mine: dict[str, list[str]] = {actor: [] for actor in actors}
    for row in rows:
        own = mine.get(row["author"])
        if own is not None and len(own) < 8 and row["text"] not in own:
            own.append(row["text"])
    for number in range(8):
        desk.clock.advance(hours=9)
        for actor in actors:
            if number < len(mine[actor]):
                say(desk, mine[actor][number], own_actor=actor)
        say(desk, f"rule {number} of the house", "consensus", "convention")
    shared = [f"rule {number} of the house" for number in range(8)]
    for actor in actors:
        assert texts(desk, actor, "about_me") == mine[actor]
        assert texts(desk, actor, "consensus") == shared
        hidden = set().union(*(mine[other] for other in actors if other != actor)) - set(mine[actor])
        shown = [show(desk.cell, Ref(date), actor=actor).as_json() for date in days(desk)]
        told = {entry["text"] for day in shown for entry in day["entries"]}  # type: ignore[attr-defined]
        assert told == {*mine[actor], *shared}
        clauses = {build_clause(Said(text, "fact")) for text in hidden}
        own = {build_clause(Said(text, "fact")) for text in mine[actor]}
        assert not [c for c in clauses - own if any(c in split_clauses(str(day["index"])) for day in shown)]


def days(desk: Desk) -> list[str]:
    return sorted({ref.date for ref, _ in entries(desk.cell, actor=EVERYONE)})
