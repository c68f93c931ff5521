"""Two devices and a remote: nothing is lost, nobody is asked, and both end with the same bytes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nutsync.core.cell import catalog_path, day_path, device_path
from nutsync.core.errors import (
    ErrBranch,
    ErrDetachedHead,
    ErrFreezeLaw,
    ErrMergeUnderWay,
    ErrNoRemote,
    ErrRemoteRewritten,
    ErrShallow,
    ErrUnrelated,
)
from nutsync.operations.cell import open_cell
from nutsync.operations.forget import ForgetRequest, forget
from nutsync.operations.integrating import Integrator
from nutsync.operations.sync import Pace, sync
from nutsync.store.lock import clone_lock
from tests.support.cells import make_desk
from tests.support.fleet import NO_WAIT, Fleet, archive, same
from tests.support.repos import commit_files, git, head, is_sound, make_clone, make_remote, write

TODAY = "2026-11-30"


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    fleet = Fleet(tmp_path)
    fleet.sync_all()
    return fleet


def is_clean(root: Path) -> bool:
    return git(root, "status", "--porcelain") == ""


def test_nothing_new_is_up_to_date(fleet: Fleet) -> None:
    done = fleet.sync("desk")
    assert (done.result, done.sent, done.received, done.exit_code) == ("up-to-date", 0, 0, 0)
    assert done.words() == "up-to-date: 0 entries sent, 0 received, nothing is only here."


def test_an_entry_leaves_one_device_and_comes_to_the_other(fleet: Fleet) -> None:
    fleet["desk"].append("X-200 costs 12,800")
    out, back = fleet.sync("desk"), fleet.sync("lap")
    assert (out.result, out.sent, out.attempts) == ("pushed", 1, 1)
    assert (back.result, back.received) == ("fast-forwarded", 1)
    assert fleet["lap"].texts(TODAY) == ["X-200 costs 12,800"]
    assert is_clean(fleet["lap"].root) and is_clean(fleet["desk"].root)


def test_both_sides_merge_by_entry_and_hold_the_same_bytes(fleet: Fleet) -> None:
    fleet["desk"].append("from the desk")
    fleet["lap"].clock.advance(seconds=5)
    fleet["lap"].append("from the lap")
    fleet.sync("desk")
    done = fleet.sync("lap")
    fleet.sync("desk")
    assert (done.result, done.sent, done.received) == ("merged", 1, 1)
    assert done.receipt.as_json() == {
        "complete": True, "days": 1, "ours": 1, "theirs": 1, "result": 2, "forgotten": 0,
    }  # fmt: skip
    assert fleet["desk"].texts(TODAY) == ["from the desk", "from the lap"]
    assert same(fleet.archives())
    message = git(fleet["lap"].root, "log", "-1", "--format=%B")
    assert "Nutsync-Op: merge" in message and "from the" not in message
    assert all(is_clean(desk.root) and is_sound(desk.root) for desk in fleet.desks.values())


def test_a_late_entry_lands_in_its_own_frozen_day_and_in_the_catalog(fleet: Fleet) -> None:
    fleet.unplug("lap")
    fleet["lap"].append("written on Monday, offline")
    assert fleet.sync("lap").result == "offline"
    fleet.plug("lap")
    for desk in fleet.desks.values():
        desk.clock.advance(days=3)
    fleet["desk"].append("Thursday's own")
    fleet.sync("desk")
    fleet.sync("lap")
    fleet.sync("desk")
    assert fleet["desk"].texts(TODAY) == ["written on Monday, offline"]
    assert fleet["desk"].texts("2026-12-03") == ["Thursday's own"]
    rows = (fleet["desk"].root / catalog_path("2026")).read_text(encoding="utf-8")
    assert rows.startswith(f"{TODAY}\t") and "2026-12-03" not in rows


def test_offline_keeps_everything_says_so_and_sends_it_next_time(fleet: Fleet) -> None:
    fleet.unplug("desk")
    fleet["desk"].append("kept", "also kept")
    away = fleet.sync("desk")
    assert (away.result, away.exit_code, away.waiting) == ("offline", 5, 2)
    assert "2 still only here" in away.words()
    fleet.plug("desk")
    assert (fleet.sync("desk").sent, fleet.sync("lap").received) == (2, 2)


def test_three_devices_end_with_the_same_bytes_whatever_the_order(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, ["a", "b", "c"])
    for number, name in enumerate("abcabc"):
        fleet[name].clock.advance(seconds=number)
        fleet[name].append(f"{name} says {number}")
        if number % 2:
            fleet.sync(name)
    fleet.sync_all()
    fleet.sync_all()
    assert same(fleet.archives())
    assert len(fleet["a"].texts(TODAY)) == 6


def test_criss_cross_histories_merge_to_one(fleet: Fleet) -> None:
    """Both devices merge the same two commits on their own, write more, and then merge each other's merge."""
    fleet["desk"].append("one")
    fleet["lap"].append("two")
    git(fleet["lap"].root, "branch", "before")
    fleet.take_from("lap", "desk")
    desk = fleet["desk"]
    git(desk.root, "fetch", "-q", str(fleet["lap"].root), "before")
    with desk.cell.writing("sync") as recorder:
        Integrator(desk.cell, recorder).take(head(desk.root, "FETCH_HEAD"))
    assert head(desk.root) != head(fleet["lap"].root)
    assert archive(desk.root) == archive(fleet["lap"].root)
    desk.append("three")
    fleet["lap"].append("four")
    for name in ("desk", "lap", "desk"):
        fleet.sync(name)
    assert same(fleet.archives())
    assert sorted(desk.texts(TODAY)) == ["four", "one", "three", "two"]


