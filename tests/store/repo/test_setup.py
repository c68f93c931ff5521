"""Making and arranging repositories."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from nutsync.store.repo import setup


def git(directory: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=directory, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_a_new_repository_is_on_main(tmp_path: Path) -> None:
    setup.init_repository(tmp_path / "cell")
    assert git(tmp_path / "cell", "symbolic-ref", "HEAD") == "refs/heads/main"


def test_a_repository_that_exists_keeps_its_branch(tmp_path: Path) -> None:
    setup.init_repository(tmp_path, "trunk")
    setup.init_repository(tmp_path)
    assert git(tmp_path, "symbolic-ref", "HEAD") == "refs/heads/trunk"


def test_a_hook_of_another_repository_does_not_lead_set_up_astray(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "other/index"))
    setup.init_repository(tmp_path / "cell")
    assert (tmp_path / "cell/.git/HEAD").exists() and not (tmp_path / "other").exists()
    monkeypatch.delenv("GIT_DIR")
