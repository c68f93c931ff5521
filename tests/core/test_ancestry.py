"""The past of a commit: carried forward, joined, kept as a checkpoint, and cheap however long it is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nutsync.core.advance import advance, from_tree
from nutsync.core.ancestry import (
    UNBORN,
    Ancestry,
    ForgottenBefore,
    Gone,
    instant,
    join,
    leading_sides,
    removed_unstamped,
    today_of,
)
from nutsync.core.checkpoint import from_plain, to_plain
from nutsync.core.datemap import DateMap
from nutsync.core.entry import Block
from nutsync.core.freeze import blurred_days, judge
from nutsync.core.moment import SKEW_MS, Moment, shift_day
from tests.support.history import DESK, MONDAY, TUESDAY, History, Made, day, entry, moment, name, purge_record

A, B = entry("a", 1), entry("a secret", 2, "10:00:00.000+08:00")
MORNING, NOON, NEXT = "2026-11-30T09:00+08:00", "2026-11-30T12:00+08:00", "2026-12-01T12:00+08:00"


def zone(name: str, millis: int) -> int | None:
    return {"Asia/Shanghai": 480}.get(name)


# --- Time -------------------------------------------------------------------------------------------


def test_an_instant_is_the_author_date_but_not_much_earlier_than_what_was_there() -> None:
    now = Moment(1_000_000_000, 60)
    assert instant(now, UNBORN) == now
    assert instant(now, UNBORN._replace(latest=now.millis + SKEW_MS)) == now
    later = UNBORN._replace(latest=now.millis + SKEW_MS + 5)
    assert instant(now, later) == Moment(now.millis + 5, 60)


def test_today_is_local_or_the_zones_and_then_never_goes_back() -> None:
    late = moment("2026-11-30T16:30+00:00")
    plain = UNBORN._replace(birth="b", today=TUESDAY)
    assert today_of(late, [plain], zone) == MONDAY
    zoned = plain._replace(cell=plain.cell._replace(zone="Asia/Shanghai"), today="")
    assert today_of(late, [zoned], zone) == TUESDAY
    early = moment("2026-11-30T12:00+00:00")
    assert today_of(early, [zoned], zone) == MONDAY
    assert today_of(early, [zoned._replace(today=TUESDAY)], zone) == TUESDAY
    unknown = zoned._replace(cell=zoned.cell._replace(zone="Mars/Olympus"))
    assert today_of(late, [unknown], zone) == MONDAY


def test_the_zone_is_the_first_parents() -> None:
    late = moment("2026-11-30T16:30+00:00")
    plain = UNBORN._replace(birth="b")
    zoned = plain._replace(cell=plain.cell._replace(zone="Asia/Shanghai"))
    assert today_of(late, [zoned, plain], zone) == TUESDAY
    assert today_of(late, [plain, zoned], zone) == MONDAY


# --- Carrying forward -------------------------------------------------------------------------------


def test_nothing_counts_before_the_birth() -> None:
    history = History()
    before = history.commit([], {MONDAY: day(MONDAY, A)}, at=NOON, message="notes\n")
    gone = history.commit([before], {MONDAY: None}, at=NOON, message="tidy\n")
    assert gone.ancestry == UNBORN
    assert history.born().ancestry.latest == moment("2026-11-30T08:00+08:00").millis


def test_what_was_forgotten_is_known_afterwards_and_on_every_side_of_a_merge() -> None:
    history = History()
    base = history.append(history.born(), MONDAY, A, B, "x\n", "x\n", at=MORNING)
    stamped = history.forget(base, MONDAY, A, at=NOON)
    words = history.forget(base, MONDAY, "x", at=NOON)
    both = history.merge(stamped, words, at=NOON)
    forgotten = ForgottenBefore(both.ancestry, history.past)
    assert forgotten.has(f"{MONDAY}#{A.id}")
    assert not forgotten.has(f"{MONDAY}#{B.id}")
    assert not forgotten.has(f"{TUESDAY}#{A.id}")
    assert forgotten.count(MONDAY, b"x\n") == 1
    assert forgotten.unstamped(MONDAY)
    second = history.forget(both, MONDAY, "x", at=NOON)
    assert ForgottenBefore(second.ancestry, history.past).count(MONDAY, b"x\n") == 2


@pytest.mark.parametrize("op", ["forget", "purge", "repair"])
def test_what_a_message_names_and_the_commit_did_not_take_away_is_not_forgotten(op: str) -> None:
    history = History()
    born = history.append(history.born(), MONDAY, A, B, at=NOON)
    elsewhere, here = f"{MONDAY}#{name(7)}", f"{MONDAY}#{name(1)}"
    grown = {MONDAY: day(MONDAY, A, B, entry("more", 3, "11:00:00.000+08:00"))}
    for targets, unstamped in (((elsewhere, here), ()), ((), (elsewhere,)), ((f"{TUESDAY}#{name(2)}",), ())):
        for files in ({}, {"notes.txt": b"of another project"}, grown, {MONDAY: day(MONDAY, A)}):
            made = history.commit([born], files, at=NEXT, op=op, targets=targets, unstamped=unstamped)
            assert {date: gone.ids for date, gone in made.ancestry.gone.items() if gone.ids} == {}


def test_a_removed_file_is_known_as_emptied() -> None:
    history = History()
    base = history.append(history.born(), MONDAY, A, at=MORNING)
    gone = history.forget(base, MONDAY, A, at=NOON)
    assert gone.ancestry.gone_on(MONDAY).emptied
    assert not history.merge(gone, base, at=NOON).ancestry.gone_on(TUESDAY).emptied


def test_removed_words_are_named_in_the_order_in_which_they_stood() -> None:
    old = day(MONDAY, "c\n", "a\n", A, "b\n", "a\n").render()
    assert removed_unstamped(MONDAY, old, day(MONDAY, A, "a\n").render()) == (b"c\n", b"a\n", b"b\n")
    assert removed_unstamped(MONDAY, old, None) == (b"c\n", b"a\n", b"b\n", b"a\n")
    assert removed_unstamped(MONDAY, None, old) == ()


def test_a_commit_that_is_not_of_the_cell_changes_nothing() -> None:
    history = History()
    base = history.append(history.born(), MONDAY, A, at=MORNING)
    assert history.commit([base], {}, at=NEXT).ancestry is base.ancestry


def test_a_shallow_clone_knows_what_the_tree_says() -> None:
    born = History().born(admins=("ana",), key=DESK)
    known = from_tree("x", {path: content for path, (_, content) in born.tree.items()})
    assert known.cell.admins == ("ana",)
    assert known.device_of(DESK) == "desk"
    assert from_tree("x", {}) == UNBORN


def test_the_newer_side_leads_and_sides_that_both_wrote_lead_together() -> None:
    facts = UNBORN.cell
    one, two, three = (
        UNBORN._replace(birth="b", cell=facts._replace(edits=frozenset(edits)))
        for edits in ({"b"}, {"b", "c"}, {"b", "d"})
    )
    assert leading_sides([one, two]) == [1]
    assert leading_sides([two, three]) == [0, 1]
    assert leading_sides([one, one]) == [0, 1]


# --- Joining ----------------------------------------------------------------------------------------


def test_joining_keeps_the_most_that_either_side_knows() -> None:
    one = UNBORN._replace(birth="b", latest=5, today=MONDAY, purged=frozenset({"x"}))
    two = UNBORN._replace(birth="b", latest=9, today=TUESDAY, gone=DateMap({MONDAY: Gone(emptied=True)}))
    both = join([one, two])
    assert (both.latest, both.today, both.purged) == (9, TUESDAY, {"x"})
    assert both.gone_on(MONDAY).emptied
    assert join([one, UNBORN]) is one
    assert join([UNBORN, one]) is one
    assert join([]) == UNBORN


DATES = st.dates().map(lambda date: date.isoformat())
MAPS = st.dictionaries(DATES, st.frozensets(st.integers(0, 5)), max_size=12)


@given(MAPS, MAPS, DATES)
def test_a_map_of_dates_is_a_mapping_that_never_changes(
    ours: dict[str, frozenset[int]], theirs: dict[str, frozenset[int]], date: str
) -> None:
    one, two = DateMap(ours), DateMap(theirs)
    joined = {**theirs, **{d: v | theirs.get(d, frozenset()) for d, v in ours.items()}}
    assert dict(one.join(two, frozenset.union).items()) == joined
    assert [d for d, _ in one.items()] == sorted(ours)
    assert one.set(date, frozenset({9})).get(date) == {9}
    assert one.drop(date).get(date) is None
    assert one.get(date) == ours.get(date)
    assert one == DateMap(ours)
    assert bool(one) == bool(ours)
    differing = {d: (v, theirs.get(d)) for d, v in ours.items() if theirs.get(d) is not v}
    assert {d: (v, w) for d, v, w in one.missing(two)} == differing


def test_maps_share_what_did_not_change() -> None:
    big: DateMap[int] = DateMap({shift_day("1927-01-01", n): n for n in range(36_500)})
    more = big.set(MONDAY, 1)
    assert [date for date, _, _ in more.missing(big)] == [MONDAY]
    assert big.join(big, max) is big
    assert list(big.missing(big)) == []


# --- Checkpoints ------------------------------------------------------------------------------------


def rich() -> Made:
    """A history with all that an ancestry can hold."""
    history = History()
    born = history.born(admins=("ana",), key=DESK, zone="Asia/Shanghai")
    base = history.append(born, MONDAY, A, B, "words of mine\n", at=MORNING)
    forgot = history.forget(history.forget(base, MONDAY, A, at=NOON), MONDAY, "words of mine", at=NOON)
    purged = history.commit([forgot], purge_record(name(1), MONDAY), at=NOON, op="purge")
    other = history.append(base, MONDAY, entry("d", 4, "11:00:00.000+08:00"), at=NOON)
    files = {MONDAY: day(MONDAY, B, "words of mine\n", entry("d", 4, "11:00:00.000+08:00"))}
    return history.merge(purged, other, at=NOON, files=files, op="append")


def test_a_checkpoint_reads_back_equal_and_holds_no_text() -> None:
    made = rich()
    assert made.ancestry.blurs
    assert made.ancestry.purged
    plain = to_plain(made.ancestry)
    text = json.dumps(plain)
    assert from_plain(json.loads(text)) == made.ancestry
    assert "words" not in text
    assert "secret" not in text


def test_a_damaged_or_foreign_checkpoint_reads_as_none() -> None:
    plain = to_plain(rich().ancestry)
    assert from_plain(None) is None
    assert from_plain({**plain, "version": 0}) is None
    for key in plain:
        if key not in ("version", "birth", "latest", "today"):
            assert from_plain({**plain, key: 7}) is None
        assert from_plain({other: value for other, value in plain.items() if other != key}) is None


# --- Random histories -------------------------------------------------------------------------------

WHAT = st.sampled_from(["append", "append", "say", "forget", "merge", "merge"])
STEPS = st.lists(st.tuples(WHAT, st.integers(0, 50), st.integers(0, 50)), min_size=4, max_size=14)


def grow(history: History, steps: list[tuple[str, int, int]]) -> list[Made]:
    """Honest devices at work in any order: each step goes on from any commit there is."""
    made = [history.append(history.born(), MONDAY, "word 0\n", A, at=MORNING)]
    for number, (what, pick, other) in enumerate(steps):
        parent = made[pick % len(made)]
        at = f"2026-11-30T10:{number:02d}+08:00"
        held = parent.day(MONDAY).blocks
        if what == "merge":
            made.append(history.merge(parent, made[other % len(made)], at=at))
        elif what == "forget" and held:
            made.append(history.forget(parent, MONDAY, held[other % len(held)], at=at))
        else:
            new = Block(b"word %d\n" % (other % 3)) if what == "say" else None
            stamped = entry(f"e{number}", 100 + number, f"10:{number:02d}:00.000+08:00")
            made.append(history.append(parent, MONDAY, new or stamped, at=at))
    return made


@settings(max_examples=40)
@given(STEPS)
def test_whatever_honest_devices_do_in_any_order_is_legal(steps: list[tuple[str, int, int]]) -> None:
    history = History()
    for made in grow(history, steps):
        assert made.codes == []
        assert not made.ancestry.blurs


@settings(max_examples=20)
@given(STEPS)
def test_what_was_forgotten_anywhere_before_is_nowhere_after(steps: list[tuple[str, int, int]]) -> None:
    history = History()
    for made in grow(history, steps):
        forgotten = ForgottenBefore(made.ancestry, history.past)
        assert not [i for i in made.day(MONDAY).ids if forgotten.has(f"{MONDAY}#{i}")]


@settings(max_examples=20)
@given(STEPS)
def test_a_judgement_from_checkpoints_is_the_same(steps: list[tuple[str, int, int]]) -> None:
    history = History()
    for made in grow(history, steps):
        parents: list[Ancestry] = []
        for parent in made.commit.parents:
            kept = from_plain(json.loads(json.dumps(to_plain(history.made[parent].ancestry))))
            assert kept is not None
            parents.append(kept)
        findings = judge(made.commit, parents, history.past)
        assert findings == made.findings
        assert advance(parents, made.commit, history.past, blurred_days(findings)) == made.ancestry
