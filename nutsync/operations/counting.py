"""Counting what one commit holds that another does not."""

from __future__ import annotations

from nutsync.core.cell import date_of_path
from nutsync.core.day import Day
from nutsync.core.receipt import count_added
from nutsync.store.repo.git import Git
from nutsync.store.repo.history import compare_trees
from nutsync.store.repo.objects import Objects


def count_new(git: Git, old: str | None, new: str | None) -> int:
    """Return how many blocks of day files ``new`` holds that ``old`` does not."""
    if new is None or old == new:
        return 0
    with Objects(git) as objects:
        trees = [objects.commit(commit).tree if commit else None for commit in (old, new)]
        changes = [c for c in compare_trees(objects.tree, *trees) if c.new and date_of_path(c.path)]
        wanted = [oid for change in changes for oid in (change.new, change.old) if oid]
        found = {item.oid: item.content for item in objects.read_many(wanted) if item}
    return sum(count_added(_day(found.get(c.old), c.path), _day(found.get(c.new), c.path)) for c in changes)


def _day(content: bytes | None, path: str) -> Day | None:
    return None if content is None else Day.parse(content, str(date_of_path(path)))
