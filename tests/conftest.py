"""What every test stands on: a machine without settings, a clock that obeys, and real repositories."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.clock import FakeClock
from tests.support.needs import NEED_ALL
from tests.support.repos import commit_files, make_clone, make_remote, make_repo

# The same is tried on every run and machine; `pytest --hypothesis-profile=search` tries something new.
settings.register_profile("nutsync", deadline=None, print_blob=True, derandomize=True)
settings.register_profile("search", deadline=None, print_blob=True)
settings.load_profile("nutsync")

_STEERING = ("GIT_", "NUTSYNC_", "XDG_", "SSH_")
_OTHERS = {"EMAIL", "LANGUAGE", "PYTHONPATH"}

GLOBAL_CONFIG = """[user]
\tname = Ana
\temail = ana@example.org
[init]
\tdefaultBranch = main
[commit]
\tgpgSign = false
[gc]
\tauto = 0
[maintenance]
\tauto = false
"""


def pytest_configure(config: pytest.Config) -> None:
    """Cut even the collection of tests off from the settings of whoever starts it."""
    for name in [name for name in os.environ if name.startswith(("GIT_", "NUTSYNC_")) and name != NEED_ALL]:
        del os.environ[name]
    os.environ["GIT_CONFIG_NOSYSTEM"] = "1"
    os.environ["GIT_CONFIG_GLOBAL"] = os.devnull


def cut_off(home: Path, temporary: Path, patch: pytest.MonkeyPatch) -> None:
    """Let ``home`` be all that tests see of settings, and ``temporary`` the top of what Git looks into."""
    for name in list(os.environ):
        if name != NEED_ALL and (name.startswith(_STEERING) or name in _OTHERS):
            patch.delenv(name)
    (home / ".gitconfig").write_text(GLOBAL_CONFIG, encoding="utf-8")
    patch.setenv("HOME", str(home))
    patch.setenv("USERPROFILE", str(home))
    for name, folder in {
        "XDG_CONFIG_HOME": ".config",
        "XDG_DATA_HOME": ".local/share",
        "XDG_STATE_HOME": ".local/state",
        "XDG_CACHE_HOME": ".cache",
        "XDG_RUNTIME_DIR": ".run",
    }.items():
        patch.setenv(name, str(home / folder))
    patch.setenv("GIT_CONFIG_GLOBAL", str(home / ".gitconfig"))
    patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    patch.setenv("GIT_TERMINAL_PROMPT", "0")
    # A test must not find a repository above its own folder.
    patch.setenv("GIT_CEILING_DIRECTORIES", str(temporary))


@pytest.fixture(autouse=True, scope="session")
def isolated_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give what tests share, made before any of them has its own home, a home too: no setting reaches it."""
    home = tmp_path_factory.mktemp("run")
    with pytest.MonkeyPatch.context() as patch:
        cut_off(home, tmp_path_factory.getbasetemp(), patch)
        yield home


@pytest.fixture(autouse=True)
def isolated_machine(
    isolated_run: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Give the test a home of its own, so that no setting of this machine or of a hook can reach it."""
    home = tmp_path_factory.mktemp("home")
    cut_off(home, tmp_path_factory.getbasetemp(), monkeypatch)
    return home


@pytest.fixture
def clock() -> FakeClock:
    """Monday 2026-11-30, nine o'clock in Shanghai."""
    return FakeClock()


@pytest.fixture
def empty_repo(tmp_path: Path) -> Path:
    """A repository whose branch main has no commit yet."""
    return make_repo(tmp_path / "repo")


@pytest.fixture
def repo(empty_repo: Path) -> Path:
    """A repository with one commit that holds one file of the owner's, ``notes/todo.txt``."""
    commit_files(empty_repo, {"notes/todo.txt": "milk\n"}, "first")
    return empty_repo


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    """An empty bare repository to push to."""
    return make_remote(tmp_path / "remote.git")


@pytest.fixture
def clone_of(tmp_path: Path) -> Callable[[Path, str], Path]:
    """Make a clone: ``clone_of(remote, "desk")``."""

    def make(source: Path, name: str) -> Path:
        return make_clone(source, tmp_path / name)

    return make