# --- Contention -----------------------------------------------------------------------------------------


class _Rival:
    """Another device that pushes just before each of our tries."""

    def __init__(self, fleet: Fleet, name: str, times: int) -> None:
        self.fleet, self.name, self.left, self.pauses = fleet, name, times, list[float]()

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)

    def hook(self, root: Path) -> None:
        """Let the rival push whenever ``root`` is about to."""
        script = f"#!/bin/sh\nexec sh {self.fleet.folder}/rival\n"
        path = root / ".git/hooks/pre-push"
        path.write_text(script)
        path.chmod(0o755)
        rival = self.fleet[self.name].root
        (self.fleet.folder / "rival").write_text(
            f"n=$(cat {self.fleet.folder}/count 2>/dev/null || echo 0)\n"
            f"[ $n -lt {self.left} ] || exit 0\n"
            f"echo $((n + 1)) > {self.fleet.folder}/count\n"
            f"unset $(git rev-parse --local-env-vars)\ncd {rival} || exit 0\n"
            "git fetch -q origin && git reset -q --soft FETCH_HEAD 2>/dev/null\n"
            "git commit -q --allow-empty -m rival && git push -q --no-verify origin HEAD:main || exit 0\n"
        )


def test_a_contended_push_is_tried_again_with_growing_pauses(fleet: Fleet) -> None:
    rival = _Rival(fleet, "lap", 3)
    rival.hook(fleet["desk"].root)
    fleet["desk"].append("mine")
    done = sync(fleet["desk"].cell, pace=Pace(rival.pause, lambda: 0.5))
    assert (done.result, done.attempts, done.sent) == ("merged", 4, 1)
    assert len(rival.pauses) == 3 and rival.pauses == sorted(rival.pauses)


def test_entries_leave_by_the_devices_own_ref_while_the_branch_stays_contended(fleet: Fleet) -> None:
    rival = _Rival(fleet, "lap", 99)
    rival.hook(fleet["desk"].root)
    fleet["desk"].append("mine")
    done = sync(fleet["desk"].cell, pace=Pace(rival.pause, lambda: 0.5, attempts=3))
    assert (done.result, done.exit_code, done.attempts, done.waiting) == ("contended", 5, 3, 1)
    assert "refs/nutsync/devices/desk" in done.words()
    (fleet["desk"].root / ".git/hooks/pre-push").unlink()
    other = fleet.add("third")
    assert other.texts(TODAY) == ["mine"], "every sync merges what devices left"
    fleet.sync("desk")
    assert git(fleet.remote, "for-each-ref", "refs/nutsync") == "", "the owner takes its ref away"
    assert fleet.sync("third").result == "up-to-date"


def test_what_an_unrelated_device_ref_holds_is_left_and_said(fleet: Fleet, tmp_path: Path) -> None:
    stranger = make_desk(tmp_path / "stranger", device="stranger")
    git(stranger.root, "push", "-q", str(fleet.remote), "HEAD:refs/nutsync/devices/stranger")
    fleet["desk"].append("goes on")
    done = fleet.sync("desk")
    assert (done.result, done.sent) == ("pushed", 1)
    assert "stranger" in done.words()


# --- Remotes that are not as expected -------------------------------------------------------------------


def test_the_first_sync_fills_an_empty_remote(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "desk")
    desk.append("first")
    git(desk.root, "remote", "add", "origin", str(make_remote(tmp_path / "r.git")))
    done = sync(open_cell(desk.root, clock=desk.clock, environ={}), pace=NO_WAIT)
    assert (done.result, done.sent) == ("pushed", 1)
    assert head(tmp_path / "r.git", "refs/heads/main") == head(desk.root)


