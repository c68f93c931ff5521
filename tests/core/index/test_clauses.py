"""Cutting an index line apart and putting it together."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from nutsync.core.front import index_problem
from nutsync.core.index import join_clauses, split_clauses
from nutsync.core.index.clauses import add_clause, clean_clause

TEXT = st.text(st.characters() | st.sampled_from("；; \t\n\u2028\ufeff'"), max_size=40)


@settings(max_examples=200)
@given(st.lists(TEXT, max_size=6))
def test_joined_clauses_split_into_the_same_clauses(texts: list[str]) -> None:
    clean = [clause for clause in map(clean_clause, texts) if clause]
    index = join_clauses(texts)
    assert list(split_clauses(index)) == clean
    assert index_problem(index) is None


@settings(max_examples=200)
@given(TEXT)
def test_cleaning_a_clean_clause_changes_nothing(text: str) -> None:
    assert clean_clause(clean_clause(text)) == clean_clause(text)


def test_a_clause_added_behind_an_index_changes_no_character_before_it() -> None:
    assert add_clause("Acme: offer;  open points", "报价") == "Acme: offer;  open points；报价"
    assert add_clause("Acme", "contract") == "Acme; contract"
    assert add_clause("", "contract") == "contract"
