"""An armed bare repository judges what is pushed to it, discards what it refuses, and keeps a log."""

from __future__ import annotations

import json
import os
from pathlib import Path

from nutsync.core.cell import day_path
from nutsync.operations.server import arm_server, server_problems
from nutsync.store.repo.git import Git
from tests.support.cells import make_desk
from tests.support.repos import git, head, make_remote, run_git, write

DATES = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), "2026-11-30T09:30:00+08:00")
PLAIN = ("-c", f"core.hooksPath={os.devnull}")


def test_a_server_takes_what_is_legal_and_refuses_the_rest(tmp_path: Path) -> None:
    server = Git.of_bare(make_remote(tmp_path / "memory.git"))
    arm_server(server)
    assert server_problems(server) == []
    desk = make_desk(tmp_path / "cell")
    desk.append("buy milk", "call ben")
    git(desk.root, *PLAIN, "push", "-q", str(server.root), "main")
    honest = head(desk.root)
    today = desk.path("2026-11-30")
    write(desk.root, day_path("2026-11-30"), today.read_text().replace("buy milk", "buy beer"))
    git(desk.root, *PLAIN, "commit", "-qam", "x", env=DATES)
    bad = head(desk.root)
    for words in (["main"], ["--force", f"{honest}~1:refs/heads/main"], ["--delete", "main"]):
        done = run_git(desk.root, *PLAIN, "push", str(server.root), *words, check=False)
        assert done.returncode != 0 and b"nutsync: main" in done.stderr
        assert head(server.root, "main") == honest
    assert run_git(server.root, "cat-file", "-e", bad, check=False).returncode != 0
    log = [json.loads(line) for line in (server.root / "nutsync/receive.log").read_text().splitlines()]
    assert [one["outcome"] for one in log] == ["received", *["refused"] * 3]
    assert log[0]["new"] == honest and log[1]["new"] == bad and log[1]["pusher"]
