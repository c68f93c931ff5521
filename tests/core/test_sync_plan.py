"""What a sync does and says follows from values alone."""

from __future__ import annotations

import pytest

from nutsync.core.day import Day
from nutsync.core.entry import encode_entry
from nutsync.core.forgotten import NOTHING_FORGOTTEN, ForgottenSet
from nutsync.core.receipt import day_receipt
from nutsync.core.sync_plan import (
    RESULTS,
    Receipt,
    Step,
    Tally,
    last_line,
    pause_before,
    plan_step,
    result_word,
)

DATE = "2026-11-30"


def _day(*names: str, prose: str = "") -> Day:
    blocks = [encode_entry(f"entry {name}", {"id": name}) for name in names]
    day = Day.new(DATE).append(*blocks)
    return Day.parse(day.render() + prose.encode(), DATE)


A, B = "aaaaaaaa", "bbbbbbbb"


@pytest.mark.parametrize(
    ("ours", "theirs", "ours_in_theirs", "theirs_in_ours", "step"),
    [
        (None, None, False, False, Step.NOTHING),
        ("1", None, False, False, Step.NOTHING),
        (None, "1", False, False, Step.TAKE),
        ("1", "1", True, True, Step.NOTHING),
        ("1", "2", True, False, Step.TAKE),
        ("2", "1", False, True, Step.NOTHING),
        ("2", "3", False, False, Step.MERGE),
    ],
)
def test_what_brings_this_clone_to_hold_all(
    ours: str | None, theirs: str | None, ours_in_theirs: bool, theirs_in_ours: bool, step: Step
) -> None:
    assert plan_step(ours, theirs, ours_in_theirs=ours_in_theirs, theirs_in_ours=theirs_in_ours) is step


def test_the_word_says_the_most_that_happened() -> None:
    words = [
        result_word(merged=merged, taken=taken, sent=sent)
        for merged, taken, sent in [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 1, 1)]
    ]
    assert words == ["up-to-date", "pushed", "fast-forwarded", "fast-forwarded", "merged"]
    assert set(words) < set(RESULTS)


def test_pauses_grow_and_never_leave_their_bounds() -> None:
    longest = [pause_before(attempt, 0.999) for attempt in range(2, 13)]
    assert longest == sorted(longest)
    assert all(pause_before(attempt, 0.0) > 0 for attempt in range(2, 13))
    assert longest[-1] <= 3.0


def test_a_receipt_adds_up_when_nothing_was_lost() -> None:
    receipt = day_receipt(DATE, _day(A), _day(B), _day(A, B), NOTHING_FORGOTTEN)
    assert receipt == Receipt(1, 1, 1, 2, 0)
    assert receipt.complete


def test_a_receipt_names_what_is_missing_and_what_came_back() -> None:
    lost = day_receipt(DATE, _day(A), _day(B), _day(A), NOTHING_FORGOTTEN)
    assert lost.lost == (f"{DATE}#{B}",)
    gone = ForgottenSet(frozenset({f"{DATE}#{A}"}))
    assert day_receipt(DATE, _day(A, B), _day(B), _day(B), gone).complete
    back = day_receipt(DATE, _day(A, B), _day(B), _day(A, B), gone)
    assert back.returned == (f"{DATE}#{A}",)
    assert not back.complete


def test_words_without_a_name_are_counted_too() -> None:
    twice, once = _day(prose="plain\nplain\n"), _day(prose="plain\n")
    assert not day_receipt(DATE, twice, once, once, NOTHING_FORGOTTEN).complete
    assert day_receipt(DATE, twice, once, twice, NOTHING_FORGOTTEN).complete
    gone = ForgottenSet(blocks={(DATE, b"plain\n"): 1})
    assert day_receipt(DATE, twice, once, once, gone).complete


def test_receipts_of_days_add_up() -> None:
    one = day_receipt(DATE, _day(A), None, _day(A), NOTHING_FORGOTTEN)
    assert one.plus(one).as_json() == {
        "complete": True, "days": 2, "ours": 2, "theirs": 0, "result": 2, "forgotten": 0,
    }  # fmt: skip


def test_the_last_line_says_what_left_what_came_and_what_is_only_here() -> None:
    assert last_line("merged", Tally(1, 3)) == "merged: 1 entry sent, 3 received, nothing is only here."
    assert "2 still only here" in last_line("offline", Tally(waiting=2))
    assert "1 edited by hand and held" in last_line("pushed", Tally(held=("x",)))
