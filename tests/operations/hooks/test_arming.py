"""Arming a clone, and taking the arms out again: nothing of the user's is lost on the way."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from nutsync.operations.armed import arming_problems, is_armed
from nutsync.operations.arming import arm, disarm
from nutsync.operations.hooks.files import CLIENT_HOOKS, RUNNER
from nutsync.store.repo.git import Git
from tests.support.cells import Desk, make_desk
from tests.support.repos import commit_files, git, make_repo, run_git, write


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return make_desk(tmp_path / "cell")


def hook(path: Path, text: str) -> Path:
    """Write an executable hook of the user's."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file of a folder with its mode and content."""
    return {p.name: (p.stat().st_mode, p.read_bytes()) for p in folder.iterdir() if p.is_file()}


def codes(clone: Git) -> list[str]:
    return [problem.code for problem in arming_problems(clone)]


def test_a_new_cell_is_armed_and_arming_again_changes_nothing(desk: Desk) -> None:
    folder = desk.root / ".git/hooks"
    before, config = snapshot(folder), (desk.root / ".git/config").read_bytes()
    assert set(CLIENT_HOOKS) <= set(before)
    assert is_armed(desk.cell.git)
    arm(desk.cell.git)
    assert snapshot(folder) == before
    assert (desk.root / ".git/config").read_bytes() == config


def test_uninstall_puts_back_exactly_what_was_there(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "repo")
    commit_files(root, {"code.py": "pass\n"})
    hook(root / ".git/hooks/pre-commit", "exit 0")
    (root / ".git/hooks/commit-msg").write_text("not executable, so Git leaves it alone\n")
    (root / ".git/hooks/post-merge").symlink_to("pre-commit")
    git(root, "config", "merge.union.driver", "my-driver %A")
    git(root, "config", "--add", "merge.union.driver", "my-other-driver %A")
    desk = make_desk(root)
    disarm(desk.cell.git)
    before, config = snapshot(root / ".git/hooks"), (root / ".git/config").read_bytes()
    assert (root / ".git/hooks/post-merge").is_symlink()
    arm(desk.cell.git)
    assert is_armed(desk.cell.git)
    assert disarm(desk.cell.git) == []
    assert snapshot(root / ".git/hooks") == before
    assert (root / ".git/config").read_bytes() == config
    assert not (root / ".git/nutsync/hooks").exists()
    assert codes(desk.cell.git) == ["driver-missing", "hooks-missing"]


def test_a_hook_of_the_users_runs_first_and_its_no_holds(desk: Desk, tmp_path: Path) -> None:
    disarm(desk.cell.git)
    said = tmp_path / "said"
    hook(desk.root / ".git/hooks/pre-commit", f"echo mine >>{said}; exit $(cat {tmp_path}/code)")
    hook(desk.root / ".git/hooks/reference-transaction", f'(echo "$1"; cat) >>{said}.moves')
    hook(desk.root / ".git/hooks/pre-push", f"cat >>{said}.push")
    arm(desk.cell.git)
    (tmp_path / "code").write_text("3")
    write(desk.root, "notes.txt", "x\n")
    git(desk.root, "add", "notes.txt")
    assert run_git(desk.root, "commit", "-m", "x", check=False).returncode == 1
    (tmp_path / "code").write_text("0")
    git(desk.root, "commit", "-q", "-m", "x")
    assert said.read_text() == "mine\nmine\n"
    moves = Path(f"{said}.moves").read_text()
    assert "prepared\n" in moves and "committed\n" in moves and "refs/heads/main" in moves
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "remote.git")
    git(desk.root, "push", "-q", str(tmp_path / "remote.git"), "main")
    assert "refs/heads/main" in Path(f"{said}.push").read_text()


def test_hooks_in_another_folder_are_untouched_and_run_first(tmp_path: Path) -> None:
    """husky and its kind point core.hooksPath at a folder in the worktree."""
    root = make_repo(tmp_path / "repo")
    said = tmp_path / "said"
    hook(root / ".husky/pre-commit", f"echo husky >>{said}")
    hook(root / ".husky/post-commit", f"echo after >>{said}")
    git(root, "config", "core.hooksPath", ".husky")
    before = snapshot(root / ".husky")
    desk = make_desk(root)
    assert is_armed(desk.cell.git)
    write(desk.root, "notes.txt", "x\n")
    git(root, "add", "notes.txt")
    git(root, "commit", "-q", "-m", "x")
    assert said.read_text() == "husky\nafter\n"
    assert run_git(root, "reset", "--soft", "HEAD~2", check=False).returncode != 0
    assert snapshot(root / ".husky") == before
    git(root, "config", "core.hooksPath", ".husky")  # as husky does whenever it is installed anew
    assert codes(Git.discover(root)) == ["hooks-elsewhere"]
    arm(Git.discover(root))
    assert is_armed(Git.discover(root))
    disarm(Git.discover(root))
    assert git(root, "config", "core.hooksPath") == ".husky"


