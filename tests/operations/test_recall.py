"""Recall goes from near to far, stops where it finds, and never shows what is another's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nutsync.core.append import NewEntry
from nutsync.core.entry import encode_entry
from nutsync.core.errors import ErrUnreadable
from nutsync.core.recall.match import Query, Term
from nutsync.operations import recall_walk
from nutsync.operations.context import context
from nutsync.operations.recall import recall
from nutsync.operations.recalled import Question, Recalled
from nutsync.operations.session import note
from nutsync.store.regexes import searcher
from tests.support.cells import Desk, make_desk

TODAY = "2026-11-30"
OLD = "2026-09-01"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A cell with something old, something recent and something of today."""
    desk = make_desk(tmp_path / "memory", f"{OLD}T09:00:00+08:00")
    desk.append(
        "The contract with Acme names Rotterdam as the place of delivery. "
        "Whoever signs it should first read the seven annexes, and the last of these most carefully of all."
    )
    desk.clock.set("2026-11-20T09:00:00+08:00")
    desk.append("Billing moves to PostgreSQL 16")
    desk.clock.set(f"{TODAY}T09:00:00+08:00")
    desk.append("报价定为 12,800 元")
    return desk


def ask(desk: Desk, *terms: str, reader: str = "ana", **more: object) -> Recalled:
    query = Query.any_of(map(Term.literal, terms))
    return recall(desk.cell, Question(query=query, reader=reader, **more))  # type: ignore[arg-type]


def stages(answer: Recalled) -> list[str]:
    return [stage.stage for stage in answer.stages]


def test_what_is_recent_is_found_without_looking_further(desk: Desk) -> None:
    answer = ask(desk, "postgresql")
    assert [hit.date for hit in answer.hits] == ["2026-11-20"]
    assert stages(answer) == ["recent"]
    assert answer.not_asked == ("session", "catalog", "frontmatter", "body")


def test_what_is_old_is_found_by_the_catalog(desk: Desk) -> None:
    answer = ask(desk, "Rotterdam")
    assert [(hit.date, hit.stage) for hit in answer.hits] == [(OLD, "catalog")]


def test_a_word_that_stands_only_in_an_old_body_is_found_by_the_last_stage(desk: Desk) -> None:
    assert "carefully" not in (desk.day(OLD).index or "")
    answer = ask(desk, "carefully")
    assert [(hit.date, hit.stage) for hit in answer.hits] == [(OLD, "body")]
    assert stages(answer) == ["recent", "catalog", "frontmatter", "body"]


def test_nothing_found_asks_every_stage_and_says_so(desk: Desk) -> None:
    answer = ask(desk, "nowhere")
    assert answer.hits == ()
    assert stages(answer) == ["recent", "catalog", "frontmatter", "body"]


def test_deep_asks_every_stage(desk: Desk) -> None:
    answer = ask(desk, "postgresql", "carefully", deep=True)
    assert {hit.date for hit in answer.hits} == {"2026-11-20", OLD}


def test_a_deleted_catalog_costs_nothing(desk: Desk) -> None:
    ask(desk, "Rotterdam")
    catalog = desk.root / ".agents/nutstore-sync/memory/catalog/2026.tsv"
    catalog.unlink()
    assert [hit.stage for hit in ask(desk, "Rotterdam").hits] == ["catalog"]
    assert catalog.exists()


def test_a_poisoned_catalog_shows_nothing_that_no_day_says(desk: Desk) -> None:
    ask(desk, "Rotterdam")
    catalog = desk.root / ".agents/nutstore-sync/memory/catalog/2026.tsv"
    catalog.write_text(catalog.read_text().replace("Rotterdam", "Antwerp"))
    assert ask(desk, "Antwerp").hits == ()
    assert "Antwerp" not in desk.path(OLD).read_text()


def test_a_hit_found_below_a_wrong_catalog_repairs_it_on_the_spot(desk: Desk) -> None:
    ask(desk, "Rotterdam")
    catalog = desk.root / ".agents/nutstore-sync/memory/catalog/2026.tsv"
    good = catalog.read_bytes()
    catalog.write_bytes(good.replace(b"Rotterdam", b"Antwerp"))
    keep_times(desk, catalog)
    assert [hit.stage for hit in ask(desk, "Rotterdam").hits] == ["frontmatter"]
    assert catalog.read_bytes() == good
    assert [hit.stage for hit in ask(desk, "Rotterdam").hits] == ["catalog"]


