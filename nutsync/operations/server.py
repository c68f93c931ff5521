"""Arming a bare repository: it then judges what is pushed to it, whoever pushes (design §7)."""

from __future__ import annotations

import os
from pathlib import Path

from nutsync.operations.armed import HOOKS_PATH
from nutsync.operations.hooks.files import (
    RUNNER,
    SERVER_HOOKS,
    has_shim,
    own_folder,
    read_runner,
    write_beside,
    write_own,
)
from nutsync.operations.hooks.manifest import Manifest
from nutsync.operations.problem import Problem
from nutsync.store.repo.git import Git
from nutsync.store.repo.refs import HEADS, branch_ref
from nutsync.store.settings import memory_ref

_INSTALL = "`nutsync hooks install --server` arms it."


def arm_server(git: Git, branch: str | None = None) -> None:
    """Install the server's hooks. ``branch`` is the memory branch; the one that HEAD names by default."""
    manifest = Manifest.read(git)
    if branch is not None:
        git.set_config("nutsync.branch", branch_ref(branch).removeprefix(HEADS))
    manifest.folder, manifest.before = str(git.common_dir / "hooks"), ""
    write_own(git, memory_ref(git), "", SERVER_HOOKS)
    write_beside(Path(manifest.folder), SERVER_HOOKS)
    manifest.hooks = list(SERVER_HOOKS)
    # A path that the server's administrator set for all repositories would pass these hooks by.
    manifest.set_options(git, {HOOKS_PATH: manifest.folder} if git.config(HOOKS_PATH) else {})
    manifest.write(git)


def server_problems(git: Git) -> list[Problem]:
    """Return what is wrong with a bare repository's hooks."""
    said = read_runner(own_folder(git) / RUNNER)
    if not said:
        return [Problem("hooks-missing", "nutsync's hooks are not installed here.", _INSTALL)]
    problems = []
    if (
        not os.access(said.get("python", ""), os.X_OK)
        or not Path(said.get("package", ""), "nutsync").is_dir()
    ):
        message = f"The hooks start {said.get('python')}, which is gone or has no nutsync."
        problems.append(Problem("hooks-interpreter", message, _INSTALL))
    named = git.config(HOOKS_PATH)
    folder = git.common_dir / "hooks"
    if named and Path(named) != folder:
        problems.append(Problem("hooks-elsewhere", f"core.hooksPath sends Git to {named}.", _INSTALL, named))
    absent = [name for name in SERVER_HOOKS if not has_shim(folder, name)]
    if absent:
        problems.append(
            Problem("hooks-missing", f"Not nutsync's: {', '.join(absent)}.", _INSTALL, str(folder))
        )
    return problems
