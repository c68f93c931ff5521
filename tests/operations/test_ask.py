"""A question in plain words goes the same way, from near to far, and ranks what it finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from nutsync.core.append import NewEntry
from nutsync.core.errors import ErrUsage
from nutsync.operations import ask as asking
from nutsync.operations.recall import recall
from nutsync.operations.recalled import Question, Recalled
from nutsync.operations.session import note
from tests.support.cells import Desk, make_desk

TODAY = "2026-11-30"
SAID = {
    "2025-03-03": "Ana put the contract with Acme into the blue drawer of the hallway cupboard.",
    "2025-03-04": "The hallway was painted green; nobody liked it at first, then everybody did.",
    "2025-06-09": "The carpenter measured shelves, brackets, hinges, rails, planks, dowels and veneer; "
    "then he counted screws, nails, bolts, washers, clamps, chisels, planes and saws twice over.",
    "2025-06-10": "Went to the dentist last Monday; the next visit is in August.",
    "2025-07-01": "和小王去了绿禾公园，看到了很多荷花",
    "2026-11-20": "Billing moves to PostgreSQL 16",
}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return told(tmp_path / "memory")


def told(root: Path) -> Desk:
    desk = make_desk(root, "2025-03-03T09:00:00+08:00")
    for day, text in SAID.items():
        desk.clock.set(f"{day}T09:00:00+08:00")
        desk.append(text)
    desk.clock.set(f"{TODAY}T09:00:00+08:00")
    return desk


def ask(desk: Desk, question: str, reader: str = "ana", **more: object) -> Recalled:
    return recall(desk.cell, Question(ask=question, reader=reader, **more))  # type: ignore[arg-type]


def stages(answer: Recalled) -> list[str]:
    return [stage.stage for stage in answer.stages]


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("Where did Ana put the contract?", "2025-03-03"),
        ("What colour was the hallway painting?", "2025-03-04"),
        ("When did we see the dentist?", "2025-06-10"),
        ("我和你提到过我去了绿禾公园，看到了什么？", "2025-07-01"),
        ("綠禾公園", "2025-07-01"),
        ("Which database is billing moving to?", "2026-11-20"),
        ("What happened on 4 March 2025?", "2025-03-04"),
        ("2025年7月1日我去了哪里？", "2025-07-01"),
    ],
)
def test_the_day_that_answers_comes_first(desk: Desk, question: str, day: str) -> None:
    assert ask(desk, question).hits[0].date == day


@pytest.mark.parametrize("said", ["55,983", "55983", "５５，９８３"])
@pytest.mark.parametrize("asked", ["55,983", "55983", "５５，９８３"])
@pytest.mark.parametrize("day", ["2025-08-01", "2026-11-25"])
def test_a_number_is_found_however_its_digits_are_grouped(
    tmp_path: Path, said: str, asked: str, day: str
) -> None:
    desk = make_desk(tmp_path / "memory", f"{day}T09:00:00+08:00")
    desk.append(f"The invoice of Globex was {said} euros.")
    desk.clock.set(f"{TODAY}T09:00:00+08:00")
    desk.append("Lunch with Ben")
    assert [hit.date for hit in ask(desk, f"What was it about {asked}?").hits] == [day]


def test_the_recent_days_answer_without_looking_further(desk: Desk) -> None:
    answer = ask(desk, "Is billing on PostgreSQL?")
    assert stages(answer) == ["recent"]
    assert answer.not_asked == ("session", "catalog", "frontmatter", "body")


def test_what_recent_days_only_touch_is_looked_for_in_the_catalog(desk: Desk) -> None:
    desk.append("Ana called about something else")
    answer = ask(desk, "Where did Ana put the contract?")
    assert stages(answer) == ["recent", "catalog"]
    assert answer.hits[0].date == "2025-03-03"


def test_at_most_three_terms_select_in_a_large_archive(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "MOST_DAYS", 2)
    answer = ask(desk, "Did the blue drawer in the hallway cupboard hold the Acme contract?")
    assert len(answer.as_json()["terms"]) == 3  # type: ignore[arg-type]
    assert answer.hits[0].date == "2025-03-03"


def test_a_word_that_no_index_line_has_is_found_by_scanning_the_bodies(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "MOST_DAYS", 2)
    index = desk.day("2025-06-09").index or ""
    missing = next(word for word in ("veneer", "washers", "chisels", "hinges", "dowels") if word not in index)
    answer = ask(desk, f"Whose {missing}?")
    assert stages(answer) == ["recent", "catalog", "frontmatter", "body"]
    assert [hit.stage for hit in answer.hits] == ["body"]


def test_nothing_in_common_is_nothing_found(desk: Desk) -> None:
    answer = ask(desk, "quantum chromodynamics?")
    assert answer.hits == ()
    assert stages(answer) == ["recent", "catalog", "frontmatter", "body"]


def test_a_question_without_a_telling_word_is_refused(desk: Desk) -> None:
    with pytest.raises(ErrUsage):
        ask(desk, "what is it?")


def test_another_actors_words_neither_answer_nor_rank(desk: Desk) -> None:
    desk.append("ben hid the spare key under the flowerpot", actor="ben")
    assert ask(desk, "Where is the spare key?").hits == ()
    (hit,) = ask(desk, "Where is the spare key?", reader="ben").hits
    assert hit.date == TODAY
    answer = ask(desk, "Where did Ana put the contract? The spare key under the flowerpot?")
    assert "flowerpot" not in str([hit.index for hit in answer.hits])


def test_a_term_of_another_actors_index_alone_selects_as_if_it_were_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "MOST_DAYS", 2)
    answers = []
    for name, bens in (("without", []), ("with", ["flowerpot"])):
        desk = told(tmp_path / name)
        for text in bens:
            desk.append(text, actor="ben")
        desk.clock.set("2027-02-01T09:00:00+08:00")
        answers.append(ask(desk, "dentist hallway PostgreSQL flowerpot", deep=True))
    without, with_it = answers
    assert [(hit.date, hit.score) for hit in with_it.hits] == [(hit.date, hit.score) for hit in without.hits]
    assert with_it.as_json()["terms"] == without.as_json()["terms"]


def test_the_entries_that_say_most_come_first(desk: Desk) -> None:
    desk.append("The drawer squeaks", "The contract is in the green drawer now", "Lunch at noon")
    hit = ask(desk, "Where is the contract? In the green drawer?", since=TODAY).hits[0]
    assert hit.entries[0][1].text == "The contract is in the green drawer now"


def test_a_session_answers_first(desk: Desk) -> None:
    plan = {"kind": "plan", "scope": "global", "actor": "ana", "session": "s1"}
    note(desk.cell, [NewEntry("first read the contract with Acme", plan)])
    answer = ask(desk, "Where is the contract with Acme?", session="s1")
    assert [hit.stage for hit in answer.hits] == ["session"]
    deep = ask(desk, "Where is the contract with Acme?", session="s1", deep=True)
    assert [hit.stage for hit in deep.hits][:2] == ["session", "catalog"]
    assert stages(deep) == ["session", "recent", "catalog", "frontmatter", "body"]


def test_a_correction_comes_before_what_it_corrects(desk: Desk) -> None:
    ref = desk.day("2025-03-03").entries()[0][0]
    desk.append("It lies in the red box", kind="correction", corrects=str(ref))
    hits = ask(desk, "Where did Ana put the contract?", deep=True).hits
    assert [hit.date for hit in hits][:2] == [TODAY, "2025-03-03"]


def test_the_answer_is_the_same_every_time(desk: Desk) -> None:
    first = ask(desk, "Where did Ana put the contract?").as_json(explain=True)
    assert ask(desk, "Where did Ana put the contract?").as_json(explain=True) == first
    assert "contract" in first["hits"][0]["matched"]  # type: ignore[index]


def test_a_catalog_that_lies_is_not_believed_and_made_good(desk: Desk) -> None:
    ask(desk, "contract")
    catalog = desk.root / ".agents/nutstore-sync/memory/catalog/2025.tsv"
    good = catalog.read_bytes()
    catalog.write_bytes(good + b"2025-12-24\tThe contract burned\n")
    assert all("burned" not in hit.index for hit in ask(desk, "Where is the contract?").hits)
    assert catalog.read_bytes() == good


def test_a_day_in_which_only_another_actor_said_the_word_is_not_even_counted(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "memory")
    desk.append("ana keeps bees")
    desk.append("ben keeps the flowerpot key", actor="ben")
    asked = ask(desk, "who has the flowerpot")
    assert [stage.hits for stage in asked.stages] == [0] * len(asked.stages)
    assert asked.hits == ()
