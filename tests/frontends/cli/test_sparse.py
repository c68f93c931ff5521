"""Where sparse checkout keeps days out of the folder, no command answers as if they had never been."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nutsync.core.cell import ARCHIVE_DIR, day_path
from nutsync.frontends.cli.main import run_line
from tests.support.cells import make_desk
from tests.support.repos import git, head, make_remote, show

TODAY = "2026-11-30"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    desk = make_desk(tmp_path / "memory", remote=str(make_remote(tmp_path / "remote.git")))
    desk.append("likes tea")
    git(desk.root, "sparse-checkout", "set", "--no-cone", "/*", f"!/{ARCHIVE_DIR}/2026/")
    assert not desk.path(TODAY).exists()
    return desk.root


@pytest.mark.parametrize(
    "words",
    [
        ["recall", "tea"],
        ["context"],
        ["show", TODAY],
        ["append", "buys milk"],
        ["layers"],
        ["export", "--jsonl"],
        ["catalog", "rebuild"],
        ["doctor"],
        ["status"],
        ["forget", TODAY, "--reason", "asked", "--yes"],
        ["clear", "about_me", "--reason", "asked", "--yes"],
    ],
    ids=" ".join,
)
def test_what_needs_the_days_says_that_it_could_not_look(
    root: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    before = head(root)
    assert run_line(["-C", str(root), "--json", *words]) == 4
    out, err = capsys.readouterr()
    assert out == ""
    assert json.loads(err)["error"]["code"] == "ErrUnreadable"
    assert "git sparse-checkout disable" in json.loads(err)["error"]["hint"]
    assert head(root) == before


@pytest.mark.parametrize("words", [["sync"], ["verify"]], ids=" ".join)
def test_what_works_on_commits_goes_on(
    root: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_line(["-C", str(root), "--json", *words]) == 0
    assert b"likes tea" in show(root, f"HEAD:{day_path(TODAY)}")
    assert git(root, "status", "--porcelain") == ""


def test_once_the_days_are_let_in_they_are_found(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    git(root, "sparse-checkout", "disable")
    assert run_line(["-C", str(root), "--json", "recall", "tea"]) == 0
    assert [hit["date"] for hit in json.loads(capsys.readouterr().out)["hits"]] == [TODAY]
