"""How far something long is reads back from a line, whoever wrote it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nutsync.core.progress import Step, counted, read_step


def test_git_s_own_lines_are_understood() -> None:
    assert read_step("Receiving objects:  45% (450/1000), 1.20 MiB | 2.00 MiB/s\r") == Step(
        "Receiving objects", 450, 1000
    )
    assert read_step("remote: Counting objects: 100% (7/7), done.") == Step("Counting objects", 7, 7)
    assert read_step("Enumerating objects: 12, done.") == Step("Enumerating objects: 12, done.")
    assert read_step("") == Step("")


@given(st.integers(1, 3000))
def test_what_is_counted_passes_unchanged_is_told_at_most_a_hundred_times_and_ends_whole(total: int) -> None:
    told: list[str] = []
    assert list(counted(range(total), total, "Judging commits", told.append)) == list(range(total))
    steps = [read_step(line) for line in told]
    assert len(told) <= 101 and steps[-1] == Step("Judging commits", total, total)
    assert [step.done for step in steps] == sorted({step.done for step in steps})


def test_without_anybody_who_hears_nothing_is_counted() -> None:
    assert list(counted("abc", 3, "x", None)) == ["a", "b", "c"]
    assert list(counted("abc", 0, "x", print)) == ["a", "b", "c"]
