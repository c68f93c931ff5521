"""The command line keeps its contract: JSON keys, exit codes, named errors (design §11)."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
import pytest

from nutsync.core.cell import day_path
from nutsync.frontends.cli.main import group, run_line
from tests.support.lines import CommandLine
from tests.support.repos import git, make_remote


@pytest.fixture
def nutsync(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """The command line in a new cell of ana's."""
    assert run_line(["init", str(tmp_path / "memory"), "--actor", "ana", "--device", "desk"]) == 0
    return CommandLine(tmp_path / "memory", capsys)


def keys(document: dict[str, object]) -> set[str]:
    return set(document)


def test_init_says_cell_branch_device_actor_and_armed(nutsync: CommandLine) -> None:
    code, document = nutsync("init")
    assert code == 0
    assert document == {
        "cell": str(nutsync.folder),
        "branch": "main",
        "device": "desk",
        "actor": "ana",
        "armed": True,
    }


def test_append_joins_words_to_one_entry_and_each_makes_one_of_every_argument(nutsync: CommandLine) -> None:
    code, document = nutsync("append", "buy", "milk")
    assert code == 0
    (entry,) = document["entries"]
    assert keys(entry) == {"ref", "id", "date", "path", "layer", "kind", "actor", "duplicate"}
    assert (entry["layer"], entry["kind"], entry["actor"]) == ("about_me", "fact", "ana")
    assert entry["path"] == f".agents/nutstore-sync/memory/archive/{entry['date'][:4]}/{entry['date']}.md"
    assert len(nutsync("append", "--each", "one", "two")[1]["entries"]) == 2
    shown = nutsync("show", entry["date"])[1]["entries"]
    assert [one["text"] for one in shown] == ["buy milk", "one", "two"]


def test_json_may_stand_after_the_command_too(nutsync: CommandLine) -> None:
    _, out, _ = nutsync.words("append", "buy milk", "--json")
    assert json.loads(out)["entries"][0]["duplicate"] is False


def test_a_dash_reads_standard_input_whole(nutsync: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "first line\n\n  - indented <!-- nut id=k3f9x2ab -->\nlast"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode() + b"\n")))
    ref = nutsync("append", "-")[1]["entries"][0]["ref"]
    assert nutsync("show", ref)[1]["entries"][0]["text"] == text


