"""`correct`, `forget` and `clear` on the command line: shown before they happen, and never without a yes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nutsync.core.moment import Moment
from nutsync.frontends.cli.main import run_line
from nutsync.store.clock import SystemClock
from tests.support.cells import Desk, make_desk
from tests.support.repos import commit_files, head


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    now: Moment = SystemClock().now()
    return make_desk(tmp_path / "memory", now.local().isoformat())


def run(desk: Desk, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    """Run a command with --json; return its exit code and its document, of whichever stream."""
    code = run_line(["-C", str(desk.root), "--json", *arguments])
    out, err = capsys.readouterr()
    return code, json.loads(out or err.splitlines()[-1])


def ref_of(desk: Desk, capsys: pytest.CaptureFixture[str], text: str) -> str:
    return str(run(desk, capsys, "append", text)[1]["entries"][0]["ref"])


def test_forget_wants_an_explicit_yes_and_says_what_it_did(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    ref = ref_of(desk, capsys, "Globex pays 4711")
    before = head(desk.root)
    code, refused = run(desk, capsys, "forget", ref, "--reason", "asked for")
    assert (code, refused["error"]["code"], head(desk.root)) == (3, "ErrConfirm", before)
    code, shown = run(desk, capsys, "forget", ref, "--reason", "asked for", "--dry-run")
    assert (code, shown["forgotten"], shown["commit"], head(desk.root)) == (0, [ref], None, before)
    code, done = run(desk, capsys, "forget", ref, "--reason", "asked for", "--yes")
    assert (code, done["forgotten"], done["days"]) == (0, [ref], [ref[:10]])
    assert done["commit"] == head(desk.root)
    assert run(desk, capsys, "correct", ref, "other words")[1]["error"]["code"] == "ErrForgotten"


def test_a_dry_run_shows_people_the_words_that_go(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    ref = ref_of(desk, capsys, "Globex pays 4711")
    words = ("forget", ref, "--reason", "asked for", "--replace", "it pays more", "--dry-run")
    assert run_line(["-C", str(desk.root), *words]) == 0
    out = capsys.readouterr().out
    assert "Globex pays 4711" in out and "replaced by: it pays more" in out


def test_forget_edited_lists_what_goes_and_takes_it_over_with_yes(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    ref = ref_of(desk, capsys, "Globex pays 4711")
    kept = ref_of(desk, capsys, "kept")
    path = desk.path(ref[:10])
    lines = [line for line in path.read_text().splitlines(True) if "4711 <!--" not in line]
    path.write_text("".join(lines))
    assert run(desk, capsys, "forget", "--edited", "--reason", "tidied")[1]["error"]["code"] == "ErrConfirm"
    code, shown = run(desk, capsys, "forget", "--edited", "--reason", "tidied", "--dry-run")
    assert (code, shown["forgotten"], shown["commit"]) == (0, [ref], None)
    code, done = run(desk, capsys, "forget", "--edited", "--reason", "tidied", "--yes")
    assert (code, done["forgotten"], done["held"]) == (0, [ref], [])
    assert run(desk, capsys, "show", kept)[0] == 0
    code, nothing = run(desk, capsys, "forget", "--edited", "--reason", "tidied", "--yes")
    assert (code, nothing["forgotten"]) == (0, [])


def test_wrong_usage_is_refused(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        ("forget", "--reason", "x"),
        ("forget", "2026-11-30", "--edited", "--reason", "x"),
        ("forget", "nonsense", "--reason", "x", "--yes"),
    ):
        assert run(desk, capsys, *words)[0] == 2


def test_clearing_needs_the_actor_and_a_yes(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    ref_of(desk, capsys, "about ana and her cat")
    assert run(desk, capsys, "clear", "about_me")[1]["error"]["code"] == "ErrLayerActorRequired"
    assert run(desk, capsys, "clear", "about_me", "--actor", "ana")[1]["error"]["code"] == "ErrConfirm"
    code, done = run(desk, capsys, "clear", "about_me", "--actor", "ana", "--yes")
    assert (code, len(done["forgotten"])) == (0, 1)


def test_the_log_passes_over_commits_of_a_vault_that_are_not_of_memory(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    first = ref_of(desk, capsys, "before the other commit")
    other = commit_files(desk.root, {"notes.md": "of no concern to memory\n"})
    last = ref_of(desk, capsys, "after the other commit")
    code, told = run(desk, capsys, "log")
    assert (code, other in [record["commit"] for record in told["records"]]) == (0, False)
    assert [record["entries"] for record in told["records"]][:2] == [[last], [first]]
    assert run(desk, capsys, "blame", first.partition("#")[0])[0] == 0
