"""Making and arranging repositories: what happens once, and never on a hot path.

This is the only module that imports GitPython, and it imports it late: the import alone costs more
than an append. Everything goes through ``repo.git``, that is through the ``git`` program; GitPython's own
writers of index and refs skip the hooks that guard memory.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from nutsync.core.errors import ErrGit, ErrGitMissing

if TYPE_CHECKING:
    from git import Git as GitProgram

DEFAULT_BRANCH = "main"

_FOREIGN = (
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_EXEC_PATH",
)
"""What a person may set about Git at large; everything else called ``GIT_…`` speaks of one repository."""

_environment = threading.Lock()


@contextmanager
def _program(directory: Path) -> Iterator[GitProgram]:
    """Give GitPython's door to the ``git`` program in ``directory``, its environment scrubbed.

    GitPython can add to the environment of its children but not take away from it, so what a hook has
    set about another repository leaves ours for as long as the block lasts.
    """
    with _environment:
        foreign = {
            key: value for key, value in os.environ.items() if key.startswith("GIT_") and key not in _FOREIGN
        }
        for key in foreign:
            del os.environ[key]
        try:
            yield _import_program(directory)
        finally:
            os.environ.update(foreign)


def _import_program(directory: Path) -> GitProgram:
    try:
        from git import Git as GitProgram
    except ImportError as error:
        raise ErrGitMissing("GitPython finds no Git program.") from error
    program = GitProgram(directory)
    program.update_environment(GIT_TERMINAL_PROMPT="0", GIT_OPTIONAL_LOCKS="0", LC_ALL="C")
    return program


def _call(directory: Path, *words: str) -> str:
    """Run ``git WORDS…`` in ``directory`` and return what it says; raises :class:`ErrGit`."""
    from git.exc import GitCommandError, GitCommandNotFound

    with _program(directory) as program:
        try:
            return str(program.execute(["git", *words]))
        except GitCommandNotFound as error:
            raise ErrGitMissing("Git is not installed.") from error
        except GitCommandError as error:
            raise ErrGit(f"git {words[0]} failed with exit code {error.status}.") from error


def init_repository(directory: Path, branch: str = DEFAULT_BRANCH) -> None:
    """Make ``directory`` a Git repository on branch ``branch``; one that exists is left alone."""
    directory.mkdir(parents=True, exist_ok=True)
    _call(directory, "init", "--quiet", f"--initial-branch={branch}")
