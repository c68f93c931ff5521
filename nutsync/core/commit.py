"""What the freeze law sees of a commit: values that Git stores, and nothing of how they were read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from nutsync.core.audit import Audit, parse_message
from nutsync.core.moment import Moment

FILE_MODE = "100644"


class Blob:
    """One version of a file: its mode and id, and its content once somebody asks.

    ``source`` is the content, or a function that gives it for the id.
    """

    __slots__ = ("_source", "id", "mode")

    def __init__(self, mode: str, id: str, source: bytes | Callable[[str], bytes]) -> None:
        self.mode = mode
        self.id = id
        self._source = source

    @property
    def is_file(self) -> bool:
        """Whether this is a plain file; a link and a submodule are none."""
        return self.mode.startswith("100")

    @property
    def content(self) -> bytes:
        """The bytes of a plain file; what is none holds nothing."""
        if not self.is_file:
            return b""
        if not isinstance(self._source, bytes):
            self._source = self._source(self.id)
        return self._source

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Blob) and self.id == other.id and self.mode == other.mode

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"Blob({self.mode} {self.id})"


class Change(NamedTuple):
    """One path that differs between a parent and the commit. A side that is not there is None.

    A rename is a deletion and an addition.
    """

    path: str
    old: Blob | None
    new: Blob | None


class Signature(NamedTuple):
    """What is known of a commit's signature.

    ``state`` is ``none``, ``good`` (``key`` is the public key that made it), ``bad`` (it does not fit the
    commit), ``other`` (of a sort that nutsync does not verify) or ``lost`` (taken off when a purge rewrote
    history).
    """

    state: str = "none"
    key: str | None = None


UNSIGNED = Signature()


@dataclass(frozen=True)
class Commit:
    """One commit.

    ``changes`` holds, for each parent in order, every path of the cell that differs from it, also a path that
    differs from the cell's by case alone, and no other; a commit without parents is compared with nothing.
    """

    id: str
    parents: tuple[str, ...]
    authored: Moment
    committed: Moment
    message: str
    changes: tuple[tuple[Change, ...], ...]
    author: str = ""
    signature: Signature = field(default=UNSIGNED)

    @cached_property
    def audit(self) -> Audit:
        """What the commit says of itself."""
        return parse_message(self.message)

    @property
    def touches_cell(self) -> bool:
        """Whether the commit changes the cell against any parent."""
        return any(self.changes)

    @property
    def counts(self) -> bool:
        """Whether the commit belongs to the cell's history.

        It changes the cell, or names entries that it changed: a purge may have emptied it, and its date and
        what it forgot still count.
        """
        if self.touches_cell or "Nutsync-Op:" not in self.message:
            return self.touches_cell
        return bool(self.audit.op and (self.audit.entries or self.audit.targets))
