"""One clone, and the one way to run Git in it.

Git runs from a list, never through a shell, in an environment that holds no Git variable except
those that say how to reach the user's settings and remotes: a hook's ``GIT_DIR`` or
``GIT_INDEX_FILE`` would otherwise send our commands to another repository (measured).
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from nutsync.core.errors import (
    ErrBareRepository,
    ErrGitMissing,
    ErrGitTimeout,
    ErrNoRepository,
    ErrUnreadable,
)
from nutsync.store.files import read_if_there
from nutsync.store.repo.config import Values, canonical_key, has_includes, is_true, parse_config
from nutsync.store.repo.failures import named_failure

_KEPT = {
    *("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR"),
    *("GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_ASKPASS", "GIT_PROXY_COMMAND", "GIT_PROTOCOL"),
    *("GIT_ALLOW_PROTOCOL", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM"),
    *("GIT_DEFAULT_HASH", "GIT_DEFAULT_REF_FORMAT"),
}
_KEPT_PREFIXES = ("GIT_SSL_", "GIT_HTTP_", "GIT_PROXY_SSL_", "GIT_CURL_")

QUARANTINE = ("GIT_QUARANTINE_PATH", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES")
"""What a server's pre-receive hook must hand on, or the pushed objects are invisible."""


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
    Git variables to hand on from the environment (see :data:`QUARANTINE`).
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
            git_dir = _git_dir_of(folder)
            if git_dir is not None:
                return cls(folder, git_dir, _common_dir(git_dir))._as_configured()
            if _is_git_dir(folder):
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
        process = self._start(args, env, own_group=timeout is not None, feed=bool(input))
        try:
            out, err = process.communicate(input or None, timeout)
        except subprocess.TimeoutExpired as problem:
            raise ErrGitTimeout(f"git {_subcommand(args)} took longer than {timeout:g} s.") from problem
        finally:
            if process.returncode is None:
                _stop(process)
        result = Result(process.returncode, out, err.decode("utf-8", "replace"))
        if check and result.code:
            raise named_failure(_subcommand(args), result.code, result.err)
        return result

    def popen(self, *args: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Start ``git ARGS`` with pipes for its input and output; its messages are dropped."""
        return self._start(args, env, feed=True, quiet=True)

    def _start(
        self,
        args: Sequence[str],
        env: Mapping[str, str] | None,
        *,
        own_group: bool = False,
        feed: bool = True,
        quiet: bool = False,
    ) -> subprocess.Popen[bytes]:
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

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the environment that Git gets: scrubbed, without prompts, in plain English."""
        env = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("GIT_")
            or name in _KEPT
            or name.startswith(_KEPT_PREFIXES)
            or name in self.inherit
        }
        env["GIT_TERMINAL_PROMPT"] = "0"
        env["GIT_OPTIONAL_LOCKS"] = "0"
        env["GIT_LITERAL_PATHSPECS"] = "1"
        # Replacements and grafts would show a history that is not the one being proved. The
        # graft file does not exist on purpose: an existing one, even empty, makes Git print advice.
        env["GIT_NO_REPLACE_OBJECTS"] = "1"
        env["GIT_GRAFT_FILE"] = str(self.private_dir / "no-grafts")
        env["LC_ALL"] = "C"
        if extra:
            env.update(extra)
        return env

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
        if name in own and not has_includes(own) and "extensions.worktreeconfig" not in own:
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
            parsed = parse_config(read_if_there(self.common_dir / "config") or b"")
            # A file we cannot read is handed to Git, which says what is wrong with it.
            self._own_config = {"include.path": [""]} if parsed is None else parsed
        return self._own_config

    def _list_config(self) -> Values:
        values: Values = {}
        for item in self.run("config", "--list", "-z").out.decode("utf-8", "surrogateescape").split("\0"):
            key, newline, value = item.partition("\n")
            if key:
                values.setdefault(key, []).append(value if newline else "true")
        return values

    def extension(self, name: str, default: str) -> str:
        """Return what the clone's own file says under ``extensions.``; Git reads these nowhere else."""
        return self._read_own_config().get(f"extensions.{name}", [default])[-1].lower()

    @property
    def hash_name(self) -> str:
        """The repository's object format, ``sha1`` or ``sha256``."""
        return self.extension("objectformat", "sha1")

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


def _stop(process: subprocess.Popen[bytes]) -> None:
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


def _git_dir_of(folder: Path) -> Path | None:
    """Return the Git directory that ``folder/.git`` is or points to, or None."""
    dot = folder / ".git"
    if _is_git_dir(dot):
        return dot.resolve()
    if not dot.is_file():
        return None
    pointer = (read_if_there(dot) or b"").decode("utf-8", "surrogateescape").strip()
    if not pointer.startswith("gitdir:"):
        return None
    target = (folder / pointer.removeprefix("gitdir:").strip()).resolve()
    return target if _is_git_dir(target) else None


def _is_git_dir(folder: Path) -> bool:
    """Tell whether a folder is a Git directory: it has a HEAD, and objects and refs of its own or shared."""
    if not os.path.lexists(folder / "HEAD"):
        return False
    common = _common_dir(folder)
    return (common / "objects").is_dir() and (common / "refs").is_dir()


def _common_dir(git_dir: Path) -> Path:
    """Return the directory that linked worktrees share; the Git directory itself where nothing is linked."""
    pointer = read_if_there(git_dir / "commondir")
    if not pointer:
        return git_dir
    return (git_dir / pointer.decode("utf-8", "surrogateescape").strip()).resolve()
