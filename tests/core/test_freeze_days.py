"""Rules 1–3 of the freeze law: what a commit may do to today, to a frozen day, to a day to come."""

from __future__ import annotations

import pytest

from nutsync.core.day import Day
from nutsync.core.entry import Block
from nutsync.core.freeze.findings import REWRITTEN
from tests.support.history import (
    MONDAY,
    TUESDAY,
    WEDNESDAY,
    History,
    Made,
    day,
    entry,
    name,
)

A, B, C = entry("a", 1), entry("b", 2, "10:00:00.000+08:00"), entry("c", 3, "11:00:00.000+08:00")
NOON, NEXT = "2026-11-30T12:00+08:00", "2026-12-01T12:00+08:00"


@pytest.fixture
def history() -> History:
    return History()


@pytest.fixture
def two(history: History) -> Made:
    """A cell with two entries on Monday."""
    return history.append(history.born(), MONDAY, A, B, at="2026-11-30T10:00+08:00")


# --- Rule 1: today's file ---------------------------------------------------------------------------


def test_adding_to_today_is_legal(history: History, two: Made) -> None:
    assert two.codes == []
    assert history.append(two, MONDAY, C, at=NOON).codes == []
    assert history.append(two, MONDAY, "by hand\n", "* and a list\n  of two lines\n", at=NOON).codes == []


def test_a_new_index_alone_is_legal_on_its_day(history: History, two: Made) -> None:
    assert history.commit([two], {MONDAY: day(MONDAY, A, B, index="better words")}, at=NOON).codes == []


def test_frontmatter_is_free_on_its_day(history: History, two: Made) -> None:
    lines = day(MONDAY, A, B).render().replace(b"---\n##", b"tags: [x]\n---\n##")
    assert history.commit([two], {MONDAY: lines}, at=NOON).codes == []


@pytest.mark.parametrize(
    "blocks",
    [
        pytest.param((A,), id="an entry taken away"),
        pytest.param((B, A), id="the order changed"),
        pytest.param((C, A, B), id="an entry put before the others"),
        pytest.param((A, entry("changed", 2, "10:00:00.000+08:00")), id="a text changed"),
        pytest.param((A, Block(B.raw + b"  a line more\n")), id="a line added under an old entry"),
        pytest.param((A, Block(B.raw + b"\n  a line more\n")), id="a line added after an empty one"),
        pytest.param((Block(A.raw.replace(b" dev=desk", b"")), B), id="a stamp changed"),
        pytest.param((), id="everything taken away"),
    ],
)
def test_what_stands_in_todays_file_does_not_change(
    history: History, two: Made, blocks: tuple[Block]
) -> None:
    assert "today-altered" in history.commit([two], {MONDAY: day(MONDAY, *blocks)}, at=NOON).codes


def test_todays_file_does_not_go_away(history: History, two: Made) -> None:
    assert history.commit([two], {MONDAY: None}, at=NOON).codes == ["today-altered"]


def test_the_finding_names_the_entry_and_no_text(history: History, two: Made) -> None:
    changed = day(MONDAY, A, entry("a secret", 2, "10:00:00.000+08:00"))
    finding = history.commit([two], {MONDAY: changed}, at=NOON).findings[0]
    assert finding.ref == f"{MONDAY}#{B.id}"
    assert finding.rule == 1
    assert finding.severity == "violation"
    assert "secret" not in finding.message + finding.hint
    assert "nutsync correct" in finding.hint


def test_text_without_a_last_newline_is_looked_at_closely(history: History) -> None:
    first = history.commit([history.born()], {MONDAY: day(MONDAY, A).render()[:-1]}, at=NOON)
    assert first.codes == []
    assert history.append(first, MONDAY, B, at=NOON).codes == []
    glued = day(MONDAY, A).render()[:-1] + b" more\n"
    assert history.commit([first], {MONDAY: glued}, at=NOON).codes == ["today-altered"]


def test_line_ends_do_not_count(history: History) -> None:
    first = history.commit(
        [history.born()], {MONDAY: day(MONDAY, A).render().replace(b"\n", b"\r\n")}, at=NOON
    )
    assert history.append(first, MONDAY, B, at=NOON).codes == []


