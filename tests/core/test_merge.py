"""The merge law (design §8.5): two versions of a day make one, whoever merges, in whatever order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nutsync.core.day import Day, count_blocks
from nutsync.core.entry import Block, encode_entry, id_from_bytes
from nutsync.core.forgotten import ForgottenByAny, ForgottenSet
from nutsync.core.front import Front, index_problem, split_front
from nutsync.core.merge import (
    Side,
    clashes,
    merge_day,
    merge_sides,
    stamped_key,
)

DATE = "2026-11-30"


def first_words(
    ours: str | None,
    theirs: str | None,
    bases: Sequence[str | None],
    blocks: Sequence[Block],
    forgotten: Sequence[Block] = (),
) -> str:
    """An index that depends on the blocks alone, as a day without hand-made clauses has it."""
    words = "; ".join(block.text.split("\n")[0][:20] for block in blocks)
    return "".join(char for char in words if not index_problem(char))


def entry(text: str, ident: int, at: str = "09:00:00.000+08:00", dev: str = "desk") -> Block:
    return encode_entry(text, {"id": id_from_bytes(ident.to_bytes(5, "big")), "at": at, "dev": dev})


def day(*blocks: Block | str, index: str | None = "") -> Day:
    made = [block if isinstance(block, Block) else Block(block.encode()) for block in blocks]
    fresh = Day.new(DATE).append(*made)
    return fresh if index is None else fresh.with_index(index or first_words(None, None, (), made))


def forgotten(*blocks: Block, words: dict[str, int] | None = None) -> ForgottenSet:
    counts = {(DATE, f"{text}\n".encode()): n for text, n in (words or {}).items()}
    return ForgottenSet(frozenset(f"{DATE}#{block.id}" for block in blocks), counts)


def merged(ours: Day | Side | None, theirs: Day | Side | None, *bases: Front) -> Day | None:
    ours = ours if isinstance(ours, Side) else Side(ours)
    theirs = theirs if isinstance(theirs, Side) else Side(theirs)
    return merge_day(DATE, ours, theirs, bases, first_words)


def lines(value: Day | None) -> list[str]:
    assert value is not None
    return [block.body.decode().rstrip("\n") for block in value.blocks]


# --- Stamped entries ------------------------------------------------------------------------------

A = entry("a", 1, "09:00:00.000+08:00")
B = entry("b", 2, "09:00:00.000+07:00", "bag")
C = entry("c", 3, "09:30:00.000+08:00")


def test_stamped_entries_stand_in_the_order_of_their_instants_whatever_the_offset() -> None:
    assert lines(merged(day(A, B), day(A, C))) == lines(day(A, C, B))


def test_at_one_instant_the_device_and_then_the_id_decide() -> None:
    one = entry("one", 9, dev="bag")
    two = entry("two", 1, dev="desk")
    three = entry("three", 2, dev="desk")
    assert lines(merged(day(three, one), day(two))) == lines(day(one, two, three))


def test_an_hour_past_midnight_is_later_than_any_before_it() -> None:
    late = entry("late", 9, "24:00:00.100+08:00")
    assert lines(merged(day(late), day(A))) == lines(day(A, late))


def test_a_forgotten_entry_does_not_come_back_from_a_side_that_still_has_it() -> None:
    left = merged(Side(day(A), forgotten(C)), Side(day(A, C, B)))
    assert lines(left) == lines(day(A, B))


def test_the_index_is_made_anew_when_something_was_forgotten() -> None:
    left = merged(Side(day(A, index="a; secret c"), forgotten(C)), day(A, C, index="a; secret c"))
    assert left is not None
    assert left.index == "a"


def test_who_makes_the_index_hears_what_was_left_out() -> None:
    heard: list[list[str]] = []

    def listen(*args: Sequence[Block]) -> str:
        heard.append([block.text for block in args[-1]])
        return ""

    sides = Side(day(A, C, "word"), forgotten(words={"word": 1})), Side(day(A, B), forgotten(C))
    merge_day(DATE, *sides, (), listen)  # type: ignore[arg-type]
    assert heard == [["c"]]
    merge_day(DATE, Side(day(A)), Side(day(A, "word"), forgotten(A)), (), listen)  # type: ignore[arg-type]
    assert heard[1:] == [["a", "a"]]


def test_a_day_whose_last_entry_was_forgotten_leaves_the_tree() -> None:
    assert merged(Side(None, forgotten(A)), day(A)) is None
    assert merged(Side(day(A, B), forgotten(C)), Side(day(C), forgotten(A, B))) is None


def test_a_day_that_one_side_has_keeps_its_bytes() -> None:
    odd = Day.parse(b"---\ntags: [x]\n---\n\n\n## Plans\n* b\n\n\n\n- a\n", DATE)
    assert merged(odd, None) == odd
    assert merged(None, odd) == odd
    assert merged(odd, odd) == odd
    assert merged(Side(odd, forgotten(A)), Side(None, forgotten(B))) == odd


def test_an_empty_day_file_of_the_users_is_no_forgotten_day() -> None:
    empty = Day.parse(b"---\nmood: fine\n---\n", DATE)
    assert merged(empty, None) == empty
    both = merged(empty, Day.new(DATE))
    assert both is not None
    assert b"mood: fine" in both.render()


def test_two_texts_under_one_id_are_both_kept_and_named() -> None:
    forged = entry("another", 1, "09:00:00.000+08:00")
    found = merged(day(A), day(forged, C))
    assert lines(found) == lines(day(A, forged, C))
    assert found == merged(day(forged, C), day(A))
    assert clashes(day(A, B), day(forged, B)) == (A.id,)
    assert clashes(day(A, B), day(A)) == ()
    assert clashes(None, day(A)) == ()


def test_an_entry_that_gits_union_doubled_is_there_once() -> None:
    assert lines(merged(day(A, A, B), day(A, C))) == lines(day(A, C, B))


def test_a_stamp_without_a_time_sorts_first_and_never_fails() -> None:
    odd = encode_entry("odd", {"id": "00000009", "at": "99:99"})
    assert stamped_key(DATE, odd) < stamped_key(DATE, A)
    assert lines(merged(day(A, odd), day(B, odd))) == lines(day(odd, A, B))


# --- Unstamped blocks -----------------------------------------------------------------------------


def test_words_stay_under_the_entry_above_them() -> None:
    assert lines(merged(day(A, "note on a", B), day(A, C))) == [
        *lines(day(A)),
        "note on a",
        *lines(day(C, B)),
    ]


def test_where_the_sides_differ_words_stand_under_the_later_entry() -> None:
    found = lines(merged(day(A, "word", C), day(A, C, "word", B)))
    assert found == lines(day(A, C, "word", B))


def test_the_same_words_on_both_sides_are_there_once_and_doubled_words_twice() -> None:
    assert lines(merged(day("x", "y"), day("x", "z"))).count("x") == 1
    assert lines(merged(day("x", "x"), day("x", "z"))).count("x") == 2


def test_each_side_keeps_the_order_of_its_own_words() -> None:
    found = lines(merged(day("m", "a", "z"), day("m", "k", "b")))
    assert found == ["m", "a", "k", "b", "z"]


def test_words_that_precede_each_other_are_placed_smallest_first() -> None:
    assert lines(merged(day("b", "a"), day("a", "b"))) == ["a", "b"]


def test_forgotten_words_do_not_come_back() -> None:
    forgot = Side(day("x"), forgotten(words={"secret": 1}))
    assert lines(merged(forgot, day("x", "secret", "y"))) == ["x", "y"]
    assert merged(Side(None, forgotten(words={"secret": 1})), day("secret")) is None


def test_words_written_again_after_they_were_forgotten_stay() -> None:
    again = Side(day("x", "secret"), forgotten(words={"secret": 1}))
    knows = Side(day("x", "y"), forgotten(words={"secret": 1}))
    never_heard = Side(day("x", "secret", "z"))
    assert lines(merged(again, knows)).count("secret") == 1
    assert lines(merged(again, never_heard)).count("secret") == 1
    assert lines(merged(knows, never_heard)).count("secret") == 0


def test_two_devices_that_forget_the_same_words_apart_forget_them_once() -> None:
    one = Side(day("t"), forgotten(words={"t": 1}))
    other = Side(None, forgotten(words={"t": 1}))
    assert lines(merged(one, other)) == ["t"]
    assert lines(merged(one, Side(day("u"), other.forgotten))) == ["t", "u"]


def test_text_under_the_heading_is_not_lost_with_it() -> None:
    odd = Day.parse(f"## {DATE}\n  said under the heading\n- x\n".encode(), DATE)
    assert b"said under the heading" in merged(odd, day("y")).render()  # type: ignore[union-attr]


def test_indented_first_lines_of_both_sides_stay_at_the_top() -> None:
    one, two = (Day.parse(text, DATE) for text in (b"  one\n- x\n", b"  two\n\x01 y\n"))
    found = merged(one, two)
    assert found == merged(two, one)
    assert lines(found)[0] == "  one\n  two"
    assert Day.parse(found.render(), DATE).blocks == found.blocks  # type: ignore[union-attr]
    assert lines(merged(found, one)) == lines(found)


def test_a_second_heading_that_gits_union_left_goes() -> None:
    doubled = Day.parse(day(A).render() + f"## {DATE}\n".encode(), DATE)
    found = merged(doubled, day(C))
    assert found is not None
    assert found.heading_count == 1
    assert found.render().startswith(found.front.raw + f"## {DATE}\n".encode())


# --- Frontmatter and layout -----------------------------------------------------------------------


def with_front(*rows: str, index: str = "i") -> Day:
    front = "".join(f"{row}\n" for row in rows)
    return Day.parse(f"---\ndate: {DATE}\nindex: '{index}'\n{front}---\n- x\n".encode(), DATE)


def front_lines(value: Day | None) -> list[str]:
    assert value is not None
    return value.front.raw.decode().split("\n")[3:-2]


def test_frontmatter_that_one_side_added_comes_along_in_its_order() -> None:
    mine = with_front("tags:", "- z", "- a", "aliases: [b]")
    assert front_lines(merged(mine, day("y"))) == ["tags:", "- z", "- a", "aliases: [b]"]


def test_a_value_that_one_side_changed_is_taken_over() -> None:
    base = with_front("mood: fine", "place: home")
    changed, appended = with_front("mood: great"), base.append(Block(b"- y\n"))
    found = merged(changed, appended, base.front)
    assert front_lines(found) == ["mood: great"]
    assert found == merged(appended, changed, base.front)


def test_a_value_that_both_changed_keeps_one_and_shows_the_other() -> None:
    base, one, two = with_front("mood: fine"), with_front("mood: bad"), with_front("mood: great")
    for found in (merged(one, two, base.front), merged(two, one, base.front)):
        assert front_lines(found) == ["mood: great", "# mood: bad"]
        assert front_lines(merged(found, one, base.front)) == ["mood: great", "# mood: bad"]


def test_the_wider_padding_stays() -> None:
    one = Day.parse(day(A).render() + b"\n\n" + B.raw, DATE)
    found = merged(one, day(A, C))
    assert found is not None
    assert A.raw + b"\n\n" in found.render()


def test_a_file_that_ends_at_its_fence_can_be_merged_and_appended_to() -> None:
    bare = Day.parse(f"---\ndate: {DATE}\nindex: ''\nmood: x\n---".encode(), DATE)
    found = merged(bare, day("y"))
    assert found is not None
    assert split_front(found.render())[0] == found.front
    assert bare.append(Block(b"- z\n")).render().endswith(b"---\n- z\n")


def test_a_day_without_an_index_gets_none_by_a_merge() -> None:
    one, two = (Day.parse(text, DATE) for text in (b"- x\n", b"- y\n"))
    assert merged(one, two).render() == b"- x\n- y\n"  # type: ignore[union-attr]


CONTENT = st.one_of(
    st.binary(max_size=60),
    st.lists(
        st.sampled_from(
            [
                b"---\n", b"date: 2026-11-30\n", b"index: 'a'\n", b"index: b\n", b"\n", b"  more\n", b"- x\n",
                b"tags:\n", b"- y\n", b"# c\n", b"## 2026-11-30\n", b"\xef\xbb\xbf", b"\r\n",
                b"k: 1\n", b"k: 2\n",
                A.raw, B.raw, C.raw, b"\xff\n",
            ]
        ),
        max_size=12,
    ).map(b"".join),
)  # fmt: skip


@settings(max_examples=200)
@given(CONTENT, CONTENT, CONTENT)
def test_any_two_files_merge_commutative_idempotent_and_without_a_loss(
    one: bytes, two: bytes, base: bytes
) -> None:
    ours, theirs = Day.parse(one, DATE), Day.parse(two, DATE)
    bases = (Day.parse(base, DATE).front,)
    found = merged(ours, theirs, *bases)
    assert found == merged(theirs, ours, *bases)
    assert found is not None
    assert merged(found, found, *bases) == found
    assert merged(ours, ours, *bases) == ours
    held = count_blocks(ours) | count_blocks(theirs)
    under_nothing = {body for body in held if body[:1] in (b" ", b"\t")}
    assert all(body in found.render() for body in under_nothing)
    assert Counter(dict.fromkeys(held.keys() - under_nothing, 1)) <= count_blocks(found)
    assert count_blocks(merged(found, theirs, *bases) or found) == count_blocks(found)
    assert Day.parse(found.render(), DATE).blocks == found.blocks


def test_more_than_two_versions_merge_one_after_the_other() -> None:
    found = merge_sides(DATE, [Side(day(A)), Side(None, forgotten(C)), Side(day(B, C))], (), first_words)
    assert lines(found) == lines(day(A, B))


def test_what_any_version_forgot_the_merged_one_forgot() -> None:
    f = ForgottenByAny((forgotten(A, words={"x": 2}), forgotten(B, words={"x": 1})))
    assert f.has(f"{DATE}#{A.id}")
    assert f.has(f"{DATE}#{B.id}")
    assert not f.has(f"{DATE}#{C.id}")
    assert f.count(DATE, b"x\n") == 2
    assert f.unstamped(DATE)
    assert not f.unstamped("2026-11-29")


@pytest.mark.parametrize("which", [0, 1])
def test_a_forget_on_either_side_counts(which: int) -> None:
    sides = [Side(day(A), forgotten(B)), Side(day(A, B))]
    assert lines(merged(sides[which], sides[1 - which])) == lines(day(A))
