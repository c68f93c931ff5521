"""Making and arranging repositories: what happens once, and never on a hot path.

This is the only module that imports GitPython, and it imports it late: the import alone costs more
than an append. Everything goes through ``repo.git``, that is through the ``git`` program; GitPython's own
writers of index and refs skip the hooks that guard memory.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from nutsync.core.errors import ErrBranch, ErrGitMissing, ErrUnwritable, NutsyncError
from nutsync.store.repo.address import Transport, check_address, network_environment
from nutsync.store.repo.environment import scrubbed
from nutsync.store.repo.failures import named_failure
from nutsync.store.repo.git import Git
from nutsync.store.repo.refusals import remote_failure

if TYPE_CHECKING:
    from git import Git as GitProgram

DEFAULT_BRANCH = "main"
DEFAULT_REMOTE = "origin"

_environment = threading.Lock()


class _Said(NamedTuple):
    code: int
    out: str
    err: str


@contextmanager
def _program(directory: Path, extra: Mapping[str, str] | None = None) -> Iterator[GitProgram]:
    """Give GitPython's door to the ``git`` program in ``directory``, its environment scrubbed.

    GitPython can add to the environment of its children but not take away from it, so what a hook has
    set about another repository leaves ours for as long as the block lasts.
    """
    wanted = scrubbed(directory / ".git" / "nutsync", extra=extra)
    with _environment:
        foreign = {
            key: value for key, value in os.environ.items() if key.startswith("GIT_") and key not in wanted
        }
        for key in foreign:
            del os.environ[key]
        try:
            from git import Git as GitProgram

            program = GitProgram(directory)
            program.update_environment(
                **{key: value for key, value in wanted.items() if os.environ.get(key) != value}
            )
            yield program
        except ImportError as error:
            raise ErrGitMissing("GitPython finds no Git program.") from error
        finally:
            os.environ.update(foreign)


def _ask(directory: Path, *words: str, env: Mapping[str, str] | None = None) -> _Said:
    """Run ``git WORDS…`` in ``directory`` and return what it says, whatever its exit code."""
    with _program(directory, env) as program:
        from git.exc import GitCommandNotFound

        try:
            code, out, err = program.execute(
                ["git", *words],
                with_extended_output=True,
                with_exceptions=False,
                strip_newline_in_stdout=False,
            )
        except GitCommandNotFound as error:
            raise ErrGitMissing("Git is not installed.") from error
    return _Said(int(code), _text(out), _text(err))


def _text(said: object) -> str:
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)


def _call(directory: Path, *words: str) -> str:
    """Run ``git WORDS…`` and return its output; raises the named error of what went wrong."""
    said = _ask(directory, *words)
    if said.code:
        raise named_failure(words[0], said.code, said.err)
    return said.out


# --- Making repositories ----------------------------------------------------------------------------


def init_repository(directory: Path, branch: str = DEFAULT_BRANCH, *, bare: bool = False) -> None:
    """Make ``directory`` a Git repository on branch ``branch``; one that exists is left alone."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ErrUnwritable(f"{directory} cannot be made: {error.strerror}.") from error
    _call(directory, "init", "--quiet", f"--initial-branch={branch}", *(("--bare",) if bare else ()))


def clone_repository(address: str, directory: Path) -> None:
    """Clone ``address`` to ``directory`` and check its default branch out; of an empty one, an empty clone.

    What comes along is what the remote's branches and tags reach, also from a path on this machine: a
    copy of its files would bring what was purged there and not yet pruned. Where it fails, ``directory``
    is as it was. Raises the named errors of a remote, :class:`ErrUnwritable` where there are files in
    the way, and :class:`ErrBranch` where no branch can be taken for the default one.
    """
    transport = check_address(address)
    if directory.is_dir() and any(directory.iterdir()):
        raise ErrUnwritable(f"{directory} is not empty.", hint="Name a folder that does not exist yet.")
    target = os.fspath(directory.absolute())
    words = (
        "clone",
        "--quiet",
        "--no-local",
        "--no-recurse-submodules",
        "--",
        absolute_address(address),
        target,
    )
    settings = Git(Path.cwd(), directory / ".git")  # of the user's settings, which is all there is as yet
    said = _ask(Path.cwd(), *words, env=network_environment(transport, settings))
    if said.code:
        raise _clone_failure(said)
    if _ask(directory, "rev-parse", "--quiet", "--verify", "HEAD").code:
        _check_out_a_branch(directory)


def _clone_failure(said: _Said) -> NutsyncError:
    failure = remote_failure("clone", said.code, said.err)
    if "could not create" in said.err:
        return ErrUnwritable(failure.message)
    return failure


