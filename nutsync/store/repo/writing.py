"""Git's objects, written: a few as loose files, many as one pack.

Every object is flushed to the disk before a ref may name it. Git by default does not flush loose objects;
after a power cut that leaves a branch pointing at an empty file, in a clone whose owner may know no Git.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from nutsync.store.files import remove_quietly, unwritable, write_all
from nutsync.store.repo.git import Git
from nutsync.store.repo.objects import Object, loose_path

_MOST_LOOSE = 24  # above this one `git index-pack` costs less than so many files
_PACK_TYPES = {"commit": 1, "tree": 2, "blob": 3}
_FASTEST = 1


def write_objects(git: Git, objects: Sequence[Object]) -> None:
    """Put objects into the repository, flushed. What is there already is left alone.

    Raises :class:`ErrDiskFull` or :class:`ErrUnwritable`, and then leaves no object of these behind that
    is not whole.
    """
    unique = {item.oid: item for item in objects}
    # A shared repository has rules of its own for permissions, and a quarantine for places: Git knows them.
    if len(unique) > _MOST_LOOSE or git.inherit or git.own_config("core.sharedrepository"):
        _write_pack(git, list(unique.values()))
        return
    written: list[tuple[int, Path]] = []
    try:
        for item in unique.values():
            path = loose_path(git, item.oid)
            if not _is_fresh(path):
                written.append((_write_loose(path, item), path))
        _flush(handle for handle, _ in written)
    except BaseException as problem:
        for _, path in written:
            remove_quietly(path)
        if isinstance(problem, OSError):
            raise unwritable(git.common_dir / "objects", problem) from problem
        raise
    finally:
        for handle, _ in written:
            os.close(handle)


def _is_fresh(path: Path) -> bool:
    """Tell whether the object's file is there, and make it young again so that no running gc removes it."""
    try:
        os.utime(path)
    except FileNotFoundError:
        return False
    except PermissionError:
        return path.exists()
    return True


def _write_loose(path: Path, item: Object) -> int:
    """Write one object's file, unflushed, and return its handle; the name appears when it is whole.

    The temporary name is one that ``git gc`` knows to remove.
    """
    temporary = path.with_name(f"tmp_obj_{os.urandom(6).hex()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(temporary, flags, 0o444)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(temporary, flags, 0o444)
    try:
        head = f"{item.kind} {len(item.content)}\0".encode()
        write_all(handle, zlib.compress(head + item.content, _FASTEST))
        if os.name == "nt":
            # Windows renames no open file.
            os.fsync(handle)
            os.close(handle)
            temporary.replace(path)
            return os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        temporary.replace(path)
    except BaseException:
        os.close(handle)
        remove_quietly(temporary)
        raise
    return handle


def _flush(handles: Iterable[int]) -> None:
    """Flush files that have their final names already: their folders need no flush of their own then.

    Where the system can be asked to start writing, all are, and one is waited for, as with Git's
    ``core.fsyncMethod=batch``: a branch that names an object never reaches the disk before it does, at the
    price of one flush. (The day file itself was flushed before.) Elsewhere each is waited for.
    """
    if os.name == "nt":
        return
    waiting = list(handles)
    if hasattr(os, "posix_fadvise"):
        for handle in waiting:
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        waiting = waiting[-1:]
    for handle in waiting:
        os.fsync(handle)


def _write_pack(git: Git, items: Sequence[Object]) -> None:
    """Hand all objects to one Git process, which checks, indexes and flushes them."""
    git.run("index-pack", "--stdin", input=render_pack(items, git.hash_name))


def render_pack(items: Sequence[Object], hash_name: str = "sha1") -> bytes:
    """Return a pack (version 2) that holds the objects whole, without deltas."""
    parts = [b"PACK\0\0\0\2" + len(items).to_bytes(4, "big")]
    for item in items:
        parts.append(_pack_header(_PACK_TYPES[item.kind], len(item.content)))
        parts.append(zlib.compress(item.content, _FASTEST))
    body = b"".join(parts)
    return body + hashlib.new(hash_name, body, usedforsecurity=False).digest()


def _pack_header(kind: int, size: int) -> bytes:
    """Return the kind and size of an object as packs spell them: 4 bits, then 7 a byte."""
    byte = kind << 4 | size & 0x0F
    size >>= 4
    header = bytearray()
    while size:
        header.append(byte | 0x80)
        byte = size & 0x7F
        size >>= 7
    header.append(byte)
    return bytes(header)
