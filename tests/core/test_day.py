"""The day file: nothing in it is ever lost, reordered or reformatted."""

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from nutsync.core.day import Day, normalise_line_ends
from nutsync.core.entry import Ref, encode_entry
from nutsync.core.front import index_problem

DATE = "2026-11-30"
LINES = st.sampled_from(
    ["---\n", "---\r\n", "...\n", "date: 2026-11-30\n", "index: 'a''b'\n", 'index: "q\\"x"\n', "index: >\n"]
    + ["  folded\n", "tags: [a]\n", "## 2026-11-30\n", "- a\n", "- b <!-- nut id=k3f9x2ab at=1 dev=d -->\n"]
    + ["* c\n", "\t- nested\n", "prose\n", "\n", "```\n", "\x00\n", "| t |\n", "no newline", "\ufeff"]
)
CONTENTS = st.lists(LINES, max_size=14).map(lambda lines: "".join(lines).encode()) | st.binary(max_size=60)
INDEXES = st.text(st.characters(exclude_categories=["Cs"])).filter(lambda text: index_problem(text) is None)


def same_but_for_line_ends(content: bytes) -> tuple[bytes, bytes]:
    clean = normalise_line_ends(content)
    return clean, clean + b"\n"


@given(CONTENTS)
@settings(max_examples=400)
def test_an_unchanged_day_renders_to_its_own_bytes(content: bytes) -> None:
    assert Day.parse(content, DATE).render() in same_but_for_line_ends(content)


@given(CONTENTS, INDEXES)
@settings(max_examples=400)
def test_a_new_index_reads_back_and_touches_no_line_of_the_body(content: bytes, index: str) -> None:
    before = Day.parse(content, DATE)
    after = Day.parse(before.with_index(index).render(), DATE)
    assert after.index == index
    assert after.parts == before.parts


@given(CONTENTS)
@settings(max_examples=400)
def test_an_appended_entry_is_the_last_block_and_all_others_keep_their_bytes(content: bytes) -> None:
    entry = encode_entry("buy milk", {"id": "p0q8m1zc"})
    before = Day.parse(content, DATE)
    after = Day.parse(before.append(entry).render(), DATE)
    assert [block.body for block in after.blocks] == [block.body for block in before.blocks] + [entry.body]


@given(INDEXES)
def test_the_canonical_form_is_what_yaml_reads_too(index: str) -> None:
    content = Day.new(DATE).with_index(index).render().decode()
    fields = yaml.safe_load(content.split("---\n")[1])
    assert fields["index"] == index
    assert Day.parse(content.encode(), DATE).front.canonical


def test_a_new_day_is_canonical() -> None:
    day = Day.new(DATE).with_index("X-200 定价；Ana's call").append(encode_entry("hi", {"id": "k3f9x2ab"}))
    assert day.render().decode() == (
        "---\ndate: 2026-11-30\nindex: 'X-200 定价；Ana''s call'\n---\n"
        "## 2026-11-30\n- hi <!-- nut id=k3f9x2ab -->\n"
    )


@pytest.mark.parametrize(
    ("front", "index"),
    [
        ("index: 'it''s'", "it's"),
        ('index: "a \\"q\\" \\u5143"', 'a "q" 元'),
        ("index: 'a' # note", "a"),
        ("tags: [x]\nindex: 'a'\nother: {b: 1}", "a"),
    ],
)
def test_every_quoted_one_line_index_is_read(front: str, index: str) -> None:
    day = Day.parse(f"---\ndate: {DATE}\n{front}\n---\n- a\n".encode(), DATE)
    assert (day.index, day.front.date, day.front.problem) == (index, DATE, None)


@pytest.mark.parametrize(
    ("front", "problem"),
    [
        ("index: bare words", "quotes"),
        ("index: >\n  folded", "quotes"),
        ("index: 'a\tb'", "tab"),
        ('index: "a\\nb"', "line break"),
        ('index: "\\q"', "escape"),
        ("index: 'a'\nindex: 'b'", "two index lines"),
        ("<<<<<<< ours", "no key"),
    ],
)
def test_a_malformed_index_is_named(front: str, problem: str) -> None:
    day = Day.parse(f"---\ndate: {DATE}\n{front}\n---\n- a\n".encode(), DATE)
    assert problem in (day.front.problem or "")


def test_extra_frontmatter_keys_and_their_order_survive_a_new_index() -> None:
    content = "---\ntitle: Monday\nindex: >\n  old\n  words\ntags:\n  - a\n---\n- x\n"
    day = Day.parse(content.encode(), DATE).with_index("new")
    assert day.render().decode() == (
        "---\ndate: 2026-11-30\ntitle: Monday\nindex: 'new'\ntags:\n  - a\n---\n- x\n"
    )


def test_a_frontmatter_that_does_not_end_is_body() -> None:
    day = Day.parse(b"---\nindex: 'a'\n- x\n", DATE)
    assert not day.front.present
    assert "does not end" in (day.front.problem or "")
    assert b"".join(block.raw for block in day.blocks) == b"---\nindex: 'a'\n- x\n"


def test_refs_count_unstamped_blocks_and_name_stamped_ones() -> None:
    content = "## 2026-11-30\nprose\n- a <!-- nut id=k3f9x2ab at=1 dev=d -->\n\n- b\n  more\n"
    day = Day.parse(content.encode(), DATE)
    assert [str(ref) for ref, _ in day.entries()] == [
        "2026-11-30#~1",
        "2026-11-30#k3f9x2ab",
        "2026-11-30#~2",
    ]
    found = day.find(Ref.parse("2026-11-30#~2"))
    assert found is not None
    assert found.text == "b\nmore"
    assert day.find(Ref.parse("2026-11-30#~3")) is None


def test_removing_one_of_two_equal_blocks_leaves_the_other() -> None:
    day = Day.parse(b"- same\n- same\n- other\n", DATE)
    left = day.without([day.blocks[1]])
    assert [block.text for block in left.blocks] == ["same", "other"]