def test_no_remote_and_unrelated_remotes_are_named(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "desk")
    with pytest.raises(ErrNoRemote):
        sync(desk.cell, pace=NO_WAIT)
    stranger = make_desk(tmp_path / "stranger", device="stranger")
    remote = make_remote(tmp_path / "r.git")
    git(stranger.root, "push", "-q", str(remote), "HEAD:refs/heads/main")
    git(desk.root, "remote", "add", "origin", str(remote))
    before = head(desk.root)
    with pytest.raises(ErrUnrelated):
        sync(open_cell(desk.root, clock=desk.clock, environ={}), pace=NO_WAIT)
    assert head(desk.root) == before and head(remote, "refs/heads/main") == head(stranger.root)


def test_a_remote_that_lost_what_was_seen_there_is_refused_until_it_is_accepted(fleet: Fleet) -> None:
    fleet["desk"].append("seen at the remote")
    fleet.sync("desk")
    seen = head(fleet.remote, "refs/heads/main")
    git(fleet.remote, "update-ref", "refs/heads/main", f"{seen}~1")
    for _ in range(2):
        with pytest.raises(ErrRemoteRewritten):
            fleet.sync("desk")
    assert head(fleet.remote, "refs/heads/main") != seen
    assert fleet["desk"].texts(TODAY) == ["seen at the remote"]
    assert fleet.sync("lap").result == "up-to-date", "a device that never saw it has nothing to miss"


def test_a_cell_found_in_the_remote_is_taken_and_no_second_one_is_born(fleet: Fleet, tmp_path: Path) -> None:
    fleet["desk"].append("was there first")
    fleet.sync("desk")
    late = make_desk(tmp_path / "late", device="late", remote=str(fleet.remote))
    assert late.texts(TODAY) == ["was there first"]
    assert sync(late.cell, pace=NO_WAIT).result == "pushed"
    assert git(late.root, "log", "--format=%s", "--", ".agents/nutstore-sync/cell.toml").startswith("birth")


def test_init_takes_the_remotes_branch_where_it_is_called_otherwise(tmp_path: Path) -> None:
    remote = make_remote(tmp_path / "r.git")
    git(remote, "symbolic-ref", "HEAD", "refs/heads/trunk")
    first = make_desk(tmp_path / "first", device="first")
    git(first.root, "push", "-q", str(remote), "HEAD:refs/heads/trunk")
    second = make_desk(tmp_path / "second", device="second", remote=str(remote))
    assert second.cell.branch == "trunk"
    assert sync(second.cell, pace=NO_WAIT).result == "pushed"
    assert git(remote, "for-each-ref", "--format=%(refname)") == "refs/heads/trunk"


def test_of_two_births_in_one_repository_the_earlier_wins(tmp_path: Path) -> None:
    remote = make_remote(tmp_path / "r.git")
    seed = make_clone(remote, tmp_path / "seed")
    commit_files(seed, {"README": "code"}, when="2026-11-29T09:00:00+08:00")
    git(seed, "push", "-q", "origin", "HEAD:main")
    roots = [make_clone(remote, tmp_path / name) for name in ("one", "two")]
    one = make_desk(roots[0], "2026-11-30T09:00:00+08:00", device="one", zone="Asia/Shanghai")
    two = make_desk(roots[1], "2026-11-30T08:50:00+08:00", device="two", zone="Europe/Berlin")
    one.append("one"), two.append("two")
    for desk in (one, two, one):
        sync(desk.cell, pace=NO_WAIT)
    for desk in (one, two):
        assert 'zone = "Europe/Berlin"' in (desk.root / ".agents/nutstore-sync/cell.toml").read_text()
        assert {p.name for p in (desk.root / device_path("one")).parent.iterdir()} == {"one.toml", "two.toml"}
    assert archive(one.root) == archive(two.root)


# --- A clone that is not fit ----------------------------------------------------------------------------


def test_an_unfit_clone_is_refused_by_name_and_left_alone(fleet: Fleet, tmp_path: Path) -> None:
    root = fleet["desk"].root
    git(root, "checkout", "-q", "--detach")
    with pytest.raises(ErrDetachedHead):
        fleet.sync("desk")
    git(root, "checkout", "-q", "-b", "elsewhere")
    with pytest.raises(ErrBranch):
        fleet.sync("desk")
    git(root, "checkout", "-q", "main")
    (root / ".git/MERGE_HEAD").write_text(head(root))
    with pytest.raises(ErrMergeUnderWay):
        fleet.sync("desk")
    (root / ".git/MERGE_HEAD").unlink()
    (root / ".git/shallow").write_text(head(root))
    with pytest.raises(ErrShallow):
        fleet.sync("desk")
    (root / ".git/shallow").unlink()
    assert fleet.sync("desk").result == "up-to-date"


