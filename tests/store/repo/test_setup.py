"""Making and arranging repositories."""

from __future__ import annotations

from pathlib import Path

import pytest

from nutsync.core.cell import ATTRIBUTES_LINE, day_path
from nutsync.core.errors import ErrBranch, ErrGit, ErrRemoteMissing, ErrTransport, ErrUnwritable
from nutsync.store.repo import setup
from tests.support.repos import commit_files, git, head, make_clone, make_remote, make_repo, run_git

DAY = day_path("2026-11-30")


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return make_remote(tmp_path / "remote.git")


@pytest.fixture
def filled(tmp_path: Path, remote: Path) -> Path:
    desk = make_clone(remote, tmp_path / "desk")
    commit_files(desk, {DAY: "one\n"})
    git(desk, "push", "-q", "origin", "main")
    return remote


# --- Making ---


def test_a_new_repository_is_on_main(tmp_path: Path) -> None:
    setup.init_repository(tmp_path / "a" / "cell")
    assert git(tmp_path / "a" / "cell", "symbolic-ref", "HEAD") == "refs/heads/main"


def test_a_repository_that_exists_keeps_its_branch(tmp_path: Path) -> None:
    setup.init_repository(tmp_path, "trunk")
    setup.init_repository(tmp_path)
    assert git(tmp_path, "symbolic-ref", "HEAD") == "refs/heads/trunk"


def test_a_server_has_no_files(tmp_path: Path) -> None:
    setup.init_repository(tmp_path / "server.git", bare=True)
    assert git(tmp_path / "server.git", "rev-parse", "--is-bare-repository") == "true"


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ErrUnwritable):
        setup.init_repository(tmp_path / "file" / "cell")


