"""Plain `git commit` brings no credential into memory either."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.cells import Desk, make_desk
from tests.support.repos import git

SECRET = "ghp_" + "0123456789abcdefghijABCDEFGHIJ456789"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A cell of now: the hooks have the machine's own clock."""
    from nutsync.store.clock import SystemClock

    return make_desk(tmp_path / "cell", SystemClock().now().local().isoformat())


def commit(desk: Desk, **environ: str) -> tuple[int, str]:
    done = subprocess.run(
        ["git", "commit", "--all", "--quiet", "-m", "note"], cwd=desk.root, env={**os.environ, **environ},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stderr


def test_a_plain_commit_with_a_credential_is_stopped_and_its_value_not_shown(desk: Desk) -> None:
    date = desk.append("one").date
    head = git(desk.root, "rev-parse", "HEAD")
    path = desk.path(date)
    honest = path.read_bytes()
    path.write_bytes(honest + f"- use {SECRET}\n".encode())
    code, said = commit(desk)
    assert code == 1
    assert "GitHub token" in said
    assert "ErrSecret" in said
    assert SECRET not in said
    assert git(desk.root, "rev-parse", "HEAD") == head
    assert commit(desk, NUTSYNC_ALLOW_SECRET="1")[0] == 0
    path.write_bytes(path.read_bytes() + b"- an honest line\n")
    assert commit(desk)[0] == 0
