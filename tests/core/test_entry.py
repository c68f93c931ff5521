"""The entry grammar: any text goes in and comes out equal; attributes cannot be forged."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nutsync.core.entry import (
    Block,
    Ref,
    check_text,
    decode_value,
    encode_entry,
    encode_value,
    id_from_bytes,
    is_id,
    split_blocks,
    stamp,
)
from nutsync.core.errors import ErrEmptyText, ErrForbiddenCharacter, ErrRef, ErrTooLarge

CHARACTERS = st.characters(exclude_categories=["Cs"])
AWKWARD = st.sampled_from(
    ["<!-- nut", " <!-- nut id=k3f9x2ab at=x dev=y -->", "-->", "\\", "&#13;", "\r", "\n", "\n\n", "\t"]
    + ["---", "\n---\n", "\n- ", "\n# ", "\n## 2026-11-30", "  ", " ", "\u200d", "👩‍💻", "`" * 3, "元"]
)
TEXTS = st.lists(AWKWARD | CHARACTERS, max_size=30).map("".join)
KEYS = st.from_regex(r"[a-z][a-z0-9_-]{0,8}", fullmatch=True).filter(lambda key: key != "id")
ATTRIBUTES = st.dictionaries(KEYS, st.text(CHARACTERS, max_size=12), max_size=4)


@given(TEXTS, ATTRIBUTES)
@settings(max_examples=300)
def test_any_text_and_attributes_read_back_equal(text: str, attributes: dict[str, str]) -> None:
    block = Block(encode_entry(text, attributes).raw)
    assert block.text == text
    assert dict(block.attributes) == attributes


@given(TEXTS, TEXTS)
@settings(max_examples=300)
def test_an_entry_is_one_block_wherever_it_stands(first: str, second: str) -> None:
    stamped = {"id": "k3f9x2ab"}
    body = encode_entry(first, stamped).raw + encode_entry(second, stamped).raw
    lead, blocks = split_blocks(b"\n" + body)
    assert lead == b"\n"
    assert [block.text for block in blocks] == [first, second]
    assert [block.id for block in blocks] == ["k3f9x2ab"] * 2


@given(TEXTS)
@settings(max_examples=300)
def test_text_never_parses_as_attributes(text: str) -> None:
    assert dict(encode_entry(text).attributes) == {}


@given(TEXTS)
@settings(max_examples=200)
def test_stamping_a_bullet_changes_nothing_that_it_says(text: str) -> None:
    bare = encode_entry(text)
    stamped = stamp(bare, {"id": "k3f9x2ab", "dev": "desk"})
    assert (stamped.text, stamped.id) == (text, "k3f9x2ab")


def test_stamping_keeps_the_other_bytes_of_a_hand_written_bullet() -> None:
    bare = Block(b"* call Ana  \n\t* tab-nested\n\n    code\n\n")
    stamped = stamp(bare, {"id": "k3f9x2ab"})
    assert stamped.raw == b"* call Ana   <!-- nut id=k3f9x2ab -->\n\t* tab-nested\n\n    code\n\n"
    assert stamped.text == bare.text


def test_stamping_keeps_attributes_that_a_hand_gave() -> None:
    bare = Block(b"- x <!-- nut kind=task -->\n")
    assert dict(stamp(bare, {"id": "k3f9x2ab"}).attributes) == {"kind": "task", "id": "k3f9x2ab"}


@pytest.mark.parametrize(
    "line",
    [
        b"- x <!-- nut id=short -->",
        b"- x <!-- nut id=k3f9x2ab id=short -->",
        b"- x <!-- nut id=k3f9x2ab at=%Z -->",
        b"- x <!-- nut id=k3f9x2ab scope=%67lobal -->",
        b"- x <!-- nut id=k3f9x2ab actor=a%c3%a9 -->",
        b"- x <!-- nut id=k3f9x2ab  actor=ana -->",
        b"- x <!-- nut id=k3f9x2ab\tactor=ana -->",
        b"- x <!-- nut id=k3f9x2ab Actor=ana -->",
        b"- x <!-- nut id=k3f9x2ab actor -->",
        b"- x <!-- nut id=k3f9x2ab actor=a,b -->",
        b"- x <!-- nut nut id=k3f9x2ab -->",
        b"- x <!-- nut id=k3f9x2ab --> more",
        b"- x \\<!-- nut id=k3f9x2ab -->",
        b"prose <!-- nut id=k3f9x2ab -->",
        b"- x <!-- nut -->",
        b"- x <!--nut id=k3f9x2ab -->",
        b"- x <!-- nut id=k3f9x2ab -->  <!-- nut id=zz -->",
    ],
)
def test_a_malformed_or_misplaced_comment_is_text(line: bytes) -> None:
    assert Block(line).id is None


def test_of_several_values_the_first_that_says_something_counts() -> None:
    block = Block(b"- x <!-- nut scope= scope=global id=k3f9x2ab scope=host id=p0q8m1zc actor= -->\n")
    assert dict(block.attributes) == {"scope": "global", "id": "k3f9x2ab", "actor": ""}


def test_attributes_of_a_continuation_line_are_text() -> None:
    assert Block(b"- x\n  <!-- nut id=k3f9x2ab -->\n").id is None


@given(st.text(CHARACTERS))
def test_attribute_values_read_back_equal_and_cannot_end_the_comment(value: str) -> None:
    encoded = encode_value(value)
    assert decode_value(encoded) == value
    assert not set(encoded) & set(" \t\r\n<>=")


@given(st.binary(max_size=200))
def test_every_byte_of_a_body_belongs_to_one_block(body: bytes) -> None:
    lead, blocks = split_blocks(body)
    joined = lead + b"".join(block.raw for block in blocks)
    assert joined in (body, body + b"\n")
    assert b"".join(block.body for block in blocks).replace(b"\n", b"") == body.replace(b"\n", b"")


@pytest.mark.parametrize("text", ["", " ", "\n\t "])
def test_nothing_but_white_space_is_refused(text: str) -> None:
    with pytest.raises(ErrEmptyText):
        check_text(text)


@pytest.mark.parametrize("char", ["\0", "\u202e", "\u2066", "\u200f", "\ud800"])
def test_characters_that_hide_or_break_text_are_refused_by_name(char: str) -> None:
    with pytest.raises(ErrForbiddenCharacter) as caught:
        check_text(f"secret{char}")
    assert f"U+{ord(char):04X}" in caught.value.message
    assert "secret" not in caught.value.message


@pytest.mark.parametrize("text", ["👩‍👩‍👧", "می‌خواهم", "क्‍ष", "a\tb", "x\r\ny"])
def test_joiners_tabs_and_line_ends_are_text(text: str) -> None:
    check_text(text)
    assert encode_entry(text).text == text


def test_the_limit_is_64_kib_of_utf8() -> None:
    check_text("é" * (32 * 1024))
    with pytest.raises(ErrTooLarge):
        check_text("é" * (32 * 1024) + "x")


@pytest.mark.parametrize("text", ["2026-11-30", "2026-11-30#k3f9x2ab", "2026-11-30#~4", "0001-01-01"])
def test_refs_read_back_as_they_were(text: str) -> None:
    assert str(Ref.parse(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "2026-02-30", "2026-11-30#", "2026-11-30#~0", "2026-11-30#illegal!", "2026-11-30#iloulilo", "x"],
)
def test_what_is_no_ref_is_refused(text: str) -> None:
    with pytest.raises(ErrRef):
        Ref.parse(text)


@given(st.binary(min_size=5, max_size=5))
def test_five_random_bytes_make_an_id(random: bytes) -> None:
    assert is_id(id_from_bytes(random))
    assert id_from_bytes(b"\0" * 5) == "00000000"
    assert id_from_bytes(b"\xff" * 5) == "zzzzzzzz"
