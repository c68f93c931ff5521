"""`verify` and `hooks` on the command line: exit codes, documents, and the quick answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from nutsync.core.cell import day_path
from nutsync.frontends.cli.main import run_line
from nutsync.frontends.quick import answer
from tests.support.lines import CommandLine
from tests.support.repos import commit_files, git, write

ROOT = Path(__file__).parents[3]


@pytest.fixture
def nutsync(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """The command line in a new cell of ana's."""
    assert run_line(["init", str(tmp_path / "memory"), "--actor", "ana", "--device", "desk"]) == 0
    return CommandLine(tmp_path / "memory", capsys)


def tamper(nutsync: CommandLine) -> None:
    """Change today's entry past every hook."""
    entry = nutsync("append", "buy milk")[1]["entries"][0]
    path = nutsync.folder / day_path(entry["date"])
    path.write_text(path.read_text().replace("buy milk", "buy beer"))
    git(nutsync.folder, "-c", f"core.hooksPath={os.devnull}", "commit", "-qam", "x")


def test_verify_answers_with_its_keys_and_exit_codes(nutsync: CommandLine) -> None:
    nutsync("append", "buy milk")
    code, document = nutsync("verify")
    assert code == 0 and document["ok"] is True and document["commits"] == 2
    tamper(nutsync)
    code, document = nutsync("verify")
    assert code == 1 and document["ok"] is False
    finding = next(one for one in document["findings"] if one["code"] == "today-altered")
    assert {"commit", "path", "ref", "code", "severity", "message", "hint"} <= set(finding)
    assert finding["severity"] == "violation"


def test_verify_tells_people_what_weighs_and_counts_the_rest(nutsync: CommandLine) -> None:
    tamper(nutsync)
    code, out, _ = nutsync.words("verify")
    assert code == 1
    assert "today-altered" in out and "unstamped" in out and "1 violations" in out


def test_where_nothing_moved_the_answer_is_given_at_once(
    nutsync: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the parser; and never where anything is not as it was."""
    nutsync("append", "buy milk")
    monkeypatch.chdir(nutsync.folder)
    assert answer(["verify"]) is None
    nutsync("verify")
    quick = answer(["verify", "--json"])
    assert quick is not None and json.loads(quick) == nutsync("verify")[1]
    assert answer(["verify", "--full"]) is None
    commit_files(nutsync.folder, {"notes.txt": "x"})
    assert answer(["verify"]) is None
    nutsync("verify")
    assert answer(["verify"]) is not None
    git(nutsync.folder, "config", "core.hooksPath", "/nowhere")
    assert answer(["verify"]) is None


def test_the_quick_answer_loads_no_parser(nutsync: CommandLine) -> None:
    nutsync("verify")
    program = "import sys; sys.argv[1:] = ['verify']; from nutsync.__main__ import main; main()"
    program += "; print('click' in sys.modules, 're' in sys.modules)"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-S", "-c", program]
    done = subprocess.run(command, cwd=nutsync.folder, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False False"


def test_a_violation_leaves_no_quick_answer_behind(
    nutsync: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    nutsync("verify")
    tamper(nutsync)
    nutsync("verify")
    monkeypatch.chdir(nutsync.folder)
    assert answer(["verify"]) is None


def test_hooks_status_install_and_uninstall(nutsync: CommandLine) -> None:
    assert nutsync("hooks", "status") == (0, {"armed": True, "findings": []})
    write(nutsync.folder, ".git/hooks/pre-push", "#!/bin/sh\n")
    code, document = nutsync("hooks", "status")
    assert code == 1 and document["armed"] is False
    assert document["findings"][0]["code"] == "hooks-missing"
    assert nutsync("hooks", "install")[1] == {"armed": True, "findings": []}
    code, document = nutsync("hooks", "uninstall")
    assert code == 0 and document["armed"] is False
    assert (nutsync.folder / ".git/hooks/pre-push").read_text() == "#!/bin/sh\n"
    code, _, err = nutsync.words("append", "x")
    assert code == 0 and "not armed" in err and "nutsync hooks install" in err
