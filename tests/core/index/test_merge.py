"""The law by which two indexes of one day become one (design §8.5), and what a forget leaves."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from nutsync.core.index import Said, build_clause, build_index, index_without, merge_index, split_clauses

VOCABULARY = """
Ana Ben Acme contract piano harbour ferry heron canal brewery X-200 12,800 16 PostgreSQL billing 2026-12-04
Friday 报价 合同 渡轮 蜰虫 山会邑馆 データベース the to and not sold planted
""".split()
SENTENCE = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=8).map(" ".join)
ENTRIES = st.lists(SENTENCE.map(Said), max_size=5, unique_by=lambda said: said.text)
CLAUSE = SENTENCE
INDEX = st.none() | st.lists(CLAUSE, max_size=4).map("; ".join)
BASES = st.lists(INDEX, max_size=2)


def words(text: str) -> set[str]:
    return set(re.findall(r"[\w,-]+", text.lower()))


@settings(max_examples=150)
@given(INDEX, INDEX, BASES, ENTRIES, st.booleans())
def test_it_does_not_matter_which_side_is_which(
    ours: str | None, theirs: str | None, bases: list[str | None], entries: list[Said], sure: bool
) -> None:
    forgotten = () if sure else None
    there = merge_index(ours, theirs, bases, entries, forgotten=forgotten)
    assert there == merge_index(theirs, ours, bases[::-1], entries, forgotten=forgotten)


@settings(max_examples=150)
@given(INDEX, INDEX, BASES, ENTRIES)
def test_merging_the_result_with_itself_changes_nothing(
    ours: str | None, theirs: str | None, bases: list[str | None], entries: list[Said]
) -> None:
    merged = merge_index(ours, theirs, bases, entries)
    assert merge_index(merged, merged, [merged], entries) == merged
    assert merge_index(merged, merged, [], entries) == merged


@settings(max_examples=150)
@given(st.lists(SENTENCE.map(Said), max_size=6), st.integers(0, 2**12 - 1))
def test_built_indexes_merge_into_the_built_index_of_the_merged_day(entries: list[Said], sides: int) -> None:
    ours = [entry for n, entry in enumerate(entries) if sides >> n & 1]
    theirs = [entry for n, entry in enumerate(entries) if not sides >> n & 1 or sides >> (n + 6) & 1]
    merged = merge_index(build_index(ours), build_index(theirs), [], entries)
    assert merged == build_index(entries)


@settings(max_examples=200)
@given(ENTRIES, ENTRIES, INDEX, INDEX, BASES, st.booleans())
def test_no_word_that_only_a_forgotten_entry_had_comes_back(
    kept: list[Said],
    forgotten: list[Said],
    ours: str | None,
    theirs: str | None,
    bases: list[str | None],
    known: bool,
) -> None:
    merged = merge_index(ours, theirs, bases, kept, forgotten=(forgotten or None) if known else None)
    gone = set().union(*(words(e.text) for e in forgotten)) - set().union(*(words(e.text) for e in kept))
    connecting = {"the", "to", "and", "not"}
    assert not words(merged) & (gone - connecting)


@settings(max_examples=200)
@given(ENTRIES, ENTRIES, INDEX)
def test_a_forget_leaves_no_word_that_only_the_forgotten_entry_had(
    kept: list[Said], forgotten: list[Said], index: str | None
) -> None:
    left = index_without(index, kept, forgotten)
    gone = set().union(*(words(e.text) for e in forgotten)) - set().union(*(words(e.text) for e in kept))
    assert not words(left) & gone


OFFER = Said("X-200 offer for Acme is 12,800 euros")
PIANO = Said("Ben sold the piano")


def test_a_clause_deleted_on_one_side_goes_and_an_added_one_stays() -> None:
    base = "offer X-200 to Acme at 12,800; the piano is sold"
    ours = "offer X-200 to Acme at 12,800"
    theirs = base + "; Ben, piano, sold"
    merged = merge_index(ours, theirs, [base], [OFFER, PIANO])
    assert split_clauses(merged) == ("offer X-200 to Acme at 12,800", "Ben, piano, sold")


def test_clauses_stand_in_the_order_of_the_entries_they_speak_of() -> None:
    merged = merge_index("piano sold by Ben", "Acme: offer X-200, 12,800", [], [OFFER, PIANO])
    assert split_clauses(merged) == ("Acme: offer X-200, 12,800", "piano sold by Ben")


def test_words_of_ones_own_stay_where_nothing_was_forgotten() -> None:
    ours = "proposal X-200 to Acme at 12,800"
    assert ours in merge_index(ours, None, [], [OFFER, PIANO], forgotten=())
    assert ours not in merge_index(ours, None, [], [OFFER, PIANO])


def test_an_invented_number_goes_in_every_case() -> None:
    assert "13,000" not in merge_index("X-200 offer for Acme 13,000", None, [], [OFFER], forgotten=())


def test_what_a_correction_replaced_goes_with_its_target() -> None:
    target = Said("Kickoff with Acme in Bergen")
    before = Said("The kickoff is in Oslo", "correction", target.text)
    after = Said("The kickoff is in Oslo", "correction", None)
    index = build_clause(before)
    assert "Bergen" in index
    assert index_without(index, [after], [target]) == build_clause(after)
    assert merge_index(index, build_clause(after), [index], [after], forgotten=()) == build_clause(after)


def test_the_mark_of_a_purge_is_no_clause() -> None:
    assert merge_index("(purged)", None, [], [PIANO], forgotten=()) == build_index([PIANO])


def test_a_day_without_entries_has_an_empty_index() -> None:
    assert merge_index("piano sold", "piano sold", [], []) == ""
    assert index_without("piano sold", [], [PIANO]) == ""
