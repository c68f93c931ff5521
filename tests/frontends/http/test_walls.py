"""The wall between two actors, tried from outside: nothing of Ben's shows in any answer that Ana gets."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.support.repos import git
from tests.support.web import HERE, House, refused, remember

SECRETS = ("zanzibar", "Xylander", "48151623", "quokka", "ocelot")
"""Words that only Ben's entries say."""


@dataclass
class Neighbours:
    """Ana and Ben in one cell: what Ben has, and both their clients."""

    house: House
    ana: TestClient
    ben: TestClient
    frozen: dict[str, Any]
    today: dict[str, Any]
    correction: dict[str, Any]

    @property
    def bens(self) -> list[str]:
        """Everything that would show that Ben was here."""
        refs = [one[key] for one in (self.frozen, self.today, self.correction) for key in ("id", "commit")]
        return ["ben", *SECRETS, *refs]


@pytest.fixture
def neighbours(house: House) -> Neighbours:
    ana, ben = house.client("ana"), house.client("ben")
    frozen = remember(ben, "moves to zanzibar with Xylander, flight 48151623", kind="decision")
    remember(ana, "likes tea")
    house.desk.clock.advance(days=40)
    remember(ben, "only ben wrote on this day: quokka", layer="agent_memory", namespace="ocelot")
    house.desk.clock.advance(days=1)
    today = remember(ben, "the quokka bites Xylander", index="quokka bites Xylander")
    remember(ana, "likes coffee, too")
    correction = ben.post(
        f"{HERE}/correct", json={"ref": frozen["ref"], "content": "zanzibar was called off"}
    )
    assert correction.status_code == 201
    remember(ben, "a plan for zanzibar", kind="plan", session="4f1c")
    return Neighbours(house, ana, ben, frozen, today, correction.json())


def reading_paths(both: Neighbours) -> list[str]:
    """Every path that reads, with every way of asking that comes to mind."""
    frozen, today = both.frozen, both.today
    paths = [
        "/cells", HERE, "memory", "memory?layer=about_me", "memory?layer=agent_memory", "memory?scope=agent",
        "memory?session=4f1c", "memory/counts", "memory/counts?session=4f1c", "days", "days?limit=1",
        "years", "years/2026", "years/2027", "context?days=3660", "sync", "audit", "audit?op=append",
        "audit?op=correct", "audit?layer=about_me", "audit?device=desk", f"audit?entry={frozen['date']}",
        f"days/{frozen['date']}", f"days/{today['date']}",
        f"days/{today['date']}?at={today['commit']}", f"days/{frozen['date']}?at={frozen['date']}",
    ]  # fmt: skip
    for term in (*SECRETS, "tea", "coffee"):
        paths += [f"recall?term={term}&deep=true&explain=true", f"recall?term={term}&session=4f1c"]
    full = [path if path.startswith("/") else f"{HERE}/{path}" for path in paths]
    description = both.ana.get("/openapi.json").json()["paths"]
    asked = {path.partition("?")[0] for path in full}
    for pattern, operations in description.items():
        if "get" in operations and "date" not in pattern and "which" not in pattern:
            assert pattern.replace("{id}", "main") in asked, f"{pattern} is not tried"
    return full


def test_nothing_of_another_actor_shows_in_any_answer(neighbours: Neighbours) -> None:
    for path in reading_paths(neighbours):
        response = neighbours.ana.get(path)
        there = 404 if "?at=" in path and neighbours.today["commit"] in path else 200
        assert response.status_code == there, (path, response.text)
        asked = {word for word in SECRETS if word in path}
        told = [word for word in neighbours.bens if word in response.text and word not in asked]
        told += [word for word in asked if word in response.text.replace(f'"terms":["{word}"]', "")]
        told = [word for word in told if word not in path]
        assert told == [], path
        assert all(word not in str(response.headers) for word in neighbours.bens)


def test_ben_himself_sees_all_of_it(neighbours: Neighbours) -> None:
    text = neighbours.ben.get(f"{HERE}/memory").text
    assert all(word in text for word in ("zanzibar", "Xylander", "quokka"))


def test_counts_days_and_years_count_only_ones_own(neighbours: Neighbours) -> None:
    counts = neighbours.ana.get(f"{HERE}/memory/counts").json()
    assert (counts["about_me"], counts["agent_memory"], sum(counts.values())) == (2, 0, 2)
    days = neighbours.ana.get(f"{HERE}/days").json()["days"]
    assert [day["date"] for day in days] == ["2027-01-10", "2026-11-30"]
    assert [day["entries"] for day in days] == [1, 1]
    assert neighbours.ana.get(f"{HERE}/years").json()["years"] == {"2027": 1, "2026": 1}