def test_a_slow_network_keeps_nobody_from_remembering(fleet: Fleet) -> None:
    """While a sync waits for the remote, only the lock of syncs is held."""
    with clone_lock(fleet["desk"].cell.git.common_dir, timeout=1, name="sync"):
        assert fleet["desk"].append("meanwhile").commit is not None


# --- The worktree ---------------------------------------------------------------------------------------


def test_a_fast_forward_touches_only_the_files_that_changed(fleet: Fleet) -> None:
    fleet["desk"].append("old")
    fleet.sync_all()
    for desk in fleet.desks.values():
        desk.clock.advance(days=1)
    untouched = fleet["lap"].path(TODAY)
    os.utime(untouched, ns=(1, 1))
    fleet["desk"].append("new")
    fleet.sync("desk")
    fleet.sync("lap")
    assert untouched.stat().st_mtime_ns == 1
    assert fleet["lap"].texts("2026-12-01") == ["new"]


def test_a_day_that_left_the_tree_leaves_the_worktree(fleet: Fleet) -> None:
    fleet["desk"].append("to be removed")
    fleet.sync_all()
    (ref, _) = fleet["desk"].day(TODAY).entries()[0]
    forget(fleet["desk"].cell, ForgetRequest(refs=[ref], reason="a test", actor="ana"))
    fleet.sync("desk")
    assert fleet.sync("lap").result == "fast-forwarded"
    assert not fleet["lap"].path(TODAY).exists()
    assert not fleet["lap"].path(TODAY).parent.exists()


def test_what_sparse_checkout_leaves_out_stays_out(fleet: Fleet) -> None:
    fleet["desk"].append("one")
    fleet.sync_all()
    lap = fleet["lap"].root
    git(lap, "sparse-checkout", "set", "--no-cone", "/*", "!/.agents/nutstore-sync/memory/archive/2026/")
    assert not fleet.reopen("lap").path(TODAY).exists()
    fleet["desk"].append("two")
    fleet.sync("desk")
    assert fleet.sync("lap").received == 1
    assert not fleet["lap"].path(TODAY).exists() and is_clean(lap)


def test_foreign_files_are_taken_over_and_staged_changes_stay(fleet: Fleet) -> None:
    desk, lap = fleet["desk"].root, fleet["lap"].root
    commit_files(desk, {"src/a.py": "1\n", "note.txt": "n\n"})
    fleet.sync("desk")
    write(lap, "mine.txt", "staged")
    git(lap, "add", "mine.txt")
    fleet.sync("lap")
    assert (lap / "src/a.py").read_text() == "1\n"
    assert git(lap, "status", "--porcelain") == "A  mine.txt"


def test_two_devices_that_took_one_name_apart_keep_one_name_each(tmp_path: Path) -> None:
    """The one enrolled earlier keeps the name; the other enrols anew with a suffix, and says so."""
    fleet = Fleet(tmp_path, ["desk"])
    roots = [make_clone(fleet.remote, tmp_path / name) for name in ("early", "late")]
    early = make_desk(roots[0], "2026-11-30T09:01:00+08:00", device="lap")
    late = make_desk(roots[1], "2026-11-30T09:02:00+08:00", device="lap")
    early.append("early"), late.append("late")
    sync(early.cell, pace=NO_WAIT)
    done = sync(late.cell, pace=NO_WAIT)
    assert done.result == "merged" and "lap-2" in done.words()
    sync(early.cell, pace=NO_WAIT)
    assert git(late.root, "config", "nutsync.device") == "lap-2"
    assert git(early.root, "config", "nutsync.device") == "lap"
    assert archive(early.root) == archive(late.root)
    reopened = open_cell(late.root, clock=late.clock, environ={})
    assert sync(reopened, pace=NO_WAIT).result == "up-to-date"


def test_a_violation_made_here_past_the_hooks_is_not_sent(fleet: Fleet) -> None:
    fleet["desk"].append("as it was said")
    fleet.sync("desk")
    root = fleet["desk"].root
    git(root, "config", "core.hooksPath", str(root.parent))
    content = fleet["desk"].path(TODAY).read_bytes().replace(b"as it was", b"as it never was")
    bad = commit_files(root, {day_path(TODAY): content}, when=f"{TODAY}T09:01:00+08:00")
    before = head(fleet.remote, "refs/heads/main")
    with pytest.raises(ErrFreezeLaw, match=bad[:12]):
        fleet.sync("desk")
    assert head(fleet.remote, "refs/heads/main") == before
