"""Signs a whole history as if its device had signed each commit when it made it.

`git fast-import` takes signatures only from newer Git, and an archive to measure `verify` on must have
them. So the commits are written again, each with its signature and its new parent, as one pack; trees
and files stay as they are.
"""

from __future__ import annotations

import hashlib
import subprocess
import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

_COMMIT = 1


def sign_history(
    directory: Path, branch: str, sign: Callable[[bytes], bytes], commits: str | None = None
) -> str:
    """Replace ``commits`` (all of ``branch`` without it) by their signed twins; return the newest.

    No hook runs. ``commits`` is a range that ends at the branch.
    """
    import_module("cryptography.hazmat.primitives.asymmetric.ed25519")  # else a process for each signature
    new_ids: dict[bytes, bytes] = {}
    pack = [_entry(signed) for signed in _signed_commits(directory, commits or branch, sign, new_ids)]
    head = b"PACK" + (2).to_bytes(4, "big") + len(pack).to_bytes(4, "big")
    content = head + b"".join(pack)
    _git(directory, "index-pack", "--stdin", stdin=content + hashlib.sha1(content).digest())
    newest = new_ids[_git(directory, "rev-parse", branch).strip()].decode()
    _git(directory, "update-ref", f"refs/heads/{branch}", newest)
    return newest


def _signed_commits(
    directory: Path, commits: str, sign: Callable[[bytes], bytes], new_ids: dict[bytes, bytes]
) -> Iterator[bytes]:
    """Yield the signed commits, parents first, and note in ``new_ids`` what became of each."""
    for old_id, raw in _commits(directory, commits):
        headers, _, message = raw.partition(b"\n\n")
        lines = []
        for line in headers.split(b"\n"):
            name, _, value = line.partition(b" ")
            lines.append(b"parent " + new_ids.get(value, value) if name == b"parent" else line)
        payload = b"\n".join(lines) + b"\n\n" + message
        signature = sign(payload).rstrip(b"\n").replace(b"\n", b"\n ")
        signed = b"\n".join([*lines, b"gpgsig " + signature]) + b"\n\n" + message
        framed = b"commit %d\0" % len(signed) + signed
        new_ids[old_id] = hashlib.sha1(framed).hexdigest().encode()
        yield signed


def _commits(directory: Path, commits: str) -> Iterator[tuple[bytes, bytes]]:
    """Yield the id and content of every one of ``commits``, parents first."""
    ids = _git(directory, "rev-list", "--topo-order", "--reverse", commits)
    answer = _git(directory, "cat-file", "--batch", stdin=ids)
    place = 0
    while place < len(answer):
        end = answer.index(b"\n", place)
        name, _, size = answer[place:end].split(b" ")
        yield name, answer[end + 1 : end + 1 + int(size)]
        place = end + 1 + int(size) + 1


def _entry(content: bytes) -> bytes:
    """Return ``content`` as a commit object of a pack: type and size, then its deflated bytes."""
    size = len(content)
    byte = _COMMIT << 4 | size & 15
    size >>= 4
    head = bytearray()
    while size:
        head.append(byte | 128)
        byte = size & 127
        size >>= 7
    head.append(byte)
    return bytes(head) + zlib.compress(content, 1)


def _git(directory: Path, *args: str, stdin: bytes = b"") -> bytes:
    done = subprocess.run(
        ["git", "-c", "core.hooksPath=/dev/null", "-C", str(directory), *args],
        input=stdin,
        check=True,
        stdout=subprocess.PIPE,
    )
    return done.stdout