def test_a_row_whose_day_says_something_else_is_repaired_and_not_shown(desk: Desk) -> None:
    ask(desk, "Rotterdam")
    catalog = desk.root / ".agents/nutstore-sync/memory/catalog/2026.tsv"
    good = catalog.read_bytes()
    catalog.write_bytes(good.replace(b"Rotterdam", b"Antwerp"))
    keep_times(desk, catalog)
    assert ask(desk, "Antwerp").hits == ()
    assert catalog.read_bytes() == good


def keep_times(desk: Desk, catalog: Path) -> None:
    """Let the note of good catalogs believe that this one is as it was."""
    from nutsync.store.catalogs import read_note, write_note, year_states

    today, _ = read_note(desk.cell.git.private_dir)
    write_note(desk.cell.git.private_dir, today, year_states(desk.root))
    note_path = desk.cell.git.private_dir / "catalogs"
    later = note_path.stat().st_mtime + 60
    os.utime(note_path, (later, later))
    assert catalog.exists()


def test_all_terms_may_stand_in_different_entries_of_a_day(desk: Desk) -> None:
    query = Query.all_of([Term.literal("12,800"), Term.literal("flamingo")])
    desk.append("The flamingo moved in")
    answer = recall(desk.cell, Question(query=query, reader="ana"))
    assert [(hit.date, len(hit.entries)) for hit in answer.hits] == [(TODAY, 2)]


def test_the_limit_keeps_the_days_with_most_terms_then_the_newest(desk: Desk) -> None:
    for day, text in (("01", "apple"), ("02", "apple pear"), ("03", "apple"), ("04", "apple")):
        desk.clock.set(f"2026-12-{day}T09:00:00+08:00")
        desk.append(text)
    answer = ask(desk, "apple", "pear", limit=2)
    assert [hit.date for hit in answer.hits] == ["2026-12-02", "2026-12-04"]
    assert answer.more
    assert not ask(desk, "apple", "pear", limit=4).more


def test_a_period_leaves_other_days_out(desk: Desk) -> None:
    assert ask(desk, "Rotterdam", since="2026-09-02").hits == ()
    assert ask(desk, "postgresql", until="2026-11-19").hits == ()
    assert [hit.date for hit in ask(desk, "Rotterdam", since=OLD, until=OLD).hits] == [OLD]


def test_a_regular_expression_searches_every_stage(desk: Desk) -> None:
    def found(pattern: str) -> list[tuple[str, str]]:
        query = Query.any_of([Term.pattern(pattern, searcher(pattern))])
        return [(h.date, h.stage) for h in recall(desk.cell, Question(query=query, reader="ana")).hits]

    assert found(r"postgres\w+ \d+$") == [("2026-11-20", "recent")]
    assert found(r"acme .*rott?erdam") == [(OLD, "catalog")]
    assert found(r"most\s+carefully") == [(OLD, "body")]
    assert found(r"\AThe contract .* all\.$") == [(OLD, "body")]
    assert found(r"kind=fact") == []


@pytest.mark.parametrize(
    "content",
    [
        b"---\ndate: 2019-03-05\nindex: 'plain'\ntags:\n - oat latte\n---\n- milk\n",
        b"---\nindex: [latte, milk]\n---\n- milk\n",
        b"---\nnever closed latte\n",
        b"---\ntitle: latte\n---\n",
        b"\xef\xbb\xbf# latte\r\n\r\nprose\r\n",
        b"- caf\xe9 latte\n- \x00\n",
        b"* l\xef\xbd\x81tte\n",
        b"| table | latte |\n",
        b"```\n- latte\n",
    ],
)
def test_whatever_shape_a_hand_gave_a_day_its_text_is_found(desk: Desk, content: bytes) -> None:
    path = desk.path("2019-03-05")
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    assert [hit.date for hit in ask(desk, "latte").hits] == ["2019-03-05"]
    assert path.read_bytes() == content


