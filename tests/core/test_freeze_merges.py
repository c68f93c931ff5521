"""Rule 7 of the freeze law: what a merge may make of its parents, what is a blur, and how it is repaired."""

from __future__ import annotations

import pytest

from nutsync.core.day import Day
from nutsync.core.entry import Block
from nutsync.core.freeze import is_legal
from nutsync.core.repair import dates_to_repair, repaired
from tests.support.history import MONDAY, TUESDAY, History, Made, day, entry, name, purge_record

A, B, C = entry("a", 1), entry("b", 2, "10:00:00.000+08:00"), entry("c", 3, "11:00:00.000+08:00")
D = entry("d", 4, "11:30:00.000+08:00", dev="bag")
MORNING, NOON, NEXT = "2026-11-30T09:00+08:00", "2026-11-30T12:00+08:00", "2026-12-01T12:00+08:00"


@pytest.fixture
def history() -> History:
    return History()


@pytest.fixture
def base(history: History) -> Made:
    return history.append(history.born(), MONDAY, A, at=MORNING)


@pytest.fixture
def forks(history: History, base: Made) -> tuple[Made, Made]:
    """Two devices that appended to one day apart."""
    return history.append(base, MONDAY, B, at=NOON), history.append(base, MONDAY, D, at=NOON)


# --- Honest merges ----------------------------------------------------------------------------------


def test_the_law_merges_what_two_devices_wrote(history: History, forks: tuple[Made, Made]) -> None:
    merged = history.merge(*forks, at=NOON)
    assert merged.findings == [f for f in merged.findings if f.severity == "notice"]
    assert merged.day(MONDAY).blocks == (A, B, D)
    assert merged.notices == ["unsigned"]


def test_late_entries_may_come_to_a_frozen_day_through_a_merge(
    history: History, forks: tuple[Made, Made]
) -> None:
    newer = history.append(forks[0], TUESDAY, C, at=NEXT)
    merged = history.merge(newer, forks[1], at="2026-12-03T09:00+08:00")
    assert merged.codes == []
    assert "late" in merged.notices
    assert "late" not in history.merge(*forks, at=NOON).notices


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_merge_where_one_side_touched_the_day_takes_that_side(
    history: History, base: Made, order: tuple[int, int]
) -> None:
    grown, other = history.append(base, MONDAY, B, at=NOON), history.append(base, TUESDAY, C, at=NEXT)
    sides = [grown, other]
    assert history.merge(sides[order[0]], sides[order[1]], at=NEXT).codes == []
    forgot = history.forget(base, MONDAY, A, at=NOON)
    sides = [forgot, other]
    merged = history.merge(sides[order[0]], sides[order[1]], at=NEXT)
    assert merged.codes == []
    assert merged.content(MONDAY) is None


def test_a_side_that_knows_no_cell_yet_is_merged_like_any(history: History) -> None:
    foreign = history.commit([], {"src/x": b"x"}, at=MORNING, message="code\n")
    born = history.append(history.born(), MONDAY, A, at=MORNING)
    assert history.merge(born, foreign, at=NOON).codes == []
    assert history.merge(foreign, born, at=NOON).codes == []


def test_a_day_further_east_may_be_merged(history: History, base: Made) -> None:
    east = history.append(base, TUESDAY, C, at="2026-11-30T23:30+14:00")
    assert "future-day" in east.codes  # 23:30 in the east is still Monday there
    east = history.append(base, TUESDAY, C, at="2026-12-01T00:30+14:00")
    west = history.append(base, MONDAY, B, at="2026-11-30T19:00+08:00")
    assert history.merge(west, east, at="2026-11-30T19:30+08:00").codes == []


def test_more_than_two_parents_are_judged_by_the_same_rule(history: History, base: Made) -> None:
    sides = [history.append(base, MONDAY, block, at=NOON) for block in (B, C, D)]
    assert history.merge(*sides, at=NOON).codes == []
    short = {MONDAY: day(MONDAY, A, B, C)}
    assert history.merge(*sides, at=NOON, files=short).codes == ["merge-lost"]


