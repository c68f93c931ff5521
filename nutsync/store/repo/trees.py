"""Git's trees: read, written, and edited without an index.

Paths are "/"-separated text; bytes that are no UTF-8 travel as surrogates and come back unchanged.
Modes are six digits as ``git ls-tree`` prints them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from nutsync.core.errors import ErrGit, ErrUnwritable

FILE = "100644"
FOLDER = "040000"


class TreeEntry(NamedTuple):
    """What one name in a tree stands for."""

    mode: str
    oid: str

    @property
    def is_tree(self) -> bool:
        return self.mode == FOLDER


Tree = dict[str, TreeEntry]
Changes = Mapping[str, TreeEntry | None]


def parse_tree(content: bytes, oid_bytes: int = 20) -> Tree:
    """Return a tree object's entries by name. Raises :class:`ErrGit` where it is malformed."""
    tree: Tree = {}
    position = 0
    end = len(content)
    while position < end:
        space = content.find(b" ", position)
        nul = content.find(b"\0", space)
        if space < 0 or nul < 0 or nul + 1 + oid_bytes > end:
            raise ErrGit("A tree object is damaged.", hint="`git fsck` names what is wrong.")
        mode = content[position:space].decode("ascii", "replace").rjust(6, "0")
        name = content[space + 1 : nul].decode("utf-8", "surrogateescape")
        position = nul + 1 + oid_bytes
        tree[name] = TreeEntry(mode, content[nul + 1 : position].hex())
    return tree


def render_tree(tree: Mapping[str, TreeEntry]) -> bytes:
    """Return the tree object that holds these entries, in Git's order: a folder sorts as if it ended in /."""
    rows = []
    for name, (mode, oid) in tree.items():
        raw = name.encode("utf-8", "surrogateescape")
        key = raw + b"/" if mode == FOLDER else raw
        rows.append((key, mode.lstrip("0").encode() + b" " + raw + b"\0" + bytes.fromhex(oid)))
    rows.sort()
    return b"".join(row for _, row in rows)


def check_path(path: str) -> str:
    """Return ``path`` if a tree may hold it. Raises ValueError: our own paths are never odd."""
    parts = path.split("/")
    if not path or "\0" in path or any(part in {"", ".", ".."} or part.lower() == ".git" for part in parts):
        raise ValueError(f"{path!r} is not a path of a tree")
    return path


def edit_tree(
    base: str | None,
    changes: Changes,
    read: Callable[[str], Tree],
    write: Callable[[bytes], str],
) -> str | None:
    """Return the id of ``base`` with the changes made, or None where nothing is left in it.

    ``changes`` maps paths to what stands there afterwards, None to remove a file or a whole folder.
    ``read`` gives a tree by id and is called only for folders along changed paths; ``write`` takes a new
    tree's content and gives its id. Folders that lose their last entry go, as with Git's index. Raises
    :class:`ErrUnwritable` where a path leads through something that is no folder.
    """
    plan = _Plan()
    for path, entry in changes.items():
        plan.add(check_path(path).split("/"), entry)
    return _apply(base, plan, read, write, "")


class _Plan:
    """The changes of one folder: of names in it, and of the folders below."""

    def __init__(self) -> None:
        self.names: dict[str, TreeEntry | None] = {}
        self.folders: dict[str, _Plan] = {}

    def add(self, parts: list[str], entry: TreeEntry | None) -> None:
        plan = self
        for part in parts[:-1]:
            plan = plan.folders.setdefault(part, _Plan())
        plan.names[parts[-1]] = entry


def _apply(
    base: str | None, plan: _Plan, read: Callable[[str], Tree], write: Callable[[bytes], str], above: str
) -> str | None:
    tree = dict(read(base)) if base is not None else {}
    for name, entry in plan.names.items():
        if entry is None:
            tree.pop(name, None)
        else:
            tree[name] = entry
    for name, below in plan.folders.items():
        there = tree.get(name)
        if there is not None and not there.is_tree:
            if not _only_removes(below):
                raise ErrUnwritable(
                    f"{above}{name} is a file in the commit where a folder is needed; nothing was changed."
                )
            continue
        edited = _apply(there.oid if there else None, below, read, write, f"{above}{name}/")
        if edited is None:
            tree.pop(name, None)
        else:
            tree[name] = TreeEntry(FOLDER, edited)
    return write(render_tree(tree)) if tree else None


def _only_removes(plan: _Plan) -> bool:
    return all(entry is None for entry in plan.names.values()) and all(
        map(_only_removes, plan.folders.values())
    )


def walk_tree(oid: str, read: Callable[[str], Tree], prefix: str = "") -> Iterable[tuple[str, TreeEntry]]:
    """Yield every path below a tree with its entry, folders themselves left out, in Git's order."""
    for name, entry in read(oid).items():
        if entry.is_tree:
            yield from walk_tree(entry.oid, read, f"{prefix}{name}/")
        else:
            yield prefix + name, entry
