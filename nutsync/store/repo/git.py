"""One clone, and the one way to run Git in it.

Git runs from a list of words, never through a shell, in a scrubbed environment.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from nutsync.core.errors import (
    ErrBareRepository,
    ErrGit,
    ErrGitMissing,
    ErrGitTimeout,
    ErrLocked,
    ErrNoRepository,
    ErrUnreadable,
)
from nutsync.store.files import read_if_there
from nutsync.store.repo.config import Values, canonical_key, has_includes, is_true, parse_config
from nutsync.store.repo.environment import scrubbed
from nutsync.store.repo.failures import named_failure
from nutsync.store.repo.places import common_dir_of, git_dir_of, is_git_dir

if TYPE_CHECKING:
    import subprocess

LOCK_PATIENCE = 3.0
"""How many seconds to wait for another Git that holds the index or a ref."""

_PAUSE = 0.02


class Result(NamedTuple):
    """What a Git process said."""

    code: int
    out: bytes
    err: str

    def text(self) -> str:
        """Return the output as text without the last newline."""
        return self.out.decode("utf-8", "surrogateescape").removesuffix("\n")


class Git:
    """One clone: its worktree's root, its Git directory, and the directory that linked worktrees share.

    Construction starts no process. For a bare repository all three paths are the same. ``inherit`` names
    Git variables to hand on from the environment (see ``environment.QUARANTINE``).
    """

    def __init__(
        self,
        root: Path,
        git_dir: Path,
        common_dir: Path | None = None,
        *,
        bare: bool = False,
        inherit: Sequence[str] = (),
    ) -> None:
        self.root = root
        self.git_dir = git_dir
        self.common_dir = git_dir if common_dir is None else common_dir
        self.bare = bare
        self.inherit = tuple(inherit)
        self._own_config: Values | None = None
        self._all_config: Values | None = None

    @classmethod
    def discover(cls, start: Path) -> Git:
        """Return the clone that ``start`` is in, as Git itself would find it.

        Needs no process unless the clone's configuration moves the worktree. Raises
        :class:`ErrNoRepository` where there is none and :class:`ErrBareRepository` in a bare one or
        inside a Git directory.
        """
        place = start.resolve()
        for folder in (place, *place.parents):
            git_dir = git_dir_of(folder)
            if git_dir is not None:
                return cls(folder, git_dir, common_dir_of(git_dir))._as_configured()
            if is_git_dir(folder):
                raise ErrBareRepository(
                    f"{folder} is a Git directory without files.",
                    hint="Make a clone with files: `nutsync clone URL`.",
                )
        raise ErrNoRepository(f"{start} is in no Git repository.")

    @classmethod
    def of_bare(cls, git_dir: Path, inherit: Sequence[str] = ()) -> Git:
        """Return a bare repository, such as the one a server hook runs in."""
        folder = git_dir.resolve()
        return cls(folder, folder, bare=True, inherit=inherit)

    def _as_configured(self) -> Git:
        """Ask Git where the files are when the configuration moves them; else return self."""
        if self.git_dir != self.common_dir:
            return self  # a linked worktree obeys neither core.bare nor core.worktree
        own = self._read_own_config()
        if "core.worktree" not in own and not has_includes(own):
            if is_true(own.get("core.bare", ["false"])[-1]):
                raise ErrBareRepository(
                    f"{self.root} is a bare repository.", hint="Make a clone with files: `nutsync clone URL`."
                )
            return self
        found = self.run("rev-parse", "--show-toplevel", check=False)
        if found.code:
            raise ErrBareRepository(
                f"Git finds no worktree at {self.root}.", hint="See core.bare and core.worktree."
            )
        self.root = Path(found.text())
        return self

    @property
    def private_dir(self) -> Path:
        """Where nutsync keeps what belongs to this clone alone (design §3)."""
        return self.common_dir / "nutsync"

    @property
    def is_linked(self) -> bool:
        """Whether this is a linked worktree of another clone."""
        return self.git_dir != self.common_dir

    # --- running -------------------------------------------------------------------------------

    def run(
        self,
        *args: str,
        input: bytes = b"",
        check: bool = True,
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> Result:
        """Run ``git ARGS`` at the root and return what it said.

        Raises a named error where Git fails and ``check`` is on, :class:`ErrGitMissing` where there is no
        Git, and :class:`ErrGitTimeout` after ``timeout`` seconds; everything it started is then stopped.
        """
        from subprocess import TimeoutExpired

        process = self.start(args, env, own_group=timeout is not None, feed=bool(input))
        try:
            out, err = process.communicate(input or None, timeout)
        except TimeoutExpired as problem:
            raise ErrGitTimeout(f"git {_subcommand(args)} took longer than {timeout:g} s.") from problem
        finally:
            if process.returncode is None:
                stop_process(process)
        result = Result(process.returncode, out, err.decode("utf-8", "replace"))
        if check and result.code:
            raise named_failure(_subcommand(args), result.code, result.err)
        return result

    def run_patiently(self, *args: str, input: bytes = b"") -> Result:
        """Run ``git ARGS`` as :meth:`run` does, waiting a little for another Git that holds a lock file."""
        deadline = time.monotonic() + LOCK_PATIENCE
        while True:
            try:
                return self.run(*args, input=input)
            except ErrLocked:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(_PAUSE)

    def popen(self, *args: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Start ``git ARGS`` with pipes for its input and output; its messages are dropped."""
        return self.start(args, env, feed=True, quiet=True)

    def start(
        self,
        args: Sequence[str],
        env: Mapping[str, str] | None,
        *,
        own_group: bool = False,
        feed: bool = True,
        quiet: bool = False,
    ) -> subprocess.Popen[bytes]:
        """Start ``git ARGS``; with ``own_group``, :func:`stop_process` ends all that it starts as well."""
        import subprocess  # here, since what only reads files starts no process

        try:
            return subprocess.Popen(
                [git_binary(), *args],
                cwd=self.root,
                env=self.environment(env),
                stdin=subprocess.PIPE if feed else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL if quiet else subprocess.PIPE,
                start_new_session=own_group and os.name != "nt",
            )
        except (FileNotFoundError, NotADirectoryError) as problem:
            if not self.root.is_dir():
                raise ErrUnreadable(f"{self.root} is gone.") from problem
            raise missing_git() from problem
        except PermissionError as problem:
            raise ErrUnreadable(f"Git cannot be started in {self.root}: {problem.strerror}.") from problem
        except OSError as problem:  # no memory, too many processes or open files
            raise ErrGit(
                f"Git cannot be started: {problem.strerror}.", hint="Close other programs, then repeat."
            ) from problem

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the environment that Git gets: scrubbed, without prompts, in plain English."""
        # Safe settings (safe.bareRepository) let Git use a bare repository only when it is named.
        named = {"GIT_DIR": str(self.git_dir)} if self.bare else {}
        return scrubbed(self.private_dir, self.inherit, {**named, **(extra or {})})

    # --- configuration -------------------------------------------------------------------------

    def config(self, key: str) -> str | None:
        """Return the value that holds for ``key``, or None."""
        values = self.config_all(key)
        return values[-1] if values else None

    def config_all(self, key: str) -> list[str]:
        """Return every value of ``key``, the one that holds last.

        What the clone's own file says is read without a process, and then the user's and the system's
        values of the same key are not looked up: they would be overruled.
        """
        name = canonical_key(key)
        own = self._read_own_config()
        if name in own and not has_includes(own):
            return own[name]
        if self._all_config is None:
            self._all_config = self._list_config()
        return self._all_config.get(name, [])

    def config_bool(self, key: str) -> bool:
        """Tell whether ``key`` is set to something Git takes for true."""
        value = self.config(key)
        return value is not None and is_true(value)

    def set_config(self, key: str, value: str | None) -> None:
        """Set or unset ``key`` in the clone's own configuration."""
        if value is None:
            self.run("config", "--local", "--unset-all", key, check=False)
        else:
            self.run("config", "--local", "--replace-all", key, value)
        self._own_config = self._all_config = None

    def _read_own_config(self) -> Values:
        if self._own_config is None:
            own = self._parse(self.common_dir / "config")
            if is_true(own.get("extensions.worktreeconfig", ["false"])[-1]):
                for key, values in self._parse(self.git_dir / "config.worktree").items():
                    own.setdefault(key, []).extend(values)
            self._own_config = own
        return self._own_config

    @staticmethod
    def _parse(path: Path) -> Values:
        parsed = parse_config(read_if_there(path) or b"")
        # What we cannot parse is left to Git, which says what is wrong with it.
        return {"include.path": [str(path)]} if parsed is None else parsed

    def _list_config(self) -> Values:
        values: Values = {}
        for item in self.run("config", "--list", "-z").out.decode("utf-8", "surrogateescape").split("\0"):
            key, newline, value = item.partition("\n")
            if key:
                values.setdefault(key, []).append(value if newline else "true")
        return values

    def own_config(self, key: str) -> str | None:
        """Return what the clone's own file says, and nothing else: never starts a process.

        For what Git reads or writes nowhere else, such as ``extensions.*``.
        """
        values = self._read_own_config().get(canonical_key(key))
        return values[-1] if values else None

    @property
    def hash_name(self) -> str:
        """The repository's object format, ``sha1`` or ``sha256``."""
        return (self.own_config("extensions.objectFormat") or "sha1").lower()

    @property
    def zero(self) -> str:
        """The object id of nothing."""
        return "0" * (64 if self.hash_name == "sha256" else 40)


def git_binary() -> str:
    """Return what to start Git with. On Windows an absolute path: there, the present folder comes first."""
    if os.name != "nt":
        return "git"
    import shutil

    found = shutil.which("git", path=os.environ.get("PATH", ""))
    if found is None or not Path(found).is_absolute():
        raise missing_git()
    return found


def missing_git() -> ErrGitMissing:
    """Return the error that says Git is not installed."""
    return ErrGitMissing("Git was not found.", hint="Install Git 2.34 or newer and put it on the PATH.")


def stop_process(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and, where it has a group of its own, all it started (ssh would hold our pipes)."""
    if os.name != "nt":
        import signal

        try:
            if os.getpgid(process.pid) == process.pid:
                os.killpg(process.pid, signal.SIGKILL)
        except OSError:
            pass
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def _subcommand(args: Sequence[str]) -> str:
    """Return the name of the Git command in a list of arguments."""
    rest = iter(args)
    for word in rest:
        if word in {"-c", "-C"}:
            next(rest, None)
        elif not word.startswith("-"):
            return word
    return ""
