"""Looking at this machine finds real programs and tells nothing about its user."""

from __future__ import annotations

import getpass
import os
import platform
import sys
from pathlib import Path

import pytest

from nutsync.core.environment import ARCHITECTURE, SYSTEM, TOOLS, sense_entries
from nutsync.store import host

posix = pytest.mark.skipif(os.name == "nt", reason="the fake programs are shell scripts")


def program(folder: Path, name: str, body: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)


@posix
def test_programs_are_found_and_asked_for_their_version(tmp_path: Path) -> None:
    program(tmp_path, "python3", 'test "$1" = --version && echo "Python 3.12.1"')
    program(tmp_path, "go", 'test "$1" = version && echo "go version go1.22.1 linux/amd64"')
    program(tmp_path, "java", "echo 'openjdk version \"17.0.9\" 2023-10-17' >&2")
    found = host.probe([str(tmp_path)])
    assert {name: found[name] for name in found if name not in (SYSTEM, ARCHITECTURE)} == {
        "Python": "3.12.1",
        "Go": "1.22.1",
        "Java": "17.0.9",
    }
    assert found[ARCHITECTURE] == platform.machine()
    assert found[SYSTEM]


@posix
def test_a_program_that_fails_or_hangs_is_there_without_a_version(tmp_path: Path) -> None:
    program(tmp_path, "git", "echo 'git version 9.9'; exit 3")
    program(tmp_path, "node", "exec tail -f /dev/null")
    program(tmp_path, "rustc", "echo what?")
    (tmp_path / "ruby").write_bytes(b"\0not a program")
    (tmp_path / "ruby").chmod(0o755)
    found = host.probe([str(tmp_path)], timeout=0.3)
    assert {name: found[name] for name in ("Git", "Node.js", "Rust", "Ruby")} == dict.fromkeys(
        ("Git", "Node.js", "Rust", "Ruby")
    )


@posix
def test_what_cannot_be_started_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "git").write_text("#!/bin/sh\necho git version 9.9\n", encoding="utf-8")
    (tmp_path / "node").mkdir()
    found = host.probe([str(tmp_path), str(tmp_path / "missing")])
    assert set(found) == {SYSTEM, ARCHITECTURE}


@posix
def test_programs_get_no_terminal_no_project_and_nothing_of_ours(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path))
    monkeypatch.setenv("NUTSYNC_ACTOR", "ana")
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Dx=1")
    told = tmp_path / "told"
    program(tmp_path, "git", f"(env; pwd; cat) > '{told}'; echo git version 1.2.3")
    assert host.probe([str(tmp_path)])["Git"] == "1.2.3"
    words = told.read_text(encoding="utf-8")
    assert "GIT_DIR" not in words
    assert "NUTSYNC" not in words
    assert "JAVA_TOOL_OPTIONS" not in words
    assert "GOTOOLCHAIN=local" in words
    assert words.endswith(f"{Path(sys.executable).anchor}\n")


def test_a_projects_own_folders_are_not_looked_into(tmp_path: Path, monkeypatch) -> None:
    project = tmp_path / "venv"
    modules = tmp_path / "app" / "node_modules" / ".bin"
    plain = tmp_path / "bin"
    path = [str(project / "bin"), str(modules), "bin", ".", "", str(plain), str(plain)]
    monkeypatch.setenv("PATH", os.pathsep.join(path))
    monkeypatch.setenv("VIRTUAL_ENV", str(project))
    folders = host.search_path()
    assert folders[0] == str(plain)
    assert folders.count(str(plain)) == 1
    assert all(Path(folder).is_absolute() for folder in folders)
    assert not {str(project / "bin"), str(modules)} & set(folders)


def test_this_machine_is_described_without_its_user_its_name_or_its_folders() -> None:
    found = host.probe()
    assert set(found) <= {SYSTEM, ARCHITECTURE, *(tool.name for tool in TOOLS)}
    told = "\n".join(sense_entries("desk", found, {}))
    assert "desk: Git " in told
    assert os.sep not in told.replace("GNU/Linux", "")
    for private in (getpass.getuser(), platform.node()):
        assert private not in told.split()
