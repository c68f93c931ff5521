"""`agent install`, `uninstall`, and the hooks that agents call: nothing is lost, nobody is blocked."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from nutsync.core.agents.places import AGENTS
from nutsync.core.agents.skill import render_skill
from nutsync.core.cell import SESSION_DIR
from nutsync.frontends.cli.main import run_line
from nutsync.store.lock import clone_lock
from tests.support.repos import git


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    assert run_line(["init", str(tmp_path / "memory"), "--actor", "ana", "--device", "desk"]) == 0
    return tmp_path / "memory"


def run(cell: Path, *arguments: str) -> int:
    return run_line(["-C", str(cell), *arguments])


def say(monkeypatch: pytest.MonkeyPatch, content: object) -> None:
    text = content if isinstance(content, str) else json.dumps(content)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def texts(cell: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    capsys.readouterr()
    assert run(cell, "export") in (0, 1)
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return [row["text"] for row in rows if "text" in row and row["layer"] != "environment"]


def tree(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git/" not in str(path.relative_to(folder))
    }


@pytest.mark.parametrize("name", list(AGENTS))
def test_install_is_idempotent_and_uninstall_gives_the_folder_back(
    cell: Path, name: str, isolated_machine: Path, capsys
) -> None:
    (cell / "AGENTS.md").write_text("# Mine\n")
    before, home = tree(cell), tree(isolated_machine)
    assert run(cell, "agent", "install", name, "--dry-run") == 0
    assert "would be written" in capsys.readouterr().out
    assert (tree(cell), tree(isolated_machine)) == (before, home)
    assert run(cell, "agent", "install", name) == 0
    once = tree(cell), tree(isolated_machine)
    assert once != (before, home)
    assert any(text == render_skill() for text in once[0].values())
    assert run(cell, "agent", "install", name) == 0
    assert (tree(cell), tree(isolated_machine)) == once
    assert run(cell, "agent", "uninstall", name) == 0
    assert (tree(cell), tree(isolated_machine)) == (before, home)


def test_a_projects_files_name_no_machine_and_a_users_name_the_cell(
    cell: Path, isolated_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = isolated_machine / "bin"
    folder.mkdir()
    (folder / "nutsync").write_text("#!/bin/sh\n")
    (folder / "nutsync").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    assert run(cell, "agent", "install", "claude-code") == 0
    assert str(cell) not in "".join(
        text for name, text in tree(cell).items() if name.startswith((".claude", ".mcp"))
    )
    server = json.loads((cell / ".mcp.json").read_text())["mcpServers"]["nutsync"]
    assert (server["command"], server["args"]) == ("nutsync", ["mcp"])
    assert run(cell, "agent", "install", "claude-code", "--user") == 0
    user = json.loads((isolated_machine / ".claude.json").read_text())["mcpServers"]["nutsync"]
    assert user["args"] == ["-C", str(cell), "mcp"]


def test_a_file_that_cannot_be_changed_whole_is_named_and_left(
    cell: Path, isolated_machine: Path, capsys
) -> None:
    config = isolated_machine / ".openclaw" / "openclaw.json"
    config.parent.mkdir()
    config.write_text("{ // mine\n}")
    assert run(cell, "agent", "install", "openclaw") == 1
    assert "nothing was changed in it" in capsys.readouterr().out
    assert config.read_text() == "{ // mine\n}"
    assert (cell / "skills" / "nutsync" / "SKILL.md").exists()


def test_a_session_starts_with_the_context_in_the_tools_own_form(cell: Path, capsys) -> None:
    run(cell, "append", "the kiln is fired at 1240 degrees")
    for name, field in (("claude-code", "hookSpecificOutput"), ("cursor", "additional_context")):
        capsys.readouterr()
        assert run(cell, "agent", "hook", "session-start", "--for", name) == 0
        document = json.loads(capsys.readouterr().out)
        said = document[field]["additionalContext"] if name == "claude-code" else document[field]
        assert "kiln" in said
        assert "never an instruction" in said
    assert "Nutsync-Op: sense" in git(cell, "log", "-3", "--format=%b")


def test_the_end_of_a_session_remembers_what_the_last_message_hands_over(
    cell: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    message = "All done.\n```nutsync\n- the kiln is fired at 1240 degrees\n- glaze nine runs\n```\n"
    transcript = tmp_path / "t.jsonl"
    transcript.write_text(
        json.dumps({"type": "assistant", "message": {"role": "assistant", "content": message}})
    )
    for _ in range(2):
        say(monkeypatch, {"session_id": "s1", "transcript_path": str(transcript), "reason": "exit"})
        assert run(cell, "agent", "hook", "session-end") == 0
    assert texts(cell, capsys) == ["the kiln is fired at 1240 degrees", "glaze nine runs"]


def test_what_cannot_be_written_now_waits_and_the_next_command_takes_it_up(
    cell: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    head = cell / ".git" / "MERGE_HEAD"
    head.write_text(git(cell, "rev-parse", "HEAD"))
    say(monkeypatch, {"session_id": "s1", "last_assistant_message": "```nutsync\n- keep me\n- me too\n```"})
    assert run(cell, "agent", "hook", "session-end", "--for", "codex") == 0
    assert "2 things wait" in capsys.readouterr().err
    kept = cell / SESSION_DIR / "s1.md"
    assert "keep me" in kept.read_text()
    assert run(cell, "recall", "keep", "--session", "s1") == 0
    head.unlink()
    assert run(cell, "context") == 0
    assert not kept.exists()
    assert texts(cell, capsys) == ["keep me", "me too"]
    assert git(cell, "status", "--porcelain") == ""


def test_a_session_keeps_its_own_notes_when_what_waited_is_taken_up(
    cell: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    say(monkeypatch, "a note of its own")
    assert run(cell, "session", "note", "--session", "s1", "-") == 0
    (cell / ".git" / "MERGE_HEAD").write_text(git(cell, "rev-parse", "HEAD"))
    say(monkeypatch, "- keep me")
    assert run(cell, "agent", "hand-over", "--session", "s1") == 0
    (cell / ".git" / "MERGE_HEAD").unlink()
    assert run(cell, "status") == 0
    assert run(cell, "append", "next") == 0
    assert texts(cell, capsys) == ["keep me", "next"]
    assert "a note of its own" in (cell / SESSION_DIR / "s1.md").read_text()


def test_a_locked_clone_blocks_no_agent(cell: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    from nutsync.operations import cell as opening

    monkeypatch.setattr(opening, "LOCK_SECONDS", 0.05)
    script = "import sys, time; from pathlib import Path; from nutsync.store.lock import clone_lock\n"
    script += "with clone_lock(Path(sys.argv[1]), timeout=5): print('held', flush=True); sys.stdin.read()\n"
    holder = subprocess.Popen(
        [sys.executable, "-c", script, str(cell / ".git")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"held"
        say(monkeypatch, {"session_id": "s1", "last_assistant_message": "```nutsync\n- keep me\n```"})
        assert run(cell, "agent", "hook", "session-end", "--for", "codex") == 0
    finally:
        holder.communicate(b"")
    assert "keep me" in (cell / SESSION_DIR / "s1.md").read_text()
    with clone_lock(cell / ".git", timeout=5):
        pass
    assert texts(cell, capsys) == ["keep me"]


def test_a_credential_is_refused_and_not_kept_anywhere(
    cell: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    secret = "ghp_" + "0123456789abcdefghijABCDEFGHIJ456789"
    say(monkeypatch, {"session_id": "s1", "last_assistant_message": f"```nutsync\n- use {secret}\n```"})
    assert run(cell, "agent", "hook", "session-end", "--for", "codex") == 0
    said = capsys.readouterr().err
    assert "ErrSecret" in said
    assert secret not in said
    assert not (cell / SESSION_DIR / "s1.md").exists()


def test_where_there_is_no_cell_the_hooks_are_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    capsys.readouterr()
    say(monkeypatch, "{}")
    assert run(tmp_path, "agent", "hook", "session-start") == 0
    assert run(tmp_path, "agent", "hook", "session-end") == 0
    assert capsys.readouterr() == ("", "")


def test_the_skills_shell_commands_work_and_nutsync_takes_over_what_they_wrote(cell: Path, capsys) -> None:
    shell = render_skill().partition("```sh\n")[2].partition("```")[0]
    subprocess.run(["bash", "-c", shell], cwd=cell, capture_output=True, check=False)
    assert run(cell, "append", "next") == 0
    assert texts(cell, capsys) == ["X-200 costs 12,800 yuan", "next"]
    assert git(cell, "status", "--porcelain") == ""
    capsys.readouterr()
    assert run(cell, "context") == 0
    assert "12,800" in capsys.readouterr().out
