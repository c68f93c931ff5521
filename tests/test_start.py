"""Commands that run all day start fast: they load nothing that they have no use for."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
HEAVY = {"git", "yaml", "frontmatter", "rich", "fastapi", "mcp", "asyncio"}


def run(cell: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-X", "importtime", "-m", "nutsync", *words]
    return subprocess.run(command, cwd=cell, env=environ, capture_output=True, text=True, check=False)


def modules(done: subprocess.CompletedProcess[str]) -> set[str]:
    return set(re.findall(r"\| +([\w.]+)$", done.stderr, re.MULTILINE))


def loaded(done: subprocess.CompletedProcess[str]) -> set[str]:
    return {name.split(".")[0] for name in modules(done)}


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    assert run(tmp_path, "init", "--actor", "ana", "--device", "desk").returncode == 0
    assert run(tmp_path, "append", "a first entry, so that there is something to read").returncode == 0
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [["append", "buy milk"], ["recall", "entry"], ["context"], ["--version"]],
    ids=lambda words: words[0],
)
def test_daily_commands_load_neither_gitpython_nor_yaml_nor_rich(cell: Path, words: list[str]) -> None:
    done = run(cell, *words)
    assert done.returncode == 0, done.stderr
    assert "nutsync" in loaded(done)
    assert loaded(done) & HEAVY == set()


@pytest.mark.parametrize("words", [["recall", "entry"], ["context"]], ids=lambda words: words[0])
def test_reading_does_not_load_the_law_nor_the_builder_of_indexes(cell: Path, words: list[str]) -> None:
    writing = (
        *("nutsync.core.freeze", "nutsync.core.index", "nutsync.core.append", "nutsync.operations.guard"),
        *("nutsync.operations.arming", "nutsync.store.repo.keys", "nutsync.store.repo.objects"),
    )
    assert [name for name in modules(run(cell, *words)) if name.startswith(writing)] == []


def test_appending_does_not_load_what_only_merges_and_handed_over_indexes_need(cell: Path) -> None:
    merging = {"nutsync.core.merge", "nutsync.core.repair", "nutsync.core.freeze.merged_day"}
    checking = {"nutsync.core.index.check", "nutsync.core.index.grounding"}
    assert modules(run(cell, "append", "buy bread")) & (merging | checking) == set()


def test_making_a_cell_is_what_gitpython_is_there_for(tmp_path: Path) -> None:
    assert "git" in loaded(run(tmp_path, "init", "--actor", "ana", "--device", "desk"))


def test_a_sync_that_finds_nothing_new_loads_nothing_that_judges_merges_or_commits(
    cell: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    remote = tmp_path_factory.mktemp("remote")
    subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", str(remote)], check=True)
    assert run(cell, "init", "--remote", str(remote)).returncode == 0
    assert run(cell, "sync").returncode == 0
    done = run(cell, "sync")
    assert done.returncode == 0 and "up-to-date" in done.stdout
    heavy = (
        "nutsync.core.freeze",
        "nutsync.core.merge",
        "nutsync.operations.guard",
        "nutsync.store.repo.commit",
    )
    assert [name for name in modules(done) if name.startswith(heavy)] == []
