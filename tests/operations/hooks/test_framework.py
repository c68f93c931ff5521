"""Users of the pre-commit framework take the same check from `.pre-commit-hooks.yaml`.

The framework is the real one. It would install nutsync from the network; here it runs the one under test.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from nutsync.core.cell import day_path
from tests.support.cells import Desk, make_desk
from tests.support.repos import git, head, write

pytest.importorskip("pre_commit", reason="the pre-commit framework is not installed")

ROOT = Path(__file__).resolve().parents[3]
MANIFEST = ROOT / ".pre-commit-hooks.yaml"
TODAY = "2024-03-06"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A cell whose owner runs the framework, with `nutsync` on the path."""
    command = tmp_path / "bin/nutsync"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m nutsync "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "framework"))
    desk = make_desk(tmp_path / "cell", f"{TODAY}T09:00:00+08:00")
    desk.append("buy milk")
    (hook,) = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))
    config = {"repos": [{"repo": "local", "hooks": [{**hook, "language": "system"}]}]}
    write(desk.root, ".pre-commit-config.yaml", yaml.safe_dump(config))
    git(desk.root, "add", ".pre-commit-config.yaml")
    return desk


def framework(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", *words],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )


def bypass(desk: Desk) -> None:
    when = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"{TODAY}T10:00:00+08:00")
    write(desk.root, day_path(TODAY), desk.path(TODAY).read_text().replace("milk", "beer"))
    git(desk.root, "-c", f"core.hooksPath={os.devnull}", "commit", "-qam", "x", env=when)


def test_the_framework_understands_what_is_offered() -> None:
    done = framework(ROOT, "validate-manifest", str(MANIFEST))
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_passes_an_honest_history_and_fails_one_that_was_rewritten(desk: Desk) -> None:
    words = ("run", "--hook-stage", "pre-push", "nutsync-verify", "--all-files", "--verbose")
    done = framework(desk.root, *words)
    assert done.returncode == 0 and "Nothing was rewritten" in done.stdout, done.stdout + done.stderr
    bypass(desk)
    done = framework(desk.root, *words)
    assert done.returncode == 1
    assert "today-altered" in done.stdout and head(desk.root)[:12] in done.stdout
    assert "beer" not in done.stdout


def test_beside_our_own_hooks_it_runs_at_every_push(desk: Desk, tmp_path: Path) -> None:
    """The framework steps in front and keeps our shim; its check and ours both run."""
    assert framework(desk.root, "install", "--hook-type", "pre-push").returncode == 0
    git(desk.root, "commit", "-qm", "config")
    bare = tmp_path / "bare.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(bare))
    pushed = subprocess.run(
        ["git", "push", str(bare), "main"], cwd=desk.root, capture_output=True, text=True, check=False
    )
    assert pushed.returncode == 0 and "nutsync verify" in pushed.stdout + pushed.stderr
    bypass(desk)
    pushed = subprocess.run(
        ["git", "push", str(bare), "main"], cwd=desk.root, capture_output=True, text=True, check=False
    )
    said = pushed.stdout + pushed.stderr
    assert pushed.returncode != 0 and "nothing was sent" in said and "today-altered" in said
