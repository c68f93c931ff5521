"""Packs written by ourselves: many objects at once, a tree told by what changed against the one before.

A history that is rewritten holds a new version of the same few trees for every commit. Whole, they would
make a pack of a hundred megabytes; as differences they take almost nothing.
"""

from __future__ import annotations

import hashlib
import zlib

from nutsync.store.repo.git import Git
from nutsync.store.repo.objects import object_id

_TYPES = {"commit": 1, "tree": 2, "blob": 3}
_OFFSET_DELTA = 6
_LONGEST_CHAIN = 50
_FLUSH_AT = 64 << 20
_FASTEST = 1
_MOST_COPIED = 0xFFFFFF


class Packer:
    """Collects objects and hands them to Git, a pack at a time. Call :meth:`flush` at the end."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._hash = git.hash_name
        self._parts: list[bytes] = []
        self._size = 12
        self._written: set[str] = set()
        self._bases: dict[str, tuple[int, bytes, int]] = {}

    def add(self, kind: str, content: bytes, like: str = "") -> str:
        """Add an object and return its id. ``like`` names a row of versions that resemble each other."""
        oid = object_id(kind, content, self._hash)
        if oid in self._written:
            return oid
        self._written.add(oid)
        base = self._bases.get(like) if like else None
        if base is not None and base[2] < _LONGEST_CHAIN:
            delta = make_delta(base[1], content)
            back = self._size - base[0]
            entry = _header(_OFFSET_DELTA, len(delta)) + _offset(back) + zlib.compress(delta, _FASTEST)
            depth = base[2] + 1
        else:
            entry = _header(_TYPES[kind], len(content)) + zlib.compress(content, _FASTEST)
            depth = 0
        if like:
            self._bases[like] = (self._size, content, depth)
        self._parts.append(entry)
        self._size += len(entry)
        if self._size > _FLUSH_AT:
            self.flush()
        return oid

    def flush(self) -> None:
        """Hand what was collected to Git, which checks, indexes and flushes it."""
        if self._parts:
            body = b"".join([b"PACK\0\0\0\2", len(self._parts).to_bytes(4, "big"), *self._parts])
            digest = hashlib.new(self._hash, body, usedforsecurity=False).digest()
            self._git.run("index-pack", "--stdin", input=body + digest)
        self._parts.clear()
        self._bases.clear()
        self._size = 12


def make_delta(base: bytes, target: bytes) -> bytes:
    """Return Git's delta from ``base`` to ``target``: a common beginning, what is new, a common end."""
    head = _common(base, target)
    tail = _common(base[head:][::-1], target[head:][::-1])
    middle = target[head : len(target) - tail]
    delta = _varint(len(base)) + _varint(len(target)) + _copy(0, head)
    for start in range(0, len(middle), 127):
        piece = middle[start : start + 127]
        delta += bytes([len(piece)]) + piece
    return delta + _copy(len(base) - tail, tail)


def _common(one: bytes, other: bytes) -> int:
    """Return how many bytes both begin with."""
    low, high = 0, min(len(one), len(other))
    if one[:high] == other[:high]:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle
    return low


def _copy(offset: int, size: int) -> bytes:
    found = b""
    while size:
        piece = min(size, _MOST_COPIED)
        command, rest = 0x80, bytearray()
        size_bytes = 0 if piece == 0x10000 else piece  # that size is the one that is left out
        for value, width, first in ((offset, 4, 0x01), (size_bytes, 3, 0x10)):
            for byte in range(width):
                part = value >> 8 * byte & 0xFF
                if part:
                    command |= first << byte
                    rest.append(part)
        found += bytes([command]) + bytes(rest)
        offset += piece
        size -= piece
    return found


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 127:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)


def _offset(back: int) -> bytes:
    found = bytearray([back & 0x7F])
    back >>= 7
    while back:
        back -= 1
        found.insert(0, 0x80 | back & 0x7F)
        back >>= 7
    return bytes(found)


def _header(kind: int, size: int) -> bytes:
    byte = kind << 4 | size & 0x0F
    size >>= 4
    header = bytearray()
    while size:
        header.append(byte | 0x80)
        byte = size & 0x7F
        size >>= 7
    header.append(byte)
    return bytes(header)
