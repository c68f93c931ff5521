"""Packs that are written here hold what was put in, whatever Git thinks of it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from nutsync.store.repo.git import Git
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.packing import Packer, make_delta
from tests.support.repos import is_sound, make_repo

BASE = bytes(range(256)) * 700


def apply(base: bytes, delta: bytes) -> bytes:
    """Apply a delta as Git's own documentation (gitformat-pack) has it."""
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = delta[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value

    assert varint() == len(base)
    size = varint()
    out = b""
    while at < len(delta):
        command = delta[at]
        at += 1
        if command & 0x80:
            numbers = [0, 0]
            for which, first, width in ((0, 0, 4), (1, 4, 3)):
                for byte in range(width):
                    if command & 1 << (first + byte):
                        numbers[which] |= delta[at] << 8 * byte
                        at += 1
            offset, length = numbers[0], numbers[1] or 0x10000
            out += base[offset : offset + length]
        else:
            assert command
            out += delta[at : at + command]
            at += command
    assert len(out) == size
    return out


@settings(max_examples=200)
@given(st.binary(max_size=600), st.binary(max_size=600), st.binary(max_size=600))
def test_a_delta_gives_the_target(head: bytes, middle: bytes, tail: bytes) -> None:
    assert apply(head + tail, make_delta(head + tail, head + middle + tail)) == head + middle + tail
    assert apply(middle, make_delta(middle, tail)) == tail


def test_deltas_of_every_size_git_can_copy_are_right() -> None:
    for size in (0, 1, 0x7F, 0x80, 0xFF, 0x100, 0xFFFF, 0x10000, 0x10001, len(BASE)):
        base = BASE[:size]
        for target in (base, base + b"x", b"x" + base, base[: size // 2] + b"x" + base[size // 2 :], b""):
            assert apply(base, make_delta(base, target)) == target


def test_git_reads_back_every_object_of_a_long_row_of_versions(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    git = Git.discover(repo)
    packer = Packer(git)
    blob = packer.add("blob", b"x")
    wanted = {}
    for number in range(300):
        rows = b"".join(b"100644 f%03d\0" % n + bytes.fromhex(blob) for n in range(number % 90 + 1))
        wanted[packer.add("tree", rows, "archive/")] = rows
        wanted[packer.add("blob", b"%d" % number)] = b"%d" % number
    packer.flush()
    packer.flush()
    with Objects(git) as objects:
        for oid, content in wanted.items():
            found = objects.read(oid)
            assert found is not None and found.content == content
    assert is_sound(repo)
    depth = subprocess.run(
        ["git", "verify-pack", "-v", *map(str, (repo / ".git/objects/pack").glob("*.idx"))],
        cwd=repo, capture_output=True, text=True, check=True,
    )  # fmt: skip
    chains = [int(line.split()[5]) for line in depth.stdout.splitlines() if len(line.split()) == 7]
    assert chains and max(chains) <= 50
