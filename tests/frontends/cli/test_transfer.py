"""Bars are drawn for what takes long, on a terminal and nowhere else."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from nutsync.frontends.cli.main import run_line
from nutsync.frontends.cli.transfer import Transfer, shown_progress
from tests.support.fleet import Fleet


class Clock:
    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def draw(*lines: str, after: float) -> str:
    clock, drawn = Clock(), io.StringIO()
    transfer = Transfer(clock, lambda: Console(file=drawn, force_terminal=True, width=100))
    clock.seconds = after
    for line in lines:
        transfer(line)
    transfer.close()
    return drawn.getvalue()


def test_a_long_step_is_a_bar_with_its_count() -> None:
    drawn = draw("Receiving objects:  45% (450/1000)", "Judging commits:  10% (50/500)", after=2)
    assert "Judging commits" in drawn and "50/500" in drawn


def test_words_of_others_are_drawn_as_they_are() -> None:
    assert "[bold]x" in draw("[bold]x", after=2)


def test_a_moment_s_work_draws_nothing() -> None:
    assert draw("Receiving objects:  45% (450/1000)", after=0.5) == ""


def test_where_standard_error_is_no_terminal_nobody_hears() -> None:
    with shown_progress() as progress:
        assert progress is None


def test_a_sync_tells_of_what_it_judges_and_merges(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from nutsync.operations.sync import sync
    from tests.support.fleet import NO_WAIT

    fleet = Fleet(tmp_path)
    fleet["desk"].append("one")
    fleet.sync("desk")
    fleet["lap"].append("two")
    told: list[str] = []
    sync(fleet["lap"].cell, pace=NO_WAIT, progress=told.append)
    assert "Judging commits: 100% (2/2)" in told and "Merging days: 100% (1/1)" in told
    assert run_line(["-C", str(fleet["lap"].root), "sync", "--json"]) == 0
    assert capsys.readouterr().err == ""
