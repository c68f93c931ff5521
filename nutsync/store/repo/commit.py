"""New commits, made in process, and the moves of refs that publish them.

Order matters and follows from one sentence: a crash at any point leaves a repository that is whole.
Objects first (nobody sees them), then the ref with its old value checked, then index and worktree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from nutsync.core.errors import ErrChanged, ErrGit, NutsyncError
from nutsync.store.repo.git import Git
from nutsync.store.repo.message import Author, Commit, render_commit
from nutsync.store.repo.objects import Object, Objects, object_id
from nutsync.store.repo.refs import check_ref, resolve_ref
from nutsync.store.repo.trees import FILE, TreeEntry, edit_tree
from nutsync.store.repo.writing import write_objects

__all__ = [
    "Author",
    "Change",
    "Commit",
    "RefMove",
    "blob_id",
    "move_branch",
    "move_refs",
    "new_commit",
    "new_tree",
]

Change = bytes | TreeEntry | None
"""What stands at a path afterwards: a plain file's content, an object that is there already, or nothing."""

RefMove = tuple[str, str | None, str | None]
"""``(ref, new, old)``; None for «is not there»."""


def blob_id(git: Git, content: bytes) -> str:
    """Return the id that a file's content has in this repository."""
    return object_id("blob", content, git.hash_name)


def new_commit(
    git: Git,
    objects: Objects,
    *,
    base: str | None,
    parents: Sequence[str],
    changes: Mapping[str, Change],
    author: Author,
    committer: Author,
    message: str,
    sign: Callable[[bytes], bytes] | None,
) -> str:
    """Write a commit and return its id. No ref, index or file is touched.

    ``base`` is the commit or tree that is changed (None: nothing), ``changes`` says what stands where
    afterwards. ``sign`` gets the unsigned commit and returns an armoured signature. Raises
    :class:`ErrClock` for a time Git cannot hold, :class:`ErrUnwritable` or :class:`ErrDiskFull` where
    objects cannot be written.
    """
    pending: dict[str, Object] = {}
    tree = _edit(git, objects, base, changes, pending)
    content = render_commit(tree, parents, author, committer, message, sign=sign, hash_name=git.hash_name)
    commit = _add(git, pending, "commit", content)
    write_objects(git, list(pending.values()))
    return commit


def new_tree(git: Git, objects: Objects, *, base: str | None, changes: Mapping[str, Change]) -> str:
    """Write what ``base`` (a commit or tree, None: nothing) becomes by the changes; return its tree's id."""
    pending: dict[str, Object] = {}
    tree = _edit(git, objects, base, changes, pending)
    write_objects(git, list(pending.values()))
    return tree


def _edit(
    git: Git, objects: Objects, base: str | None, changes: Mapping[str, Change], pending: dict[str, Object]
) -> str:
    """Return the changed tree's id; the objects it needs go to ``pending``."""
    entries: dict[str, TreeEntry | None] = {}
    for path, change in changes.items():
        if isinstance(change, bytes):
            entries[path] = TreeEntry(FILE, _add(git, pending, "blob", change))
        else:
            entries[path] = change
    edited = edit_tree(base, entries, objects.tree, lambda content: _add(git, pending, "tree", content))
    return _add(git, pending, "tree", b"") if edited is None else edited


def _add(git: Git, pending: dict[str, Object], kind: str, content: bytes) -> str:
    oid = object_id(kind, content, git.hash_name)
    pending.setdefault(oid, Object(oid, kind, content))
    return oid


def move_branch(git: Git, ref: str, new: str, old: str | None, reason: str) -> None:
    """Move a ref from ``old`` (None: it must not be there) to ``new``, with a line in its log.

    ``reason`` goes into the log and holds no memory text. Raises :class:`ErrChanged` where the ref is no
    longer at ``old``, :class:`ErrVetoed` where a hook refuses.
    """
    args = ("update-ref", "-m", reason, check_ref(ref), new, git.zero if old is None else old)
    try:
        git.run_patiently(*args)
    except ErrGit as failure:
        raise _why(git, [(ref, new, old)], failure) from failure


def move_refs(git: Git, moves: Sequence[RefMove], reason: str) -> None:
    """Move, make (old None) or delete (new None) several refs, all of them or none.

    Raises what :func:`move_branch` raises.
    """
    lines = []
    for ref, new, old in moves:
        if new is None:
            lines.append(f"delete {check_ref(ref)}\0{old or ''}\0")
        else:
            lines.append(f"update {check_ref(ref)}\0{new}\0{git.zero if old is None else old}\0")
    try:
        git.run_patiently("update-ref", "-m", reason, "-z", "--stdin", input="".join(lines).encode())
    except ErrGit as failure:
        raise _why(git, moves, failure) from failure


def _why(git: Git, moves: Sequence[RefMove], failure: NutsyncError) -> NutsyncError:
    """Tell a ref that somebody else moved from any other failure."""
    for ref, _, old in moves:
        if resolve_ref(git, ref) != old:
            return ErrChanged(f"{ref} moved meanwhile; nothing was changed.", hint="Repeat the command.")
    return failure
