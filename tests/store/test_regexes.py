"""Regular expressions find, refuse what is none, and never hang."""

from __future__ import annotations

import pytest

from nutsync.core.errors import ErrRegex, ErrSearchFailed
from nutsync.store.regexes import searcher


def test_an_expression_finds_whatever_the_case() -> None:
    search = searcher(r"x-[0-9]+")
    assert search("the X-200")
    assert not search("the X-ray")


def test_line_anchors_mean_lines() -> None:
    assert searcher("^two$")("one\ntwo\nthree")


@pytest.mark.parametrize("pattern", ["(", "[a", "*", "(?P<a>x)(?P<a", "(" * 500 + ")" * 500, "a" * 1001])
def test_what_is_no_expression_is_refused_by_name(pattern: str) -> None:
    with pytest.raises(ErrRegex):
        searcher(pattern)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(?:a|aa)+$", "a" * 80 + "b"),
        (r"(\w*\w*)*!(\w|\w\w)+$", "!" + "a" * 90 + "-"),
        ("(?:x{1,50}){1,50}(?:x{1,50}){1,50}y", "x" * 4000),
    ],
)
def test_a_catastrophic_expression_is_given_up_by_name(pattern: str, text: str) -> None:
    search = searcher(pattern, seconds=0.05)
    with pytest.raises(ErrSearchFailed):
        for _ in range(10_000):
            search(text)


def test_the_time_of_all_searches_together_counts() -> None:
    search = searcher("b+c", seconds=0.0)
    with pytest.raises(ErrSearchFailed):
        search("anything")
