"""What a test needs of this machine: where it is missing the test is skipped and says so.

Where ``NUTSYNC_TESTS_NEED_ALL`` is 1, as in `.ci/run`, a missing program is a failure instead: what was
never run was never proved.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

NEED_ALL = "NUTSYNC_TESTS_NEED_ALL"


def missing(what: str) -> NoReturn:
    """End the test: skipped, or failed where everything has to be there."""
    if os.environ.get(NEED_ALL) == "1":
        pytest.fail(f"{what}, and {NEED_ALL} is 1")
    pytest.skip(what)


def need_program(name: str) -> str:
    """Return the full path of a program."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin:/usr/local/sbin")
    return found or missing(f"{name} is not installed")


def need_git_program(name: str) -> str:
    """Return the full path of one of Git's own programs, such as ``git-http-backend``."""
    folder = subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=True).stdout.strip()
    path = Path(folder) / name
    if not path.is_file():
        missing(f"{name} is not installed")
    return str(path)
