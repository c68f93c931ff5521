"""`sync --watch` as a process of its own: it syncs what changes and ends cleanly when a signal says so."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from nutsync.core.schedule import System
from nutsync.frontends.cli.main import run_line
from nutsync.operations.scheduling import Machine
from nutsync.store.programs import Ran
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


def is_waiting(pid: int) -> bool:
    """Tell whether a process comes to rest within a deadline: asleep each of many times that one looks."""
    asleep = 0
    for _ in range(3_000):
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        asleep = asleep + 1 if state == "S" else 0
        if asleep == 25:
            return True
        threading.Event().wait(0.02)
    return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux shows whether a process waits")
def test_a_second_signal_ends_even_a_round_that_waits_for_a_dead_line(cell: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        git(cell, "remote", "set-url", "origin", f"git://127.0.0.1:{silent.getsockname()[1]}/x")
        silent.settimeout(60)
        with watching(cell) as process:
            line_in, _ = silent.accept()
            with line_in:
                line_in.settimeout(60)
                assert is_waiting(process.pid), "for the line that says nothing"
                process.send_signal(signal.SIGINT)
                assert process.stderr is not None and "once more" in process.stderr.readline()
                process.send_signal(signal.SIGINT)
                _, err = process.communicate(timeout=60)
                assert process.returncode == 130
                assert "the next sync completes it" in err
                while line_in.recv(4096):  # until the Git that was asked to fetch has hung up as well
                    pass
    assert run_line(["-C", str(cell), "append", "after all"]) == 0
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


# --- install ----------------------------------------------------------------------------------------------


@pytest.fixture
def systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with systemd, whose home is returned and whose scheduler takes everything."""
    home = tmp_path / "home"
    home.mkdir()
    here = Machine(System.SYSTEMD, home, {"PATH": "/usr/bin"}, run=lambda _words: Ran(0, ""))
    monkeypatch.setattr(Machine, "here", lambda: here)
    return home


def test_install_shows_does_and_undoes(cell: Path, systemd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_line(["-C", str(cell), "sync", "install", "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert "ExecStart=" in shown and "OnUnitInactiveSec=10min" in shown and str(cell) in shown
    assert list(systemd.iterdir()) == []
    assert run_line(["-C", str(cell), "--json", "sync", "install", "--every", "5"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["scheduler"], document["every"], document["dry_run"]) == ("systemd", 5, False)
    assert all(Path(file["path"]).is_file() for file in document["files"])
    assert run_line(["-C", str(cell), "status"]) == 0
    assert "every 5 minutes" in capsys.readouterr().out
    assert run_line(["-C", str(cell), "sync", "uninstall"]) == 0
    assert list(systemd.iterdir()) == []


def test_install_without_a_scheduler_is_refused_by_name(
    cell: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Machine, "here", lambda: Machine(None, cell, {}))
    assert run_line(["-C", str(cell), "--json", "sync", "install"]) == 4
    error = json.loads(capsys.readouterr().err.strip().splitlines()[-1])["error"]
    assert error["code"] == "ErrScheduler" and "--watch" in error["hint"]
