"""Indexes handed over with an append, and entries that come without one."""

from __future__ import annotations

import pytest

from nutsync.core.errors import ErrIndexForm, ErrIndexUngrounded
from nutsync.core.index import Said, build_clause, build_index, complete_index, extend_index

OFFER = Said("X-200 报价定为 12,800 元，周五前发合同", "decision")
BILLING = Said("Billing moves to PostgreSQL 16\nReason: logical replication.")


def test_a_handed_index_that_covers_the_day_stays_as_it_is() -> None:
    given = "Acme: X-200 报价定为 12,800 元；billing moves to PostgreSQL 16; open: 周五前发合同"
    with pytest.raises(ErrIndexUngrounded):
        complete_index(given, [OFFER, BILLING])
    fine = given.removeprefix("Acme: ")
    assert complete_index(f" {fine} ", [OFFER, BILLING]).index == fine


def test_entries_that_it_leaves_out_get_the_builders_clause() -> None:
    given = "X-200 报价 12,800 元，周五前发合同"
    result = complete_index(given, [OFFER, BILLING])
    assert result.index == f"{given}；{build_clause(BILLING)}"


def test_what_was_written_by_hand_before_comes_before_the_builders_clause() -> None:
    previous = "logical replication is why billing goes to PostgreSQL"
    result = complete_index("X-200 报价 12,800 元，周五前发合同", [BILLING, OFFER], previous)
    assert previous in result.index
    assert build_clause(BILLING) not in result.index


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ("billing moves to Oracle 16", "name"),
        ("Oracle for billing, PostgreSQL 16", "name"),
        ("Zoe moves billing to PostgreSQL 16", "name"),
        ("Kelly moves billing to PostgreSQL 16", "name"),
        ("billing moves to PostgreSQL 16, says Kelly", "name"),
        ("billing moves to PostgreSQL 17", "number"),
        ("billing moves to PostgreSQL 16 on Monday", "date"),
        ("billing moves to PostgreSQL 16 on 2026-12-24", "date"),
    ],
)
def test_an_invented_name_number_or_date_is_refused(given: str, kind: str) -> None:
    with pytest.raises(ErrIndexUngrounded) as caught:
        complete_index(f"logical replication; {given}", [BILLING])
    assert kind in caught.value.message
    assert "Clause 2 of 2" in caught.value.message
    assert given not in caught.value.message


@pytest.mark.parametrize(
    "given",
    [
        "Migration of billing to PostgreSQL 16 decided",
        "Switch billing: PostgreSQL 16",
        "Decision: billing goes to PostgreSQL 16",
        "Refactor billing for PostgreSQL 16",
    ],
)
def test_ordinary_words_that_the_entry_puts_differently_are_not_refused(given: str) -> None:
    assert complete_index(given, [BILLING]).index == given


@pytest.mark.parametrize("given", ["two\nlines", "a\ttab", "", "  ", "nul\x00", "line\u2028end"])
def test_an_index_that_is_not_one_line_is_refused(given: str) -> None:
    with pytest.raises(ErrIndexForm):
        complete_index(given, [BILLING])


def test_copies_tags_and_empty_phrases_are_warned_of_and_kept() -> None:
    result = complete_index("billing PostgreSQL 16; discussed things", [BILLING])
    assert [w.code for w in result.warnings] == ["emptiness"]
    assert "discussed things" in result.index


def test_an_entry_without_an_index_adds_its_clause_to_a_hand_made_one() -> None:
    current = "billing:  moves (16)"
    assert extend_index(current, [BILLING, OFFER], [OFFER]) == f"{current}; {build_clause(OFFER)}"


def test_extending_a_built_index_gives_what_building_anew_gives() -> None:
    entries: list[Said] = []
    index: str | None = None
    for text in ("offer for Acme", "报价", "offer for Acme", "and so on", "Zoë calls Ben"):
        entries.append(Said(text))
        index = extend_index(index, entries, entries[-1:])
        assert index == build_index(entries)