def test_a_second_entry_with_a_known_id_is_refused(history: History, two: Made) -> None:
    assert history.append(two, MONDAY, entry("other", 1), at=NOON).codes == ["form-ids"]
    assert history.append(two, MONDAY, C, C, at=NOON).codes == ["form-ids"]


def test_an_entry_that_mentions_an_id_is_none_with_that_id(history: History, two: Made) -> None:
    first = history.append(two, MONDAY, f"- see id={C.id} there\n", at=NOON)
    assert history.append(first, MONDAY, C, at=NOON).codes == []


# --- Rule 2: frozen days ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("blocks", "code"),
    [
        pytest.param((A,), "frozen-altered", id="an entry taken away"),
        pytest.param((B, A), "frozen-altered", id="the order changed"),
        pytest.param((A, entry("changed", 2, "10:00:00.000+08:00")), "frozen-altered", id="a text changed"),
        pytest.param((A, Block(B.raw + b"  more\n")), "frozen-altered", id="a line added under an entry"),
        pytest.param((A, B, C), "frozen-added", id="an entry added at the end"),
        pytest.param((A, C, B), "frozen-added", id="an entry added in between"),
        pytest.param((Block(A.raw + b"\n\n"), B), "frozen-altered", id="empty lines added"),
    ],
)
def test_a_frozen_day_does_not_change(history: History, two: Made, blocks: tuple[Block], code: str) -> None:
    assert history.commit([two], {MONDAY: day(MONDAY, *blocks)}, at=NEXT).codes == [code]


def test_the_index_of_a_frozen_day_does_not_change(history: History, two: Made) -> None:
    assert history.commit([two], {MONDAY: day(MONDAY, A, B, index="other")}, at=NEXT).codes == [
        "frozen-front"
    ]


def test_a_frozen_day_does_not_go_away(history: History, two: Made) -> None:
    assert history.commit([two], {MONDAY: None}, at=NEXT).codes == ["frozen-removed"]


def test_a_frozen_day_is_not_made_afterwards(history: History, two: Made) -> None:
    assert history.commit([two], {"2026-11-29": day("2026-11-29", "- x\n")}, at=NOON).codes == [
        "past-created"
    ]


def test_line_ends_of_a_frozen_day_may_become_canonical(history: History) -> None:
    old = day(MONDAY, A, B).render()
    first = history.born(files={MONDAY: old.replace(b"\n", b"\r\n")})
    assert history.commit([first], {MONDAY: old}, at=NEXT).codes == []


def test_a_squashed_branch_is_recognised_and_the_message_says_the_cure(history: History, two: Made) -> None:
    squashed = history.commit([two], {MONDAY: day(MONDAY, A, C, B)}, at=NEXT, message="Squash (#4)\n")
    assert squashed.codes == ["frozen-added"]
    assert squashed.findings[0].hint == REWRITTEN
    today = history.commit([two], {MONDAY: day(MONDAY, A, C, B)}, at=NOON, message="Squash (#4)\n")
    assert today.codes == ["today-altered"]
    assert today.findings[0].hint == REWRITTEN
    by_hand = history.commit([two], {MONDAY: day(MONDAY, A, B, "- late thought\n")}, at=NEXT)
    assert by_hand.findings[0].hint != REWRITTEN


# --- Rule 2: forgets --------------------------------------------------------------------------------


@pytest.mark.parametrize("at", [NOON, NEXT])
def test_a_forget_takes_exactly_what_it_names(history: History, two: Made, at: str) -> None:
    gone = history.forget(two, MONDAY, A, at=at)
    assert gone.codes == []
    assert gone.ancestry.gone_on(MONDAY).ids == {A.id}
    assert history.forget(gone, MONDAY, B, at=at).content(MONDAY) is None


@pytest.mark.parametrize("at", [NOON, NEXT])
def test_a_forget_that_names_another_entry_is_refused(history: History, two: Made, at: str) -> None:
    made = history.commit([two], {MONDAY: day(MONDAY, A)}, at=at, op="forget", targets=(f"{MONDAY}#{A.id}",))
    assert made.codes == ["forget-unnamed", "forget-kept"]


