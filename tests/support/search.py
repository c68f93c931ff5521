"""Looking for text everywhere in a repository, with the git program and plain file reads alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tests.support.repos import git, run_git


def places_of(root: Path, *texts: str) -> list[str]:
    """Return every object (packed, loose, reachable or not) and file under ``root`` that holds a text.

    ``root`` is a clone or a bare repository.
    """
    marks = [_mark(text) for text in texts]
    found = []
    rows = git(
        root, "cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)"
    ).splitlines()
    asked = "".join(row.split()[0] + "\n" for row in rows).encode()
    answer = run_git(root, "cat-file", "--batch", input=asked).stdout
    at = 0
    while at < len(answer):
        end = answer.index(b"\n", at)
        oid, kind, size = answer[at:end].split()
        content = answer[end + 1 : end + 1 + int(size)]
        if any(mark.search(content) for mark in marks):
            found.append(f"{kind.decode()} {oid.decode()}")
        at = end + 2 + int(size)
    for path in sorted(root.rglob("*")):
        if path.is_file() and not path.is_symlink() and _holds(path, marks):
            found.append(str(path.relative_to(root)))
    return found


def _mark(text: str) -> re.Pattern[bytes]:
    """Return how to find a text; a number only where it is not a piece of a longer one, such as a time."""
    return re.compile(rb"(?<![0-9])%b(?![0-9])" % re.escape(text.encode()))


def _holds(path: Path, marks: Sequence[re.Pattern[bytes]]) -> bool:
    content = path.read_bytes()
    return any(mark.search(content) for mark in marks)


def collect_garbage(root: Path) -> None:
    """Do to a bare repository what its host does one day."""
    git(root, "reflog", "expire", "--expire=now", "--all")
    git(root, "gc", "-q", "--prune=now")
