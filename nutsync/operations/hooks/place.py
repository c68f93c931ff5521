"""Where a hook runs: the repository and index that Git means, told from the environment it gives."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from nutsync.core.errors import ErrNoRepository
from nutsync.store.files import read_if_there
from nutsync.store.repo.environment import QUARANTINE
from nutsync.store.repo.git import Git
from nutsync.store.repo.places import common_dir_of, git_dir_of

_USER_FILES = ("/etc/gitconfig",)


def git_of_hook(environ: Mapping[str, str]) -> Git:
    """Return the repository that runs this hook, addressed by its Git directory; it has no worktree here.

    On a server the pushed objects wait in quarantine, and are seen.
    """
    given = environ.get("GIT_DIR")
    git_dir = Path(given).resolve() if given else git_dir_of(Path.cwd())
    if git_dir is None:
        raise ErrNoRepository(f"{Path.cwd()} is no repository's root.")
    inherit = QUARANTINE if environ.get("GIT_QUARANTINE_PATH") else ()
    return Git(git_dir, git_dir, common_dir_of(git_dir), bare=True, inherit=inherit)


def index_of_hook(git: Git, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variable that names the index which Git is about to commit: not always the usual one."""
    given = environ.get("GIT_INDEX_FILE")
    path = Path(given).absolute() if given else git.git_dir / "index"
    return {"GIT_INDEX_FILE": os.fspath(path)}


def user_config(git: Git, key: str, environ: Mapping[str, str]) -> str | None:
    """Return the value of ``key``, starting Git only where one of the user's files may set it."""
    own = git.own_config(key)
    if own is not None:
        return own
    name = key.rpartition(".")[2].lower().encode()
    for path in (*user_config_files(environ), git.common_dir / "config"):
        content = (read_if_there(path) or b"").lower()
        if name in content or b"[include" in content:
            return git.config(key)
    return None


def user_config_files(environ: Mapping[str, str]) -> list[Path]:
    """Return the user's and the system's configuration files, where they usually are."""
    system = [] if environ.get("GIT_CONFIG_NOSYSTEM") else [Path("/etc/gitconfig")]
    if "GIT_CONFIG_GLOBAL" in environ:
        return [Path(environ["GIT_CONFIG_GLOBAL"]), *system]
    home = Path(environ.get("HOME") or Path.home())
    xdg = environ.get("XDG_CONFIG_HOME") or home / ".config"
    return [home / ".gitconfig", Path(xdg, "git", "config"), *system]