@pytest.mark.parametrize(
    "target", [f"{MONDAY}", f"{MONDAY}#~2", f"{TUESDAY}#{name(2)}", f"{MONDAY}#{name(9)}"]
)
def test_only_an_entry_by_its_own_id_is_named(history: History, two: Made, target: str) -> None:
    made = history.commit([two], {MONDAY: day(MONDAY, A)}, at=NEXT, op="forget", targets=(target,))
    assert made.codes == ["forget-unnamed"]


def test_a_tag_that_is_only_a_comment_forgets_nothing(history: History, two: Made) -> None:
    said = f"Tidy up\n\n# Nutsync-Op: forget\n# Nutsync-Target: {MONDAY}#{B.id}\n"
    assert history.commit([two], {MONDAY: day(MONDAY, A)}, at=NEXT, message=said).codes == ["frozen-altered"]


def test_a_forget_adds_nothing(history: History, two: Made) -> None:
    target = (f"{MONDAY}#{B.id}",)
    made = history.commit([two], {MONDAY: day(MONDAY, A, C)}, at=NEXT, op="forget", targets=target)
    assert made.codes == ["forget-added"]
    elsewhere = {MONDAY: day(MONDAY, A), TUESDAY: day(TUESDAY, C)}
    assert history.commit([two], elsewhere, at=NEXT, op="forget", targets=target).codes == ["forget-added"]
    on_a_held_day = history.append(two, TUESDAY, C, at=NEXT)
    more = {MONDAY: day(MONDAY, A), TUESDAY: day(TUESDAY, C, "- y\n")}
    made = history.commit([on_a_held_day], more, at=NEXT, op="forget", targets=target)
    assert made.codes == ["forget-added"]


def test_a_forget_keeps_bytes_and_order_of_the_rest(history: History, two: Made) -> None:
    three = history.append(two, MONDAY, C, at=NOON)
    target = (f"{MONDAY}#{B.id}",)
    swapped = history.commit([three], {MONDAY: day(MONDAY, C, A)}, at=NEXT, op="forget", targets=target)
    assert "forget-unnamed" in swapped.codes
    changed = Block(C.raw + b"  more\n")
    altered = history.commit([three], {MONDAY: day(MONDAY, A, changed)}, at=NEXT, op="forget", targets=target)
    assert altered.codes == ["forget-unnamed", "forget-added"]


def test_a_forget_may_put_a_replacement_in_the_place(history: History, two: Made) -> None:
    anew = entry("told differently", 7, was=B.id or "", at="10:00:00.000+08:00")
    target = (f"{MONDAY}#{B.id}",)
    made = history.commit([two], {MONDAY: day(MONDAY, A, anew)}, at=NEXT, op="forget", targets=target)
    assert made.codes == []
    elsewhere = history.commit([two], {MONDAY: day(MONDAY, anew, A)}, at=NEXT, op="forget", targets=target)
    assert "forget-unnamed" in elsewhere.codes
    other_time = entry("told differently", 7, was=B.id or "", at="10:30:00.000+08:00")
    made = history.commit([two], {MONDAY: day(MONDAY, A, other_time)}, at=NEXT, op="forget", targets=target)
    assert made.codes == ["forget-added"]


def test_unstamped_words_are_forgotten_under_a_minted_id(history: History) -> None:
    first = history.append(history.born(), MONDAY, "secret\n", A, "more\n", at=NOON)
    minted = (f"{MONDAY}#{name(50)}",)
    one = history.commit([first], {MONDAY: day(MONDAY, A, "more\n")}, at=NEXT, op="forget", unstamped=minted)
    assert one.codes == []
    two = history.commit([first], {MONDAY: day(MONDAY, A)}, at=NEXT, op="forget", unstamped=minted)
    assert two.codes == ["forget-unnamed"]
    none = history.commit([first], {MONDAY: day(MONDAY, A)}, at=NEXT, op="forget", targets=minted)
    assert none.codes == ["forget-unnamed", "forget-unnamed"]


