"""Paired measurements take turns, count only what worked, and say what they were taken on."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench.paired import Command, CommandFailed, Cost, Row, machine, paired, run_once, table


def python(code: str, cwd: Path, **more: object) -> Command:
    return Command([[sys.executable, "-I", "-S", "-c", code]], cwd, **more)  # type: ignore[arg-type]


def test_the_two_commands_take_turns_and_the_warm_up_runs_too(tmp_path: Path) -> None:
    turns: list[str] = []
    ours = python("", tmp_path, prepare=lambda: turns.append("a"))
    theirs = python("", tmp_path, prepare=lambda: turns.append("b"))
    row = paired("ours", ours, "theirs", theirs, rounds=2, warm_up=1)
    assert "".join(turns) == "ababab"
    assert row.ours.wall > 0
    assert row.ours.mebibytes > 0


def test_a_command_that_fails_is_not_timed(tmp_path: Path) -> None:
    with pytest.raises(CommandFailed, match=r"ended with 3.*sorry"):
        run_once(python("import sys; sys.stderr.write('sorry'); sys.exit(3)", tmp_path))


def test_an_exit_code_that_was_asked_for_counts_as_working(tmp_path: Path) -> None:
    run_once(python("raise SystemExit(1)", tmp_path, codes=frozenset({1})))


def test_a_command_gets_its_environment_and_its_input(tmp_path: Path) -> None:
    code = "import os, sys; sys.exit(os.environ['A'] + sys.stdin.read() != 'bc')"
    run_once(python(code, tmp_path, env={"A": "b"}, stdin=b"c"))


def test_the_table_shows_both_ratios_beside_the_aim_and_names_the_machine() -> None:
    row = Row("append", "git commit", Cost(30, 20, 40), Cost(10, 5, 10), "≤ 4")
    text = table("10 years", [row])
    assert "| append | git commit | 30.0 | 10.0 | 3.00 | 4.00 | +15 | ≤ 4 | 40 |" in text
    assert machine().split(", load")[0] in text
