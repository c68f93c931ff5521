"""Index and worktree change at the named paths and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from nutsync.core.errors import ErrChanged, ErrLocked, ErrUnreadable
from nutsync.store.repo import git as git_module
from nutsync.store.repo.commit import Author, Change, blob_id, move_branch, new_commit
from nutsync.store.repo.git import Git
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.refs import resolve_ref
from nutsync.store.repo.worktree import (
    PathState,
    cell_status,
    index_entries,
    read_worktree,
    set_index,
    skipped_paths,
    worktree_path,
    write_worktree,
)
from tests.support.clock import FakeClock
from tests.support.repos import commit_files, git, head, make_clone, run_git, show, write

CELL = ".agents/nutstore-sync"
DAY = f"{CELL}/memory/archive/2026/2026-11-30.md"
MAIN = "refs/heads/main"
ATTRIBUTES = {".gitattributes": ".agents/nutstore-sync/memory/archive/**/*.md text eol=lf\n"}


def publish(root: Path, changes: dict[str, bytes | None], *, files: bool = True) -> str:
    """Commit as nutsync does: commit, branch, worktree (unless ``files`` is off), index."""
    here = Git.discover(root)
    old = resolve_ref(here, MAIN)
    who = Author("Ana", "ana@example.org", FakeClock().now())
    committed: dict[str, Change] = dict(changes)
    with Objects(here) as objects:
        new = new_commit(
            here, objects, base=old, parents=[old] if old else [], changes=committed,
            author=who, committer=who, message="append", sign=None,
        )  # fmt: skip
    move_branch(here, MAIN, new, old, "append")
    for path, content in changes.items():
        if files:
            write_worktree(here, path, content)
    set_index(here, {p: None if c is None else ("100644", blob_id(here, c)) for p, c in changes.items()})
    return new


def status(root: Path) -> list[str]:
    return git(root, "status", "--porcelain", "--untracked-files=all").splitlines()


def test_after_a_commit_index_and_worktree_are_clean_without_a_refresh(repo: Path) -> None:
    publish(repo, {DAY: b"- milk\n"})
    assert run_git(repo, "diff-files", "--quiet", check=False).returncode == 0
    assert status(repo) == []
    publish(repo, {DAY: b"- milk\n- bread\n"})
    assert run_git(repo, "diff-files", "--quiet", check=False).returncode == 0
    publish(repo, {DAY: None})
    assert status(repo) == []
    assert not (repo / ".agents").exists()
    assert (repo / "notes/todo.txt").exists()


def test_what_others_have_staged_or_edited_stays_just_so(repo: Path) -> None:
    commit_files(repo, {"a": "1\n", "b": "1\n", "c": "1\n"})
    write(repo, "a", "staged\n")
    git(repo, "add", "a")
    write(repo, "a", "and edited\n")
    write(repo, "b", "edited\n")
    git(repo, "rm", "-q", "--cached", "c")
    write(repo, "new", "untracked\n")
    before = status(repo)
    publish(repo, {DAY: b"- milk\n"})
    assert status(repo) == before
    assert show(repo, ":a") == b"staged\n"


def test_an_edit_that_is_open_in_the_same_file_stays_in_the_worktree_uncommitted(repo: Path) -> None:
    publish(repo, {DAY: b"- milk\n"})
    write(repo, DAY, "- milk, two litres\n")
    publish(repo, {DAY: b"- milk\n- bread\n"}, files=False)
    assert status(repo) == [f" M {DAY}"]
    assert show(repo, f":{DAY}") == b"- milk\n- bread\n"
    assert (repo / DAY).read_bytes() == b"- milk, two litres\n"


@pytest.mark.parametrize("autocrlf", ["true", "input", "false"])
def test_crlf_in_the_worktree_is_lf_in_git_whatever_the_user_s_setting(repo: Path, autocrlf: str) -> None:
    git(repo, "config", "core.autocrlf", autocrlf)
    commit_files(repo, ATTRIBUTES)
    write(repo, DAY, b"- milk\r\n- bread\r\n")
    here = Git.discover(repo)
    assert read_worktree(here, DAY) == b"- milk\n- bread\n"
    publish(repo, {DAY: b"- milk\n- bread\n"}, files=False)
    assert status(repo) == []
    assert (repo / DAY).read_bytes() == b"- milk\r\n- bread\r\n"
    assert show(repo, f"HEAD:{DAY}") == b"- milk\n- bread\n"


def test_a_hostile_index_in_the_environment_is_left_alone(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as hostile:
        hostile.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
        hostile.setenv("GIT_DIR", str(tmp_path / "nowhere"))
        publish(repo, {DAY: b"- milk\n"})
    assert not (tmp_path / "index").exists()
    assert status(repo) == []


def test_a_linked_worktree_keeps_its_own_index(repo: Path, tmp_path: Path) -> None:
    side = tmp_path / "side"
    git(repo, "worktree", "add", "-q", "--detach", str(side))
    git(side, "checkout", "-q", "-b", "memory")
    here = Git.discover(side)
    write_worktree(here, DAY, b"- milk\n")
    oid = git(side, "hash-object", "-w", DAY)
    set_index(here, {DAY: ("100644", oid)})
    assert status(side) == [f"A  {DAY}"]
    assert status(repo) == []


def test_an_executable_or_linked_file_is_not_taken_for_the_plain_one(repo: Path) -> None:
    publish(repo, {DAY: b"- milk\n"})
    (repo / DAY).chmod(0o755)
    publish(repo, {DAY: b"- milk\n", f"{CELL}/x": b"x\n"}, files=False)
    assert [entry.mode for entry in index_entries(Git.discover(repo), [DAY])[DAY]] == ["100644"]


def test_thousands_of_paths_are_set_at_once(repo: Path) -> None:
    publish(repo, {f"{CELL}/{n % 7}/{n}.md": b"%d\n" % n for n in range(2000)})
    assert status(repo) == []
    found = index_entries(Git.discover(repo), [f"{CELL}/{n % 7}/{n}.md" for n in range(0, 2000, 2)])
    assert len(found) == 1000
    publish(repo, {f"{CELL}/{n % 7}/{n}.md": None for n in range(2000)})
    assert git(repo, "ls-files").splitlines() == ["notes/todo.txt"]


def test_a_file_that_becomes_a_folder_and_a_folder_that_becomes_a_file(repo: Path) -> None:
    publish(repo, {f"{CELL}/x": b"1\n"})
    publish(repo, {f"{CELL}/x/y": b"2\n", f"{CELL}/x": None}, files=False)
    write_worktree(Git.discover(repo), f"{CELL}/x", None)
    write_worktree(Git.discover(repo), f"{CELL}/x/y", b"2\n")
    assert status(repo) == []
    publish(repo, {f"{CELL}/x": b"3\n", f"{CELL}/x/y": None}, files=False)
    assert git(repo, "diff", "--cached", "--name-only") == ""


def test_a_locked_index_is_an_error_by_name(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_module, "LOCK_PATIENCE", 0)
    (repo / ".git/index.lock").touch()
    with pytest.raises(ErrLocked):
        set_index(Git.discover(repo), {DAY: None})


# --- sparse checkout --------------------------------------------------------------------------------


def test_sparse_checkout_keeps_what_it_leaves_out_left_out(repo: Path) -> None:
    publish(repo, {DAY: b"- milk\n", "code/a.py": b"a\n"})
    git(repo, "sparse-checkout", "set", "notes")
    here = Git.discover(repo)
    assert not (repo / DAY).exists()
    assert skipped_paths(here, [DAY, "notes"]) == {DAY}
    publish(repo, {DAY: b"- milk\n- bread\n", f"{CELL}/new.md": b"x\n"}, files=False)
    assert status(repo) == []
    assert skipped_paths(here, [CELL]) == {DAY, f"{CELL}/new.md"}


def test_without_sparse_checkout_nothing_is_asked(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Git.discover(repo)
    monkeypatch.setattr(Git, "run", lambda *_: pytest.fail("a process was started"))
    assert skipped_paths(here, [DAY]) == set()


# --- what the worktree and the index hold ---------------------------------------------------------------


def test_every_difference_below_a_folder_is_told_and_none_outside(repo: Path) -> None:
    publish(
        repo,
        {f"{CELL}/{name}": b"1\n" for name in ("staged", "edited", "gone", "unstaged gone", "é 日", "same")},
    )
    write(repo, f"{CELL}/staged", "2\n")
    git(repo, "add", f"{CELL}/staged")
    write(repo, f"{CELL}/edited", "2\n")
    git(repo, "rm", "-q", f"{CELL}/gone")
    (repo / CELL / "unstaged gone").unlink()
    write(repo, f"{CELL}/é 日", "2\n")
    write(repo, f"{CELL}/deep/new", "2\n")
    write(repo, "notes/todo.txt", "not ours\n")
    write(repo, "elsewhere", "not ours\n")
    assert sorted(cell_status(Git.discover(repo), CELL)) == sorted(
        [
            PathState(f"{CELL}/staged", "M", "."),
            PathState(f"{CELL}/edited", ".", "M"),
            PathState(f"{CELL}/gone", "D", "."),
            PathState(f"{CELL}/unstaged gone", ".", "D"),
            PathState(f"{CELL}/é 日", ".", "M"),
            PathState(f"{CELL}/deep/new", "?", "?"),
        ]
    )


def test_a_path_means_itself_and_no_pattern(repo: Path) -> None:
    publish(repo, {f"{CELL}/[ab]*": b"1\n", f"{CELL}/a": b"1\n"})
    assert list(index_entries(Git.discover(repo), [f"{CELL}/[ab]*"])) == [f"{CELL}/[ab]*"]
    assert index_entries(Git.discover(repo), [":/"]) == {}


def test_unmerged_paths_show_as_such_and_a_set_path_is_merged(repo: Path) -> None:
    publish(repo, {DAY: b"- milk\n"})
    git(repo, "checkout", "-q", "-b", "side")
    commit_files(repo, {DAY: "- side\n"})
    git(repo, "checkout", "-q", "main")
    commit_files(repo, {DAY: "- main\n"})
    run_git(repo, "merge", "side", check=False)
    here = Git.discover(repo)
    assert cell_status(here, CELL) == [PathState(DAY, "U", "U")]
    assert [entry.stage for entry in index_entries(here, [DAY])[DAY]] == [1, 2, 3]
    set_index(here, {DAY: ("100644", git(repo, "rev-parse", f"side:{DAY}"))})
    assert [entry.stage for entry in index_entries(here, [CELL])[DAY]] == [0]


def test_a_person_s_edit_is_never_written_over_unseen(repo: Path) -> None:
    here = Git.discover(repo)
    write_worktree(here, DAY, b"one\n", expected=None)
    write_worktree(here, DAY, b"two\n", expected=b"one\n")
    write(repo, DAY, b"two\r\nthree\r\n")
    for content in (b"x\n", None):
        with pytest.raises(ErrChanged):
            write_worktree(here, DAY, content, expected=b"two\n")
    with pytest.raises(ErrChanged):
        write_worktree(here, DAY, b"x\n", expected=None)
    assert (repo / DAY).read_bytes() == b"two\r\nthree\r\n"
    write_worktree(here, DAY, None, expected=b"two\nthree\n")
    assert read_worktree(here, DAY) is None


def test_removing_the_last_file_removes_its_folders_but_not_those_with_others(repo: Path) -> None:
    here = Git.discover(repo)
    write_worktree(here, DAY, b"one\n")
    write(repo, f"{CELL}/memory/keep", "x")
    write_worktree(here, DAY, None)
    assert [path.name for path in (repo / CELL / "memory").iterdir()] == ["keep"]
    write_worktree(here, DAY, None)


@pytest.mark.parametrize("linked", [".agents", f"{CELL}/memory/archive/2026", DAY])
def test_nothing_is_read_or_written_through_a_link(repo: Path, tmp_path: Path, linked: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (repo / linked).parent.mkdir(parents=True, exist_ok=True)
    (repo / linked).symlink_to(outside)
    here = Git.discover(repo)
    uses: list[Callable[[], object]] = [
        lambda: worktree_path(here, DAY),
        lambda: read_worktree(here, DAY),
        lambda: write_worktree(here, DAY, b"x\n"),
        lambda: write_worktree(here, DAY, None),
    ]
    for use in uses:
        with pytest.raises(ErrUnreadable, match="symbolic link"):
            use()
    assert list(outside.iterdir()) == []


def test_a_clone_of_what_we_committed_is_clean_and_equal(repo: Path, tmp_path: Path) -> None:
    publish(repo, {DAY: b"- milk\n"})
    copy = make_clone(repo, tmp_path / "copy")
    assert head(copy) == head(repo)
    assert (copy / DAY).read_bytes() == b"- milk\n"
    assert status(copy) == []
