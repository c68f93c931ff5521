"""Whether a clone is armed: what every command asks, so it reads a few files and loads next to nothing."""

from __future__ import annotations

import os
from pathlib import Path

from nutsync import __version__
from nutsync.operations.hooks.files import CLIENT_HOOKS, RUNNER, has_shim, own_folder, read_runner
from nutsync.operations.hooks.place import user_config
from nutsync.operations.problem import Problem
from nutsync.store.repo.git import Git
from nutsync.store.settings import memory_ref

DRIVER_KEY = "merge.union.driver"
HOOKS_PATH = "core.hooksPath"
_INSTALL = "`nutsync hooks install` arms this clone."


def is_armed(git: Git) -> bool:
    """Tell whether this clone's hooks and merge driver are nutsync's and can run."""
    return all(problem.severity == "notice" for problem in arming_problems(git))


def arming_problems(git: Git) -> list[Problem]:
    """Return what is wrong with this clone's hooks and driver. Reads a few files; rarely starts Git."""
    problems = []
    if "nutsync" not in (git.own_config(DRIVER_KEY) or ""):
        problems.append(Problem("driver-missing", "The merge driver is not nutsync's.", _INSTALL))
    runner = own_folder(git) / RUNNER
    said = read_runner(runner)
    if not said:
        return [*problems, Problem("hooks-missing", "nutsync's hooks are not installed.", _INSTALL)]
    if (
        not os.access(said.get("python", ""), os.X_OK)
        or not Path(said.get("package", ""), "nutsync").is_dir()
    ):
        message = f"The hooks start {said.get('python')}, which is gone or has no nutsync."
        problems.append(Problem("hooks-interpreter", message, _INSTALL, str(runner)))
    if said.get("memory") != memory_ref(git):
        message = f"The hooks guard {said.get('memory')}, and memory lives on {memory_ref(git)}."
        problems.append(Problem("hooks-branch", message, _INSTALL, str(runner)))
    if said.get("version") != __version__:
        message = "The hooks were installed by another version of nutsync."
        problems.append(Problem("hooks-stale", message, _INSTALL, str(runner), severity="notice"))
    return problems + _folder_problems(git)


def _folder_problems(git: Git) -> list[Problem]:
    named = _hooks_path(git)
    folder = own_folder(git) if named == str(own_folder(git)) else git.common_dir / "hooks"
    if named and folder != own_folder(git):
        message = f"core.hooksPath sends Git to {named}, where nutsync's hooks are not."
        return [Problem("hooks-elsewhere", message, _INSTALL, named)]
    absent = [name for name in CLIENT_HOOKS if not has_shim(folder, name)]
    if not absent:
        return []
    message = f"Not nutsync's or not executable in {folder}: {', '.join(absent)}."
    return [Problem("hooks-missing", message, _INSTALL, str(folder))]


def _hooks_path(git: Git) -> str | None:
    """Return `core.hooksPath` as it holds here; asks Git only where a file of the user's may set it."""
    return user_config(git, HOOKS_PATH, os.environ)