def test_indented_first_lines_of_both_sides_are_one_block(history: History, base: Made) -> None:
    one, two = (
        history.commit([base], {TUESDAY: Day.parse(text, TUESDAY).with_index("words")}, at=NEXT)
        for text in (b"  one\n- x\n", b"  two\n- y\n")
    )
    merged = history.merge(one, two, at=NEXT)
    assert merged.codes == []
    assert merged.day(TUESDAY).blocks[0].body == b"  one\n  two\n"
    short = {TUESDAY: Day.parse(b"  one\n- x\n- y\n", TUESDAY).with_index("words")}
    assert history.merge(one, two, at=NEXT, files=short).codes == ["merge-lost", "merge-added"]


def test_two_births_make_one_cell_and_are_noticed(history: History) -> None:
    one = history.append(history.born(), MONDAY, A, at=NOON)
    two = history.append(history.born(), MONDAY, D, at=NOON)
    merged = history.merge(one, two, at=NOON)
    assert merged.codes == []
    assert "second-birth" in merged.notices


# --- Violations -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("blocks", "codes"),
    [
        pytest.param((A, B), ["merge-lost"], id="ours alone, as `-s ours` does"),
        pytest.param((A, D), ["merge-lost"], id="theirs alone"),
        pytest.param((A, B, C, D), ["merge-added"], id="something of its own"),
        pytest.param((A, B, D, "- by hand\n"), ["merge-added"], id="something unstamped of its own"),
        pytest.param((A, B, Block(D.raw + b"  more\n")), ["merge-altered"], id="an entry changed"),
        pytest.param((), ["merge-lost"] * 3, id="nothing left"),
    ],
)
def test_an_evil_merge_is_found(
    history: History, forks: tuple[Made, Made], blocks: tuple[Block | str], codes: list[str]
) -> None:
    merged = history.merge(*forks, at=NOON, files={MONDAY: day(MONDAY, *blocks)})
    assert merged.codes == codes
    assert not is_legal(merged.findings)


def test_an_entry_lost_in_a_merge_is_named(history: History, forks: tuple[Made, Made]) -> None:
    merged = history.merge(*forks, at=NOON, files={MONDAY: None})
    lost = {finding.ref for finding in merged.findings if finding.code == "merge-lost"}
    assert lost == {f"{MONDAY}#{block.id}" for block in (A, B, D)}


def test_prose_dropped_by_a_merge_is_found(history: History, base: Made) -> None:
    one = history.append(base, MONDAY, "Some prose.\n", at=NOON)
    two = history.append(base, MONDAY, D, at=NOON)
    assert history.merge(one, two, at=NOON).codes == []
    short = {MONDAY: day(MONDAY, A, D)}
    assert history.merge(one, two, at=NOON, files=short).codes == ["merge-lost"]


def test_conflict_markers_in_a_merge_are_found(history: History, base: Made) -> None:
    one, two = (history.append(base, MONDAY, text, at=NOON) for text in ("- x\n", "- y\n"))
    marked = day(MONDAY, A, "<<<<<<< HEAD\n", "- x\n", "=======\n", "- y\n", ">>>>>>> theirs\n")
    assert "form-markers" in history.merge(one, two, at=NOON, files={MONDAY: marked}).codes


def test_a_merge_puts_no_stray_file_or_link_into_the_archive(
    history: History, forks: tuple[Made, Made]
) -> None:
    stray = {".agents/nutstore-sync/memory/archive/2026/notes.md": b"x\n"}
    assert history.merge(*forks, at=NOON, files=stray).codes == ["path-stray"]
    link = {MONDAY: ("120000", b"/etc/passwd")}
    assert history.merge(*forks, at=NOON, files=link).codes == ["path-mode"]
    run = {MONDAY: ("100755", day(MONDAY, A, B, D).render())}
    assert history.merge(*forks, at=NOON, files=run).codes == ["path-mode"]


