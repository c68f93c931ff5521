"""The reference of the command line is what the commands say, and every command shows how it is used."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from nutsync.frontends.cli.command import Command, Group
from nutsync.frontends.cli.main import run_line
from nutsync.frontends.cli.reference import commands, render

ROOT = Path(__file__).resolve().parents[3]
ALL = list(commands())


def test_the_page_is_current() -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert page == render(), "run: python -m nutsync.frontends.cli.reference > docs/cli.md"


@pytest.mark.parametrize(("name", "command"), ALL, ids=[name for name, _ in ALL])
def test_every_command_says_what_it_does_and_shows_an_example(name: str, command: click.Command) -> None:
    assert command.help
    if isinstance(command, click.Group):
        return
    assert isinstance(command, Command)
    assert f"nutsync {name}" in " ".join(command.example.split())


GROUPS = [(name, command) for name, command in ALL if isinstance(command, Group)]


@pytest.mark.parametrize(("name", "group"), GROUPS, ids=[name for name, _ in GROUPS])
def test_the_help_of_a_group_ends_with_an_example_of_each_command(name: str, group: Group) -> None:
    said = group.get_help(click.Context(group, info_name=f"nutsync {name}"))
    for command in group.commands.values():
        assert f"nutsync {name} {command.name}" in said.partition("Examples:")[2]


def test_a_shell_completes_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_line(["completion", "bash"]) == 0
    assert "_NUTSYNC_COMPLETE=bash_complete" in capsys.readouterr().out
    asked = {"_NUTSYNC_COMPLETE": "bash_complete", "COMP_WORDS": "nutsync rec", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "nutsync"], env={**os.environ, **asked, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "plain,recall" in done.stdout
