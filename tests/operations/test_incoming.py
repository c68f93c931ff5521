"""What comes from a remote is judged first: a violation stops the sync, a blur is repaired."""

from __future__ import annotations

from pathlib import Path

import pytest

from nutsync.core.cell import day_path
from nutsync.core.errors import ErrForeignConflict, ErrIncoming
from nutsync.operations.forget import ForgetRequest, forget
from tests.support.fleet import Fleet, same
from tests.support.repos import commit_files, git, head, make_clone, run_git, show, write

TODAY = "2026-11-30"
NOON = f"{TODAY}T09:02:00+08:00"
WHO = ("-c", "user.name=ana", "-c", "user.email=ana@b.invalid")
DATES = {"GIT_AUTHOR_DATE": NOON, "GIT_COMMITTER_DATE": NOON}


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    fleet = Fleet(tmp_path)
    fleet["desk"].append("common ground", "more of it")
    fleet.sync_all()
    return fleet


@pytest.fixture
def plain(fleet: Fleet, tmp_path: Path) -> Path:
    """A clone that never heard of nutsync."""
    root = make_clone(fleet.remote, tmp_path / "plain")
    for key, value in (("user.name", "ana"), ("user.email", "ana@b.invalid")):
        git(root, "config", key, value)
    return root


def push(root: Path) -> None:
    git(root, "push", "-q", "origin", "HEAD:main")


# --- Violations ---------------------------------------------------------------------------------------


def test_a_changed_entry_stops_the_merge_and_names_the_commit(fleet: Fleet, plain: Path) -> None:
    content = show(plain, f"HEAD:{day_path(TODAY)}").replace(b"common", b"uncommon")
    bad = commit_files(plain, {day_path(TODAY): content}, when=NOON)
    push(plain)
    fleet["lap"].append("my own")
    before = head(fleet["lap"].root)
    with pytest.raises(ErrIncoming, match=bad[:12]):
        fleet.sync("lap")
    assert head(fleet["lap"].root) == before
    assert fleet["lap"].texts(TODAY) == ["common ground", "more of it", "my own"]
    assert head(fleet.remote, "refs/heads/main") == bad, "nothing is sent on top of it"


def test_a_rewritten_history_that_drops_an_entry_is_refused(fleet: Fleet, plain: Path) -> None:
    git(plain, "reset", "-q", "--hard", "HEAD~1")
    git(plain, "push", "-q", "-f", "origin", "HEAD:main")
    commit_files(plain, {"README": "on top"}, when=NOON)
    push(plain)
    with pytest.raises(Exception, match="no longer holds"):
        fleet.sync("lap")
    assert fleet["lap"].texts(TODAY) == ["common ground", "more of it"]


def test_a_commit_from_a_clock_far_ahead_is_refused_until_it_is_time(fleet: Fleet) -> None:
    fleet["desk"].clock.advance(hours=2)
    fleet["desk"].append("from the future")
    fleet.sync("desk")
    with pytest.raises(ErrIncoming, match="ahead"):
        fleet.sync("lap")
    fleet["lap"].clock.advance(hours=2)
    assert fleet.sync("lap").received == 1


# --- What Git's own union leaves behind -----------------------------------------------------------------


def test_a_merge_by_gits_own_union_is_repaired_in_one_commit_that_says_so(fleet: Fleet, plain: Path) -> None:
    fleet["desk"].append("from the desk")
    fleet["lap"].clock.advance(seconds=30)
    fleet["lap"].append("from the lap")
    fleet.sync("desk")
    git(plain, "fetch", "-q", str(fleet["lap"].root), "main:lap")
    git(plain, "pull", "-q", "--ff-only")
    git(plain, *WHO, "merge", "-q", "-m", "by plain git", "lap", env=DATES)
    push(plain)
    blurred = show(plain, f"HEAD:{day_path(TODAY)}").decode()
    assert blurred.count("index:") == 2, "Git's union keeps both index lines"
    done = fleet.sync("lap")
    fleet.sync("desk")
    assert (done.result, done.exit_code) == ("fast-forwarded", 0)
    assert same(fleet.archives())
    assert fleet["desk"].texts(TODAY) == ["common ground", "more of it", "from the desk", "from the lap"]
    assert fleet["desk"].day(TODAY).front.canonical
    message = git(fleet["desk"].root, "log", "-1", "--format=%B")
    assert message.startswith(f"repair {TODAY}\n") and "Nutsync-Op: repair" in message
    assert fleet.sync("lap").result == "up-to-date", "one repair is enough"


def test_what_was_forgotten_and_came_back_by_union_goes_again(fleet: Fleet, plain: Path) -> None:
    """A forget beside an adjacent append: Git's union brings the text back."""
    (_, (ref, _)) = fleet["desk"].day(TODAY).entries()
    fleet["lap"].append("from the lap")
    forget(fleet["desk"].cell, ForgetRequest(refs=[ref], reason="a test", actor="ana"))
    fleet.sync("desk")
    git(plain, "fetch", "-q", str(fleet["lap"].root), "main:lap")
    git(plain, "pull", "-q", "--ff-only")
    git(plain, *WHO, "merge", "-q", "-m", "by plain git", "lap", env=DATES)
    push(plain)
    assert "more of it" in show(plain, f"HEAD:{day_path(TODAY)}").decode()
    fleet.sync("lap")
    fleet.sync("desk")
    assert same(fleet.archives())
    assert fleet["desk"].texts(TODAY) == ["common ground", "from the lap"]
    assert b"more of it" not in fleet["lap"].path(TODAY).read_bytes()


