"""Starting the system's own programs, such as its scheduler: by list, without questions, with a limit."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from typing import NamedTuple

_SECONDS = 60


class Ran(NamedTuple):
    """What became of a program: its exit code (None: it could not be started or took too long), its words."""

    code: int | None
    words: str


def run_program(words: Sequence[str]) -> Ran:
    """Run a program and return what it said on both streams."""
    try:
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        return Ran(None, f"{words[0]} is not installed")
    except (OSError, subprocess.SubprocessError) as problem:
        return Ran(None, f"{words[0]}: {type(problem).__name__}")
    return Ran(done.returncode, done.stdout.decode("utf-8", "replace").strip())
