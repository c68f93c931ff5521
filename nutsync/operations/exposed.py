"""Credentials that other devices sent: too late to refuse, so they are named (design §6).

What came may not be turned away, or memory would be lost; but its owner should know. Named are the ref and
the kind, never the value. Only what this sync brought is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from nutsync.core.cell import date_of_path
from nutsync.core.day import Day
from nutsync.core.entry import Ref
from nutsync.operations.secrets import kind_of_secret
from nutsync.store.repo.git import Git
from nutsync.store.repo.history import compare_trees
from nutsync.store.repo.objects import Objects

_AT_ONCE = 200
"""Days read at once, so that memory stays small however much came."""
_NAMED = 10


class Exposed(NamedTuple):
    """An entry in which a credential seems to stand, and of what kind."""

    ref: Ref
    kind: str


def exposed_since(git: Git, old: str, new: str) -> Iterator[Exposed]:
    """Yield, by date, the entries with a likely credential that ``new`` holds and ``old`` does not."""
    with Objects(git) as objects:
        trees = [objects.commit(commit).tree for commit in (old, new)]
        changes = iter([c for c in compare_trees(objects.tree, *trees) if c.new and date_of_path(c.path)])
        while batch := list(islice(changes, _AT_ONCE)):
            wanted = [oid for change in batch for oid in (change.old, change.new) if oid]
            found = {item.oid: item.content for item in objects.read_many(wanted) if item}
            for change in batch:
                date = str(date_of_path(change.path))
                yield from _exposed(date, found.get(change.old or ""), found.get(change.new or "", b""))


def _exposed(date: str, old: bytes | None, new: bytes) -> Iterator[Exposed]:
    there = {block.body for block in Day.parse(old, date).blocks} if old is not None else set()
    for ref, block in Day.parse(new, date).entries():
        kind = kind_of_secret(block.text) if block.body not in there else None
        if kind is not None:
            yield Exposed(ref, kind)


def words_about(git: Git, old: str, new: str) -> list[str]:
    """Return what people are told of the credentials that came, a line each; of many, how many more."""
    found = list(exposed_since(git, old, new))
    lines = [
        f"What looks like a {kind} came in {ref}. If it is one, change it where it is used; "
        f"`nutsync forget {ref} --purge --reason …` takes it out of memory and history."
        for ref, kind in found[:_NAMED]
    ]
    more = len(found) - _NAMED
    return [*lines, f"And in {more} more."] if more > 0 else lines