def test_a_hooks_path_of_the_whole_machine_does_not_disarm(tmp_path: Path, isolated_machine: Path) -> None:
    desk = make_desk(tmp_path / "cell")
    said = tmp_path / "said"
    hook(tmp_path / "everywhere/pre-commit", f"echo everywhere >>{said}")
    git(tmp_path, "config", "--global", "core.hooksPath", str(tmp_path / "everywhere"))
    assert codes(Git.discover(desk.root)) == ["hooks-elsewhere"]
    arm(Git.discover(desk.root))
    assert is_armed(Git.discover(desk.root))
    write(desk.root, "notes.txt", "x\n")
    git(desk.root, "add", "notes.txt")
    git(desk.root, "commit", "-q", "-m", "x")
    assert said.read_text() == "everywhere\n"
    disarm(Git.discover(desk.root))
    assert run_git(desk.root, "config", "--local", "core.hooksPath", check=False).returncode == 1


def test_a_linked_worktree_is_guarded_by_the_same_hooks(desk: Desk, tmp_path: Path) -> None:
    git(desk.root, "switch", "-q", "-c", "elsewhere")
    linked = tmp_path / "linked"
    git(desk.root, "worktree", "add", "-q", str(linked), "main")
    assert is_armed(Git.discover(linked))
    git(linked, "rm", "-q", ".agents/nutstore-sync/cell.toml")
    done = run_git(linked, "commit", "-m", "x", check=False)
    assert done.returncode == 1 and b"cell-removed" in done.stderr
    done = run_git(linked, "commit", "--no-verify", "-m", "x", check=False)
    assert done.returncode != 0 and b"cell-removed" in done.stderr


def test_without_its_interpreter_memory_stays_shut_and_the_rest_open(desk: Desk) -> None:
    runner = desk.root / ".git/nutsync/hooks" / RUNNER
    runner.write_text(runner.read_text().replace(sys.executable, "/nowhere/python"))
    write(desk.root, "notes.txt", "x\n")
    git(desk.root, "add", "notes.txt")
    git(desk.root, "commit", "-q", "-m", "outside the cell")
    git(desk.root, "rm", "-q", ".agents/nutstore-sync/cell.toml")
    for way in (["commit", "-m", "x"], ["commit", "--no-verify", "-m", "x"]):
        done = run_git(desk.root, *way, check=False)
        assert done.returncode != 0
        assert b"the program that guards memory here is gone" in done.stderr
        assert b"nutsync hooks install" in done.stderr
    assert codes(Git.discover(desk.root)) == ["hooks-interpreter"]


def test_a_shim_that_lost_its_execute_bit_is_noticed_and_mended(desk: Desk) -> None:
    gate = desk.root / ".git/hooks/reference-transaction"
    gate.chmod(0o644)
    assert codes(desk.cell.git) == ["hooks-missing"]
    arm(desk.cell.git)
    assert is_armed(desk.cell.git)
    assert not (desk.root / ".git/hooks/reference-transaction.before-nutsync").exists()


def test_a_framework_that_steps_in_front_keeps_the_shim_working(desk: Desk) -> None:
    """The pre-commit framework moves the hook it finds to NAME.legacy and runs it."""
    shim = desk.root / ".git/hooks/pre-commit"
    shim.rename(shim.with_name("pre-commit.legacy"))
    hook(shim, 'exec "${0}.legacy" "$@"')
    assert is_armed(desk.cell.git)
    arm(desk.cell.git)
    assert shim.read_text().startswith("#!/bin/sh\nexec")
    git(desk.root, "rm", "-q", ".agents/nutstore-sync/cell.toml")
    done = run_git(desk.root, "commit", "-m", "x", check=False)
    assert done.returncode == 1 and b"cell-removed" in done.stderr


def test_plain_commits_are_signed_in_the_cells_own_repository_alone(tmp_path: Path) -> None:
    own = make_desk(tmp_path / "own")
    own.append("milk")
    assert own.cell.git.config("user.signingKey") == str(own.root / ".git/nutsync/device-key")
    write(own.root, "README.md", "x\n")
    git(own.root, "add", "README.md")
    git(own.root, "commit", "-q", "-m", "x")
    assert "gpgsig -----BEGIN SSH SIGNATURE-----" in git(own.root, "cat-file", "commit", "HEAD")
    shared = make_repo(tmp_path / "shared")
    commit_files(shared, {"code.py": "pass\n"})
    assert make_desk(shared).cell.git.config("user.signingKey") is None


def test_a_user_who_signs_keeps_signing_as_before(tmp_path: Path) -> None:
    git(tmp_path, "config", "--global", "user.signingKey", "0123456789ABCDEF")
    desk = make_desk(tmp_path / "cell")
    assert desk.cell.git.config("user.signingKey") == "0123456789ABCDEF"
    assert desk.cell.git.config("gpg.format") is None


def test_signing_ends_where_a_repository_comes_to_hold_other_things(desk: Desk) -> None:
    commit_files(desk.root, {"code.py": "pass\n"})
    clone = Git.discover(desk.root)
    arm(clone)
    assert clone.config("user.signingKey") is None and clone.config("gpg.format") is None


def test_a_branch_that_got_another_name_is_noticed(desk: Desk) -> None:
    git(desk.root, "config", "nutsync.branch", "memory")
    assert codes(Git.discover(desk.root)) == ["hooks-branch"]


def test_every_hook_of_ours_is_a_shim_of_three_lines(desk: Desk) -> None:
    for name in CLIENT_HOOKS:
        path = desk.root / ".git/hooks" / name
        assert len(path.read_text().splitlines()) == 3
        assert os.access(path, os.X_OK)
