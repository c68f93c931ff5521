"""The made corpus of credentials is caught, and the cases' honest texts pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.secrets import EACH, KINDS, corpus, texts
from nutsync.operations.secrets import find_secret

CASES = Path(__file__).resolve().parents[2].parent / "shared" / "cases"


def test_the_corpus_is_200_credentials_of_20_kinds_and_98_percent_of_them_are_caught() -> None:
    made = list(corpus())
    assert (len(made), len(KINDS), EACH) == (200, 20, 10)
    assert len({text for _, text in made}) == 200
    assert sum(find_secret(text) is not None for _, text in made) >= 196


def test_at_most_one_honest_text_in_ten_thousand_is_refused() -> None:
    files = [*CASES.glob("diary-*.jsonl"), *CASES.glob("history-*.jsonl")]
    if not files:
        pytest.skip("the cases are not here")
    entries = list(texts(files))
    assert sum(find_secret(text) is not None for text in entries) <= len(entries) / 10_000