def test_a_forget_on_one_side_holds_against_an_append_on_the_other(fleet: Fleet) -> None:
    (_, (ref, _)) = fleet["desk"].day(TODAY).entries()
    forget(fleet["desk"].cell, ForgetRequest(refs=[ref], reason="a test", actor="ana"))
    fleet["lap"].append("from the lap")
    fleet.sync("desk")
    done = fleet.sync("lap")
    fleet.sync("desk")
    assert done.receipt.as_json()["forgotten"] == 1 and done.receipt.complete
    assert fleet["desk"].texts(TODAY) == ["common ground", "from the lap"]
    assert same(fleet.archives())


# --- Foreign files ----------------------------------------------------------------------------------------


def _both_change(fleet: Fleet, path: str, ours: str, theirs: str) -> None:
    commit_files(fleet["desk"].root, {path: theirs}, when=NOON)
    fleet["desk"].append("from the desk")
    fleet.sync("desk")
    commit_files(fleet["lap"].root, {path: ours}, when=NOON)
    fleet["lap"].append("from the lap")


def test_foreign_files_that_both_changed_are_merged_by_git(fleet: Fleet) -> None:
    commit_files(fleet["desk"].root, {"a.txt": "1\n2\n3\n4\n5\n"}, when=NOON)
    fleet.sync_all()
    _both_change(fleet, "a.txt", "one\n2\n3\n4\n5\n", "1\n2\n3\n4\nfive\n")
    commit_files(fleet["desk"].root, {"only/theirs.txt": "x"}, when=NOON)
    fleet.sync("desk")
    assert fleet.sync("lap").result == "merged"
    assert (fleet["lap"].root / "a.txt").read_text() == "one\n2\n3\n4\nfive\n"
    assert (fleet["lap"].root / "only/theirs.txt").read_text() == "x"
    assert git(fleet["lap"].root, "status", "--porcelain") == ""


def test_a_foreign_conflict_changes_nothing_and_the_entries_leave_by_the_device_ref(fleet: Fleet) -> None:
    _both_change(fleet, "a.txt", "ours\n", "theirs\n")
    root, before = fleet["lap"].root, head(fleet["lap"].root)
    with pytest.raises(ErrForeignConflict, match=r"a\.txt") as caught:
        fleet.sync("lap")
    assert caught.value.exit_code == 4
    assert head(root) == before and git(root, "status", "--porcelain") == ""
    assert head(fleet.remote, "refs/nutsync/devices/lap") == before
    run_git(root, *WHO, "pull", "-q", "--no-rebase", env=DATES, check=False)
    write(root, "a.txt", "both\n")
    git(root, "add", "a.txt")
    git(root, *WHO, "commit", "-q", "-m", "resolved", env=DATES)
    assert fleet.sync("lap").exit_code == 0
    fleet.sync("desk")
    assert same(fleet.archives())
    assert git(fleet.remote, "for-each-ref", "refs/nutsync") == ""


def test_a_clone_that_never_came_back_after_a_foreign_conflict_holds_up_nobody(fleet: Fleet) -> None:
    _both_change(fleet, "a.txt", "ours\n", "theirs\n")
    with pytest.raises(ErrForeignConflict):
        fleet.sync("lap")
    fleet["desk"].append("life goes on")
    done = fleet.sync("desk")
    assert (done.result, done.exit_code) == ("pushed", 0)
    assert "lap" in done.words() and "a.txt" in done.words()


@pytest.mark.parametrize("how", ["edited", "staged", "untracked"])
def test_a_foreign_edit_in_the_way_changes_nothing(fleet: Fleet, how: str) -> None:
    if how != "untracked":
        commit_files(fleet["desk"].root, {"a.txt": "old\n"}, when=NOON)
        fleet.sync_all()
    commit_files(fleet["desk"].root, {"a.txt": "new\n", "b.txt": "b\n"}, when=NOON)
    fleet["desk"].append("from the desk")
    fleet.sync("desk")
    root = fleet["lap"].root
    write(root, "a.txt", "mine\n")
    if how == "staged":
        git(root, "add", "a.txt")
    before = head(root), git(root, "status", "--porcelain")
    with pytest.raises(ErrForeignConflict, match=r"a\.txt"):
        fleet.sync("lap")
    assert (head(root), git(root, "status", "--porcelain")) == before
    assert (root / "a.txt").read_text() == "mine\n" and not (root / "b.txt").exists()


def test_a_dirty_foreign_file_that_is_not_in_the_way_stays(fleet: Fleet) -> None:
    commit_files(fleet["desk"].root, {"a.txt": "a\n", "b.txt": "b\n"}, when=NOON)
    fleet.sync_all()
    write(fleet["lap"].root, "b.txt", "mine\n")
    commit_files(fleet["desk"].root, {"a.txt": "new\n"}, when=NOON)
    fleet.sync("desk")
    fleet.sync("lap")
    assert (fleet["lap"].root / "a.txt").read_text() == "new\n"
    assert git(fleet["lap"].root, "status", "--porcelain") == " M b.txt"