@pytest.mark.parametrize("method", ["show", "correct", "forget", "preview", "day", "at"])
def test_anothers_entry_is_as_unknown_as_one_that_never_was(neighbours: Neighbours, method: str) -> None:
    ana = neighbours.ana

    def ask(date: str, ident: str) -> tuple[int, str]:
        ref = f"{date}#{ident}"
        answers = {
            "show": lambda: ana.get(f"{HERE}/days/{date}/{ident}"),
            "correct": lambda: ana.post(f"{HERE}/correct", json={"ref": ref, "content": "x"}),
            "forget": lambda: ana.post(f"{HERE}/forget", json={"refs": [ref], "reason": "asked"}),
            "preview": lambda: ana.post(
                f"{HERE}/forget", json={"refs": [ref], "reason": "asked", "dry_run": True}
            ),
            "day": lambda: ana.get(f"{HERE}/days/{date}"),
            "at": lambda: ana.get(f"{HERE}/days/{date}/{ident}?at={neighbours.today['commit']}"),
        }
        response = answers[method]()
        return response.status_code, response.text.replace(ref, "REF").replace(date, "DATE")

    nobody = ask("2026-12-24", "k3f9x2ab")
    assert nobody[0] == 404
    assert ask("2027-01-09", neighbours.today["id"]) == nobody  # a day of Ben's alone
    if method != "day":
        assert ask(neighbours.today["date"], neighbours.today["id"]) == nobody
        neighbours.ben.post(
            f"{HERE}/forget", json={"refs": [neighbours.frozen["ref"]], "reason": "called off"}
        )
        if method != "at":
            assert ask(neighbours.frozen["date"], neighbours.frozen["id"]) == nobody


def test_forgetting_a_day_takes_what_one_sees_of_it(neighbours: Neighbours) -> None:
    date = neighbours.today["date"]
    done = neighbours.ana.post(f"{HERE}/forget", json={"refs": [date], "reason": "asked"}).json()
    assert len(done["forgotten"]) == 1
    assert done["emptied"] == []
    assert not any(word in str(done) for word in neighbours.bens)
    assert neighbours.ben.get(f"{HERE}/days/{date}").status_code == 200


def test_an_index_does_not_confirm_a_guess_of_anothers_words(neighbours: Neighbours) -> None:
    body = {"layer": "about_me", "kind": "fact", "content": "a third note"}
    for guess in ("a third note; Xylander", "a third note; 48151623", "a third note; Nobody Atall"):
        response = neighbours.ana.post(f"{HERE}/memory", json={**body, "index": guess})
        assert refused(response) == (400, "ErrIndexUngrounded"), guess
    kept = neighbours.ana.post(f"{HERE}/memory", json={**body, "index": "a third note; coffee"})
    assert kept.status_code == 201
    assert kept.json()["warnings"] == []
    mine = {"refs": [kept.json()["ref"]], "reason": "asked", "index": "coffee; Xylander"}
    assert refused(neighbours.ana.post(f"{HERE}/forget", json=mine)) == (400, "ErrIndexUngrounded")


def test_the_tag_of_a_day_does_not_change_with_anothers_entries(neighbours: Neighbours) -> None:
    path = f"{HERE}/days/{neighbours.today['date']}"
    before = neighbours.ana.get(path).headers["etag"]
    remember(neighbours.ben, "and another one about zanzibar")
    assert neighbours.ana.get(path).headers["etag"] == before


def test_asking_as_somebody_else_is_refused_everywhere(neighbours: Neighbours) -> None:
    description = neighbours.ana.get("/openapi.json").json()["paths"]
    tried = 0
    for pattern, operations in description.items():
        for method, operation in operations.items():
            names = {one["name"] for one in operation.get("parameters", ())}
            if "actor" not in names:
                continue
            path = pattern.format(
                id="main", date=neighbours.today["date"], entry=neighbours.today["id"], which="2027"
            )
            for somebody in ("ben", "*", ""):
                params = {"actor": somebody, "term": "x"} if "term" in names else {"actor": somebody}
                if method == "delete":
                    params["layer"] = "about_me"
                response = neighbours.ana.request(method, path, params=params)
                expected = {400, 403} if method == "delete" else {403}
                assert response.status_code in expected, (method, path, somebody, response.text)
                tried += 1
    assert tried >= 21


def test_clearing_anothers_layer_is_refused_whether_it_holds_something_or_not(
    neighbours: Neighbours,
) -> None:
    layer = f"{HERE}/memory/layer"
    answers = {
        neighbours.ana.delete(layer, params={"layer": "about_me", "actor": actor}).text
        for actor in ("ben", "nobody")
    }
    assert len(answers) == 1


def test_an_admin_may_forget_what_is_anothers(neighbours: Neighbours) -> None:
    neighbours.house.admins("ana")
    admin = neighbours.house.client("ana", admin=True)
    body = {"refs": [neighbours.today["ref"]], "reason": "asked by them"}
    assert admin.post(f"{HERE}/forget", json=body).json()["forgotten"] == [neighbours.today["ref"]]
    layer = f"{HERE}/memory/layer"
    done = admin.delete(layer, params={"layer": "about_me", "actor": "ben"}).json()
    assert neighbours.frozen["ref"] in done["forgotten"]


def test_how_long_nothing_found_takes_does_not_tell_whether_something_is_there(
    neighbours: Neighbours,
) -> None:
    def took(path: str) -> float:
        start = time.monotonic()
        neighbours.ana.get(path)
        return time.monotonic() - start

    theirs = f"{HERE}/days/{neighbours.frozen['date']}/{neighbours.frozen['id']}"
    for path in (theirs, f"{HERE}/days/2026-12-24", f"{HERE}/recall?term=zanzibar"):
        assert took(path) >= 0.1  # it left at a tick, not when it was ready


def test_the_files_themselves_hold_both(neighbours: Neighbours) -> None:
    """The wall is HTTP's: whoever has the clone reads all of it."""
    assert "quokka" in git(neighbours.house.desk.root, "grep", "-h", "quokka")
