"""Fetching and pushing against real repositories: nothing lost, nothing asked, every refusal named."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from nutsync.core.cell import day_path
from nutsync.core.errors import (
    ErrRemoteDeclined,
    ErrUnrelated,
    ErrVetoed,
)
from nutsync.store.repo.git import Git
from nutsync.store.repo.refusals import Outcome, is_progress
from nutsync.store.repo.remote import (
    RefPush,
    device_ref,
    drop_incoming,
    fetch,
    incoming,
    list_remote,
    push,
    push_device,
    require_related,
)
from tests.support.repos import commit_files, git, head, make_clone, make_remote, run_git

MAIN = "refs/heads/main"
DAY = day_path("2026-11-30")


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return make_remote(tmp_path / "remote.git")


@pytest.fixture
def desk(tmp_path: Path, remote: Path) -> Git:
    return Git.discover(make_clone(remote, tmp_path / "desk"))


@pytest.fixture
def lamp(tmp_path: Path, remote: Path) -> Git:
    return Git.discover(make_clone(remote, tmp_path / "lamp"))


def commit(clone: Git, content: str) -> str:
    return commit_files(clone.root, {DAY: content})


def hook(repository: Path, name: str, script: str) -> None:
    path = repository / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_what_one_clone_pushes_another_fetches_beside_its_branch(desk: Git, lamp: Git) -> None:
    tip = commit(desk, "one\n")
    pushed = push(desk, [RefPush(MAIN, tip)])
    assert pushed.outcomes == {MAIN: Outcome.DONE} and pushed.done
    own = commit(lamp, "two\n")
    assert fetch(lamp, "main").branch == tip
    assert head(lamp.root) == own
    assert git(lamp.root, "rev-parse", "refs/nutsync/incoming/heads/main") == tip
    assert not (lamp.git_dir / "FETCH_HEAD").exists()


def test_a_new_remote_is_empty_and_no_error(desk: Git) -> None:
    found = fetch(desk, "main")
    assert found.branch is None and not found.devices
    assert list_remote(desk).refs == {}


def test_a_branch_that_vanished_at_the_remote_is_not_remembered_as_there(desk: Git, remote: Path) -> None:
    tip = commit(desk, "one\n")
    push(desk, [RefPush(MAIN, tip), RefPush(device_ref("lamp"), tip, "")])
    assert fetch(desk, "main").branch == tip
    git(remote, "update-ref", "-d", MAIN)
    found = fetch(desk, "main")
    assert found.branch is None and found.devices == {"lamp": tip}


def test_what_devices_left_is_fetched_and_goes_when_it_is_gone(desk: Git, lamp: Git) -> None:
    tip = commit(desk, "one\n")
    assert push_device(desk, "desk", tip).done
    assert fetch(lamp, "main").devices == {"desk": tip}
    fetch(desk, "main")
    assert push_device(desk, "desk", None).done
    assert fetch(lamp, "main").devices == {} and incoming(lamp, "main").devices == {}


def test_a_device_moves_its_own_ref_also_sideways_but_only_from_where_it_saw_it(desk: Git, lamp: Git) -> None:
    push_device(desk, "desk", commit(desk, "one\n"))
    other = commit(lamp, "other\n")
    assert push_device(lamp, "desk", other).contended
    fetch(lamp, "main")
    assert push_device(lamp, "desk", other).done


def test_taking_away_what_was_never_left_costs_nothing(desk: Git) -> None:
    assert push_device(desk, "desk", None).done


def test_a_ref_that_no_device_can_have_is_passed_over(desk: Git, lamp: Git) -> None:
    tip = commit(desk, "one\n")
    git(desk.root, "push", "-q", "origin", f"{tip}:refs/nutsync/devices/Not_A.Name", f"{tip}:{MAIN}")
    found = fetch(lamp, "main")
    assert found.branch == tip and found.devices == {} and list_remote(lamp).devices() == {}


def test_tags_stay_where_they_are(desk: Git, lamp: Git) -> None:
    tip = commit(desk, "one\n")
    git(desk.root, "tag", "v1")
    git(desk.root, "push", "-q", "origin", "main", "v1")
    fetch(lamp, "main")
    assert git(lamp.root, "tag") == ""
    assert git(lamp.root, "rev-parse", "refs/remotes/origin/main") == tip


def test_a_rewritten_branch_is_fetched_all_the_same_to_be_judged(desk: Git, lamp: Git) -> None:
    first = commit(desk, "one\n")
    push(desk, [RefPush(MAIN, first)])
    fetch(lamp, "main")
    git(desk.root, "commit", "-q", "--amend", "-m", "rewritten")
    assert push(desk, [RefPush(MAIN, head(desk.root), first)]).done
    assert fetch(lamp, "main").branch == head(desk.root) != first


def test_who_comes_second_is_told_to_fetch_and_overwrites_nothing(desk: Git, lamp: Git, remote: Path) -> None:
    first = commit(desk, "one\n")
    push(desk, [RefPush(MAIN, first)])
    pushed = push(lamp, [RefPush(MAIN, commit(lamp, "two\n"))])
    assert pushed.contended and not pushed.done
    assert git(remote, "rev-parse", MAIN) == first
    fetch(lamp, "main")
    assert push(lamp, [RefPush(MAIN, head(lamp.root))]).contended


def test_a_ref_that_is_locked_at_the_remote_can_be_tried_again(desk: Git, remote: Path) -> None:
    lock = remote / f"{MAIN}.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()
    tip = commit(desk, "one\n")
    assert push(desk, [RefPush(MAIN, tip)]).contended
    lock.unlink()
    assert push(desk, [RefPush(MAIN, tip)]).done


def test_of_many_that_push_at_once_one_comes_through_and_the_others_may_try_again(
    remote: Path, tmp_path: Path
) -> None:
    clones = [Git.discover(make_clone(remote, tmp_path / f"device{number}")) for number in range(4)]
    tips = [commit(clone, f"{number}\n") for number, clone in enumerate(clones)]
    with ThreadPoolExecutor(len(clones)) as pool:
        pushed = list(pool.map(lambda clone, tip: push(clone, [RefPush(MAIN, tip)]), clones, tips))
    winners = [tip for tip, each in zip(tips, pushed, strict=True) if each.done]
    assert winners == [git(remote, "rev-parse", MAIN)]
    assert sum(each.contended for each in pushed) == 3


def test_a_lease_moves_the_branch_only_from_what_was_seen(desk: Git, lamp: Git, remote: Path) -> None:
    first = commit(desk, "one\n")
    push(desk, [RefPush(MAIN, first)])
    fetch(lamp, "main")
    second = commit(desk, "two\n")
    push(desk, [RefPush(MAIN, second)])
    rewritten = commit(lamp, "purged\n")
    assert push(lamp, [RefPush(MAIN, rewritten, first)]).contended
    assert git(remote, "rev-parse", MAIN) == second
    assert push(lamp, [RefPush(MAIN, rewritten, second)]).done
    assert git(remote, "rev-parse", MAIN) == rewritten


def test_a_lease_on_nothing_makes_a_ref_and_never_takes_one_over(desk: Git, lamp: Git) -> None:
    assert push(desk, [RefPush(MAIN, commit(desk, "one\n"), "")]).done
    assert push(lamp, [RefPush(MAIN, commit(lamp, "two\n"), "")]).contended


def test_a_refused_ref_does_not_hold_up_the_others(desk: Git, lamp: Git) -> None:
    push(desk, [RefPush(MAIN, commit(desk, "one\n"))])
    tip = commit(lamp, "two\n")
    pushed = push(lamp, [RefPush(MAIN, tip), RefPush(device_ref("lamp"), tip, "")])
    assert pushed.outcomes == {MAIN: Outcome.CONTENDED, device_ref("lamp"): Outcome.DONE}


def test_pushing_what_is_there_already_is_up_to_date(desk: Git) -> None:
    tip = commit(desk, "one\n")
    push(desk, [RefPush(MAIN, tip)])
    assert push(desk, [RefPush(MAIN, tip)]).outcomes == {MAIN: Outcome.UP_TO_DATE}


def test_a_server_that_refuses_is_quoted_and_not_tried_again(desk: Git, remote: Path) -> None:
    hook(remote, "pre-receive", "printf 'a frozen day\\033[31m changed\\n' >&2; exit 1")
    pushed = push(desk, [RefPush(MAIN, commit(desk, "one\n"))])
    assert pushed.outcomes == {MAIN: Outcome.DECLINED} and not pushed.contended
    assert pushed.server == "a frozen day changed"
    with pytest.raises(ErrRemoteDeclined, match="a frozen day changed"):
        pushed.require_accepted()


@pytest.mark.parametrize("rule", ["receive.denyNonFastForwards", "receive.denyDeletes"])
def test_a_host_that_forbids_rewriting_or_deleting_is_told_from_a_race(
    desk: Git, remote: Path, rule: str
) -> None:
    first = commit(desk, "one\n")
    push(desk, [RefPush(MAIN, first), RefPush("refs/heads/old", first)])
    git(remote, "config", rule, "true")
    git(desk.root, "commit", "-q", "--amend", "-m", "rewritten")
    if rule == "receive.denyDeletes":
        asked = RefPush("refs/heads/old", None, first)
    else:
        asked = RefPush(MAIN, head(desk.root), first)
    pushed = push(desk, [asked])
    assert pushed.outcomes == {asked.ref: Outcome.FORBIDDEN}
    with pytest.raises(ErrRemoteDeclined):
        pushed.require_accepted()


def test_a_hook_of_this_clone_that_stops_a_push_is_named(desk: Git) -> None:
    hook(desk.git_dir, "pre-push", "echo 'not today' >&2; exit 1")
    tip = commit(desk, "one\n")
    with pytest.raises(ErrVetoed, match="not today"):
        push(desk, [RefPush(MAIN, tip)])
    assert push(desk, [RefPush(MAIN, tip)], hooks=False).done


def test_a_gate_of_this_clone_that_stops_a_fetch_is_named_and_nothing_moved(desk: Git, lamp: Git) -> None:
    push(desk, [RefPush(MAIN, commit(desk, "one\n"))])
    hook(lamp.git_dir, "reference-transaction", 'test "$1" != prepared')
    with pytest.raises(ErrVetoed):
        fetch(lamp, "main")
    assert incoming(lamp, "main").branch is None


def test_what_came_in_can_be_dropped(desk: Git, lamp: Git) -> None:
    tip = commit(desk, "one\n")
    push(desk, [RefPush(MAIN, tip), RefPush(device_ref("desk"), tip, "")])
    fetch(lamp, "main")
    drop_incoming(lamp, [device_ref("desk")])
    assert incoming(lamp, "main").branch == tip and not incoming(lamp, "main").devices
    drop_incoming(lamp)
    assert git(lamp.root, "for-each-ref", "refs/nutsync") == ""


def test_a_look_at_the_remote_names_its_default_branch(desk: Git, remote: Path) -> None:
    git(remote, "symbolic-ref", "HEAD", "refs/heads/trunk")
    tip = commit(desk, "one\n")
    push(desk, [RefPush("refs/heads/trunk", tip), RefPush(device_ref("desk"), tip, "")])
    found = list_remote(desk, str(remote))
    assert (found.default_branch, found.branch("trunk"), found.devices()) == ("trunk", tip, {"desk": tip})


def test_progress_is_told_in_gits_words(desk: Git, lamp: Git) -> None:
    heard: list[str] = []
    tip = commit(desk, "one\n")
    push(desk, [RefPush(MAIN, tip)], progress=heard.append)
    fetch(lamp, "main", progress=heard.append)
    assert heard and all(is_progress(line) for line in heard), "which of Git's words, is a matter of time"
    assert all("\r" not in line and "\n" not in line for line in heard)


def test_a_hook_environment_does_not_lead_a_fetch_astray(
    desk: Git, lamp: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    push(desk, [RefPush(MAIN, commit(desk, "one\n"))])
    monkeypatch.setenv("GIT_DIR", str(desk.git_dir))
    monkeypatch.setenv("GIT_QUARANTINE_PATH", str(tmp_path / "quarantine"))
    assert fetch(lamp, "main").branch is not None
    monkeypatch.delenv("GIT_DIR")
    assert git(lamp.root, "rev-parse", "refs/nutsync/incoming/heads/main")


def test_histories_with_nothing_in_common_are_refused(desk: Git, lamp: Git) -> None:
    ours, theirs = commit(desk, "one\n"), commit(lamp, "two\n")
    push(lamp, [RefPush(MAIN, theirs)])
    fetch(desk, "main")
    with pytest.raises(ErrUnrelated):
        require_related(desk, ours, theirs)
    child = commit(lamp, "three\n")
    require_related(lamp, child, theirs)


def test_a_linked_worktree_fetches_for_the_whole_clone(desk: Git, lamp: Git, tmp_path: Path) -> None:
    tip = commit(desk, "one\n")
    push(desk, [RefPush(MAIN, tip)])
    fetch(lamp, "main")
    run_git(lamp.root, "reset", "-q", "--hard", tip)
    git(lamp.root, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "side")
    linked = Git.discover(tmp_path / "linked")
    assert fetch(linked, "main").branch == tip
    assert linked.common_dir.samefile(lamp.git_dir)
