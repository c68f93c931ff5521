"""Refs read from files are the refs that Git sees."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nutsync.core.errors import ErrGit, ErrUsage
from nutsync.store.repo.git import Git
from nutsync.store.repo.refs import branch_ref, check_ref, head_ref, is_oid, resolve_ref
from tests.store.repo.test_git import no_process
from tests.support.repos import commit_files, git, head, run_git

MAIN = "refs/heads/main"


def test_loose_packed_and_overruled_refs_resolve_without_a_process(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = head(repo)
    git(repo, "branch", "side")
    git(repo, "branch", "side2/deep")
    git(repo, "tag", "-a", "-m", "t", "v1")
    git(repo, "pack-refs", "--all")
    new = commit_files(repo, {"a": "1\n"})
    tag = head(repo, "refs/tags/v1")
    no_process(monkeypatch)
    here = Git.discover(repo)
    assert head_ref(here) == MAIN
    assert resolve_ref(here, "HEAD") == resolve_ref(here, MAIN) == new
    assert resolve_ref(here, "refs/heads/side") == resolve_ref(here, "refs/heads/side2/deep") == old
    assert resolve_ref(here, "refs/tags/v1") == tag
    assert resolve_ref(here, "refs/heads/side2") is None
    assert resolve_ref(here, "refs/heads/sid") is None


def test_an_unborn_branch_has_a_name_and_no_commit(empty_repo: Path) -> None:
    here = Git.discover(empty_repo)
    assert (head_ref(here), resolve_ref(here, "HEAD")) == (MAIN, None)


def test_a_detached_head_is_on_no_branch(repo: Path) -> None:
    git(repo, "checkout", "-q", "--detach")
    here = Git.discover(repo)
    assert (head_ref(here), resolve_ref(here, "HEAD")) == (None, head(repo))


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such links")
def test_a_head_that_is_a_link_as_in_the_days_of_old_is_on_its_branch(repo: Path) -> None:
    (repo / ".git/HEAD").unlink()
    (repo / ".git/HEAD").symlink_to("refs/heads/main")
    here = Git.discover(repo)
    assert (head_ref(here), resolve_ref(here, "HEAD")) == (MAIN, head(repo))


def test_a_linked_worktree_has_a_head_of_its_own_and_shares_the_branches(repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    new = commit_files(tmp_path / "side", {"b": "b\n"})
    here = Git.discover(tmp_path / "side")
    assert head_ref(here) == "refs/heads/side"
    assert resolve_ref(here, "refs/heads/side") == new
    assert resolve_ref(here, MAIN) == head(repo)
    git(tmp_path / "side", "update-ref", "refs/worktree/mine", new)
    assert resolve_ref(here, "refs/worktree/mine") == new
    assert resolve_ref(Git.discover(repo), "refs/worktree/mine") is None


def test_symbolic_refs_are_followed_and_circles_named(repo: Path) -> None:
    git(repo, "symbolic-ref", "refs/remotes/origin/HEAD", MAIN)
    here = Git.discover(repo)
    assert resolve_ref(here, "refs/remotes/origin/HEAD") == head(repo)
    (repo / ".git/refs/heads/one").write_text("ref: refs/heads/one\n")
    with pytest.raises(ErrGit):
        resolve_ref(here, "refs/heads/one")


def test_a_ref_that_a_crash_left_empty_is_named_and_not_taken_for_absent(repo: Path) -> None:
    (repo / ".git/refs/heads/main").write_bytes(b"")
    with pytest.raises(ErrGit, match=MAIN):
        resolve_ref(Git.discover(repo), MAIN)


def test_refs_kept_in_another_way_are_asked_of_git(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nutsync.store.repo.refs.ref_storage", lambda _: "reftable")
    here = Git.discover(repo)
    assert (head_ref(here), resolve_ref(here, MAIN)) == (MAIN, head(repo))
    assert resolve_ref(here, "refs/heads/none") is None


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from([*"a.b/@{~^:?*[\\-é \t\x7f", ".lock"]), max_size=6).map("".join))
def test_the_names_we_take_are_names_that_git_takes(tmp_path: Path, name: str) -> None:
    ref = f"refs/heads/{name}"
    try:
        check_ref(ref)
    except ErrUsage:
        return
    assert run_git(tmp_path, "check-ref-format", ref, check=False).returncode == 0


@pytest.mark.parametrize(
    "ref", ["refs/heads/main", "refs/heads/ana/2026", "refs/nutsync/devices/desk-k3f9", "refs/heads/日"]
)
def test_ordinary_names_are_taken(ref: str) -> None:
    assert check_ref(ref) == ref


@pytest.mark.parametrize(
    "ref", ["main", "--upload-pack=x", "refs/heads/", "refs/heads/../x", "refs/x", "refs/heads/a\nb"]
)
def test_what_is_no_full_ref_name_is_refused(ref: str) -> None:
    with pytest.raises(ErrUsage):
        check_ref(ref)


def test_branches_are_named_short_or_full() -> None:
    assert branch_ref("main") == branch_ref(MAIN) == MAIN


def test_only_whole_ids_are_ids() -> None:
    assert is_oid("a" * 40) and is_oid("0" * 64)
    assert not is_oid("a" * 39) and not is_oid("A" * 40) and not is_oid("a" * 40 + "\n")
