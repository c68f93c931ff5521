"""`forget --purge` and `purges` on the command line: shown before, proved after, told to all."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import pytest

from nutsync.frontends.cli.main import run_line
from tests.support.cells import make_desk
from tests.support.lines import CommandLine
from tests.support.repos import commit_files, git, head, make_remote
from tests.support.search import collect_garbage, places_of

SECRET = "Globex pays 4711"
WHY = ("--reason", "asked for by the client")


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return make_remote(tmp_path / "remote.git")


@pytest.fixture
def desk(tmp_path: Path, remote: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """The command line on the device desk, whose cell has a remote."""
    root = tmp_path / "desk"
    words = ("init", str(root), "--actor", "ana", "--device", "desk", "--remote", str(remote))
    assert run_line([*words]) == 0
    return CommandLine(root, capsys)


@pytest.fixture
def lap(tmp_path: Path, remote: Path, desk: CommandLine) -> CommandLine:
    """The command line on a second device."""
    assert desk("sync")[0] == 0
    root = tmp_path / "lap"
    assert run_line(["clone", str(remote), str(root), "--actor", "ana", "--device", "lap"]) == 0
    line = CommandLine(root, desk.capsys)
    assert line("sync")[0] == 0
    return line


def ref_of(line: CommandLine, text: str = SECRET) -> str:
    return str(line("append", text)[1]["entries"][0]["ref"])


def as_terminal(monkeypatch: pytest.MonkeyPatch, *answers: bool) -> list[str]:
    """Answer questions as on a terminal; return the list that the questions come to stand in."""
    asked: list[str] = []
    left = list(answers)

    def confirm(text: str, **_: object) -> bool:
        asked.append(text)
        if not left.pop(0):
            raise click.Abort
        return True

    monkeypatch.setattr(click, "confirm", confirm)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    return asked


def test_a_dry_run_says_what_will_be_rewritten_and_rewrites_nothing(desk: CommandLine) -> None:
    ref = ref_of(desk)
    before = head(desk.folder)
    code, shown = desk("forget", ref, *WHY, "--purge", "--dry-run")
    assert (code, shown["forgotten"], shown["purged"], shown["rewritten"]) == (0, [ref], [ref], 1)
    assert (shown["shared"], head(desk.folder)) == (False, before)
    words = desk.words("forget", ref, *WHY, "--purge", "--dry-run")[1]
    assert SECRET in words and "1 commit of this clone would be rewritten" in words
    assert "backups" in words and "Reflogs" in words


def test_without_a_yes_nothing_is_purged(desk: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = ref_of(desk)
    before = head(desk.folder)
    assert desk.error("forget", ref, *WHY, "--purge") == (3, "ErrConfirm")
    asked = as_terminal(monkeypatch, False)
    assert desk.words("forget", ref, *WHY, "--purge")[0] != 0
    assert (asked, head(desk.folder)) == (["Purge this? There is no way back."], before)


def test_a_purge_is_proved_and_says_who_is_still_to_follow(
    desk: CommandLine, lap: CommandLine, remote: Path
) -> None:
    ref = ref_of(desk)
    desk("sync"), lap("sync")
    code, done = desk("forget", ref, *WHY, "--purge", "--yes")
    assert (code, done["result"], done["purged"], done["forgotten"]) == (0, "done", [ref], [ref])
    assert (done["leftovers"], done["pending"]) == ([], ["lap"])
    assert "the text is in none of them" in done["proof"]
    (state,) = desk("purges")[1]["purges"]
    assert (state["ref"], state["done"], state["pending"]) == (ref, ["desk"], ["lap"])
    assert "still to follow: lap" in desk.words("purges")[1]
    assert lap("sync")[0] == 0
    assert desk("sync")[0] == 0
    (state,) = desk("purges")[1]["purges"]
    assert (state["done"], state["pending"], state["sent"]) == (["desk", "lap"], [], True)
    collect_garbage(remote)
    assert places_of(desk.folder, "4711") == places_of(lap.folder, "4711") == []
    assert places_of(remote, "4711") == []
    assert desk("verify")[1]["ok"] and lap("verify", "--full")[1]["ok"]


def test_a_device_that_the_purger_had_not_met_yet_is_named_too(desk: CommandLine, lap: CommandLine) -> None:
    """The remote has moved on: another device was enrolled there with its own signature."""
    assert git(desk.folder, "ls-files", ".agents/nutstore-sync/devices").count("toml") == 1
    ref = ref_of(desk)
    code, done = desk("forget", ref, *WHY, "--purge", "--yes")
    assert (code, done["pending"]) == (0, ["lap"])
    lap("sync"), desk("sync")
    assert desk("purges")[1]["purges"][0]["done"] == ["desk", "lap"]
    assert desk("verify")[1]["ok"]


def test_what_a_person_reads_names_proof_and_limits(desk: CommandLine) -> None:
    ref = ref_of(desk)
    code, out, _ = desk.words("forget", ref, *WHY, "--purge", "--yes")
    assert code == 0
    assert f"Purged: {ref}." in out and "objects and" in out and "lost devices" in out
    assert "still holds the text" not in out and "4711" not in out
    assert "asked for by the client" in desk.words("purges")[1]


def test_in_a_shared_repository_the_ids_of_others_are_asked_about(
    desk: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit_files(desk.folder, {"src/main.c": "int main;\n"}, "code")
    ref = ref_of(desk)
    commit_files(desk.folder, {"src/main.c": "int main(void);\n"}, "more code")
    before = head(desk.folder)
    assert desk("forget", ref, *WHY, "--purge", "--dry-run")[1]["shared"] is True
    asked = as_terminal(monkeypatch, False)
    code, _, said = desk.words("forget", ref, *WHY, "--purge")
    assert code != 0 and "ids of foreign commits change" in said
    assert (asked, head(desk.folder)) == (["Give commits of others new ids?"], before)
    asked = as_terminal(monkeypatch, True, True)
    assert desk.words("forget", ref, *WHY, "--purge")[0] == 0
    assert len(asked) == 2
    assert git(desk.folder, "show", "HEAD:src/main.c") == "int main(void);"
    assert places_of(desk.folder, "4711") == []


def test_a_remote_that_forbids_it_leaves_the_purge_pending_and_its_owner_is_told_what_to_allow(
    desk: CommandLine, remote: Path
) -> None:
    ref = ref_of(desk)
    desk("sync")
    git(remote, "config", "receive.denyNonFastForwards", "true")
    code, done = desk("forget", ref, *WHY, "--purge", "--yes")
    assert (code, done["result"], done["problem"]["code"]) == (5, "pending", "ErrPurgePending")
    assert "owner" in done["problem"]["hint"] and "receive.denyNonFastForwards" in done["problem"]["hint"]
    (state,) = desk("purges")[1]["purges"]
    assert (state["sent"], state["done"]) == (False, [])
    assert desk.error("sync")[0] == 5
    code, out, _ = desk.words("forget", ref, *WHY, "--purge", "--yes")
    assert code == 5 and "PENDING, not done" in out and "Purged:" not in out
    git(remote, "config", "receive.denyNonFastForwards", "false")
    assert desk("sync")[0] == 0
    assert desk("purges")[1]["purges"][0]["done"] == ["desk"]
    collect_garbage(remote)
    assert places_of(desk.folder, "4711") == places_of(remote, "4711") == []


def test_what_is_left_somewhere_is_said_and_exits_1(desk: CommandLine) -> None:
    ref = ref_of(desk)
    commit_files(desk.folder, {"notes.txt": f"{SECRET}\n"}, "notes")
    code, out, _ = desk.words("forget", ref, *WHY, "--purge", "--yes")
    assert code == 1 and "NOT done" in out and "Purged:" not in out


def test_an_index_that_is_handed_over_stands_after_a_purge(desk: CommandLine) -> None:
    ref = ref_of(desk)
    kept = ref_of(desk, "Acme wants X-200 by Friday")
    words = ("--purge", "--yes", "--index", "X-200 for Acme by Friday")
    assert desk("forget", ref, *WHY, *words)[0] == 0
    assert desk("show", kept[:10])[1]["index"] == "X-200 for Acme by Friday"


def test_an_entry_of_another_actor_is_as_unknown_as_one_that_never_was(desk: CommandLine) -> None:
    ref = ref_of(desk)
    never = f"{ref[:10]}#00000000"
    for more in ((), ("--purge",), ("--dry-run",), ("--purge", "--dry-run")):
        for asked in (ref, never):
            code, document = desk("forget", asked, *WHY, "--actor", "ben", "--yes", *more)
            assert (code, document["error"]["code"]) == (3, "ErrUnknownRef")
            assert document["error"]["message"].replace(asked, "") == (
                "Nothing is remembered under ; nothing was forgotten."
            )
    assert desk("forget", ref, *WHY, "--yes")[0] == 0
    code, gone = desk("forget", ref, *WHY, "--actor", "ben", "--yes", "--purge")
    assert (code, gone["error"]["code"]) == (3, "ErrUnknownRef")


def test_edits_made_by_hand_are_not_purged_in_the_same_step(desk: CommandLine) -> None:
    assert desk.error("forget", "--edited", *WHY, "--purge", "--yes") == (2, "ErrUsage")


def test_purges_of_a_cell_without_any(desk: CommandLine) -> None:
    assert desk("purges") == (0, {"purges": []})
    assert "Nothing was ever purged" in desk.words("purges")[1]


def test_progress_is_told_in_words(tmp_path: Path) -> None:
    from nutsync.core.entry import Ref
    from nutsync.operations.forget import ForgetRequest
    from nutsync.operations.purging.purge import purge

    desk = make_desk(tmp_path / "memory")
    placed = desk.append(SECRET).placed[0].ref
    said: list[str] = []
    asked = ForgetRequest(refs=[Ref.parse(str(placed))], reason="asked for", actor="ana")
    purge(desk.cell, asked, progress=said.append)
    assert "Looking through history: 3 of 3 commits" in said
    assert "Letting go of old history" in said


def test_after_a_purge_the_log_still_says_who_wrote_forgot_and_purged(
    desk: CommandLine, lap: CommandLine
) -> None:
    """The commits that wrote and forgot the text change nothing any more; who did what stays on record."""
    ref = ref_of(desk)
    kept = ref_of(desk, "what stays")
    desk("sync"), lap("sync")
    assert desk("forget", ref, *WHY, "--purge", "--yes")[0] == 0
    lap("sync")
    for device in (desk, lap):
        code, told = device("log")
        assert code == 0
        ops = [record["op"] for record in told["records"] if ref in record["entries"]]
        assert "append" in ops
        assert {"forget", "purge"} <= {record["op"] for record in told["records"]}
        code, told = device("blame", kept.partition("#")[0])
        assert code == 0 and kept in [entry for one in told["records"] for entry in one["entries"]]