def _check_out_a_branch(directory: Path) -> None:
    """Check a branch out where the remote's HEAD names one that it does not have."""
    listed = _call(
        directory, "for-each-ref", "--format=%(refname:lstrip=3)", f"refs/remotes/{DEFAULT_REMOTE}"
    )
    branches = [name for name in listed.split() if name != "HEAD"]
    if not branches:
        return
    found = next((name for name in (DEFAULT_BRANCH, "master") if name in branches), None)
    if found is None and len(branches) > 1:
        raise ErrBranch(
            f"The remote has no default branch, but several others; they are now in {directory}.",
            hint="Check one out with `git switch`, then run `nutsync init` there.",
        )
    name = found or branches[0]
    _call(directory, "checkout", "--quiet", "-B", name, "--track", f"{DEFAULT_REMOTE}/{name}")


# --- Remotes and settings ---------------------------------------------------------------------------


def absolute_address(address: str) -> str:
    """Return ``address`` as it can be used from any folder: a relative path is made absolute."""
    if check_address(address) is not Transport.FILE or "://" in address:
        return address
    return os.fspath(Path(address).expanduser().absolute())


def remotes(directory: Path) -> dict[str, str]:
    """Return the addresses that are fetched from, by the remotes' names."""
    said = _ask(directory, "config", "--null", "--get-regexp", r"^remote\..*\.url$").out
    rows = [row.partition("\n") for row in said.split("\0") if row]
    return {key.removeprefix("remote.").removesuffix(".url"): address for key, _, address in reversed(rows)}


def set_remote(directory: Path, address: str, name: str = DEFAULT_REMOTE) -> None:
    """Make ``name`` a remote at ``address``, or move it there. Raises :class:`ErrTransport`."""
    check_address(address)
    verb = ("set-url",) if name in remotes(directory) else ("add",)
    _call(directory, "remote", *verb, "--", name, absolute_address(address))


def track(directory: Path, branch: str, remote: str = DEFAULT_REMOTE) -> None:
    """Make ``branch`` track the remote's branch of that name, so that plain Git agrees with `sync`."""
    set_options(
        directory, {f"branch.{branch}.remote": remote, f"branch.{branch}.merge": f"refs/heads/{branch}"}
    )


def set_options(directory: Path, options: Mapping[str, str | None]) -> None:
    """Set options of the repository's own Git config; None takes one away."""
    for key, value in options.items():
        if value is not None:
            _call(directory, "config", "--local", "--replace-all", key, value)
        elif _ask(directory, "config", "--local", "--get-all", key).code == 0:
            _call(directory, "config", "--local", "--unset-all", key)


# --- Worktrees and stashes --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Worktree:
    """One worktree of the repository; ``branch`` is None where its HEAD is on none."""

    path: Path
    head: str | None
    branch: str | None
    bare: bool = False


def worktrees(directory: Path) -> list[Worktree]:
    """Return every worktree of the repository that ``directory`` is in, the main one first."""
    found = []
    for block in _call(directory, "worktree", "list", "--porcelain").split("\n\n"):
        facts = dict(line.partition(" ")[::2] for line in block.splitlines())
        if "worktree" in facts:
            branch = facts.get("branch", "").removeprefix("refs/heads/") or None
            found.append(Worktree(Path(facts["worktree"]), facts.get("HEAD"), branch, "bare" in facts))
    return found


def stashes(directory: Path) -> list[str]:
    """Return the commit ids of the stashes, newest first; stashes keep old text alive."""
    return _call(directory, "stash", "list", "--format=%H").split()


# --- Trying a merge ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Trial:
    """How a merge of two versions of one file went: without conflict or not, and what came out."""

    clean: bool
    content: bytes


def try_merge(
    path: str, base: bytes, ours: bytes, theirs: bytes, *, attributes: bytes, options: Mapping[str, str]
) -> Trial:
    """Let ``git merge`` merge two versions of ``path`` in a repository made for it and thrown away.

    ``attributes`` is its ``.gitattributes`` and ``options`` its Git config: this is how one finds out
    whether a merge driver works on this machine.
    """
    with tempfile.TemporaryDirectory(prefix="nutsync-") as folder:
        root = Path(folder)
        init_repository(root)
        settings = {"user.name": "nutsync", "user.email": "nutsync@localhost", "commit.gpgSign": "false"}
        set_options(root, settings | {"core.hooksPath": os.devnull, "core.autocrlf": "false"} | dict(options))
        (root / ".gitattributes").write_bytes(attributes)
        _commit(root, path, base)
        _call(root, "branch", "theirs")
        _commit(root, path, ours)
        _call(root, "checkout", "--quiet", "theirs")
        _commit(root, path, theirs)
        _call(root, "checkout", "--quiet", DEFAULT_BRANCH)
        code = _ask(root, "merge", "--quiet", "--no-edit", "theirs").code
        return Trial(code == 0, (root / path).read_bytes())


def _commit(root: Path, path: str, content: bytes) -> None:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    _call(root, "add", "--all")
    _call(root, "commit", "--quiet", "--allow-empty", "--message", "trial")