# --- Forgets ----------------------------------------------------------------------------------------


def test_a_forget_on_one_side_holds_in_the_merge(history: History, base: Made) -> None:
    held = history.append(base, MONDAY, B, at=NOON)
    forgot = history.forget(held, MONDAY, A, at=NEXT)
    grew = history.append(held, MONDAY, D, at=NOON)
    merged = history.merge(forgot, grew, at=NEXT)
    assert merged.codes == []
    assert merged.day(MONDAY).blocks == (B, D)
    back = {MONDAY: day(MONDAY, A, B, D)}
    assert history.merge(forgot, grew, at=NEXT, files=back).codes == ["merge-returned"]


def test_a_criss_cross_brings_nothing_back(history: History, base: Made) -> None:
    left = history.append(base, MONDAY, B, at=NOON)
    right = history.forget(base, MONDAY, A, at=NOON)
    one, two = history.merge(left, right, at=NOON), history.merge(right, left, at=NOON)
    for merged in (history.merge(one, two, at=NEXT), history.merge(two, one, at=NEXT)):
        assert merged.codes == []
        assert merged.day(MONDAY).blocks == (B,)
    back = history.merge(one, two, at=NEXT, files={MONDAY: day(MONDAY, A, B)})
    assert back.codes == ["forgotten-returned"]


def test_forgotten_words_stay_away_and_words_written_again_stay(history: History, base: Made) -> None:
    held = history.append(base, MONDAY, "secret\n", at=NOON)
    forgot = history.forget(held, MONDAY, "secret", at=NOON)
    grew = history.append(held, MONDAY, D, at=NOON)
    merged = history.merge(forgot, grew, at=NOON)
    assert merged.codes == []
    assert b"secret" not in (merged.content(MONDAY) or b"")
    again = history.append(forgot, MONDAY, "secret\n", at=NOON)
    both = history.merge(again, grew, at=NOON)
    assert both.codes == []
    assert (both.content(MONDAY) or b"").count(b"secret") == 1
    back = history.merge(forgot, grew, at=NOON, files={MONDAY: day(MONDAY, A, "secret\n", D)})
    assert back.codes == ["merge-returned"]


# --- What Git's own union leaves behind, and its repair ---------------------------------------------


def blurred(history: History, forks: tuple[Made, Made], content: Day | bytes) -> Made:
    merged = history.merge(*forks, at=NOON, files={MONDAY: content}, op="append")
    assert is_legal(merged.findings)
    assert dates_to_repair(merged.ancestry) == [MONDAY]
    return merged


DOUBLED = day(MONDAY, A, B, A, D)
MIXED = day(MONDAY, A, D, B)
TWO_INDEXES = day(MONDAY, A, B, D).render().replace(b"index: 'words'", b"index: 'words'\nindex: 'other'")
TWO_HEADINGS = day(MONDAY, A, B, f"## {MONDAY}\n", D)
INDEX_IN_TEXT = day(MONDAY, A, B, "index: 'words'\n", D)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (DOUBLED, "merge-doubled"),
        (MIXED, "merge-order"),
        (TWO_INDEXES, "merge-front"),
        (TWO_HEADINGS, "merge-front"),
        (INDEX_IN_TEXT, "merge-front"),
    ],
)
def test_a_blur_passes_and_is_repaired_exactly(
    history: History, forks: tuple[Made, Made], content: Day | bytes, code: str
) -> None:
    merged = blurred(history, forks, content)
    assert set(merged.codes) == {code}
    want = repaired(MONDAY, merged.day(MONDAY), merged.ancestry, history.past)
    assert want is not None
    assert want.blocks == (A, B, D)
    mended = history.commit([merged], {MONDAY: want.with_index("words")}, at=NEXT, op="repair")
    assert mended.codes == []
    assert dates_to_repair(mended.ancestry) == []