def test_a_hook_of_another_repository_does_not_lead_set_up_astray(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as hook:
        hook.setenv("GIT_DIR", str(tmp_path / "other"))
        hook.setenv("GIT_INDEX_FILE", str(tmp_path / "other/index"))
        setup.init_repository(tmp_path / "cell")
        assert setup.remotes(tmp_path / "cell") == {}
    assert (tmp_path / "cell/.git/HEAD").exists() and not (tmp_path / "other").exists()


def test_what_git_says_when_it_fails_is_a_named_error(tmp_path: Path) -> None:
    with pytest.raises(ErrGit):
        setup.worktrees(tmp_path)


# --- Cloning ---


def test_a_clone_has_the_remotes_default_branch_checked_out(filled: Path, tmp_path: Path) -> None:
    git(filled, "branch", "-m", "main", "trunk")
    git(filled, "symbolic-ref", "HEAD", "refs/heads/trunk")
    setup.clone_repository(str(filled), tmp_path / "lamp")
    assert git(tmp_path / "lamp", "symbolic-ref", "--short", "HEAD") == "trunk"
    assert (tmp_path / "lamp" / DAY).read_text() == "one\n"
    assert git(tmp_path / "lamp", "rev-parse", "--abbrev-ref", "@{upstream}") == "origin/trunk"


def test_a_clone_of_an_empty_remote_is_empty_and_on_the_remotes_branch(remote: Path, tmp_path: Path) -> None:
    git(remote, "symbolic-ref", "HEAD", "refs/heads/trunk")
    setup.clone_repository(f"file://{remote}", tmp_path / "lamp")
    assert git(tmp_path / "lamp", "symbolic-ref", "--short", "HEAD") == "trunk"
    assert setup.remotes(tmp_path / "lamp") == {"origin": f"file://{remote}"}


def test_a_remote_whose_head_names_no_branch_still_gives_its_memory(filled: Path, tmp_path: Path) -> None:
    git(filled, "symbolic-ref", "HEAD", "refs/heads/master")
    setup.clone_repository(str(filled), tmp_path / "lamp")
    assert git(tmp_path / "lamp", "symbolic-ref", "--short", "HEAD") == "main"
    assert (tmp_path / "lamp" / DAY).exists()


def test_where_no_branch_is_the_default_the_user_is_asked_to_choose(filled: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        git(filled, "branch", name, "main")
    git(filled, "branch", "-D", "main")
    with pytest.raises(ErrBranch):
        setup.clone_repository(str(filled), tmp_path / "lamp")


def test_a_clone_of_a_path_brings_nothing_that_the_remote_let_go(filled: Path, tmp_path: Path) -> None:
    purged = git(filled, "hash-object", "-w", "--stdin", input=b"purged, not yet pruned\n")
    setup.clone_repository(str(filled), tmp_path / "lamp")
    assert run_git(tmp_path / "lamp", "cat-file", "-e", purged, check=False).returncode != 0


def test_a_clone_to_a_relative_folder_lands_where_the_user_stands(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    setup.clone_repository("remote.git", Path("lamp"))
    assert (tmp_path / "lamp" / DAY).exists()
    assert setup.remotes(tmp_path / "lamp") == {"origin": str(filled)}


def test_a_clone_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(ErrRemoteMissing):
        setup.clone_repository(str(tmp_path / "gone"), tmp_path / "lamp")
    assert not (tmp_path / "lamp").exists()


def test_a_clone_touches_no_folder_that_holds_files(filled: Path, tmp_path: Path) -> None:
    (tmp_path / "lamp").mkdir()
    (tmp_path / "lamp" / "mine").write_text("x")
    with pytest.raises(ErrUnwritable):
        setup.clone_repository(str(filled), tmp_path / "lamp")
    assert [path.name for path in (tmp_path / "lamp").iterdir()] == ["mine"]


def test_a_clone_over_ssh_uses_the_users_own_ssh_and_asks_nothing(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text(
        f'#!/bin/sh\necho "$@" > {tmp_path}/asked\n'
        'case "$1" in -G) exit 0;; esac\nfor last; do :; done\nexec sh -c "$last"\n'
    )
    ssh.chmod(0o755)
    (tmp_path / "gitconfig").write_text(f"[core]\n\tsshCommand = {ssh} -4\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    setup.clone_repository(f"ana@example.invalid:{filled}", tmp_path / "lamp")
    assert (tmp_path / "lamp" / DAY).exists()
    assert (tmp_path / "asked").read_text().startswith("-4 -oBatchMode=yes")


def test_a_clone_takes_no_forbidden_address(tmp_path: Path) -> None:
    with pytest.raises(ErrTransport):
        setup.clone_repository(f"ext::touch {tmp_path}/pwned", tmp_path / "lamp")
    assert list(tmp_path.iterdir()) == []


# --- Arranging ---


def test_a_remote_is_added_and_later_moved(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "cell")
    setup.set_remote(root, "https://example.com/a.git")
    setup.set_remote(root, "git@example.com:b.git")
    setup.set_remote(root, "../stick", "backup")
    assert setup.remotes(root) == {
        "origin": "git@example.com:b.git",
        "backup": str(Path("../stick").absolute()),
    }
    assert git(root, "config", "remote.origin.fetch") == "+refs/heads/*:refs/remotes/origin/*"


def test_a_forbidden_address_is_not_kept(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "cell")
    with pytest.raises(ErrTransport):
        setup.set_remote(root, "http://example.com/a.git")
    assert setup.remotes(root) == {}


def test_a_tracking_branch_lets_plain_git_pull(filled: Path, tmp_path: Path) -> None:
    root = make_repo(tmp_path / "cell")
    setup.set_remote(root, str(filled))
    setup.track(root, "main")
    git(root, "pull", "-q")
    assert (root / DAY).exists()


def test_options_are_set_replaced_and_taken_away(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "cell")
    git(root, "config", "--add", "merge.union.driver", "one")
    git(root, "config", "--add", "merge.union.driver", "two")
    setup.set_options(root, {"merge.union.driver": "three 'with' %A", "x.gone": None})
    assert git(root, "config", "--get-all", "merge.union.driver") == "three 'with' %A"
    setup.set_options(root, {"merge.union.driver": None})
    assert run_git(root, "config", "merge.union.driver", check=False).returncode == 1


def test_every_worktree_is_listed_with_its_branch(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "cell")
    tip = commit_files(root, {DAY: "one\n"})
    git(root, "worktree", "add", "-q", str(tmp_path / "side tree"), "-b", "side")
    git(root, "worktree", "add", "-q", "--detach", str(tmp_path / "loose"))
    found = setup.worktrees(root)
    assert found[0] == setup.Worktree(root, tip, "main")
    assert {(tree.path.name, tree.branch, tree.head) for tree in found[1:]} == {
        ("side tree", "side", tip),
        ("loose", None, tip),
    }
    assert setup.worktrees(tmp_path / "loose") == found


def test_stashes_are_listed(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "cell")
    commit_files(root, {DAY: "one\n"})
    assert setup.stashes(root) == []
    (root / DAY).write_text("two\n")
    git(root, "stash", "-q")
    assert setup.stashes(root) == [head(root, "stash@{0}")]


# --- Trying a merge ---

BASE, OURS, THEIRS = b"- a\n", b"- a\n- ours\n", b"- a\n- theirs\n"
ATTRIBUTES = f"{ATTRIBUTES_LINE}\n".encode()


def test_a_trial_merge_shows_what_a_driver_makes_of_two_versions() -> None:
    driver = 'printf \'merged %s %s\\n\' "$(tail -n1 %A)" "$(tail -n1 %B)" > %A.new && mv %A.new %A'
    trial = setup.try_merge(
        DAY, BASE, OURS, THEIRS, attributes=ATTRIBUTES, options={"merge.union.driver": driver}
    )
    assert trial == setup.Trial(True, b"merged - ours - theirs\n")


def test_a_trial_merge_shows_what_git_does_alone() -> None:
    union = setup.try_merge(DAY, BASE, OURS, THEIRS, attributes=ATTRIBUTES, options={})
    assert union.clean and set(union.content.splitlines()) == {b"- a", b"- ours", b"- theirs"}
    plain = setup.try_merge(DAY, BASE, OURS, THEIRS, attributes=b"", options={})
    assert not plain.clean and b"<<<<<<<" in plain.content
