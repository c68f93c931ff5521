"""Whatever holds on to old history is cleaned, rewritten or named; nothing is called done before that."""

from __future__ import annotations

from pathlib import Path

import pytest

from nutsync.core.cell import CELL_DIR
from nutsync.operations import sync as sync_module
from nutsync.operations.correct import correct
from nutsync.operations.purging.devices import list_purges
from nutsync.operations.verify import verify
from tests.support.fleet import Fleet
from tests.support.purges import MONDAY, SECRET, assert_gone, drop, forget_only, ref_of, tomorrow
from tests.support.repos import commit_files, git, write
from tests.support.search import collect_garbage, places_of


def test_drafts_messages_reflogs_and_caches_are_cleaned(fleet: Fleet) -> None:
    """Packed and loose objects, unreachable ones, COMMIT_EDITMSG, rr-cache, ORIG_HEAD, temporary files."""
    desk, lap = fleet["desk"], fleet["lap"]
    ref = ref_of(desk)
    fleet.sync_all()
    git(lap.root, "gc", "-q")
    for root in (desk.root, lap.root):
        git(root, "hash-object", "-w", "--stdin", input=f"- {SECRET}\n".encode())
        write(root, ".git/COMMIT_EDITMSG", f"{SECRET}\n")
        write(root, ".git/rr-cache/ab/preimage", f"{SECRET}\n")
        write(root, ".git/nutsync/.nutsync-tmp-1-x", f"{SECRET}\n")
        write(root, f"{CELL_DIR}/memory/archive/2026/.nutsync-tmp-1-x", f"{SECRET}\n")
        git(root, "update-ref", "ORIG_HEAD", "HEAD")
    desk.append("stays")
    assert drop(desk, ref).result == "done"
    fleet.sync_all()
    assert_gone(fleet, SECRET, "4711")


def test_other_branches_tags_and_device_refs_are_rewritten_here_and_at_the_remote(fleet: Fleet) -> None:
    desk, lap = fleet["desk"], fleet["lap"]
    ref = ref_of(desk)
    fleet.sync_all()
    git(desk.root, "branch", "side")
    git(desk.root, "tag", "light")
    git(desk.root, "tag", "-a", "-m", "a release", "heavy")
    git(desk.root, "push", "-q", "origin", "side", "light", "heavy", "main:refs/nutsync/devices/lap")
    assert drop(desk, ref).result == "done"
    for name in ("side", "light^{commit}", "heavy^{commit}"):
        assert git(desk.root, "rev-parse", name) == git(fleet.remote, "rev-parse", name)
    assert git(desk.root, "cat-file", "tag", "heavy").endswith("a release")
    collect_garbage(fleet.remote)
    assert places_of(desk.root, "4711") == places_of(fleet.remote, "4711") == []
    fleet.sync_all()
    assert places_of(lap.root, "4711") == []


def test_a_stash_is_named_and_the_purge_not_done_until_it_is_gone(fleet: Fleet) -> None:
    desk = fleet["desk"]
    ref = ref_of(desk)
    commit_files(desk.root, {"notes.txt": "one\n"}, "notes")
    write(desk.root, "notes.txt", "two\n")
    git(desk.root, "stash", "-q")
    done = drop(desk, ref)
    assert (done.result, done.exit_code) == ("incomplete", 1)
    assert any("stash" in words for words in done.leftovers)
    assert git(desk.root, "stash", "list")
    git(desk.root, "stash", "drop", "-q")
    assert fleet.sync("desk").leftovers == ()
    assert places_of(desk.root, "4711") == []