def test_a_repair_that_does_anything_else_is_found(history: History, forks: tuple[Made, Made]) -> None:
    merged = blurred(history, forks, DOUBLED)
    for wrong in (day(MONDAY, A, B), day(MONDAY, A, B, C, D), day(MONDAY, B, A, D), None):
        made = history.commit([merged], {MONDAY: wrong}, at=NEXT, op="repair")
        assert made.codes == ["repair-wrong"]
    nothing = history.commit([merged], {}, at=NEXT, op="repair")
    assert dates_to_repair(nothing.ancestry) == [MONDAY]


def test_a_repair_where_nothing_is_blurred_is_an_ordinary_change(
    history: History, forks: tuple[Made, Made]
) -> None:
    made = history.commit([forks[0]], {MONDAY: day(MONDAY, A)}, at=NEXT, op="repair")
    assert made.codes == ["frozen-altered"]


def test_a_repair_keeps_what_was_added_and_leaves_out_what_was_forgotten_since(
    history: History, forks: tuple[Made, Made]
) -> None:
    merged = blurred(history, forks, DOUBLED)
    grown = history.append(merged, MONDAY, "a word\n", C, "another\n", at=NOON)
    assert grown.codes == []
    forgot = history.forget(grown, MONDAY, B, at=NEXT)
    assert forgot.codes == []
    want = repaired(MONDAY, forgot.day(MONDAY), forgot.ancestry, history.past)
    assert want is not None
    assert want.blocks == (A, C, Block(b"another\n"), D, Block(b"a word\n"))
    mended = history.commit([forgot], {MONDAY: want.with_index("words")}, at=NEXT, op="repair")
    assert mended.codes == []
    without = want.without([want.blocks[-1]]).with_index("words")
    assert history.commit([forgot], {MONDAY: without}, at=NEXT, op="repair").codes == ["repair-wrong"]


def test_a_repair_keeps_what_was_written_into_the_frontmatter_since(
    history: History, forks: tuple[Made, Made]
) -> None:
    merged = blurred(history, forks, TWO_INDEXES)
    tagged = merged.day(MONDAY).render().replace(b"---\n##", b"tags: [x]\n---\n##")
    grown = history.commit([merged], {MONDAY: tagged}, at=NOON)
    assert grown.codes == []
    want = repaired(MONDAY, grown.day(MONDAY), grown.ancestry, history.past)
    assert want is not None
    assert want.front.raw == b"---\ndate: 2026-11-30\nindex: ''\ntags: [x]\n---\n"
    mended = history.commit([grown], {MONDAY: want.with_index("words")}, at=NEXT, op="repair")
    assert mended.codes == []
    without = {MONDAY: day(MONDAY, A, B, D)}
    assert history.commit([grown], without, at=NEXT, op="repair").codes == ["repair-wrong"]


def test_doubled_words_that_were_repaired_do_not_come_back_from_a_side_that_was_not(
    history: History, base: Made
) -> None:
    one, two = (history.append(base, MONDAY, "x\n", block, at=NOON) for block in (B, D))
    merged = history.merge(one, two, at=NOON, files={MONDAY: day(MONDAY, A, "x\n", B, "x\n", D)}, op="append")
    assert set(merged.codes) == {"merge-doubled"}
    want = repaired(MONDAY, merged.day(MONDAY), merged.ancestry, history.past)
    assert want is not None
    mended = history.commit([merged], {MONDAY: want.with_index("words")}, at=NEXT, op="repair")
    assert mended.codes == []
    elsewhere = history.append(merged, TUESDAY, C, at=NEXT)
    for sides in ((mended, elsewhere), (elsewhere, mended)):
        met = history.merge(*sides, at=NEXT)
        assert met.codes == []
        assert (met.content(MONDAY) or b"").count(b"x\n") == 1
        assert dates_to_repair(met.ancestry) == []


