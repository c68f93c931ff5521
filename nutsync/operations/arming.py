"""Arming a clone: what makes it guard its memory also against plain Git (design §7).

Armed is a clone whose hooks run nutsync's shims and whose merge driver is nutsync's. In a repository that
holds nothing but the cell, plain commits are also signed with the device's key, as long as the user has no
signing of their own; in a repository that is shared with other things, Git has no setting that signs some
commits and not others, so plain commits there stay unsigned, and nutsync's own are signed as ever.
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from nutsync.core.cell import CELL_DIR
from nutsync.operations.armed import DRIVER_KEY, HOOKS_PATH
from nutsync.operations.hooks.files import (
    CLIENT_HOOKS,
    PASSED_ON,
    PASSED_ON_IF_THERE,
    own_folder,
    remove_beside,
    remove_own,
    start_line,
    write_beside,
    write_own,
)
from nutsync.operations.hooks.manifest import Manifest
from nutsync.store.repo.fitness import git_version
from nutsync.store.repo.git import Git
from nutsync.store.repo.keys import load_key
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.refs import resolve_ref
from nutsync.store.settings import memory_ref

_FALLBACK = "git merge-file --union %A %O %B"
_CONFIG_HOOKS = (2, 50)
"""No older Git runs hooks that its configuration names."""


def driver_command() -> str:
    """Return the merge driver: nutsync's, and Git's own union where that cannot run.

    The name ``union`` is Git's: a clone that never heard of nutsync uses its built-in driver.
    """
    start = start_line("nutsync.operations.driver", "run_driver", "(sys.argv[1:])")
    ours = shlex.join([sys.executable, "-I", "-S", "-c", start])
    return f"{ours} %O %A %B %P || {_FALLBACK}"


# --- Arming and disarming ---------------------------------------------------------------------------


def arm(git: Git) -> None:
    """Install hooks, merge driver and, in the cell's own repository, signing. Idempotent.

    Hooks of the user's are kept and run first; what was there before is noted, for :func:`disarm`.
    """
    manifest = Manifest.read(git)
    manifest.folder, manifest.before = _user_folder(git, manifest)
    names = (*CLIENT_HOOKS, *_passed_on(git, manifest.before))
    write_own(git, memory_ref(git), manifest.before, names)
    options = {"merge.union.name": "nutsync: entries by id, never a conflict", DRIVER_KEY: driver_command()}
    if manifest.before:
        options[HOOKS_PATH] = str(own_folder(git))
    else:
        write_beside(Path(manifest.folder), CLIENT_HOOKS)
    manifest.hooks = list(CLIENT_HOOKS)
    manifest.set_options(git, options | signing_options(git, manifest) | _config_hooks(git))
    manifest.write(git)


def disarm(git: Git) -> list[str]:
    """Undo :func:`arm`: put back exactly what was there; return the paths that had to stay."""
    manifest = Manifest.read(git)
    left: list[str] = []
    if manifest.folder and not manifest.before:
        left = remove_beside(Path(manifest.folder), tuple(manifest.hooks))
    manifest.undo_options(git)
    remove_own(git)
    return left


def _user_folder(git: Git, manifest: Manifest) -> tuple[str, str]:
    """Return the folder where the user's hooks are, and how `core.hooksPath` names it.

    The second is empty where it is the repository's own folder.
    """
    named = git.config(HOOKS_PATH)
    if named == str(own_folder(git)):
        named = manifest.before
    own = git.common_dir / "hooks"
    if named:
        named = str(Path(named).expanduser()) if named.startswith("~") else named
        return str(git.root / named), named
    if own.is_symlink():
        return str(own), str(own)
    return str(own), ""


def _passed_on(git: Git, before: str) -> tuple[str, ...]:
    """Return the other hooks that must be passed on from the user's own folder."""
    if not before:
        return ()
    there = [name for name in PASSED_ON_IF_THERE if os.access(git.root / before / name, os.X_OK)]
    return (*PASSED_ON, *there)


def _config_hooks(git: Git) -> dict[str, str]:
    """Return the settings by which a newer Git runs hooks wherever `core.hooksPath` points."""
    if git_version(git) < _CONFIG_HOOKS or git.run("hook", "list", "pre-commit", check=False).code > 1:
        return {}
    options = {}
    for name in CLIENT_HOOKS:
        shim = f'"$(git rev-parse --git-common-dir)/nutsync/hooks/{name}"'
        options[f"hook.nutsync-{name}.event"] = name
        options[f"hook.nutsync-{name}.command"] = f"NUTSYNC_ALONE=1 {shim}"
    return options


# --- Signing of plain commits -------------------------------------------------------------------------


def signing_options(git: Git, manifest: Manifest) -> dict[str, str]:
    """Return the settings that sign plain commits with the device's key; none where that is not for us to do.

    They are for the cell's own repository and a user without signing of their own, and for machines whose
    ``ssh-keygen`` can sign: without it Git would make no commit at all.
    """
    key = load_key(git.common_dir)
    if (
        key is None
        or not is_own_repository(git)
        or _signs_already(git, manifest)
        or not key.can_be_used_by_git()
    ):
        return {}
    return {"gpg.format": "ssh", "user.signingKey": str(key.path), "commit.gpgSign": "true"}


def _signs_already(git: Git, manifest: Manifest) -> bool:
    """Tell whether the user signs, by settings that are not ours."""
    if any(key not in manifest.options and git.config(key) for key in ("gpg.format", "user.signingKey")):
        return True
    return "commit.gpgSign" not in manifest.options and git.config_bool("commit.gpgSign")


def is_own_repository(git: Git) -> bool:
    """Tell whether the repository holds nothing but the cell, and what a repository says of itself."""
    tip = resolve_ref(git, memory_ref(git))
    if tip is None:
        return False
    top, _, cell = CELL_DIR.partition("/")
    with Objects(git) as objects:
        names = {name.partition(".")[0].lower() if name[0] != "." else name for name in objects.tree(tip)}
        entry = objects.entry(tip, top)
        inside = set(objects.tree(entry.oid)) if entry is not None and entry.is_tree else set()
    return names <= {top, ".gitattributes", ".gitignore", "readme", "license"} and inside == {cell}
