"""Every state in which memory must not change has a name and a cure that destroys nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from nutsync.core.errors import (
    ErrBareRepository,
    ErrBranch,
    ErrDetachedHead,
    ErrGitMissing,
    ErrGitTooOld,
    ErrMergeUnderWay,
    ErrObjectFormat,
    ErrShallow,
    NutsyncError,
)
from nutsync.store.repo.fitness import git_version, require_fit, require_git
from nutsync.store.repo.git import Git
from tests.store.repo.test_git import no_process
from tests.support.repos import commit_files, git, head, make_clone, make_remote, make_repo, run_git

DESTRUCTIVE = re.compile(r"--hard|--abort|--force|--quit|-f\b|clean|rm |checkout|bisect reset")


def diverge(root: Path) -> None:
    """Two branches that changed the same line."""
    git(root, "checkout", "-q", "-b", "side")
    commit_files(root, {"notes/todo.txt": "side\n"})
    git(root, "checkout", "-q", "main")
    commit_files(root, {"notes/todo.txt": "main\n"})


def merging(root: Path) -> None:
    diverge(root)
    run_git(root, "merge", "side", check=False)


def rebasing(root: Path) -> None:
    diverge(root)
    run_git(root, "rebase", "side", check=False)


def rebasing_by_patches(root: Path) -> None:
    diverge(root)
    run_git(root, "rebase", "--apply", "side", check=False)


def applying_mail(root: Path) -> None:
    diverge(root)
    patch = git(root, "format-patch", "-1", "--stdout", "side")
    run_git(root, "am", input=patch.encode() + b"\n", check=False)


def picking(root: Path) -> None:
    diverge(root)
    run_git(root, "cherry-pick", "side", check=False)


def picking_several(root: Path) -> None:
    diverge(root)
    git(root, "checkout", "-q", "side")
    commit_files(root, {"more": "x\n"})
    git(root, "checkout", "-q", "main")
    run_git(root, "cherry-pick", "side~1", "side", check=False)
    git(root, "checkout", "-q", "-f", "HEAD", "--", ".")
    (Path(git(root, "rev-parse", "--absolute-git-dir")) / "CHERRY_PICK_HEAD").unlink()


def reverting(root: Path) -> None:
    commit_files(root, {"notes/todo.txt": "1\n"})
    commit_files(root, {"notes/todo.txt": "2\n"})
    run_git(root, "revert", "HEAD~1", check=False)


def bisecting(root: Path) -> None:
    git(root, "bisect", "start")


@pytest.mark.parametrize(
    ("situation", "word"),
    [
        (merging, "merge"),
        (rebasing, "rebase"),
        (rebasing_by_patches, "rebase"),
        (applying_mail, "am"),
        (picking, "cherry-pick"),
        (picking_several, "cherry-pick"),
        (reverting, "revert"),
        (bisecting, "bisect"),
    ],
)
@pytest.mark.parametrize("linked", [False, True])
def test_whatever_is_under_way_is_named(
    repo: Path, tmp_path: Path, situation: Callable[[Path], None], word: str, linked: bool
) -> None:
    root = make_clone(repo, tmp_path / "clone") if linked else repo
    if linked:
        git(root, "checkout", "-q", "--detach")
        git(root, "worktree", "add", "-q", str(tmp_path / "linked"), "main")
        root = tmp_path / "linked"
    require_fit(Git.discover(root), "main")
    situation(root)
    with pytest.raises(ErrMergeUnderWay, match=f"A {word}") as refusal:
        require_fit(Git.discover(root), "main")
    assert_helpful(refusal.value)


def assert_helpful(refusal: NutsyncError) -> None:
    assert refusal.exit_code == 4
    assert refusal.hint
    assert not DESTRUCTIVE.search(refusal.hint)


def test_what_is_under_way_elsewhere_is_no_concern_of_this_worktree(repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", "-b", "memory", str(tmp_path / "memory"))
    merging(repo)
    require_fit(Git.discover(tmp_path / "memory"), "memory")


def test_a_fit_clone_passes_without_a_process(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(repo, "pack-refs", "--all")
    no_process(monkeypatch)
    here = Git.discover(repo)
    for branch in ("main", "refs/heads/main", None):
        require_fit(here, branch)


def test_a_branch_without_a_commit_is_fit(empty_repo: Path) -> None:
    require_fit(Git.discover(empty_repo), "main")


def test_a_detached_head_is_named(repo: Path) -> None:
    git(repo, "checkout", "-q", "--detach")
    with pytest.raises(ErrDetachedHead) as refusal:
        require_fit(Git.discover(repo), "main")
    assert_helpful(refusal.value)


def test_another_branch_is_named_with_the_memory_branch(repo: Path) -> None:
    git(repo, "checkout", "-q", "-b", "feature/x")
    with pytest.raises(ErrBranch, match=r"feature/x.*main") as refusal:
        require_fit(Git.discover(repo), "main")
    assert "git switch main" in refusal.value.hint
    assert_helpful(refusal.value)


def test_a_shallow_clone_is_named_and_a_whole_one_is_fit(repo: Path, tmp_path: Path) -> None:
    commit_files(repo, {"a": "1\n"})
    shallow = make_clone(f"file://{repo}", tmp_path / "shallow", "--depth=1")
    with pytest.raises(ErrShallow) as refusal:
        require_fit(Git.discover(shallow), "main")
    assert_helpful(refusal.value)
    git(shallow, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    with pytest.raises(ErrShallow):
        require_fit(Git.discover(tmp_path / "side"), "side")
    git(shallow, "fetch", "-q", "--unshallow")
    require_fit(Git.discover(shallow), "main")


def test_a_bare_repository_is_not_fit(tmp_path: Path) -> None:
    with pytest.raises(ErrBareRepository):
        require_fit(Git.of_bare(make_remote(tmp_path / "r.git")), "main")


def test_sha256_is_fit_and_what_is_unknown_is_not(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "long", "--object-format=sha256")
    require_fit(Git.discover(root), "main")
    for key, value in {"objectFormat": "sha3", "refStorage": "papyrus"}.items():
        git(root, "config", f"extensions.{key}", value)
        with pytest.raises(ErrObjectFormat, match=value):
            require_fit(Git.discover(root), "main")
        (root / ".git/config").write_text(
            "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n"
        )


# --- the version of Git -------------------------------------------------------------------------------


def test_an_old_git_is_refused_and_a_new_one_is_not(repo: Path) -> None:
    here = Git.discover(repo)
    require_git(here)
    with pytest.raises(ErrGitTooOld, match=r"merge-tree needs 99\.1"):
        require_git(here, (99, 1), "merge-tree")


def test_the_version_is_asked_for_once_until_the_program_changes(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bin_dir = tmp_path / "bin"
    bin_dir.mkdir()

    def install(version: str, seconds: int) -> None:
        program = bin_dir / "git"
        program.write_text(f"#!/bin/sh\necho asked >> {tmp_path}/asked\necho git version {version}\n")
        program.chmod(0o755)
        os.utime(program, (seconds, seconds))

    monkeypatch.setenv("PATH", f"{bin_dir}:/usr/bin:/bin")
    here = Git.discover(repo)
    install("2.33.1.windows.2", 1_000_000_000)
    assert git_version(here) == git_version(here) == (2, 33)
    assert (tmp_path / "asked").read_text().count("asked") == 1
    install("2.50.0", 1_000_000_100)
    assert git_version(here) == (2, 50)


def test_a_machine_without_git_has_no_version(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = Git.discover(repo)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ErrGitMissing):
        git_version(here)


def test_fitness_changes_nothing(repo: Path) -> None:
    before = (head(repo), sorted(path.name for path in (repo / ".git").iterdir()))
    require_fit(Git.discover(repo), "main")
    assert (head(repo), sorted(path.name for path in (repo / ".git").iterdir())) == before
