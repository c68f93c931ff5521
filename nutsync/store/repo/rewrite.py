"""Rewriting a history by recipe 1, on every device to the same commit ids (design §9).

The recipe itself stands in :mod:`nutsync.core.recipe1`. Here a history is read once, parents before
children, and only what the recipe changes is written: versions of days, the trees above them, and the
commits from the first change on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from nutsync.core.cell import PURGED_DIR
from nutsync.core.errors import ErrGit
from nutsync.core.progress import Progress
from nutsync.core.recipe1 import Purge, block_of, concerns, day_of, purge_commit, purge_day, record_of
from nutsync.store.repo.git import Git
from nutsync.store.repo.history import Change, Recorded, walk
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.packing import Packer
from nutsync.store.repo.tree_edits import Substitutes, TreeEditor
from nutsync.store.repo.trees import walk_tree

_BATCH = 256


class _Version(NamedTuple):
    """A version of a day that the recipe changes: its id, and that of what it becomes (None: it goes)."""

    old: str
    new: str | None


class _State(NamedTuple):
    """What has to be known of a commit to go on with its children.

    ``versions`` is kept as one value while nothing in it changes. ``whole`` are the purged blocks as they
    were first committed, by id. ``records`` are the purges whose record the tree holds.
    """

    versions: Mapping[str, _Version]
    substitutes: Substitutes | None
    whole: Mapping[str, bytes]
    records: frozenset[str]


_NOTHING = _State({}, None, {}, frozenset())


@dataclass
class Rewriter:
    """Rewrites histories of one repository by ``purges``.

    ``found`` are the purged blocks as they were seen first, by id: what has to be gone in the end. ``dates``
    are the days of which some version changed. ``progress`` is told how far a run is.
    """

    git: Git
    objects: Objects
    purges: Sequence[Purge]
    progress: Progress | None = None

    def __post_init__(self) -> None:
        self.new: dict[str, str] = {}
        self.found: dict[str, bytes] = {}
        self.dates: set[str] = set()
        self._done: list[str] = []
        self._states: dict[str, _State] = {}
        self._results: dict[tuple[object, ...], str | None] = {}
        self._packer = Packer(self.git)
        self._trees = TreeEditor(self.objects, self._packer)

    def run(self, tips: Sequence[str]) -> Mapping[str, str]:
        """Rewrite everything that ``tips`` reach; return all commits that changed, with their new ids.

        Nothing but objects is written. Can be called again for further tips. Raises :class:`ErrGit` where the
        history is not whole.
        """
        history = walk(self.git, tips, self._done)
        total, done = self._count(tips), 0
        while batch := list(islice(history, _BATCH)):
            contents = self._read(batch)
            for one in batch:
                self._states[one.commit.oid] = self._state_of(one, contents)
            self._trees.prepare(
                (one.commit.tree, substitutes)
                for one in batch
                if (substitutes := self._states[one.commit.oid].substitutes) is not None
            )
            for one in batch:
                self._rewrite(one)
            done += len(batch)
            if self.progress:
                self.progress(f"Looking through history: {done:,} of {total:,} commits")
        self._packer.flush()
        self._done += tips
        return self.new

    def of(self, commit: str) -> str:
        """Return what became of a commit: its new id, or its own where nothing changed."""
        return self.new.get(commit, commit)

    def _count(self, tips: Sequence[str]) -> int:
        """Return how many commits there are to look at, where somebody wants to know."""
        if self.progress is None or not tips:
            return 0
        words = ("rev-list", "--count", *tips, *(f"^{tip}" for tip in self._done))
        return int(self.git.run(*words, "--").text())

    # --- What a commit's days become ----------------------------------------------------------------

    def _read(self, batch: Sequence[Recorded]) -> dict[str, bytes]:
        """Return the contents of changed days that a purge may concern, by blob id."""
        days: dict[str, set[str]] = {}
        for one in batch:
            for change in _first(one):
                date = day_of(change.path)
                if date is not None and change.new and change.new_mode.startswith("100"):
                    days.setdefault(change.new, set()).add(date)
        found: dict[str, bytes] = {}
        for (oid, dates), item in zip(days.items(), self.objects.read_many(days), strict=True):
            if item is None:
                raise ErrGit(f"The repository lacks the blob {oid}.", hint="`git fsck` names what is wrong.")
            if any(concerns(item.content, date, purge) for purge in self.purges for date in dates):
                found[oid] = item.content
        return found

    def _state_of(self, one: Recorded, contents: Mapping[str, bytes]) -> _State:
        parents = [self._states[parent] for parent in one.commit.parents]
        base = parents[0] if parents else _NOTHING
        changes = [change for change in _first(one) if day_of(change.path) is not None]
        records = _records(base.records, _first(one))
        whole = self._whole(parents, changes, contents)
        versions = dict(base.versions)
        now = {change.path: (change.new, change.new_mode) for change in changes}
        if records != base.records:
            contents = _Contents(self.objects, contents)
            now = {**self._all_days(one, base, records), **now}
        active = [purge for purge in self.purges if purge.id not in records]
        for path, (oid, mode) in now.items():
            versions.pop(path, None)
            if oid in contents and mode.startswith("100"):
                new = self._result(path, oid, contents[oid], active, whole)
                if new != oid:
                    versions[path] = _Version(oid, new)
        if versions == base.versions:
            return _State(base.versions, base.substitutes, whole, records)
        substitutes = Substitutes({path: one.new for path, one in versions.items()}) if versions else None
        return _State(versions, substitutes, whole, records)

    def _whole(
        self, parents: Sequence[_State], changes: Sequence[Change], contents: Mapping[str, bytes]
    ) -> Mapping[str, bytes]:
        """Return the purged blocks as they were first committed: the first parent's word counts."""
        whole = parents[0].whole if parents else {}
        for parent in parents[1:]:
            if any(name not in whole for name in parent.whole):
                whole = {**parent.whole, **whole}
        for change in changes:
            date = str(day_of(change.path))
            for purge in self.purges if change.new in contents else ():
                if purge.day == date and purge.id not in whole:
                    block = block_of(contents[change.new], date, purge)
                    if block is not None:
                        whole = {**whole, purge.id: block}
                        self.found.setdefault(purge.id, block)
        return whole

    def _all_days(self, one: Recorded, base: _State, records: frozenset[str]) -> dict[str, tuple[str, str]]:
        """Return the days to look at anew where a commit brings or drops the record of a purge."""
        if records > base.records:
            return {path: (version.old, "100644") for path, version in base.versions.items()}
        found = walk_tree(one.commit.tree, self.objects.tree)
        return {path: (entry.oid, entry.mode) for path, entry in found if day_of(path) is not None}

    def _result(
        self, path: str, oid: str, content: bytes, active: Sequence[Purge], whole: Mapping[str, bytes]
    ) -> str | None:
        """Return the id of what a version of a day becomes, None where it goes."""
        key = (path, oid, tuple(purge.id for purge in active), tuple(sorted(whole.items())))
        if key not in self._results:
            new = purge_day(content, str(day_of(path)), active, whole)
            if new is not None and new != content:
                self._results[key] = self._packer.add("blob", new)
            else:
                self._results[key] = None if new is None else oid
            if self._results[key] != oid:
                self.dates.add(str(day_of(path)))
        return self._results[key]

    # --- What a commit becomes ----------------------------------------------------------------------

    def _rewrite(self, one: Recorded) -> None:
        commit = one.commit
        substitutes = self._states[commit.oid].substitutes
        tree = commit.tree if substitutes is None else self._trees.edit(commit.tree, substitutes)
        moved = {parent: self.new[parent] for parent in commit.parents if parent in self.new}
        if tree != commit.tree or moved:
            self.new[commit.oid] = self._packer.add("commit", purge_commit(commit.payload, tree, moved))


class _Contents(dict[str, bytes]):
    """Contents by blob id, those that are not at hand read when they are asked for."""

    def __init__(self, objects: Objects, at_hand: Mapping[str, bytes]) -> None:
        super().__init__(at_hand)
        self._objects = objects

    def __contains__(self, oid: object) -> bool:
        return bool(oid)

    def __missing__(self, oid: str) -> bytes:
        self[oid] = content = self._objects.blob(oid)
        return content


def _first(one: Recorded) -> Sequence[Change]:
    """Return what a commit changed against its first parent, or against nothing."""
    return one.changes[0] if one.changes else ()


def _records(known: frozenset[str], changes: Sequence[Change]) -> frozenset[str]:
    for change in changes:
        name = record_of(change.path)
        if name is not None:
            known = known | {name} if change.new else known - {name}
    return known


def purged_ids(objects: Objects, commit: str) -> frozenset[str]:
    """Return the ids of the purges that a commit's tree records."""
    folder = objects.entry(commit, PURGED_DIR)
    if folder is None or not folder.is_tree:
        return frozenset()
    names = (record_of(f"{PURGED_DIR}/{file}") for file in objects.tree(folder.oid))
    return frozenset(name for name in names if name is not None)
