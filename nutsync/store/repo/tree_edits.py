"""The same few files substituted in thousands of trees, without taking the trees apart.

A tree object is a row of ``mode name NUL id``. A name that is known to be there is found by its bytes, its
id is exchanged, and the rest is left as it is. Trees are read a level at a time for many commits at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nutsync.core.errors import ErrGit
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.packing import Packer

_MODES = (b"100644", b"40000", b"100755", b"120000", b"100664", b"160000")
_MOST_KEPT = 20_000


class Substitutes:
    """What takes the place of files: paths with new blob ids, None to remove one. Made once, used often."""

    def __init__(self, files: Mapping[str, str | None]) -> None:
        self.names: dict[str, str | None] = {}
        self.folders: dict[str, Substitutes] = {}
        below: dict[str, dict[str, str | None]] = {}
        for path, oid in files.items():
            name, slash, rest = path.partition("/")
            if slash:
                below.setdefault(name, {})[rest] = oid
            else:
                self.names[name] = oid
        self.folders = {name: Substitutes(rest) for name, rest in below.items()}


class TreeEditor:
    """Makes trees in which some files are substituted. New trees go to the packer."""

    def __init__(self, objects: Objects, packer: Packer) -> None:
        self._objects = objects
        self._packer = packer
        self._width = len(objects.git.zero) // 2
        self._read: dict[str, bytes] = {}
        self._made: dict[tuple[str, int], str | None] = {}
        self._kept: dict[int, Substitutes] = {}

    def prepare(self, wanted: Iterable[tuple[str, Substitutes]]) -> None:
        """Read the trees that :meth:`edit` will need for these roots, all of one level at once."""
        if len(self._read) > _MOST_KEPT:
            self._read.clear()
        if len(self._made) > _MOST_KEPT:
            self._made.clear()
            self._kept.clear()
        level = dict.fromkeys((oid, subs) for oid, subs in wanted)
        while level:
            waiting = [pair for pair in level if (pair[0], id(pair[1])) not in self._made]
            self._load(oid for oid, _ in waiting)
            level = {}
            for oid, subs in waiting:
                for name, below in subs.folders.items():
                    place = self._find(self._read[oid], name)
                    if place is not None:
                        level[self._read[oid][place[1] - self._width : place[1]].hex(), below] = None

    def edit(self, root: str, substitutes: Substitutes) -> str:
        """Return the id of the tree ``root`` with the substitutes in it."""
        made = self._edit(root, substitutes, "")
        return self._packer.add("tree", b"") if made is None else made

    def _edit(self, oid: str, subs: Substitutes, above: str) -> str | None:
        key = (oid, id(subs))
        if key in self._made:
            return self._made[key]
        if oid not in self._read:
            self._load([oid])
        content = before = self._read[oid]
        for name, new in subs.names.items():
            content = self._exchanged(content, name, new)
        for name, below in subs.folders.items():
            place = self._find(content, name)
            if place is not None:
                old = content[place[1] - self._width : place[1]].hex()
                content = self._exchanged(content, name, self._edit(old, below, f"{above}{name}/"))
        result = (
            oid if content == before else self._packer.add("tree", content, above or "/") if content else None
        )
        self._made[key] = result
        self._kept[id(subs)] = subs  # as long as its number is used as a key
        return result

    def _exchanged(self, content: bytes, name: str, new: str | None) -> bytes:
        place = self._find(content, name)
        if place is None:
            return content
        start, end = place
        if new is None:
            return content[:start] + content[end:]
        return content[: end - self._width] + bytes.fromhex(new) + content[end:]

    def _find(self, content: bytes, name: str) -> tuple[int, int] | None:
        """Return where the row of ``name`` begins and ends, None where there is none."""
        raw = name.encode("utf-8", "surrogateescape")
        for mode in _MODES:
            row = mode + b" " + raw + b"\0"
            start = content.find(row)
            if start >= 0:
                if content.find(row, start + 1) >= 0:
                    return self._found_by_walking(content, raw)  # another name ends in these very bytes
                return start, start + len(row) + self._width
        return None

    def _found_by_walking(self, content: bytes, raw: bytes) -> tuple[int, int] | None:
        start = 0
        while start < len(content):
            nul = content.index(b"\0", start)
            end = nul + 1 + self._width
            if content[start:nul].partition(b" ")[2] == raw:
                return start, end
            start = end
        return None

    def _load(self, oids: Iterable[str]) -> None:
        missing = [oid for oid in dict.fromkeys(oids) if oid not in self._read]
        for oid, found in zip(missing, self._objects.read_many(missing), strict=True):
            if found is None or found.kind != "tree":
                raise ErrGit(f"The repository lacks the tree {oid}.", hint="`git fsck` names what is wrong.")
            self._read[oid] = found.content
