"""The part of a repository that is not the cell: taken over, merged by Git itself, never judged.

A cell may live in a vault or a code base. What a merge or a fast-forward changes there goes through
Git's own machinery (``merge-tree``, ``read-tree -m -u``), so that submodules, links, filters and sparse
checkouts are treated as everybody is used to. Git never gets to see the cell's own files on the way:
trees are handed over with the cell taken out or held still.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nutsync.core.cell import CELL_DIR
from nutsync.core.errors import ErrForeignConflict, ErrGit, ErrLocked
from nutsync.core.moment import Moment
from nutsync.store.repo.commit import Author, new_commit, new_tree
from nutsync.store.repo.fitness import require_git
from nutsync.store.repo.git import Git
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.trees import TreeEntry

MERGE_TREE_GIT = (2, 38)
"""The first Git whose ``merge-tree`` writes the merged tree."""

_TOP, _, _CELL = CELL_DIR.partition("/")
_NOBODY = Author("nutsync", "nutsync@nutsync.invalid", Moment(0))
_NAMED = 5

Outside = Mapping[str, TreeEntry]


def outside(objects: Objects, treeish: str | None) -> dict[str, TreeEntry]:
    """Return what a commit or tree holds outside the cell: its top names, and those beside the cell."""
    if treeish is None:
        return {}
    entries = dict(objects.tree(treeish))
    top = entries.get(_TOP)
    if top is not None and top.is_tree:
        del entries[_TOP]
        beside = objects.tree(top.oid)
        entries |= {f"{_TOP}/{name}": entry for name, entry in beside.items() if name != _CELL}
    return entries


def difference(old: Outside, new: Outside) -> dict[str, TreeEntry | None]:
    """Return the changes that make ``old`` into ``new``."""
    return {path: new.get(path) for path in old.keys() | new.keys() if old.get(path) != new.get(path)}


def merge_outside(
    git: Git, objects: Objects, ours: str, theirs: str, bases: Sequence[str]
) -> dict[str, TreeEntry | None]:
    """Return what has to change outside the cell in ``ours`` to make it the merge with ``theirs``.

    Where only one side changed something no merge is needed, nor a Git that can. Raises
    :class:`ErrForeignConflict` naming the files that conflict, and :class:`ErrGitTooOld`.
    """
    mine, other = outside(objects, ours), outside(objects, theirs)
    before = [outside(objects, base) for base in bases]
    if mine == other or any(base == other for base in before):
        return {}
    if before and all(base == mine for base in before):
        return difference(mine, other)
    require_git(git, MERGE_TREE_GIT, "merging files outside the memory that both sides changed")
    return difference(mine, outside(objects, _merge_tree(git, objects, ours, theirs, bases)))


def _merge_tree(git: Git, objects: Objects, ours: str, theirs: str, bases: Sequence[str]) -> str:
    """Let Git merge what lies outside the cell, as three commits that no ref will ever name."""
    parents = [_without_cell(git, objects, base, ()) for base in bases]
    sides = [_without_cell(git, objects, side, parents) for side in (ours, theirs)]
    words = ("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", *sides)
    done = git.run(*words, check=False)
    tree, *names = done.out.decode("utf-8", "surrogateescape").split("\0")
    if done.code > 1 or not tree:
        raise ErrGit(f"git merge-tree failed ({done.code}).", hint="`git fsck` names what is wrong.")
    if done.code:
        raise _conflict([name for name in names if name], "changed on both sides in ways Git cannot merge")
    return tree


def _without_cell(git: Git, objects: Objects, commit: str, parents: Sequence[str]) -> str:
    return new_commit(
        git,
        objects,
        base=commit,
        parents=parents,
        changes={CELL_DIR: None},
        author=_NOBODY,
        committer=_NOBODY,
        message="files outside the memory",
        sign=None,
    )


# --- The worktree -----------------------------------------------------------------------------------


def require_room(git: Git, objects: Objects, old: str | None, new: str) -> None:
    """Raise :class:`ErrForeignConflict` where taking over the foreign files of ``new`` would hit an edit.

    ``old`` is the commit that is checked out (None: none yet). Nothing is changed.
    """
    trees = _outside_step(git, objects, old, new)
    if trees is None:
        return
    git.run("update-index", "-q", "--refresh", "--ignore-submodules", check=False)
    if git.run("read-tree", "-m", "-u", "-n", *trees, check=False).code:
        raise _conflict(_in_the_way(git, trees), "changed here without a commit")


def switch_outside(git: Git, objects: Objects, old: str | None, new: str) -> None:
    """Bring index and worktree of the foreign files from ``old`` to ``new``; the cell's stay as they are.

    Raises :class:`ErrForeignConflict` where an edit is in the way; then nothing was changed.
    """
    trees = _outside_step(git, objects, old, new)
    if trees is None:
        return
    git.run("update-index", "-q", "--refresh", "--ignore-submodules", check=False)
    try:
        git.run_patiently("read-tree", "-m", "-u", *trees)
    except ErrLocked:
        raise
    except ErrGit as failure:
        raise _conflict(_in_the_way(git, trees), "changed here without a commit") from failure


def _outside_step(git: Git, objects: Objects, old: str | None, new: str) -> tuple[str, str] | None:
    """Return two trees that differ as ``old`` and ``new`` do outside the cell, and in nothing else."""
    before = outside(objects, old)
    changes = difference(before, outside(objects, new))
    if not changes:
        return None
    base = new_tree(git, objects, base=None, changes={}) if old is None else objects.commit(old).tree
    return base, new_tree(git, objects, base=base, changes=changes)


def _in_the_way(git: Git, trees: tuple[str, str]) -> list[str]:
    """Return the paths that the step changes and that are edited, staged or untracked here."""
    changed = git.run("diff-tree", "-r", "-z", "--name-only", "--no-renames", *trees).out
    names = {name for name in changed.decode("utf-8", "surrogateescape").split("\0") if name}
    status = git.run(
        *("-c", "status.relativePaths=false", "status", "--porcelain", "-z", "--no-renames"),
        *("--untracked-files=all", "--ignored", "--ignore-submodules=all"),
    ).out
    dirty = {row[3:].rstrip("/") for row in status.decode("utf-8", "surrogateescape").split("\0") if row}
    return sorted(
        name
        for name in names
        if any(name == d or name.startswith(d + "/") or d.startswith(name + "/") for d in dirty)
    )


def _conflict(names: Sequence[str], why: str) -> ErrForeignConflict:
    shown = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
    return ErrForeignConflict(
        f"Files outside the memory are {why}: {shown or 'see `git status`'}. Nothing was changed.",
        hint="Commit them, merge them with `git`, or put them aside, then run `nutsync sync` again.",
    )