def test_a_branch_in_another_worktree_is_named_and_rewritten_once_it_is_let_go(
    fleet: Fleet, tmp_path: Path
) -> None:
    desk = fleet["desk"]
    ref = ref_of(desk)
    git(desk.root, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    done = drop(desk, ref)
    assert done.exit_code == 1
    assert any("refs/heads/side" in words and str(tmp_path / "side") in words for words in done.leftovers)
    git(desk.root, "worktree", "remove", "--force", str(tmp_path / "side"))
    assert fleet.sync("desk").leftovers == ()
    assert places_of(desk.root, "4711") == []
    assert git(desk.root, "merge-base", "side", "main") == git(desk.root, "rev-parse", "side")


def test_a_pack_that_somebody_keeps_is_named(fleet: Fleet) -> None:
    desk = fleet["desk"]
    ref = ref_of(desk)
    git(desk.root, "repack", "-a", "-d", "-q")
    (pack,) = (desk.root / ".git/objects/pack").glob("*.pack")
    pack.with_suffix(".keep").touch()
    done = drop(desk, ref)
    assert done.exit_code == 1
    assert any(".keep" in words for words in done.leftovers)
    pack.with_suffix(".keep").unlink()
    fleet.sync("desk")
    assert places_of(desk.root, "4711") == []


def test_a_follower_with_a_stash_is_pending_until_it_is_gone(fleet: Fleet) -> None:
    desk, lap = fleet["desk"], fleet["lap"]
    commit_files(lap.root, {"notes.txt": "one\n"}, "notes")
    ref = ref_of(desk)
    fleet.sync_all()
    write(lap.root, "notes.txt", "two\n")
    git(lap.root, "stash", "-q")
    assert drop(desk, ref).pending == ("lap",)
    assert any("stash" in words for words in fleet.sync("lap").leftovers)
    fleet.sync("desk")
    assert list_purges(desk.cell)[0].pending == ("lap",)
    git(lap.root, "stash", "drop", "-q")
    assert fleet.sync("lap").leftovers == ()
    fleet.sync("desk")
    assert list_purges(desk.cell)[0].pending == ()
    assert places_of(lap.root, "4711") == []


def test_no_note_of_nutsyncs_names_a_commit_that_held_the_text(fleet: Fleet) -> None:
    """The id of a commit is computed from the text, too: it would confirm a guess."""
    desk, lap = fleet["desk"], fleet["lap"]
    ref = ref_of(desk)
    for root in (desk.root, lap.root):
        commit_files(root, {f"{root.name}.txt": "one\n"}, "notes")
        fleet.sync_all()
    verify(desk.cell, full=True)
    verify(lap.cell, full=True)
    held = {root: set(git(root, "rev-list", "main").split()) for root in (desk.root, lap.root)}
    drop(desk, ref)
    fleet.sync_all()
    for root, before in held.items():
        gone = before - set(git(root, "rev-list", "main").split())
        assert gone
        notes = [path for path in (root / ".git" / "nutsync").rglob("*") if path.is_file()]
        named = [path.name for path in notes if any(one.encode() in path.read_bytes() for one in gone)]
        assert named == [] and not gone & {path.name for path in notes}


def test_foreign_files_of_a_shared_repository_are_all_there_afterwards(fleet: Fleet) -> None:
    desk, lap = fleet["desk"], fleet["lap"]
    commit_files(desk.root, {"src/a.c": "int a;\n"}, "code of the desk")
    ref = ref_of(desk)
    fleet.sync_all()
    commit_files(lap.root, {"src/b.c": "int b;\n"}, "code of the lap")
    assert drop(desk, ref).result == "done"
    fleet.sync_all()
    for root in (desk.root, lap.root):
        assert (root / "src/a.c").read_text() == "int a;\n"
        assert (root / "src/b.c").read_text() == "int b;\n"
        assert "code of the lap" in git(root, "log", "--format=%s")
    assert_gone(fleet, SECRET, "4711")


def test_another_devices_late_entry_for_the_day_comes_along(fleet: Fleet) -> None:
    desk, lap = fleet["desk"], fleet["lap"]
    ref = ref_of(desk)
    fleet.sync_all()
    lap.append("late")
    tomorrow(fleet, 2)
    assert drop(desk, ref).result == "done"
    fleet.sync_all()
    assert lap.texts(MONDAY) == desk.texts(MONDAY) == ["late"]
    assert_gone(fleet, SECRET, "4711")


def test_a_subject_that_a_later_days_index_quotes_goes_there_too(fleet: Fleet) -> None:
    desk = fleet["desk"]
    ref = ref_of(desk)
    tomorrow(fleet)
    correct(desk.cell, ref, "Globex pays more")
    fleet.sync_all()
    assert "4711" in (desk.day("2026-12-01").index or "")
    forget_only(desk, ref)
    fleet.sync_all()
    assert drop(desk, ref).result == "done"
    fleet.sync_all()
    assert_gone(fleet, "4711")


def test_a_file_that_nobody_can_read_is_no_proof(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = fleet["desk"]
    ref = ref_of(desk)
    path = write(desk.root, ".git/nutsync/unreadable", "x")
    real = Path.read_bytes

    def read(self: Path) -> bytes:
        if self == path:
            raise PermissionError(str(self))
        return real(self)

    monkeypatch.setattr(Path, "read_bytes", read)
    done = drop(desk, ref)
    assert done.exit_code == 1
    assert any("cannot be read" in words for words in done.leftovers)


def test_a_remote_that_moves_while_the_purge_is_sent_loses_nothing(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The push is refused by its lease; what came meanwhile is taken in, and the push is tried again."""
    desk, lap = fleet["desk"], fleet["lap"]
    ref = ref_of(desk)
    fleet.sync_all()
    lap.append("meanwhile")
    real = sync_module.push
    pushes = []

    def push(*args: object, **more: object) -> object:
        pushes.append(args)
        if len(pushes) == 1:
            git(lap.root, "push", "-q", "origin", "main")
        return real(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(sync_module, "push", push)
    done = drop(desk, ref)
    monkeypatch.undo()
    assert (done.result, done.synced.attempts if done.synced else 0) == ("done", 2)
    assert desk.texts(MONDAY) == ["meanwhile"]
    fleet.sync_all()
    assert_gone(fleet, SECRET, "4711")
