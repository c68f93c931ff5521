"""Finding a clone and running Git in it, whatever the environment says."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from nutsync.core.errors import (
    ErrBareRepository,
    ErrGit,
    ErrGitMissing,
    ErrGitTimeout,
    ErrLocked,
    ErrNoRepository,
    ErrUnfit,
    ErrUnreadable,
)
from nutsync.store.repo import git as git_module
from nutsync.store.repo.environment import QUARANTINE
from nutsync.store.repo.git import Git
from tests.support.repos import commit_files, git, head, make_remote, make_repo, write


def no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on, starting a process is a failure of the test."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", refuse)


# --- discovery ----------------------------------------------------------------------------------


def test_a_clone_is_found_from_any_folder_in_it_without_a_process(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_process(monkeypatch)
    here = Git.discover(repo / "notes")
    assert (here.root, here.git_dir, here.common_dir) == (repo, repo / ".git", repo / ".git")
    assert here.private_dir == repo / ".git/nutsync"
    assert not here.is_linked


def test_a_linked_worktree_shares_the_directory_of_its_clone(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repo, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    no_process(monkeypatch)
    here = Git.discover(tmp_path / "side/notes")
    assert here.root == tmp_path / "side"
    assert here.git_dir == repo / ".git/worktrees/side"
    assert here.common_dir == repo / ".git"
    assert here.is_linked


def test_a_submodule_is_a_clone_of_its_own(repo: Path, tmp_path: Path) -> None:
    outer = make_repo(tmp_path / "outer")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(repo), "inner")
    here = Git.discover(outer / "inner/notes")
    assert here.root == outer / "inner"
    assert here.git_dir == outer / ".git/modules/inner"
    assert here.run("rev-parse", "HEAD").text() == head(repo)


def test_a_worktree_that_the_configuration_moves_is_found(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    git(repo, "config", "core.worktree", str(tmp_path / "elsewhere"))
    assert Git.discover(repo).root == tmp_path / "elsewhere"


def test_the_inner_of_two_nested_repositories_is_taken(repo: Path) -> None:
    inner = make_repo(repo / "vault")
    assert Git.discover(inner).root == inner


def test_a_folder_called_git_that_is_no_repository_is_passed_over(repo: Path) -> None:
    (repo / "notes/.git").mkdir()
    assert Git.discover(repo / "notes").root == repo


def test_no_repository_at_all_has_a_name(tmp_path: Path) -> None:
    with pytest.raises(ErrNoRepository) as refusal:
        Git.discover(tmp_path)
    assert refusal.value.exit_code == 4


def test_a_bare_repository_and_the_inside_of_a_git_directory_are_refused(repo: Path, tmp_path: Path) -> None:
    bare = make_remote(tmp_path / "bare.git")
    for place in (bare, bare / "objects", repo / ".git", repo / ".git/refs"):
        with pytest.raises(ErrBareRepository):
            Git.discover(place)
    git(repo, "config", "core.bare", "true")
    with pytest.raises(ErrBareRepository):
        Git.discover(repo)


# --- running ------------------------------------------------------------------------------------


def test_a_hostile_environment_reaches_neither_git_nor_another_repository(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_repo(tmp_path / "other")
    commit_files(other, {"theirs.txt": "x\n"})
    for name, value in {
        "GIT_DIR": str(other / ".git"),
        "GIT_WORK_TREE": str(other),
        "GIT_INDEX_FILE": str(other / ".git/index"),
        "GIT_OBJECT_DIRECTORY": str(other / ".git/objects"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.bare",
        "GIT_CONFIG_VALUE_0": "true",
        "GIT_CONFIG_PARAMETERS": "'core.abbrev'='5'",
        "GIT_NAMESPACE": "elsewhere",
        "GIT_GLOB_PATHSPECS": "1",
        "GIT_TRACE": "1",
        "GIT_EXTERNAL_DIFF": "false",
    }.items():
        monkeypatch.setenv(name, value)
    here = Git.discover(repo)
    listed = here.run("ls-files")
    assert listed.text() == "notes/todo.txt"
    assert listed.err == ""
    monkeypatch.undo()
    assert here.run("rev-parse", "HEAD").text() == head(repo)


def test_git_speaks_english_and_never_asks(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    monkeypatch.setenv("GIT_TERMINAL_PROMPT", "1")
    env = Git.discover(repo).environment({"EXTRA": "x"})
    assert (env["LC_ALL"], env["GIT_TERMINAL_PROMPT"], env["EXTRA"]) == ("C", "0", "x")


def test_the_quarantine_of_a_server_hook_is_handed_on_when_asked_for(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_repo(tmp_path / "other")
    blob = git(other, "hash-object", "-w", "--stdin", input=b"pushed")
    monkeypatch.setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", str(other / ".git/objects"))
    there = Git.of_bare(repo / ".git", inherit=QUARANTINE).run("cat-file", "-e", blob, check=False)
    here = Git.of_bare(repo / ".git").run("cat-file", "-e", blob, check=False)
    assert (there.code, here.code) == (0, 1)


def test_a_bare_repository_is_used_even_where_git_wants_it_named(tmp_path: Path) -> None:
    bare = make_remote(tmp_path / "bare.git")
    git(bare, "config", "--global", "safe.bareRepository", "explicit")
    assert Git.of_bare(bare).run("rev-parse", "--is-bare-repository").text() == "true"


def test_replaced_and_grafted_history_is_not_what_we_see(repo: Path) -> None:
    first = head(repo)
    second = commit_files(repo, {"a": "1\n"})
    third = commit_files(repo, {"a": "2\n"})
    git(repo, "replace", third, first)
    (repo / ".git/info/grafts").write_text(f"{third}\n")
    said = Git.discover(repo).run("rev-list", third)
    assert said.text().split() == [third, second, first]
    assert said.err == ""


def test_a_failure_names_the_command_and_what_git_said(repo: Path) -> None:
    here = Git.discover(repo)
    with pytest.raises(ErrGit, match=r"git rev-list failed \(128\).*no-such-ref"):
        here.run("-c", "core.abbrev=7", "rev-list", "no-such-ref", "--")
    assert here.run("rev-parse", "--verify", "-q", "no-such-ref", check=False).code == 1


def test_words_reach_git_as_they_are(repo: Path) -> None:
    odd = "a b;$(touch pwned)'\"\\*"
    assert Git.discover(repo).run("rev-parse", "--sq-quote", odd).text().strip().startswith("'a b;$(touch")
    assert not (repo / "pwned").exists()


def test_input_and_output_larger_than_any_pipe_pass_through(repo: Path) -> None:
    content = os.urandom(1 << 20)
    here = Git.discover(repo)
    blob = here.run("hash-object", "-w", "--stdin", input=content).text()
    assert here.run("cat-file", "blob", blob).out == content


@pytest.mark.skipif(os.name == "nt", reason="uses a shell script as an alias")
def test_a_time_out_stops_git_and_whatever_it_started(repo: Path) -> None:
    here = Git.discover(repo)
    git(repo, "config", "alias.hang", "!echo $$ > pid; sleep 600")
    began = time.monotonic()
    with pytest.raises(ErrGitTimeout, match="git hang"):
        here.run("hang", timeout=0.5)
    assert time.monotonic() - began < 30
    with pytest.raises(ProcessLookupError):
        for _ in range(500):
            os.kill(int((repo / "pid").read_text()), 0)
            time.sleep(0.01)


def test_a_machine_without_git_is_told_so(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = Git.discover(repo)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ErrGitMissing):
        here.run("status")


def test_a_clone_that_is_gone_is_told_from_a_missing_git(repo: Path) -> None:
    here = Git(repo / "gone", repo / "gone/.git")
    with pytest.raises(ErrUnreadable):
        here.run("status")


def test_a_repository_of_another_owner_is_refused_with_the_setting_that_cures_it(repo: Path) -> None:
    with pytest.raises(ErrUnfit) as refusal:
        Git.discover(repo).run("status", env={"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"})
    assert "safe.directory" in refusal.value.hint


def test_a_lock_of_another_git_is_waited_for_and_then_named(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_module, "LOCK_PATIENCE", 0.05)
    write(repo, "a", "a\n")
    lock = repo / ".git/index.lock"
    lock.touch()
    here = Git.discover(repo)
    with pytest.raises(ErrLocked):
        here.run_patiently("add", "a")
    waits = iter([lambda: None, lock.unlink])
    monkeypatch.setattr(git_module.time, "sleep", lambda _: next(waits)())
    monkeypatch.setattr(git_module, "LOCK_PATIENCE", 60)
    here.run_patiently("add", "a")
    assert git(repo, "diff", "--cached", "--name-only") == "a"
