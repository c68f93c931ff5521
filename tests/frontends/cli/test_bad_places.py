"""Places and remotes that will not do: each is named, with what to do, and nothing is lost or half done."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from nutsync.frontends.cli.main import run_line
from tests.support.lines import CommandLine
from tests.support.repos import git, make_remote, make_repo, write


@pytest.fixture
def nutsync(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """The command line in a cell of ana's that holds one entry."""
    line = CommandLine(tmp_path / "memory", capsys)
    assert run_line(["init", str(line.folder), "--actor", "ana", "--device", "desk"]) == 0
    assert line("append", "first")[0] == 0
    return line


def snapshot(root: Path) -> dict[str, bytes]:
    """Every file of the worktree, and where the branch stands."""
    files = {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(root).parts
    }
    return {**files, "HEAD": git(root, "rev-parse", "main").encode()}


def refuses(nutsync: CommandLine, code: int, name: str, *arguments: str) -> None:
    """Assert that a command fails by name, says what to do, and leaves everything as it was."""
    before = snapshot(nutsync.folder)
    found, document = nutsync(*arguments)
    assert (found, document["error"]["code"]) == (code, name)
    assert document["error"]["hint"]
    assert snapshot(nutsync.folder) == before


def test_no_cell_here(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert CommandLine(tmp_path, capsys).error("append", "x") == (4, "ErrNoCell")


def test_a_bare_repository(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    remote = make_remote(tmp_path / "remote.git")
    assert CommandLine(remote, capsys).error("init") == (4, "ErrBareRepository")


def test_a_detached_head(nutsync: CommandLine) -> None:
    git(nutsync.folder, "checkout", "-q", "--detach")
    refuses(nutsync, 4, "ErrDetachedHead", "append", "x")
    refuses(nutsync, 4, "ErrDetachedHead", "sync")


def test_another_branch_than_the_memory_branch(nutsync: CommandLine) -> None:
    git(nutsync.folder, "checkout", "-q", "-b", "work")
    refuses(nutsync, 4, "ErrBranch", "append", "x")


def test_a_merge_under_way(nutsync: CommandLine) -> None:
    write(nutsync.folder, ".git/MERGE_HEAD", git(nutsync.folder, "rev-parse", "HEAD"))
    refuses(nutsync, 4, "ErrMergeUnderWay", "append", "x")
    refuses(nutsync, 4, "ErrMergeUnderWay", "sync")


def test_a_shallow_clone(nutsync: CommandLine, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    git(nutsync.folder, "clone", "-q", "--depth=1", f"file://{nutsync.folder}", str(tmp_path / "shallow"))
    line = CommandLine(tmp_path / "shallow", capsys)
    assert line.error("init")[1] == "ErrShallow"


@pytest.mark.skipif(os.geteuid() == 0 if hasattr(os, "geteuid") else True, reason="root may write everywhere")
def test_a_read_only_folder(nutsync: CommandLine) -> None:
    year = next((nutsync.folder / ".agents/nutstore-sync/memory/archive").iterdir())
    year.chmod(0o555)
    try:
        refuses(nutsync, 4, "ErrUnwritable", "append", "x")
    finally:
        year.chmod(0o755)


@pytest.mark.parametrize(
    ("number", "name"),
    [(errno.ENOSPC, "ErrDiskFull"), (errno.EROFS, "ErrUnwritable"), (errno.EACCES, "ErrUnwritable")],
)
def test_a_disk_that_is_full_or_read_only(
    nutsync: CommandLine, monkeypatch: pytest.MonkeyPatch, number: int, name: str
) -> None:
    real = os.open

    def failing(path: object, flags: int, *more: object, **named: object) -> int:
        if flags & os.O_CREAT and "archive" in str(path):
            raise OSError(number, os.strerror(number), str(path))
        return real(path, flags, *more, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", failing)
    refuses(nutsync, 4, name, "append", "x")


def test_text_that_is_no_utf8(nutsync: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import sys

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"caf\xe9")))
    refuses(nutsync, 2, "ErrUsage", "append", "-")


def test_a_day_file_that_is_no_utf8_stays_searchable(nutsync: CommandLine) -> None:
    path = next((nutsync.folder / ".agents/nutstore-sync/memory/archive").rglob("*.md"))
    path.write_bytes(path.read_bytes() + b"- caf\xe9 in Rotterdam\n")
    assert nutsync("recall", "Rotterdam")[0] == 0
    assert nutsync("append", "second")[0] == 0
    assert b"- caf\xe9 in Rotterdam" in path.read_bytes()


def test_a_git_that_is_too_old_or_missing(
    nutsync: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    old = tmp_path / "old"
    says = '[ "$1" = version ] && echo "git version 2.20.1" && exit 0'
    script = write(old, "git", f"#!/bin/sh\n{says}\nexit 1\n")
    script.chmod(0o755)
    there = make_repo(tmp_path / "there")
    monkeypatch.setenv("PATH", str(old))
    assert CommandLine(there, capsys).error("init")[1] == "ErrGitTooOld"
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert CommandLine(there, capsys).error("init")[1] == "ErrGitMissing"


def test_a_remote_that_is_gone_keeps_everything_here(nutsync: CommandLine, tmp_path: Path) -> None:
    remote = make_remote(tmp_path / "remote.git")
    nutsync("init", "--remote", str(remote))
    remote.rename(tmp_path / "elsewhere.git")
    code, document = nutsync("sync")
    assert code == 5
    assert document.get("result") == "offline" or document["error"]["code"].startswith("ErrRemote")
    assert nutsync("append", "second")[0] == 0
    (tmp_path / "elsewhere.git").rename(remote)
    assert nutsync("sync")[1]["sent"] == 2


def test_a_remote_with_another_history(
    nutsync: CommandLine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = make_repo(tmp_path / "code")
    write(code, "main.c", "int main;\n")
    git(code, "add", "main.c")
    git(code, "commit", "-qm", "code")
    remote = make_remote(tmp_path / "remote.git")
    git(code, "push", "-q", str(remote), "main")
    git(nutsync.folder, "remote", "add", "origin", str(remote))
    refuses(nutsync, 4, "ErrUnrelated", "sync")


class _WantsPassword(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="memory"')
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def guarded() -> Iterator[str]:
    """A server on this machine that asks everyone for a password."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _WantsPassword)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/memory.git"
    server.shutdown()
    server.server_close()


def test_a_remote_that_wants_a_password_is_named_and_nobody_is_asked(
    nutsync: CommandLine, guarded: str
) -> None:
    git(nutsync.folder, "remote", "add", "origin", guarded)
    refuses(nutsync, 5, "ErrAuth", "sync")


def test_a_remote_address_that_runs_programs_is_refused(nutsync: CommandLine) -> None:
    git(nutsync.folder, "remote", "add", "origin", "ext::sh -c true")
    refuses(nutsync, 5, "ErrTransport", "sync")
