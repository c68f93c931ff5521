"""The answer of `verify` where nothing moved since it was given last: without the command line's machinery.

Starting the parser alone takes longer than this. Whatever is not plain as day goes the long way: another
place, a repository of an unusual shape, a clone that may not be armed, anything found last time.
"""

from __future__ import annotations

import os

NOTE = "nutsync/verified-quick"
"""What the last `verify` noted, in four parts, a line each: ref, tip, words for people, JSON."""


def answer(arguments: list[str]) -> str | None:
    """Return what to print, None where the long way has to be gone."""
    if arguments not in (["verify"], ["verify", "--json"]) or not os.path.isdir(".git"):  # noqa: PTH112
        return None
    try:
        ref, tip, words, document = _read(f".git/{NOTE}").split("\n")[:4]
        if not _stands(ref, tip) or not os.path.isfile(".agents/nutstore-sync/cell.toml"):  # noqa: PTH113
            return None
    except (OSError, ValueError):
        return None
    return document if len(arguments) == 2 else words


def _stands(ref: str, tip: str) -> bool:
    """Tell whether the branch stands where it was verified, in a clone that is armed and undisguised."""
    odd = ("refs/replace", "info/grafts", "shallow", "commondir")
    if any(os.path.exists(f".git/{name}") for name in odd):  # noqa: PTH110
        return False
    if (
        not os.access(".git/hooks/reference-transaction", os.X_OK)
        or "hookspath" in _read(".git/config").lower()
    ):
        return False
    log = _read(f".git/logs/{ref}").rstrip("\n").rpartition("\n")[2]
    return _read(f".git/{ref}").strip() == tip and log[41:81] == tip


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123
        return file.read()