def test_many_entries_come_in_one_commit_through_jsonl(
    nutsync: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"text": "a", "kind": "decision"}, {"text": "b", "source": "mail"}]
    content = "\n".join(map(json.dumps, rows)).encode()
    before = int(git(nutsync.folder, "rev-list", "--count", "HEAD"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    code, document = nutsync("append", "--jsonl", "-")
    assert (code, [one["kind"] for one in document["entries"]]) == (0, ["decision", "fact"])
    assert int(git(nutsync.folder, "rev-list", "--count", "HEAD")) == before + 1


def test_a_bad_line_of_jsonl_is_named_and_nothing_is_written(
    nutsync: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"text": "a"}\n{"no": "text"}\n')))
    code, document = nutsync("append", "--jsonl", "-")
    assert (code, document["error"]["code"]) == (2, "ErrUsage")
    assert "Line 2" in document["error"]["message"]
    assert git(nutsync.folder, "log", "--format=%s").strip() == "birth desk"


def test_show_has_every_key_of_an_entry(nutsync: CommandLine) -> None:
    ref = nutsync("append", "--kind", "decision", "X-200 costs 12,800")[1]["entries"][0]["ref"]
    code, document = nutsync("show", ref)
    assert code == 0
    assert {"date", "path", "index", "frozen", "entries"} <= keys(document)
    assert document["frozen"] is False
    assert keys(document["entries"][0]) >= set(
        "ref id text layer kind actor namespace session at device corrects corrected_by".split()
    )


def test_recall_says_which_stages_were_asked_and_which_not(nutsync: CommandLine) -> None:
    nutsync("append", "X-200 costs 12,800")
    code, document = nutsync("recall", "x-200")
    assert code == 0
    assert document["terms"] == ["x-200"]
    assert [stage["stage"] for stage in document["stages"]] == ["recent"]
    assert document["not_asked"] == ["session", "catalog", "frontmatter", "body"]
    assert {"date", "path", "index", "stage", "score", "entries"} <= keys(document["hits"][0])


def test_nothing_found_is_exit_1_with_a_whole_answer(nutsync: CommandLine) -> None:
    code, document = nutsync("recall", "nowhere")
    assert (code, document["hits"]) == (1, [])


def test_all_and_and_narrow_what_any_finds(nutsync: CommandLine) -> None:
    nutsync("append", "Acme pays for X-200")
    assert nutsync("recall", "Acme", "Globex")[0] == 0
    assert nutsync("recall", "Acme", "Globex", "--all")[0] == 1
    assert nutsync("recall", "Acme", "Globex", "--and", "x-200")[0] == 0
    assert nutsync("recall", "Acme", "--and", "y-300")[0] == 1


def test_context_has_today_items_and_corrections(nutsync: CommandLine) -> None:
    ref = nutsync("append", "Billing runs on MySQL")[1]["entries"][0]["ref"]
    nutsync("correct", ref, "Billing runs on PostgreSQL")
    code, document = nutsync("context")
    assert code == 0
    assert keys(document["items"][0]) == {"date", "path", "index"}
    assert document["today"] == document["items"][0]["date"]
    assert [one["corrects"] for one in document["corrections"]] == [ref]


def test_log_and_blame_say_who_what_when_where_and_why(nutsync: CommandLine) -> None:
    ref = nutsync("append", "X-200 costs 12,800")[1]["entries"][0]["ref"]
    nutsync("forget", ref, "--reason", "asked by the owner", "--yes")
    code, document = nutsync("log", "--entry", ref)
    assert code == 0
    assert [one["op"] for one in document["records"]] == ["forget", "append"]
    assert keys(document["records"][0]) == set(
        "commit op at actor device layer kind entries reason signature late".split()
    )
    assert document["records"][0]["reason"] == "asked by the owner"
    assert {one["signature"] for one in document["records"]} == {"good"}
    assert nutsync("blame", ref[:10])[0] == 0
    assert nutsync("log", "--op", "import")[0] == 1


def test_forget_says_what_went_and_keeps_nothing_of_it_in_the_day(nutsync: CommandLine) -> None:
    keep = nutsync("append", "Ana likes tea")[1]["entries"][0]["ref"]
    gone = nutsync("append", "the safe opens with 4711")[1]["entries"][0]["ref"]
    code, document = nutsync("forget", gone, "--reason", "not needed any more", "--yes")
    assert code == 0
    assert (document["forgotten"], document["days"]) == ([gone], [gone[:10]])
    assert document["commit"]
    shown = nutsync("show", gone[:10])[1]
    assert [one["ref"] for one in shown["entries"]] == [keep]
    assert "4711" not in shown["index"]
    assert nutsync.error("show", gone) == (3, "ErrUnknownRef")
    assert nutsync.error("correct", gone, "it opens with 1234") == (3, "ErrForgotten")


def test_forgetting_wants_a_yes_and_a_dry_run_changes_nothing(nutsync: CommandLine) -> None:
    ref = nutsync("append", "Ana likes tea")[1]["entries"][0]["ref"]
    head = git(nutsync.folder, "rev-parse", "HEAD")
    assert nutsync.error("forget", ref, "--reason", "x") == (3, "ErrConfirm")
    code, document = nutsync("forget", ref, "--reason", "x", "--dry-run")
    assert (code, document["forgotten"], document["commit"]) == (0, [ref], None)
    assert git(nutsync.folder, "rev-parse", "HEAD") == head


@pytest.mark.parametrize(
    ("arguments", "code", "name"),
    [
        (["append"], 2, "ErrUsage"),
        (["append", "--kind", "", "x"], 2, "ErrKindRequired"),
        (["append", "--kind", "idea", "x"], 2, "ErrUnknownKind"),
        (["append", "--kind", "plan", "x"], 3, "ErrSessionRequired"),
        (["append", "--layer", "mine", "x"], 2, "ErrUnknownLayer"),
        (["append", "--layer", "environment", "x"], 3, "ErrLayerNotWritable"),
        (["append", "--layer", "consensus", "x"], 3, "ErrLayerAdminRequired"),
        (["append", "--layer", "consensus", "--actor", "ben", "x"], 3, "ErrLayerShared"),
        (["append", "--layer", "agent_memory", "x"], 3, "ErrLayerNamespaceRequired"),
        (["append", "--namespace", "n", "x"], 3, "ErrLayerNamespaceForbidden"),
        (["append", "a\u202eb"], 3, "ErrForbiddenCharacter"),
        (["append", " "], 3, "ErrEmptyText"),
        (["append", "x", "--index", "a\tb"], 3, "ErrIndexForm"),
        (["append", "x", "--index", "Rotterdam 4711"], 3, "ErrIndexUngrounded"),
        (["show", "yesterday"], 2, "ErrRef"),
        (["show", "1999-01-01"], 3, "ErrUnknownRef"),
        (["recall"], 2, "ErrUsage"),
        (["recall", "x", "--layer", "about_me", "--scope", "global"], 2, "ErrMemoryLayerScopeConflict"),
        (["recall", "x", "--layer", "nothing"], 2, "ErrUnknownLayer"),
        (["recall", "x", "--since", "2026-02-30"], 2, "ErrDate"),
        (["clear", "about_me", "--yes"], 3, "ErrLayerActorRequired"),
        (
            ["clear", "about_me", "--actor", "ana", "--namespace", "n", "--yes"],
            3,
            "ErrLayerNamespaceForbidden",
        ),
        (["nonsense"], 2, "ErrUsage"),
        (["append", "--nonsense"], 2, "ErrUsage"),
        (["import", "jsonl", "nowhere.jsonl"], 4, "ErrUnreadable"),
    ],
)
def test_wrong_input_is_named_and_changes_nothing(
    nutsync: CommandLine, arguments: list[str], code: int, name: str
) -> None:
    head = git(nutsync.folder, "rev-parse", "HEAD")
    assert nutsync.error(*arguments) == (code, name)
    assert git(nutsync.folder, "rev-parse", "HEAD") == head
    assert git(nutsync.folder, "status", "--porcelain") == ""


def test_sync_and_status_without_a_remote_and_with_one(nutsync: CommandLine, tmp_path: Path) -> None:
    nutsync("append", "x")
    assert nutsync.error("sync")[0] in (4, 5)
    remote = make_remote(tmp_path / "remote.git")
    assert nutsync("init", "--remote", str(remote))[0] == 0
    code, document = nutsync("sync")
    assert code == 0
    assert {"result", "sent", "received", "attempts", "held", "receipt"} <= keys(document)
    assert (document["result"], document["sent"]) == ("pushed", 1)
    assert nutsync("sync")[1]["result"] == "up-to-date"
    assert nutsync("status")[0] == 0


def test_catalog_and_index_are_rebuilt_and_checked(nutsync: CommandLine, tmp_path: Path) -> None:
    source = tmp_path / "old.jsonl"
    source.write_text(json.dumps({"date": "1999-05-01", "text": "Acme signs in Rotterdam"}) + "\n")
    assert nutsync("import", "jsonl", str(source))[0] == 0
    code, document = nutsync("catalog", "rebuild")
    assert (code, document["years"], document["rows"]) == (0, ["1999"], 1)
    assert nutsync("catalog", "check")[1]["findings"] == []
    assert nutsync("index", "check")[0] == 0
    assert "Rotterdam" in nutsync("index", "build", "1999-05-01")[1]["index"]


def test_every_command_has_help_with_an_example() -> None:
    def leaves(command: click.Command, path: tuple[str, ...]) -> list[tuple[str, ...]]:
        if not isinstance(command, click.Group):
            return [path]
        context = click.Context(command)
        found = []
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            if not inner.hidden:
                found += leaves(inner, (*path, name))
        return found

    for path in leaves(group, ()):
        done = subprocess.run(
            [sys.executable, "-m", "nutsync", *path, "--help"], capture_output=True, text=True, check=True,
            cwd=Path(__file__).parents[3],
        )  # fmt: skip
        assert "Example" in done.stdout, path


def test_importing_names_the_line_of_an_impossible_date_and_takes_the_rest(
    nutsync: CommandLine, tmp_path: Path
) -> None:
    tomorrow = (datetime.now(UTC) + timedelta(days=3)).date().isoformat()
    rows = [
        {"date": "1960-02-29", "text": "a leap day before the epoch"},
        {"date": "2026-02-30", "text": "no such day"},
        {"date": "1960-03-01", "text": "two\n\nparagraphs", "mood": "fine", "note": "a sentence of its own"},
        {"date": "1960-03-01", "text": "two\n\nparagraphs", "mood": "fine", "note": "a sentence of its own"},
        {"date": tomorrow, "text": "not yet"},
    ]
    source = tmp_path / "rows.jsonl"
    source.write_text("\n".join(map(json.dumps, rows)) + "\nno json\n")
    code, document = nutsync("import", "jsonl", str(source))
    assert code == 1
    assert (document["days"], document["entries"]) == (2, 3)
    assert sorted(one["line"] for one in document["findings"]) == [2, 5, 6]
    texts = [one["text"] for one in nutsync("show", "1960-03-01")[1]["entries"]]
    assert texts == ["two\n\nparagraphs\n\nnote: a sentence of its own"] * 2
    assert (
        "mood=fine"
        in (nutsync.folder / ".agents/nutstore-sync/memory/archive/1960/1960-03-01.md").read_text()
    )
    again = nutsync("import", "jsonl", str(source))[1]
    assert (again["days"], again["entries"]) == (0, 0)


def test_the_index_that_would_be_built_holds_only_what_the_asker_sees(nutsync: CommandLine) -> None:
    ref = nutsync("append", "ana keeps bees")[1]["entries"][0]["ref"]
    nutsync("append", "--actor", "ben", "the flowerpot hides a key")
    built = nutsync("index", "build", ref[:10])[1]["index"]
    assert "bees" in built
    assert "flowerpot" not in built


def test_bullets_added_to_a_frozen_day_are_moved_into_today_by_the_command_that_status_names(
    nutsync: CommandLine, tmp_path: Path
) -> None:
    source = tmp_path / "old.jsonl"
    source.write_text(json.dumps({"date": "1999-05-01", "text": "Acme signs in Rotterdam"}) + "\n")
    nutsync("import", "jsonl", str(source))
    path = nutsync.folder / day_path("1999-05-01")
    frozen = path.read_bytes()
    path.write_bytes(frozen + b"- found late\n")
    code, document = nutsync("append", "--from", "1999-05-01")
    assert code == 0
    (entry,) = document["entries"]
    shown = nutsync("show", entry["ref"])[1]["entries"]
    assert [one["text"] for one in shown] == ["found late"]
    assert "about=1999-05-01" in (nutsync.folder / entry["path"]).read_text()
    assert path.read_bytes() == frozen


def test_a_mistyped_command_is_answered_with_those_near_it(nutsync: CommandLine) -> None:
    code, document = nutsync("apend", "buy milk")
    assert (code, document["error"]["code"]) == (2, "ErrUsage")
    assert "Did you mean 'append'" in document["error"]["message"]
    assert "Did you mean" not in nutsync.words("zzz")[2]


def test_without_a_command_the_help_is_shown_as_it_is(nutsync: CommandLine) -> None:
    nutsync.capsys.readouterr()
    code = run_line([])
    out, err = nutsync.capsys.readouterr()
    assert (code, out, err.partition(" ")[0]) == (2, "", "Usage:")
    assert "ErrUsage" not in err


def test_work_broken_off_does_not_claim_that_nothing_was_changed(
    nutsync: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken_off(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(group, "invoke", broken_off)
    code, out, err = nutsync.words("status")
    assert (code, out) == (2, "")
    assert "Stopped before the end." in err and "nothing was changed" not in err
