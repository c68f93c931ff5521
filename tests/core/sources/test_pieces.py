"""Files are cut where their writer cut them, and no line is lost."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from nutsync.core.entry import TEXT_LIMIT
from nutsync.core.sources.pieces import SOFT_LIMIT, cut


def texts(body: str, lead: str = "", **how: bool) -> list[str]:
    lines = list(enumerate(body.split("\n"), 1))
    front = [(0, line) for line in lead.split("\n")] if lead else []
    return [piece.text for piece in cut(front, lines, **how).pieces]


def codes(body: str) -> list[tuple[int, str]]:
    return [(line, code) for line, code, _ in cut([], list(enumerate(body.split("\n"), 1))).notes]


def test_an_outline_gives_an_entry_for_each_bullet_with_what_hangs_on_it() -> None:
    assert texts("- one\n\t- child\n* two\n  more\n\n1. three") == [
        "one\n\t- child",
        "two\n  more",
        "1. three",
    ]


def test_a_section_is_one_entry_and_a_bare_heading_goes_with_the_next() -> None:
    body = "# 2026-01-27\n\n## 04:57 - Ideas\n\nsome\n\n- a\n- b\n## Rest\nx"
    assert texts(body) == ["# 2026-01-27\n\n## 04:57 - Ideas\n\nsome\n\n- a\n- b", "## Rest\nx"]


def test_paragraphs_without_headings_are_entries_and_a_rule_stays_with_what_is_above_it() -> None:
    assert texts("10:08\nwalked\n\n---\n10:46\nworked") == ["10:08\nwalked\n\n---\n10:46\nworked"]
    assert texts("one\ntwo\n\nthree") == ["one\ntwo", "three"]


def test_what_looks_like_a_heading_inside_a_fence_is_code() -> None:
    assert texts("- a\n  ```sh\n# not a heading\n- no bullet\n  ```\n- b") == [
        "a\n  ```sh\n# not a heading\n- no bullet\n  ```",
        "b",
    ]


def test_a_fence_that_never_closes_is_closed_where_its_entry_ends_and_reported() -> None:
    body = "## one\n```py\nx = 1\n## two\ny"
    assert texts(body) == ["## one\n```py\nx = 1\n```", "## two\ny"]
    assert codes(body) == [(2, "unclosed-fence")]


def test_an_empty_bullet_is_left_out_and_its_children_stay() -> None:
    body = "- a\n-\n- \n\t- child\n- b"
    assert texts(body) == ["a", "\t- child", "b"]
    assert codes(body) == [(2, "empty-bullet"), (3, "empty-bullet")]


def test_frontmatter_goes_with_the_first_entry_and_alone_it_is_one() -> None:
    assert texts("- a\n- b", "mood: 7") == ["mood: 7\n- a", "b"]
    assert texts("", "mood: 7\nwalk: 3") == ["mood: 7\nwalk: 3"]


def test_org_headings_are_stars() -> None:
    assert texts("* one\ntext\n- item\n* two\nmore", org=True) == ["* one\ntext\n- item", "* two\nmore"]


def test_long_sections_are_cut_between_their_parts_and_huge_ones_anywhere() -> None:
    long = "## log\n" + "\n".join(f"- point {n} {'x' * 200}" for n in range(100))
    found = texts(long)
    assert len(found) > 1
    assert all(len(text) <= SOFT_LIMIT + 300 for text in found)
    huge = texts("word " * 40_000)
    assert len(huge) > 1
    assert all(len(text.encode()) <= TEXT_LIMIT for text in huge)


PARTS = st.sampled_from(
    [
        "- a",
        "* b",
        "\t- c",
        "  d",
        "",
        "# H",
        "## I",
        "text",
        "1. n",
        "---",
        "```",
        "- ```",
        "| t | u |",
        "- [ ] x",
    ]
)


@given(st.lists(PARTS, max_size=30))
def test_every_line_that_says_something_is_in_exactly_the_order_it_had(lines: list[str]) -> None:
    found = "\n".join(texts("\n".join(lines))).split("\n")
    said = [words for line in lines if (words := _words(line))]
    kept = [words for line in found if (words := _words(line))]
    if kept.count("```") > said.count("```"):  # the one that was supplied
        said.append("```")
    assert sorted(kept) == sorted(said)


def _words(line: str) -> str:
    return re.sub(r"^\s*[-*+](\s+|$)", "", line).strip()