def test_frontmatter_is_not_shown_to_who_does_not_see_all_entries(desk: Desk) -> None:
    path = desk.path("2019-03-05")
    path.parent.mkdir(parents=True)
    bens = encode_entry("milk", {"id": "aaaaaaaa", "scope": "global", "actor": "ben"}).raw
    path.write_bytes(b"---\ntags: latte\n---\n- sugar\n" + bens)
    assert ask(desk, "latte").hits == ()
    assert [hit.date for hit in ask(desk, "latte", reader="*").hits] == ["2019-03-05"]


def test_a_large_archive_is_looked_through_alike(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether `grep` goes first or the files are read here, the answer is the same."""
    questions = ("Rotterdam", "carefully", "nowhere", "global", "１２，８００")
    here = [ask(desk, term, deep=True).as_json() for term in questions]
    monkeypatch.setattr(recall_walk, "_GREP_FROM", 0)
    monkeypatch.setattr(recall_walk, "_GREP_BYTES", 0)
    assert [ask(desk, term, deep=True).as_json() for term in questions] == here


def test_attributes_are_not_text(desk: Desk) -> None:
    assert ask(desk, "global").hits == ()
    assert ask(desk, "desk").hits == ()


def test_another_actors_words_are_not_found_not_even_through_the_index(desk: Desk) -> None:
    desk.append("ben keeps the spare key under the flowerpot", actor="ben")
    assert ask(desk, "flowerpot").hits == ()
    assert [hit.date for hit in ask(desk, "flowerpot", reader="ben").hits] == [TODAY]
    (hit,) = ask(desk, "报价").hits
    assert "flowerpot" not in hit.index
    assert "flowerpot" not in str(context(desk.cell, reader="ana").as_json())


def test_the_newest_correction_comes_with_what_it_replaces(desk: Desk) -> None:
    ref = desk.day("2026-11-20").entries()[0][0]
    done = desk.append("Billing moves to PostgreSQL 17", kind="correction", corrects=str(ref))
    desk.append("Billing stays", kind="correction", corrects=str(done.placed[0].ref))
    answer = ask(desk, "16").as_json()
    (entry,) = answer["hits"][0]["entries"]  # type: ignore[index]
    assert [one["text"] for one in entry["corrections"]] == [
        "Billing stays",
        "Billing moves to PostgreSQL 17",
    ]


def test_texts_are_cut_and_marked_but_no_hit_is_dropped(desk: Desk) -> None:
    desk.append("x" * 500 + " contract", "y" * 500 + " contract")
    document = ask(desk, "contract").as_json(max_chars=100)
    entries = document["hits"][0]["entries"]  # type: ignore[index]
    assert [len(entry["text"]) for entry in entries] == [101, 81]
    assert all(entry["cut"] for entry in entries)


def test_a_session_is_asked_first_and_seen_by_itself_alone(desk: Desk) -> None:
    plan = {"kind": "plan", "scope": "global", "actor": "ana", "session": "s1"}
    note(desk.cell, [NewEntry("first read the tests", plan)])
    assert [hit.stage for hit in ask(desk, "tests", session="s1").hits] == ["session"]
    assert ask(desk, "tests", session="s2").hits == ()
    assert ask(desk, "tests").hits == ()


def test_a_folder_that_cannot_be_read_is_not_nothing_found(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("2026"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(ErrUnreadable):
        ask(desk, "anything")


def test_context_is_exactly_the_last_thirty_local_dates(desk: Desk) -> None:
    desk.clock.set("2026-12-19T23:59:00+08:00")
    assert [date for date, _ in context(desk.cell, reader="ana").items] == ["2026-11-20", TODAY]
    desk.clock.set("2026-12-20T00:30:00+08:00")
    assert [date for date, _ in context(desk.cell, reader="ana").items] == [TODAY]


def test_context_drops_the_oldest_days_first_and_says_so(desk: Desk) -> None:
    found = context(desk.cell, reader="ana", max_chars=80)
    assert [date for date, _ in found.items] == [TODAY]
    assert found.dropped == ("2026-11-20",)
