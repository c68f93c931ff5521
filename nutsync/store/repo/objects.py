"""Git's objects, read.

The loose object's file is tried first, since what an append needs was mostly written a moment ago; for
the rest one ``git cat-file --batch`` serves as long as it is needed.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self

from nutsync.core.errors import ErrGit
from nutsync.store.files import read_if_there
from nutsync.store.repo.git import Git
from nutsync.store.repo.message import Commit, parse_commit
from nutsync.store.repo.refs import is_oid
from nutsync.store.repo.trees import Tree, TreeEntry, parse_tree

if TYPE_CHECKING:
    import subprocess

LOW_MEMORY = (
    *("-c", "core.deltaBaseCacheLimit=8m"),
    *("-c", "core.packedGitWindowSize=1m"),
    *("-c", "core.packedGitLimit=8m"),
)
"""What keeps Git's own memory small while it reads a long history; it costs about 5% of time."""

_MOST_KEPT = 32 << 20
"""Bytes of blobs kept by :meth:`Objects.prefetch`; the oldest go first."""

_CHUNK = 64  # requests sent before answers are read: few enough that no pipe can fill up


class Object(NamedTuple):
    """One object of the repository."""

    oid: str
    kind: str
    content: bytes


class Objects:
    """A reader of one repository's objects; close it, or use it as a context manager."""

    def __init__(self, git: Git) -> None:
        self.git = git
        self._oid_bytes = len(git.zero) // 2
        self._process: subprocess.Popen[bytes] | None = None
        self._trees: dict[str, Tree] = {}
        self._blobs: dict[str, bytes] = {}
        self._kept = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the reading process, if one was started."""
        process, self._process = self._process, None
        if process is not None:
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(BrokenPipeError):
                        pipe.close()
            process.wait()

    # --- reading -------------------------------------------------------------------------------

    def read(self, spec: str) -> Object | None:
        """Return the object that an id or any of Git's spellings (``HEAD:path``) names, or None.

        Raises :class:`ErrGit` where it is there but damaged.
        """
        if is_oid(spec) and not self.git.inherit:
            loose = self._read_loose(spec)
            if loose is not None:
                return loose
        return self._ask([spec])[0]

    def read_many(self, specs: Iterable[str]) -> Iterator[Object | None]:
        """Yield the object of each spec in order, None for what is not there."""
        chunk: list[str] = []
        for spec in specs:
            chunk.append(spec)
            if len(chunk) == _CHUNK:
                yield from self._ask(chunk)
                chunk = []
        if chunk:
            yield from self._ask(chunk)

    def commit(self, spec: str) -> Commit:
        """Return a commit. Raises :class:`ErrGit` where ``spec`` names none."""
        return parse_commit(*self._expect(spec, "commit"))

    def tree(self, spec: str) -> Tree:
        """Return a tree by name; a commit stands for its tree. Raises :class:`ErrGit`. Do not change it."""
        known = self._trees.get(spec)
        if known is None:
            found = self.read(spec)
            if found is not None and found.kind == "commit":
                known = self.tree(parse_commit(found.oid, found.content).tree)
                if is_oid(spec):
                    self._trees[spec] = known
                return known
            if found is None or found.kind != "tree":
                raise _missing(spec, "tree")
            known = parse_tree(found.content, self._oid_bytes)
            if is_oid(spec):
                self._trees[spec] = known
        return known

    def prefetch(self, oids: Iterable[str]) -> None:
        """Read blobs that will be asked for soon, many at a time, and keep what fits into memory."""
        wanted = [oid for oid in dict.fromkeys(oids) if oid not in self._blobs]
        for found in self.read_many(wanted):
            if found is not None and found.kind == "blob":
                self._blobs[found.oid] = found.content
                self._kept += len(found.content)
        while self._kept > _MOST_KEPT and self._blobs:
            self._kept -= len(self._blobs.pop(next(iter(self._blobs))))

    def blob(self, spec: str) -> bytes:
        """Return a blob's content. Raises :class:`ErrGit` where ``spec`` names none."""
        known = self._blobs.get(spec)
        if known is not None:
            return known
        return self._expect(spec, "blob")[1]

    def entry(self, treeish: str, path: str) -> TreeEntry | None:
        """Return what ``path`` stands for in a commit or tree, or None; reads only trees along the path."""
        folder = treeish
        parts = path.split("/")
        for part in parts[:-1]:
            entry = self.tree(folder).get(part)
            if entry is None or not entry.is_tree:
                return None
            folder = entry.oid
        return self.tree(folder).get(parts[-1])

    def file(self, treeish: str, path: str) -> bytes | None:
        """Return the content of the file at ``path`` in a commit or tree, None where no plain file is."""
        entry = self.entry(treeish, path)
        return self.blob(entry.oid) if entry is not None and entry.mode.startswith("100") else None

    def _expect(self, spec: str, kind: str) -> tuple[str, bytes]:
        found = self.read(spec)
        if found is None or found.kind != kind:
            raise _missing(spec, kind)
        return found.oid, found.content

    def _read_loose(self, oid: str) -> Object | None:
        packed = read_if_there(loose_path(self.git, oid))
        if packed is None:
            return None
        try:
            whole = zlib.decompress(packed)
        except zlib.error as problem:
            raise _damaged(oid) from problem
        head, _, content = whole.partition(b"\0")
        kind, _, size = head.decode("ascii", "replace").partition(" ")
        if size != str(len(content)) or object_id(kind, content, self.git.hash_name) != oid:
            raise _damaged(oid)
        return Object(oid, kind, content)

    def _ask(self, specs: list[str]) -> list[Object | None]:
        """Send the specs to ``cat-file`` and return all its answers, or the next would be mixed up."""
        answers: list[Object | None] = []
        if any("\n" in spec or not spec for spec in specs):
            raise ValueError("a spec is one line")
        if self._process is None:
            self._process = self.git.popen(*LOW_MEMORY, "cat-file", "--batch")
        pipe_in, pipe_out = self._process.stdin, self._process.stdout
        assert pipe_in is not None and pipe_out is not None  # noqa: S101 (popen always gives both)
        try:
            pipe_in.write("".join(spec + "\n" for spec in specs).encode("utf-8", "surrogateescape"))
            pipe_in.flush()
        except BrokenPipeError as problem:
            raise self._reader_died() from problem
        for _ in specs:
            head = pipe_out.readline()
            if not head:
                raise self._reader_died()
            fields = head.split()
            if fields[-1] in {b"missing", b"ambiguous"}:
                answers.append(None)
                continue
            content = pipe_out.read(int(fields[2]) + 1)
            if len(content) != int(fields[2]) + 1:
                raise self._reader_died()
            answers.append(Object(fields[0].decode(), fields[1].decode(), content[:-1]))
        return answers

    def _reader_died(self) -> ErrGit:
        self.close()
        # Ask once more in a way that lets Git say what is wrong.
        said = self.git.run("rev-parse", "--git-dir", check=False).err.strip()
        return ErrGit(
            f"Git stopped while objects were read. {said}".strip(), hint="`git fsck` names what is wrong."
        )


def _missing(spec: str, kind: str) -> ErrGit:
    return ErrGit(f"The repository lacks the {kind} {spec}.", hint="`git fsck` names what is wrong.")


def _damaged(oid: str) -> ErrGit:
    return ErrGit(
        f"The object {oid} is damaged.", hint="`git fsck` names what is wrong; another clone may hold it."
    )


def loose_path(git: Git, oid: str) -> Path:
    """Return where an object's file is as long as it is in no pack."""
    return git.common_dir / "objects" / oid[:2] / oid[2:]


def object_id(kind: str, content: bytes, hash_name: str = "sha1") -> str:
    """Return the id that Git gives to an object."""
    import hashlib  # here, since it loads OpenSSL, and a cell is opened far more often than hashed in

    digest = hashlib.new(hash_name, f"{kind} {len(content)}\0".encode(), usedforsecurity=False)
    digest.update(content)
    return digest.hexdigest()
