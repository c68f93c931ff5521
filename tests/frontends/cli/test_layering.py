"""`layers`, `sense`, `session` and `admin` on the command line."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from nutsync.core.layer import LAYERS
from nutsync.frontends.cli.main import run_line


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    """A cell of ana's, made now: the command line has the machine's own clock."""
    assert run_line(["init", str(tmp_path / "memory"), "--actor", "ana", "--device", "desk"]) == 0
    return tmp_path / "memory"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def run(cell: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    """Run a command with --json; return its exit code and its document, of whichever stream."""
    capsys.readouterr()
    code = run_line(["-C", str(cell), "--json", *arguments])
    out, err = capsys.readouterr()
    return code, json.loads(out or err.splitlines()[-1])


def test_layers_prints_all_seven_keys_zeros_too(cell: Path, capsys) -> None:
    run(cell, capsys, "append", "likes tea")
    code, document = run(cell, capsys, "layers")
    assert code == 0
    assert document == {**dict.fromkeys(LAYERS, 0), "about_me": 1}
    assert run(cell, capsys, "layers", "--actor", "ben")[1]["about_me"] == 0
    assert run(cell, capsys, "layers", "--actor", "*")[1]["about_me"] == 1


def test_people_read_the_users_words(cell: Path, capsys) -> None:
    capsys.readouterr()
    assert run_line(["-C", str(cell), "layers"]) == 0
    out = capsys.readouterr().out
    assert [line.split("  ")[0] for line in out.splitlines()] == [
        "Environment",
        "Team consensus",
        "About me",
        "Agent memory",
        "This session",
        "Scratch",
        "Unrecognised",
    ]


def test_sense_shows_first_and_then_writes_once(cell: Path, capsys) -> None:
    shown = run(cell, capsys, "sense", "--dry-run")[1]
    assert shown["texts"]
    assert shown["commit"] is None
    written = run(cell, capsys, "sense")[1]
    assert [entry["layer"] for entry in written["entries"]] == ["environment"] * len(shown["texts"])
    assert run(cell, capsys, "sense")[1]["texts"] == []


def test_a_session_note_is_seen_in_its_session_until_that_ends(cell: Path, capsys, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"rename the parser first\n")))
    code, document = run(cell, capsys, "session", "note", "--session", "4f1c", "-")
    assert (code, document["entries"][0]["layer"]) == (0, "session")
    assert run(cell, capsys, "session", "list")[1]["sessions"][0]["session"] == "4f1c"
    assert run(cell, capsys, "layers", "--session", "4f1c")[1]["session"] == 1
    assert run(cell, capsys, "layers")[1]["session"] == 0
    assert run(cell, capsys, "session", "end", "4f1c") == (0, {"session": "4f1c", "removed": 1})
    assert run(cell, capsys, "session", "list")[1]["sessions"] == []


def test_scratch_needs_no_session(cell: Path, capsys, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    document = run(cell, capsys, "session", "note", "--layer", "working", "--kind", "scratch", "a b")[1]
    assert document["entries"][0]["layer"] == "working"


@pytest.mark.parametrize(
    ("arguments", "name", "exit_code"),
    [
        (["session", "note", "words"], "ErrSessionRequired", 3),
        (["session", "note", "--session", "s", "--layer", "about_me", "words"], "ErrLayerNotWritable", 3),
        (["session", "note", "--session", "s", "--layer", "nonsense", "words"], "ErrUnknownLayer", 2),
        (["session", "note", "--session", "s", "--kind", "", "words"], "ErrKindRequired", 2),
        (["session", "end"], "ErrSessionRequired", 3),
        (["session", "end", "never"], "ErrUnknownSession", 3),
        (["admin", "add", "*"], "ErrName", 2),
        (["admin", "remove", "ben"], "ErrUsage", 2),
    ],
)
def test_what_is_refused_has_its_name(cell: Path, capsys, monkeypatch, arguments, name, exit_code) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    code, document = run(cell, capsys, *arguments)
    assert (code, document["error"]["code"]) == (exit_code, name)


def test_a_person_at_a_terminal_does_not_write_the_runtimes_layers(cell: Path, capsys, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal())
    code, document = run(cell, capsys, "session", "note", "--session", "4f1c", "words")
    assert (code, document["error"]["code"]) == (3, "ErrLayerNotWritable")


def test_an_admin_is_named_listed_and_removed(cell: Path, capsys) -> None:
    assert run(cell, capsys, "admin", "add", "ana")[1]["admins"] == ["ana"]
    assert run(cell, capsys, "append", "--layer", "consensus", "four spaces")[0] == 0
    assert run(cell, capsys, "admin", "list")[1]["admins"] == ["ana"]
    code, document = run(cell, capsys, "admin", "remove", "ana")
    assert (code, document["error"]["code"]) == (3, "ErrConfirm")
    assert run(cell, capsys, "admin", "remove", "ana", "--yes")[1]["admins"] == []
    assert run(cell, capsys, "append", "--layer", "consensus", "no tabs")[0] == 3


def test_the_devices_are_listed_and_one_is_revoked(cell: Path, capsys) -> None:
    (row,) = run(cell, capsys, "device", "list")[1]["devices"]
    assert row.keys() == {"device", "actor", "key", "enrolled", "revoked", "here"}
    assert row["here"] and row["revoked"] is None
    code, document = run(cell, capsys, "device", "revoke", row["device"])
    assert (code, document["error"]["code"]) == (3, "ErrConfirm")
    done = run(cell, capsys, "device", "revoke", row["device"], "--yes")[1]
    assert done["commit"] and done["devices"][0]["revoked"]
