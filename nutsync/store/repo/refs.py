"""Refs, read from Git's own files where that is possible.

A ref is a loose file or a line of ``packed-refs``. Repositories that keep refs in another way
(reftable) are asked through Git.
"""

from __future__ import annotations

from pathlib import Path

from nutsync.core.errors import ErrGit, ErrUnreadable, ErrUsage
from nutsync.core.pattern import pattern
from nutsync.store.files import read_if_there
from nutsync.store.repo.git import Git

HEADS = "refs/heads/"

_OID = pattern(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_BAD_REF = pattern(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(?:/|$)|/$|\.$")
_MOST_LINKS = 5


def is_oid(text: str) -> bool:
    """Tell whether the text is a whole object id."""
    return _OID.fullmatch(text) is not None


def check_ref(ref: str) -> str:
    """Return a full ref name (``refs/…``), or raise :class:`ErrUsage` where Git would not take it."""
    if not ref.startswith("refs/") or _BAD_REF.search(ref) or ref.count("/") < 2:
        raise ErrUsage(f"{ref!r} is not a full ref name.")
    return ref


def branch_ref(branch: str) -> str:
    """Return the full ref name of a branch given by its short or full name."""
    return check_ref(branch if branch.startswith("refs/") else HEADS + branch)


def head_ref(git: Git) -> str | None:
    """Return the full name of the ref that HEAD stands on, or None where HEAD is detached."""
    if _kept_in_files(git):
        content = _read(git.git_dir / "HEAD")
        if content is not None and content.startswith(b"ref:"):
            return content[4:].decode("utf-8", "surrogateescape").strip()
        # HEAD is detached, or a symbolic link as in the days of old: let Git tell.
    found = git.run("symbolic-ref", "-q", "HEAD", check=False)
    return found.text() or None


def resolve_ref(git: Git, ref: str) -> str | None:
    """Return the object id that a full ref (or ``HEAD``) holds, or None where it is not there."""
    if not _kept_in_files(git):
        found = git.run("rev-parse", "--verify", "-q", "--end-of-options", ref, check=False)
        return found.text() or None
    for _ in range(_MOST_LINKS):
        content = _read(_ref_file(git, ref))
        if content is None:
            return _packed(git, ref)
        text = content.decode("utf-8", "surrogateescape").strip()
        if not text.startswith("ref:"):
            if not is_oid(text):
                raise ErrGit(f"The ref {ref} is damaged.", hint="`git fsck` names what is wrong.")
            return text
        ref = text[4:].strip()
    raise ErrGit(f"The ref {ref} points in a circle.")


def ref_storage(git: Git) -> str:
    """Return how the repository keeps its refs: ``files`` or ``reftable``."""
    return (git.own_config("extensions.refStorage") or "files").lower()


def may_have_refs(git: Git, prefix: str) -> bool:
    """Tell whether there may be a ref below ``prefix`` (``refs/…/``); False is certain. Starts no process."""
    if not _kept_in_files(git):
        return True
    try:
        if any((git.common_dir / prefix).iterdir()):
            return True
    except OSError:
        pass
    return b" " + prefix.encode() in (_read(git.common_dir / "packed-refs") or b"")


def _kept_in_files(git: Git) -> bool:
    return ref_storage(git) == "files"


def _ref_file(git: Git, ref: str) -> Path:
    own = not ref.startswith("refs/") or ref.startswith(("refs/bisect/", "refs/worktree/", "refs/rewritten/"))
    return (git.git_dir if own else git.common_dir) / ref


def _read(path: Path) -> bytes | None:
    try:
        return read_if_there(path)
    except ErrUnreadable:
        if path.is_dir():
            return None  # refs/heads/a is a folder while the branch a/b exists
        raise


def _packed(git: Git, ref: str) -> str | None:
    content = b"\n" + (_read(git.common_dir / "packed-refs") or b"")
    end = content.find(b" " + ref.encode("utf-8", "surrogateescape") + b"\n")
    if end < 0:
        return None
    oid = content[content.rfind(b"\n", 0, end) + 1 : end].decode("ascii", "replace")
    return oid if is_oid(oid) else None
