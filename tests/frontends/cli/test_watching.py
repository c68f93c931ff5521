"""`sync --watch` as a process of its own: it syncs what changes and ends cleanly when a signal says so."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from nutsync.frontends.cli.main import run_line
from tests.support.repos import git, make_remote

ROOT = Path(__file__).resolve().parents[3]
OPTIONS = ("--settle", "0.05", "--every", "60")


@pytest.fixture
def cell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    remote = make_remote(tmp_path / "remote.git")
    folder = tmp_path / "memory"
    assert run_line(["init", str(folder), "--actor", "ana", "--device", "desk", "--remote", str(remote)]) == 0
    capsys.readouterr()
    return folder


@contextmanager
def watching(cell: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "nutsync", "-C", str(cell), "sync", "--watch", *OPTIONS, *options]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    try:
        assert process.stderr is not None and "watching" in process.stderr.readline()
        yield process
    finally:
        process.kill()
        process.communicate(timeout=30)


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_it_sends_what_was_remembered_and_ends_cleanly(cell: Path, number: int) -> None:
    with watching(cell, "--json") as process:
        assert json.loads(line(process))["result"] == "pushed", "the birth of the cell"
        assert run_line(["-C", str(cell), "append", "buy milk"]) == 0
        told = json.loads(line(process))
        assert (told["result"], told["sent"]) == ("pushed", 1)
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
        assert (process.returncode, out) == (0, "")
        assert "no longer watching" in err
    remote = git(cell, "config", "remote.origin.url")
    assert git(Path(remote), "rev-parse", "main") == git(cell, "rev-parse", "HEAD")
    assert git(cell, "status", "--porcelain") == ""


def test_a_second_watch_of_the_clone_is_refused_by_name(
    cell: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with watching(cell) as process:
        assert "pushed" in line(process)
        assert run_line(["-C", str(cell), "--json", "sync", "--watch"]) == 4
        said = json.loads(capsys.readouterr().err.strip().splitlines()[-1])["error"]
    assert said["code"] == "ErrLocked"
    assert f"`sync --watch`, process {process.pid}," in said["message"]


def test_without_watchfiles_the_cure_is_named(cell: Path) -> None:
    code = (
        f"import sys; sys.modules['watchfiles'] = None; sys.path.insert(0, {str(ROOT)!r});"
        "from nutsync.frontends.cli.main import run_line; sys.exit(run_line(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "-C", str(cell), "sync", "--watch"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'nutsync[watch]'" in done.stderr


def test_watch_goes_with_no_other_command(cell: Path) -> None:
    assert run_line(["-C", str(cell), "sync", "--watch", "install", "--dry-run"]) == 2
