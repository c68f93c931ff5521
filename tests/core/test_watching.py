"""When a watch syncs next, and which rounds it tells."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nutsync.core.sync_plan import OFFLINE, PUSHED, UP_TO_DATE, Held, Synced
from nutsync.core.watching import (
    Rhythm,
    Round,
    Surroundings,
    came_back,
    is_worth_telling,
    told_of,
    told_of_error,
    wait_before,
)

AT_HOME = Surroundings(("192.0.2.7", ""), wall=1000.0, awake=50.0)
HELD = Held("2026-11-01", "it was edited", "nutsync forget --edited")
CHANCES = st.floats(0, 1, exclude_max=True)


def test_where_nothing_fails_the_usual_time_passes() -> None:
    assert wait_before(Rhythm(every=600), 0, 0.3) == 600


@given(failures=st.integers(1, 100), chance=CHANCES, every=st.floats(1, 86_400))
def test_a_failed_round_is_tried_again_no_later_than_the_usual_time(
    failures: int, chance: float, every: float
) -> None:
    assert 0 < wait_before(Rhythm(every=every), failures, chance) <= every


@given(failures=st.integers(1, 5), chance=CHANCES)
def test_each_failure_makes_the_wait_longer(failures: int, chance: float) -> None:
    rhythm = Rhythm(every=86_400)
    assert wait_before(rhythm, failures, chance) < wait_before(rhythm, failures + 1, chance)


def test_a_machine_is_back_when_it_has_a_network_again_or_another_one() -> None:
    gone = AT_HOME._replace(addresses=("", ""))
    away = AT_HOME._replace(addresses=("198.51.100.9", ""))
    assert came_back(gone, AT_HOME)
    assert came_back(AT_HOME, away)
    assert not came_back(AT_HOME, gone)
    assert not came_back(gone, gone)
    assert not came_back(AT_HOME, AT_HOME._replace(wall=1005.0, awake=55.0))


def test_a_machine_that_slept_is_back_once_it_has_a_network() -> None:
    woken = AT_HOME._replace(wall=9000.0, awake=51.0)
    assert came_back(AT_HOME, woken)
    assert not came_back(AT_HOME, woken._replace(addresses=("", "")))


def tell(*rounds: Round) -> list[str]:
    told, before = [], None
    for one in rounds:
        if is_worth_telling(one, before):
            told.append(one.words)
        before = one
    return told


def test_rounds_that_did_nothing_are_not_told() -> None:
    quiet = told_of(Synced(UP_TO_DATE))
    assert tell(quiet, quiet, told_of(Synced(PUSHED, sent=1)), quiet) == [
        "pushed: 1 entry sent, 0 received, nothing is only here."
    ]


def test_a_problem_is_told_when_it_comes_and_when_it_has_gone() -> None:
    quiet, gone = told_of(Synced(UP_TO_DATE)), told_of(Synced(OFFLINE, waiting=1))
    told = tell(gone, gone, gone, quiet, quiet)
    assert [words.split(":")[0] for words in told] == ["offline", "up-to-date"]
    refused = told_of_error("ErrAuth", "No key.", "Give one.", {})
    assert tell(gone, refused, refused, gone)[1] == "No key. (ErrAuth) Give one."


def test_held_edits_are_told_once_with_their_command_on_the_same_line() -> None:
    held = told_of(Synced(UP_TO_DATE, held=(HELD,), notices=("two\nlines",)))
    (words,) = tell(held, held)
    assert "\n" not in words
    assert "held: 2026-11-01: nutsync forget --edited" in words
