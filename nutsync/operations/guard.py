"""The guard: what the freeze law needs to know, fetched from Git, and the law asked (design §7).

It decides nothing itself. Whoever makes a commit, takes one in or moves the branch asks it, and it asks
`nutsync.core.freeze`. The ancestry that a judgement needs is carried forward from checkpoints named by
commit id in the Git directory, and made anew from history where they are missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from nutsync.core.advance import advance
from nutsync.core.ancestry import Ancestry, ForgottenBefore, Past, Versions, join, today_of
from nutsync.core.audit import render_message
from nutsync.core.cell import date_of_path, day_path
from nutsync.core.checkpoint import from_plain, to_plain
from nutsync.core.commit import FILE_MODE, UNSIGNED, Blob, Change, Commit, Signature
from nutsync.core.errors import ErrFreezeLaw, ErrGit
from nutsync.core.forgotten import NOTHING_FORGOTTEN, Forgotten
from nutsync.core.freeze import Finding, Severity, blurred_days, judge
from nutsync.core.moment import Moment
from nutsync.operations.kept import nearest_kept, planted, shallow_commits
from nutsync.store import checkpoints
from nutsync.store.clock import zone_offset
from nutsync.store.repo.git import Git
from nutsync.store.repo.history import Change as StoredChange
from nutsync.store.repo.history import Recorded, is_in_cell, proved, recorded, walk
from nutsync.store.repo.message import Commit as StoredCommit
from nutsync.store.repo.objects import Objects

if TYPE_CHECKING:
    from nutsync.operations.purged_past import PurgedPast
    from nutsync.operations.record import Change as Intended

_FEW = 8
_UNWRITTEN = "unwritten-"

_BATCH = 24

MILESTONE = 1000
"""So many commits into a long walk, and again and again, an ancestry is kept."""


@dataclass
class Guard:
    """The law's view of one clone. ``key`` is the public key with which this device signs, if it does."""

    git: Git
    objects: Objects
    key: str | None = None
    _known: dict[str, Ancestry] = field(default_factory=dict)
    _unwritten: dict[str, tuple[str | None, Intended]] = field(default_factory=dict)
    _contents: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.past = Past(self._versions, zone_offset)
        self._shallow = shallow_commits(self.git)

    @cached_property
    def purges(self) -> PurgedPast:
        """The purges that count; what knows them is loaded for stored commits, not for a draft."""
        from nutsync.operations.purged_past import PurgedPast

        return PurgedPast(self.git, self.objects)

    # --- what is known of the past -----------------------------------------------------------------

    def ancestry(self, commit: str | None) -> Ancestry:
        """Return what has to be known of ``commit`` and everything before it."""
        if commit is None:
            return join([])
        found = self._known.get(commit)
        if found is None:
            found = checkpoints.read(self.git.private_dir, commit, from_plain)
        if found is None:
            found = self._carried_forward(commit)
            self.keep(commit)
        self._known[commit] = found
        return found

    def today(self, tip: str | None, now: Moment) -> str:
        """Return the local date of a commit made ``now`` on ``tip`` (design §5, §7)."""
        return today_of(now, [self.ancestry(tip)], zone_offset)

    def forgotten(self, *commits: str | None) -> Forgotten:
        """Return F: everything that these commits or an ancestor of theirs forgot."""
        known = join([self.ancestry(commit) for commit in commits])
        return ForgottenBefore(known, self.past) if known.born else NOTHING_FORGOTTEN

    def days_gone(self, commit: str | None) -> frozenset[str]:
        """Return days of which something was forgotten: where one has no file, nothing comes back."""
        gone = self.ancestry(commit).gone
        return frozenset(date for date, what in gone.items() if what.emptied or what.ids)

    # --- judging -----------------------------------------------------------------------------------

    def check(self, tip: str | None, changes: Sequence[Intended]) -> None:
        """Judge commits that are not written yet, each on top of the one before.

        Raises :class:`ErrFreezeLaw` for the first violation; nothing was written then.
        """
        known, parent = self.ancestry(tip), tip
        for number, intended in enumerate(changes):
            commit = self._intended(f"{_UNWRITTEN}{number}", parent, intended)
            require_legal(judge(commit, [known], self.past))
            known, parent = advance([known], commit, self.past), commit.id

    def follow(self, commit: str) -> None:
        """Carry the ancestry forward over a commit that was just judged, written and signed here."""
        own = Signature("good", self.key) if self.key else UNSIGNED
        self.judge_commit(recorded(self.objects, commit), own)
        self.keep(commit)

    def keep(self, commit: str, *, milestone: bool = False) -> None:
        """Keep a checkpoint of a commit whose ancestry is known, so that its children cost one step.

        A shallow clone keeps none: what it knows is less than what holds once the rest has been fetched.
        """
        if self._shallow:
            return
        plain = to_plain(self._known[commit])
        checkpoints.write(self.git.private_dir, commit, plain, milestone=milestone)

    def judge_commit(
        self, recorded: Recorded, signature: Signature | None = None
    ) -> tuple[Commit, list[Finding]]:
        """Return one stored commit as the law sees it, and its findings; its ancestry is known afterwards."""
        if sum(map(len, recorded.changes)) > _FEW:
            changed = (change for changes in recorded.changes for change in changes)
            self.objects.prefetch(oid for change in changed for oid in (change.old, change.new) if oid)
        parents = [self.ancestry(parent) for parent in recorded.commit.parents]
        if recorded.commit.signature is None and signature is None:
            signature = self._without_signature(recorded, parents)
        commit = self.as_commit(recorded, signature)
        findings = judge(commit, parents, self.past)
        self._known[commit.id] = advance(parents, commit, self.past, blurred_days(findings))
        return commit, findings

    def judge_range(self, new: str, known: Sequence[str] = ()) -> Iterator[tuple[Commit, list[Finding]]]:
        """Judge every commit that ``new`` reaches and ``known`` do not, parents first."""
        self.expect(new)
        stream = walk(self.git, [new], [*known, *self._shallow])
        while batch := list(islice(stream, _BATCH)):
            self.read_ahead(batch)
            for one in batch:
                yield self.judge_commit(one)

    def read_ahead(self, batch: Iterable[Recorded]) -> Mapping[str, bytes]:
        """Read the days that these commits change in one go, and return the contents by blob id.

        They are kept until the next batch, which often begins where this one ended. Raises :class:`ErrGit`
        where one is missing or is not what its id was computed from.
        """
        days = [c for one in batch for against in one.changes for c in against if date_of_path(c.path)]
        sides = [side for c in days for side in ((c.old_mode, c.old), (c.new_mode, c.new))]
        wanted = {oid for mode, oid in sides if mode.startswith("100")}
        have = {oid: content for oid, content in self._contents.items() if oid in wanted}
        missing = sorted(wanted - have.keys())
        for oid, found in zip(missing, self.objects.read_many(missing), strict=True):
            have[oid] = proved(oid, "blob", found)
        self._contents = have
        return have

    def expect(self, tip: str) -> None:
        """Take into account which purges the history of ``tip`` records, before its commits are judged."""
        self.past.purged = self.purges.expect(tip)

    def _without_signature(self, recorded: Recorded, parents: Sequence[Ancestry]) -> Signature:
        """Return whether an unsigned commit lost its signature to a purge, or never had one."""
        before = self.purges.signed_as(recorded.commit)
        if before.signature is not None:
            return signature_of(before)
        known = frozenset[str]().union(*(parent.purged for parent in parents))
        lost = self.purges.has_lost_signature(recorded.commit, recorded.changes, known)
        return Signature("lost") if lost else UNSIGNED

    def as_commit(self, recorded: Recorded, signature: Signature | None = None) -> Commit:
        """Return a stored commit as the law sees it; contents are read when a rule asks for them.

        Its signature is checked, unless the caller says what it is.
        """
        stored = recorded.commit
        return Commit(
            stored.oid,
            stored.parents,
            stored.author.moment,
            stored.committer.moment,
            stored.message,
            tuple(self.as_changes(changes) for changes in recorded.changes),
            stored.author.name,
            signature or signature_of(stored),
        )

    def as_changes(self, changes: Iterable[StoredChange]) -> tuple[Change, ...]:
        """Return stored changes as the law sees them."""
        read = self._content
        return tuple(
            Change(
                change.path,
                Blob(change.old_mode, change.old, read) if change.old else None,
                Blob(change.new_mode, change.new, read) if change.new else None,
            )
            for change in changes
        )

    def _content(self, blob: str) -> bytes:
        found = self._contents.get(blob)
        return self.objects.blob(blob) if found is None else found

    def vouch(self, old: str | None, new: str) -> None:
        """Note that this move of the branch was judged here, so that the gate need not do it again."""
        checkpoints.vouch(self.git.private_dir, old or self.git.zero, new)

    # --- from Git to the law -----------------------------------------------------------------------

    def _carried_forward(self, commit: str) -> Ancestry:
        """Fold the history up to ``commit``: from the checkpoints that it reaches, or from the beginning."""
        if commit in self._shallow:
            return planted(self.objects, commit)
        starts = nearest_kept(self.git, commit)
        self._known.update(starts)
        for number, (one, _) in enumerate(self.judge_range(commit, list(starts)), 1):
            if number % MILESTONE == 0:
                self.keep(one.id, milestone=True)
        if commit not in self._known:
            raise ErrGit(f"The history of {commit} cannot be read.", hint="`git fsck` names what is wrong.")
        return self._known[commit]

    def _intended(self, id: str, parent: str | None, intended: Intended) -> Commit:
        """Return a commit that is not written yet as the law will see it."""
        self._unwritten[id] = (parent, intended)
        seconds = Moment(intended.moment.millis // 1000 * 1000, intended.moment.offset)
        changes = []
        for path, content in intended.files.items():
            old = self._file(parent, path)
            if old != content:
                changes.append(Change(path, self._blob(old), self._blob(content)))
        return Commit(
            id,
            () if parent is None else (parent,),
            seconds,
            seconds,
            render_message(intended.audit, intended.about),
            (tuple(sorted(change for change in changes if is_in_cell(change.path))),),
            signature=Signature("good", self.key) if self.key else UNSIGNED,
        )

    def _blob(self, content: bytes | None) -> Blob | None:
        from nutsync.store.repo.commit import blob_id  # here: it loads what writes commits

        return None if content is None else Blob(FILE_MODE, blob_id(self.git, content), content)

    def _file(self, commit: str | None, path: str) -> bytes | None:
        """Return what a commit, written or not, holds at ``path``."""
        while commit is not None and commit in self._unwritten:
            parent, intended = self._unwritten[commit]
            if path in intended.files:
                return intended.files[path]
            commit = parent
        return None if commit is None else self.objects.file(commit, path)

    def _versions(self, commit: str, date: str) -> Versions:
        path = day_path(date)
        if commit in self._unwritten:
            parents: Sequence[str | None] = (self._unwritten[commit][0],)
        else:
            parents = self.objects.commit(commit).parents
        return Versions(tuple(self._file(parent, path) for parent in parents), self._file(commit, path))


def signature_of(stored: StoredCommit) -> Signature:
    """Return what the signature of a stored commit turns out to be."""
    if stored.signature is None:
        return UNSIGNED
    from nutsync.store.repo.keys import check_signature  # here: a draft has no signature

    checked = check_signature(stored.signature, stored.payload)
    return Signature(checked.verdict.value, checked.key)


def require_legal(findings: Iterable[Finding]) -> None:
    """Raise :class:`ErrFreezeLaw` with every violation among ``findings``; blurs and notices pass."""
    broken = [finding for finding in findings if finding.severity is Severity.VIOLATION]
    if broken:
        raise ErrFreezeLaw(
            " ".join(dict.fromkeys(finding.message for finding in broken)),
            hint=" ".join(dict.fromkeys(finding.hint for finding in broken)),
        )
