"""Real repositories for tests, made and read with the git program alone, never with the code under test."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

MONDAY = "2026-11-30T09:00:00+08:00"
"""When commits of tests are made unless they say otherwise."""


def run_git(
    root: Path,
    *args: str,
    input: bytes | None = None,
    env: Mapping[str, str] | None = None,
    check: bool = True,
) -> subprocess.CompletedProcess[bytes]:
    """Run git at ``root``; a failure shows what git said."""
    done = subprocess.run(
        ["git", *args],
        cwd=root,
        input=input,
        stdin=subprocess.DEVNULL if input is None else None,
        capture_output=True,
        env={**os.environ, **(env or {})},
        check=False,
    )
    if check and done.returncode:
        raise AssertionError(
            f"git {' '.join(args)}: {done.returncode}\n{done.stderr.decode(errors='replace')}"
        )
    return done


def git(root: Path, *args: str, input: bytes | None = None, env: Mapping[str, str] | None = None) -> str:
    """Run git at ``root`` and return its output as text, without the last newline."""
    return (
        run_git(root, *args, input=input, env=env)
        .stdout.decode("utf-8", "surrogateescape")
        .removesuffix("\n")
    )


def make_repo(root: Path, *options: str) -> Path:
    """Make an empty repository with the branch ``main``."""
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "-q", "-b", "main", *options)
    return root


def make_remote(root: Path, *options: str) -> Path:
    """Make an empty bare repository with the branch ``main``."""
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "-q", "--bare", "-b", "main", *options)
    return root


def make_clone(remote: Path | str, root: Path, *options: str) -> Path:
    """Clone ``remote`` (a folder, or any URL that git clone takes) into ``root``."""
    root.parent.mkdir(parents=True, exist_ok=True)
    git(root.parent, "clone", "-q", *options, str(remote), str(root))
    return root


def write(root: Path, path: str, content: str | bytes) -> Path:
    """Write a file of the worktree, folders included."""
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content.encode() if isinstance(content, str) else content)
    return target


def commit_files(
    root: Path, files: Mapping[str, str | bytes | None], message: str = "a change", when: str = MONDAY
) -> str:
    """Write (or with None remove) files, commit just them with plain git, and return the commit's id."""
    for path, content in files.items():
        if content is None:
            git(root, "rm", "-q", "--", path)
        else:
            write(root, path, content)
            git(root, "add", "-f", "--", path)
    dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    git(root, "commit", "-q", "--allow-empty", "-m", message, env=dates)
    return head(root)


def head(root: Path, ref: str = "HEAD") -> str:
    """Return the commit id that a ref names."""
    return git(root, "rev-parse", "--verify", ref)


def show(root: Path, spec: str) -> bytes:
    """Return the content of an object, such as ``HEAD:path``, byte for byte."""
    return run_git(root, "cat-file", "-p", spec).stdout


def is_sound(root: Path) -> bool:
    """Tell whether ``git fsck`` finds nothing wrong; dangling objects are nothing wrong."""
    done = run_git(root, "fsck", "--strict", "--no-dangling", check=False)
    return done.returncode == 0 and not done.stdout.strip()