def test_what_came_back_is_repaired_away(history: History, base: Made) -> None:
    held = history.append(base, MONDAY, "secret\n", at=NOON)
    forgot = history.forget(history.forget(held, MONDAY, A, at=NOON), MONDAY, "secret", at=NOON)
    grew = history.append(held, MONDAY, D, at=NOON)
    back = day(MONDAY, A, "secret\n", D)
    merged = history.merge(forgot, grew, at=NOON, files={MONDAY: back}, op="append")
    assert set(merged.codes) == {"merge-returned"}
    want = repaired(MONDAY, merged.day(MONDAY), merged.ancestry, history.past)
    assert want is not None
    assert want.blocks == (D,)
    mended = history.commit([merged], {MONDAY: want.with_index("words")}, at=NEXT, op="repair")
    assert mended.codes == []
    met = history.merge(mended, history.append(merged, TUESDAY, C, at=NEXT), at=NEXT)
    assert met.codes == []
    assert met.day(MONDAY).blocks == (D,)


def test_the_next_merge_by_the_law_repairs_what_it_can(history: History, forks: tuple[Made, Made]) -> None:
    merged = blurred(history, forks, MIXED)
    other = history.append(forks[0], MONDAY, C, at=NOON)
    met = history.merge(merged, other, at=NOON)
    assert met.codes == []
    assert met.day(MONDAY).blocks == (A, B, C, D)
    assert dates_to_repair(met.ancestry) == []


def test_two_blurs_of_one_day_are_repaired_at_once(history: History, forks: tuple[Made, Made]) -> None:
    merged = blurred(history, forks, DOUBLED)
    other = history.append(forks[0], MONDAY, C, at=NOON)
    again = history.merge(merged, other, at=NOON, files={MONDAY: day(MONDAY, A, B, A, D, C, B)}, op="append")
    assert set(again.codes) == {"merge-doubled", "merge-order"}
    want = repaired(MONDAY, again.day(MONDAY), again.ancestry, history.past)
    assert want is not None
    assert want.blocks == (A, B, C, D)
    mended = history.commit([again], {MONDAY: want.with_index("words")}, at=NEXT, op="repair")
    assert mended.codes == []
    assert dates_to_repair(mended.ancestry) == []


def test_a_purged_id_in_a_merge_is_no_blur(history: History, base: Made) -> None:
    held = history.append(base, MONDAY, B, at=NOON)
    purged = history.forget(held, MONDAY, B, at=NOON)
    record = history.commit([purged], purge_record(name(2), MONDAY), at=NOON, op="purge")
    assert record.codes == []
    grew = history.append(held, MONDAY, D, at=NOON)
    back = history.merge(record, grew, at=NOON, files={MONDAY: day(MONDAY, A, B, D)})
    assert back.codes == ["purged-returned"]
    assert not is_legal(back.findings)


def test_entries_that_union_tore_into_lines_are_a_blur_and_are_put_together_again(
    history: History, base: Made
) -> None:
    one, two = entry("one\nReason: same", 11), entry("two\nReason: same", 12)
    forks = history.append(base, MONDAY, one, at=NOON), history.append(base, MONDAY, two, at=NOON)
    first = Block(one.body.splitlines(keepends=True)[0])
    torn = history.merge(*forks, at=NOON, files={MONDAY: day(MONDAY, A, first, two)}, op="append")
    assert set(torn.codes) == {"merge-torn"}
    want = repaired(MONDAY, torn.day(MONDAY), torn.ancestry, history.past)
    assert want is not None
    assert want.blocks == (A, one, two)
    assert history.commit([torn], {MONDAY: want.with_index("words")}, at=NEXT, op="repair").codes == []
    short = history.merge(*forks, at=NOON, files={MONDAY: day(MONDAY, A, first, Block(two.body[:-16]))})
    assert not is_legal(short.findings)
