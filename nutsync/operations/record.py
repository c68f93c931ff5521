"""Recording: the one place where nutsync itself makes commits (design §6, §7).

Every change is judged by the freeze law before an object of it is written. The recorder works under
the clone's lock and sees the tip of the memory branch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from nutsync import __version__
from nutsync.core.audit import Audit, render_message
from nutsync.core.errors import ErrGit
from nutsync.core.hand import Screen
from nutsync.core.moment import Moment
from nutsync.operations.guard import Guard
from nutsync.operations.move_note import Move, clear_note, write_note
from nutsync.operations.secrets import kind_of_secret, refuse_secrets
from nutsync.store.repo.commit import Author, blob_id, move_branch, new_commit
from nutsync.store.repo.git import Git
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.refs import branch_ref
from nutsync.store.repo.trees import FILE, TreeEntry
from nutsync.store.repo.upkeep import tidy_if_due
from nutsync.store.repo.worktree import set_index, write_worktree


class Change(NamedTuple):
    """One commit to be: what it says of itself, the paths it writes (None removes), and its instant.

    ``files`` are against the first parent. ``merged`` are further parents.
    """

    audit: Audit
    files: Mapping[str, bytes | None]
    moment: Moment
    about: str = ""
    merged: tuple[str, ...] = ()


@dataclass
class Recorder:
    """The memory branch, ready to take commits. Use it under the clone's lock.

    ``tip`` is the branch's commit, None before the first. ``sign`` makes armoured signatures.
    ``allow_secret`` says that its owner wants what looks like a credential remembered.
    """

    git: Git
    objects: Objects
    guard: Guard
    branch: str
    actor: str
    device: str
    tip: str | None
    sign: Callable[[bytes], bytes] | None = None
    allow_secret: bool = False

    @property
    def screen(self) -> Screen | None:
        """What finds credentials in additions made by hand; None where they are allowed."""
        return None if self.allow_secret else kind_of_secret

    def committed(self, path: str) -> bytes | None:
        """Return the content of ``path`` at the tip, or None."""
        return None if self.tip is None else self.objects.file(self.tip, path)

    def forgotten_on(self, date: str) -> Callable[[str], bool]:
        """Return a look-up of which ids of a day were forgotten by what is committed; asked, it is dear."""
        return lambda name: self.guard.forgotten(self.tip).has(f"{date}#{name}")

    def today(self, now: Moment) -> str:
        """Return the day that an entry written ``now`` belongs to: the one that every judge will find."""
        return self.guard.today(self.tip, now)

    def audit(self, op: str, **fields: object) -> Audit:
        """Return the audit of a change made here: actor, device and version filled in."""
        given = {"actor": self.actor, "device": self.device, "version": __version__, **fields}
        return Audit(op=op, **given)  # type: ignore[arg-type]

    def check(self, changes: Sequence[Change]) -> None:
        """Judge ``changes`` in order, each on top of the one before; nothing is written.

        Raises :class:`ErrSecret` for a credential that one of them would bring in, and
        :class:`ErrFreezeLaw` for the first that breaks the law.
        """
        if not self.allow_secret:
            refuse_secrets(changes, self.committed)
        self.guard.check(self.tip, changes)

    def commit(self, changes: Sequence[Change], worktree: Mapping[str, bytes | None] | None = None) -> str:
        """Write ``changes`` as commits on the tip, move the branch and the index, and return the new tip.

        They must have been checked. ``worktree`` says what files hold afterwards; they are written once
        the branch has moved, so that a crash leaves what the next command completes. Raises
        :class:`ErrChanged` where the branch moved meanwhile; then only unreachable objects were written.
        """
        new = self.tip
        touched: dict[str, bytes | None] = {}
        for change in changes:
            new = self.write(new, change)
            self.guard.follow(new)
            touched.update(change.files)
        if new is None or new == self.tip:
            raise ErrGit("There was nothing to commit.")
        if worktree:
            write_note(self.git, Move(self.tip, new))
        self.advance(new, changes[-1].audit.op)
        for path, content in (worktree or {}).items():
            write_worktree(self.git, path, content)
        rows = {path: None if c is None else (FILE, blob_id(self.git, c)) for path, c in touched.items()}
        set_index(self.git, rows)
        if worktree:
            clear_note(self.git)
        tidy_if_due(self.git)
        return new

    def write(
        self, parent: str | None, change: Change, taken: Mapping[str, TreeEntry | None] | None = None
    ) -> str:
        """Write one commit object on ``parent`` and return its id; no ref moves.

        ``taken`` are further paths, with objects that the repository holds already (None removes).
        """
        author = self._author(change.moment)
        return new_commit(
            self.git,
            self.objects,
            base=parent,
            parents=(*([parent] if parent else ()), *change.merged),
            changes={**change.files, **(taken or {})},
            author=author,
            committer=author,
            message=render_message(change.audit, change.about),
            sign=self.sign,
        )

    def advance(self, new: str, reason: str) -> None:
        """Move the memory branch from the tip to ``new``; raises :class:`ErrChanged`."""
        self.guard.vouch(self.tip, new)
        move_branch(self.git, branch_ref(self.branch), new, self.tip, f"nutsync: {reason}")
        self.tip = new

    def _author(self, moment: Moment) -> Author:
        """Return who commits: Git's identity, else actor and device serve (design §11)."""
        name = self.git.config("user.name") or self.actor
        email = self.git.config("user.email") or f"{self.device}@nutsync.invalid"
        return Author(name, email, moment)
