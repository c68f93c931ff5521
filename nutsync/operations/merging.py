"""Merging two commits by blocks, in process: days by the merge law, the rest by plain rules (design §8.5).

Nothing is written here but loose objects that no ref names: the result says what has to change in the
first commit to make it the merge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from nutsync.core.append import said
from nutsync.core.cell import date_of_path, day_path
from nutsync.core.day import Day
from nutsync.core.entry import Block, Ref
from nutsync.core.errors import ErrRef
from nutsync.core.forgotten import ForgottenByAny
from nutsync.core.index import merge_index
from nutsync.core.merge import Side, merge_day
from nutsync.core.merge_grown import Grown, merge_grown
from nutsync.core.progress import Progress, counted
from nutsync.core.receipt import count_added, day_receipt, grown_receipt
from nutsync.core.sync_plan import Receipt
from nutsync.operations.guard import Guard
from nutsync.operations.merging_files import merge_cell_file
from nutsync.store.repo.foreign import merge_outside
from nutsync.store.repo.git import Git
from nutsync.store.repo.history import Change, compare_trees
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.trees import FILE, TreeEntry

_CHUNK = 256


@dataclass(frozen=True)
class Merged:
    """What makes ``ours`` the merge: paths with their content afterwards (None: gone), and the receipt.

    ``taken`` are paths that stand afterwards as one side, or Git, has them.
    """

    files: Mapping[str, bytes | None]
    taken: Mapping[str, TreeEntry | None]
    receipt: Receipt
    received: int = 0


def merge_bases(git: Git, ours: str, theirs: str) -> tuple[str, ...]:
    """Return every best common ancestor; none where the histories are unrelated."""
    return tuple(git.run("merge-base", "--all", ours, theirs, check=False).text().split())


@dataclass
class Merger:
    """Merges commits of one repository; the guard knows what their histories have forgotten."""

    guard: Guard
    progress: Progress | None = None
    _texts: dict[str, str | None] = field(default_factory=dict)

    @property
    def git(self) -> Git:
        return self.guard.git

    @property
    def objects(self) -> Objects:
        return self.guard.objects

    def merge(self, ours: str, theirs: str, bases: Sequence[str]) -> Merged:
        """Return the merge of two commits with these merge bases.

        Raises :class:`ErrForeignConflict` where files outside the cell conflict.
        """
        trees = [self.objects.commit(side).tree for side in (ours, theirs)]
        changes = compare_trees(self.objects.tree, *trees)
        files: dict[str, bytes | None] = {}
        taken = merge_outside(self.git, self.objects, ours, theirs, bases)
        days = [change for change in changes if date_of_path(change.path) is not None]
        receipt, received = self._merge_days(days, (ours, theirs), bases, files, taken)
        for change in changes:
            if date_of_path(change.path) is None:
                entry = merge_cell_file(self.guard, change, (ours, theirs), bases)
                if entry != _entry(change.old_mode, change.old):
                    taken[change.path] = entry
        return Merged(files, taken, receipt, received)

    def _merge_days(
        self,
        changes: Sequence[Change],
        sides: tuple[str, str],
        bases: Sequence[str],
        files: dict[str, bytes | None],
        taken: dict[str, TreeEntry | None],
    ) -> tuple[Receipt, int]:
        f_ours, f_theirs = (self.guard.forgotten(side) for side in sides)
        both = ForgottenByAny((f_ours, f_theirs))
        receipt, received = Receipt(), 0
        days = self._versions(changes, bases)
        for change, versions in counted(days, len(changes), "Merging days", self.progress):
            date = str(date_of_path(change.path))
            quick = self._grown(date, change, versions, sides)
            if quick is not None:
                files[change.path] = quick.content
                receipt = receipt.plus(grown_receipt(quick.common, quick.ours, quick.theirs))
                received += quick.theirs
                continue
            ours, theirs = versions.day(date, change.old), versions.day(date, change.new)
            fronts = [
                day.front
                for oid in dict.fromkeys(versions.bases)
                if (day := versions.day(date, oid)) is not None
            ]
            day = merge_day(
                date,
                Side(ours, f_ours),
                Side(theirs, f_theirs),
                fronts,
                IndexMerger(date, self._old_texts(sides)),
            )
            receipt = receipt.plus(day_receipt(date, ours, theirs, day, both))
            received += count_added(ours, day)
            content = None if day is None else day.render()
            if content == versions.contents.get(change.new):
                taken[change.path] = _entry(change.new_mode, change.new)
            elif content != versions.contents.get(change.old):
                files[change.path] = content
        return receipt, received

    def _grown(self, date: str, change: Change, versions: _Versions, sides: tuple[str, str]) -> Grown | None:
        """Merge a day of which nothing was ever forgotten and that only grew, if it is one."""
        ours, theirs = (versions.contents.get(oid) for oid in (change.old, change.new))
        if ours is None or theirs is None or not versions.bases:
            return None
        if any(self.guard.ancestry(side).gone.get(date) is not None for side in sides):
            return None
        bases = [versions.contents[oid] for oid in dict.fromkeys(versions.bases)]
        return merge_grown(date, ours, theirs, bases)

    def _versions(
        self, changes: Sequence[Change], bases: Sequence[str]
    ) -> Iterator[tuple[Change, _Versions]]:
        """Yield each changed day with its contents, read in batches."""
        rest = iter(changes)
        while batch := list(islice(rest, _CHUNK)):
            known = {
                change.path: [
                    entry.oid
                    for base in bases
                    if (entry := self.objects.entry(base, change.path)) is not None
                ]
                for change in batch
            }
            wanted = dict.fromkeys(oid for c in batch for oid in (c.old, c.new, *known[c.path]) if oid)
            self.objects.prefetch(wanted)
            contents = {oid: self.objects.blob(oid) for oid in wanted}
            for change in batch:
                yield change, _Versions(contents, tuple(known[change.path]))

    def _old_texts(self, sides: tuple[str, str]) -> Callable[[str], str | None]:
        """Return a look-up of what a correction replaced, as far as one side still holds it."""

        def text_of(ref: str) -> str | None:
            if ref not in self._texts:
                self._texts[ref] = next(
                    (text for side in sides if (text := self._text(side, ref)) is not None), None
                )
            return self._texts[ref]

        return text_of

    def _text(self, commit: str, text: str) -> str | None:
        try:
            ref = Ref.parse(text)
        except ErrRef:
            return None
        if ref.id is not None and self.guard.forgotten(commit).has(text):
            return None
        content = self.objects.file(commit, day_path(ref.date))
        block = Day.parse(content, ref.date).find(ref) if content is not None else None
        return None if block is None else block.text


class _Versions(NamedTuple):
    """The contents of one day by blob id, and which of them the merge bases hold."""

    contents: Mapping[str, bytes]
    bases: tuple[str, ...]

    def day(self, date: str, oid: str) -> Day | None:
        content = self.contents.get(oid)
        return None if content is None else Day.parse(content, date)


@dataclass(frozen=True, slots=True)
class IndexMerger:
    """The index of one merged day (see :class:`nutsync.core.merge.MergeIndex`)."""

    date: str
    old_text: Callable[[str], str | None]

    def __call__(
        self,
        ours: str | None,
        theirs: str | None,
        bases: Sequence[str | None],
        blocks: Sequence[Block],
        forgotten: Sequence[Block],
    ) -> str:
        corrected = {block.attributes.get("corrects", "") for block in blocks} - {""}
        texts = {ref: text for ref in sorted(corrected) if (text := self.old_text(ref)) is not None}
        return merge_index(
            ours, theirs, bases, said(blocks, texts), forgotten=said(forgotten, {}), day=self.date
        )


def _entry(mode: str, oid: str) -> TreeEntry | None:
    return TreeEntry(mode or FILE, oid) if oid else None