def test_the_index_of_a_correction_may_be_made_anew_with_its_target(history: History, two: Made) -> None:
    fixed = entry("b is wrong", 8, corrects=f"{MONDAY}#{B.id}", at="09:00:00.000+08:00")
    held = history.append(two, TUESDAY, fixed, entry("other", 9), at="2026-12-01T09:00+08:00")
    files = {MONDAY: day(MONDAY, A), TUESDAY: day(TUESDAY, fixed, entry("other", 9), index="without")}
    target = (f"{MONDAY}#{B.id}",)
    assert history.commit([held], files, at="2026-12-03T09:00+08:00", op="forget", targets=target).codes == []
    plain = history.append(two, TUESDAY, entry("other", 9), at="2026-12-01T09:00+08:00")
    files[TUESDAY] = day(TUESDAY, entry("other", 9), index="without")
    made = history.commit([plain], files, at="2026-12-03T09:00+08:00", op="forget", targets=target)
    assert made.codes == ["frozen-front"]


def test_a_forget_adds_nothing_to_the_frontmatter(history: History, two: Made) -> None:
    with_tags = day(MONDAY, A).render().replace(b"---\n##", b"tags: [x]\n---\n##")
    target = (f"{MONDAY}#{B.id}",)
    made = history.commit([two], {MONDAY: with_tags}, at=NEXT, op="forget", targets=target)
    assert made.codes == ["forget-front"]
    tagged = history.commit([two], {MONDAY: with_tags.replace(A.raw, A.raw + B.raw)}, at=NOON)
    assert tagged.codes == []
    made = history.commit([tagged], {MONDAY: day(MONDAY, A)}, at=NEXT, op="forget", targets=target)
    assert made.codes == []


def test_what_was_forgotten_does_not_come_back(history: History, two: Made) -> None:
    gone = history.forget(two, MONDAY, B, at=NOON)
    assert history.append(gone, MONDAY, B, at=NOON).codes == ["forgotten-returned"]
    said_anew = history.append(gone, MONDAY, entry("b", 5, "12:00:00.000+08:00"), at=NOON)
    assert said_anew.codes == []


def test_words_may_be_written_again_on_their_own_day(history: History) -> None:
    first = history.append(history.born(), MONDAY, "x\n", "y\n", at=NOON)
    gone = history.forget(first, MONDAY, "x", at=NOON)
    assert gone.codes == []
    assert history.append(gone, MONDAY, "x\n", at=NOON).codes == []


# --- Rule 2: imports, the environment ---------------------------------------------------------------

OLD = entry("long ago", 20, formation="imported")


def test_an_import_makes_past_days(history: History) -> None:
    made = history.commit([history.born()], {"1912-05-06": day("1912-05-06", OLD)}, at=NOON, op="import")
    assert made.codes == []


def test_an_import_says_of_every_entry_that_it_was_imported(history: History) -> None:
    held = day("1912-05-06", OLD, entry("mine", 21))
    made = history.commit([history.born()], {"1912-05-06": held}, at=NOON, op="import")
    assert made.codes == ["import-unmarked"]
    by_hand = day("1912-05-06", "- unstamped\n")
    assert history.commit([history.born()], {"1912-05-06": by_hand}, at=NOON, op="import").codes == [
        "import-unmarked"
    ]


def test_an_import_never_touches_a_day_that_is_there(history: History, two: Made) -> None:
    made = history.commit([two], {MONDAY: day(MONDAY, A, B, OLD)}, at=NEXT, op="import")
    assert made.codes == ["import-existing"]


def test_an_import_never_fills_a_day_that_a_forget_emptied(history: History, two: Made) -> None:
    gone = history.forget(two, MONDAY, A, B, at=NOON)
    made = history.commit([gone], {MONDAY: day(MONDAY, OLD)}, at=NEXT, op="import")
    assert made.codes == ["import-emptied"]


def test_rows_for_today_are_appended_and_none_go_to_tomorrow(history: History, two: Made) -> None:
    assert history.append(two, MONDAY, OLD, at=NOON, op="import").codes == []
    assert history.append(two, TUESDAY, OLD, at=NOON, op="import").codes == ["future-day"]


def test_only_the_sensor_writes_about_the_host(history: History, two: Made) -> None:
    host = entry("16 GiB", 30, "11:00:00.000+08:00", scope="host", actor="")
    assert history.append(two, MONDAY, host, at=NOON).codes == ["environment-unsensed"]
    assert history.append(two, MONDAY, host, at=NOON, op="sense").codes == []


