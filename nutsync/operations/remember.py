"""What somebody wants remembered, from request to entry: one door for every front end.

Layer, kind, actor and session are decided here by the table of layers (design §4); what outlives its
session goes to the archive, the rest to the session's own file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from nutsync.core.append import NewEntry
from nutsync.core.entry import check_text
from nutsync.core.errors import ErrUsage
from nutsync.core.layer_requests import Placement, WriteRequest, resolve_write
from nutsync.operations.cell import Cell
from nutsync.operations.journal import append

RESERVED = frozenset({"id", "at", "dev", "kind", "scope", "actor", "namespace", "session", "formation"})
"""Attributes that nobody hands over: they come from the request itself."""


class Memo(NamedTuple):
    """A text and how it is to be remembered. ``extra`` are attributes of the writer's own."""

    text: str
    request: WriteRequest
    extra: Mapping[str, str] = MappingProxyType({})


def remember(cell: Cell, memos: Sequence[Memo], *, index: str | None = None) -> dict[str, object]:
    """Remember ``memos`` today: the lasting ones in one commit, the others in their sessions' files.

    Every memo is checked before anything is written. Returns the document of `append` (design §11).
    Raises the named errors of :func:`resolve_write`, :func:`check_text` and
    :func:`nutsync.operations.journal.append`.
    """
    if not memos:
        raise ErrUsage("There is nothing to remember.", hint="Give a text.")
    placements = [resolve_write(memo.request) for memo in memos]
    for memo in memos:
        check_text(memo.text)
    lasting = [_entry(m, p) for m, p in zip(memos, placements, strict=True) if p.durable]
    passing = [_entry(m, p) for m, p in zip(memos, placements, strict=True) if not p.durable]
    if passing:  # most memos outlive their session, and wait for nothing of sessions
        from nutsync.operations.session import note, require_clean

        require_clean(cell, passing)
    entries: list[dict[str, object]] = []
    commit: str | None = None
    warnings: tuple[str, ...] = ()
    if lasting:
        done = append(cell, lasting, index=index)
        entries, commit, warnings = done.entries_json(), done.commit, done.warnings
    if passing:
        entries += note(cell, passing)
    return {"entries": entries, "commit": commit, "warnings": list(warnings)}


def _entry(memo: Memo, placement: Placement) -> NewEntry:
    taken = RESERVED & memo.extra.keys()
    if taken:
        raise ErrUsage(f"{', '.join(sorted(taken))} cannot be given as an attribute.")
    return NewEntry(memo.text, {**placement.attributes, **memo.extra})