# --- Rule 3 and today ---------------------------------------------------------------------------------


def test_tomorrow_cannot_be_written_to(history: History, two: Made) -> None:
    assert history.append(two, TUESDAY, C, at=NOON).codes == ["future-day"]


def test_today_is_the_date_where_the_commit_was_made(history: History) -> None:
    born = history.born(at="2026-11-30T01:00+08:00")
    assert history.append(born, TUESDAY, C, at="2026-12-01T00:30+08:00").codes == []
    assert history.append(born, MONDAY, C, at="2026-11-30T16:30+00:00").codes == []
    assert history.append(born, TUESDAY, C, at="2026-11-30T16:30+00:00").codes == ["future-day"]


def test_a_zone_in_cell_toml_says_what_today_is(history: History) -> None:
    born = history.born(at="2026-11-30T01:00+08:00", zone="Asia/Shanghai")
    assert history.append(born, TUESDAY, C, at="2026-11-30T16:30+00:00").codes == []
    assert history.append(born, MONDAY, C, at="2026-11-30T16:30+00:00").codes == ["past-created"]


def test_with_a_zone_today_never_goes_back(history: History) -> None:
    born = history.born(at="2026-11-30T01:00+08:00", zone="Asia/Shanghai")
    first = history.append(born, TUESDAY, A, at="2026-12-01T00:01+08:00")
    assert history.append(first, TUESDAY, B, at="2026-11-30T23:58+08:00").codes == []
    assert history.append(first, MONDAY, B, at="2026-11-30T23:58+08:00").codes == ["past-created"]


def test_a_clock_that_steps_back_a_little_still_writes(history: History) -> None:
    first = history.append(history.born(), TUESDAY, A, at="2026-12-01T00:01+08:00")
    assert history.append(first, MONDAY, B, at="2026-11-30T23:58+08:00").codes == []


def test_back_dating_does_not_open_a_frozen_day(history: History, two: Made) -> None:
    later = history.append(two, WEDNESDAY, C, at="2026-12-02T09:00+08:00")
    back = history.append(later, MONDAY, entry("forged", 40), at="2026-11-30T20:00+08:00")
    assert back.codes == ["frozen-added"]


def test_a_day_further_east_can_be_forgotten_from_but_not_added_to(history: History) -> None:
    born = history.born(at="2026-11-30T01:00+08:00")
    east = history.append(born, TUESDAY, A, B, at="2026-12-01T00:30+14:00")
    assert east.codes == []
    assert history.append(east, TUESDAY, C, at="2026-11-30T20:00+08:00").codes == ["future-day"]
    assert history.forget(east, TUESDAY, A, at="2026-11-30T20:00+08:00").codes == []


def test_commits_before_the_birth_and_outside_the_cell_are_not_judged(history: History) -> None:
    before = history.commit([], {MONDAY: day(MONDAY, A, B)}, at=NOON, message="old notes\n")
    assert before.findings == []
    wild = history.commit([before], {MONDAY: None, TUESDAY: day(TUESDAY, B)}, at=NOON, message="x\n")
    assert wild.findings == []
    cell = history.commit([wild], {**dict.fromkeys([MONDAY], day(MONDAY, A))}, at=NOON, message="x\n")
    assert not cell.ancestry.born
    born = history.born()
    assert history.commit([born], {}, at="2020-01-01T00:00+08:00", committed=NEXT).findings == []


def test_birth_takes_over_what_is_there(history: History) -> None:
    odd = {MONDAY: b"no frontmatter\n", "1900-01-01": b"---\nbroken\n", f"{'x'}/y": b"elsewhere"}
    born = history.born(files=odd)
    assert born.codes == []
    assert born.ancestry.founders == {"desk"}
    assert history.commit([born], {"1900-01-01": b"---\nbroken\n- more\n"}, at=NOON).codes == ["frozen-added"]
    grown = Day.parse(b"no frontmatter\n- more\n", MONDAY)
    assert history.commit([born], {MONDAY: grown}, at=NOON).codes == []
