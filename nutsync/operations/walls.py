"""What keeps one actor's memory from showing in the answers another one gets (design §4, §12).

Who sees which entry is decided in :mod:`nutsync.core.visibility`. Here is what entries could still show
through: a refusal that differs, an index that is checked against everybody's text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from nutsync.core.append import said
from nutsync.core.entry import Block, Ref
from nutsync.core.errors import ErrForgotten
from nutsync.core.index import Said, refuse_invented
from nutsync.core.visibility import visible
from nutsync.operations.cell import Cell
from nutsync.operations.lookup import unknown
from nutsync.operations.tokens import Asker
from nutsync.store.days import read_day


@contextmanager
def behind_wall(asker: Asker, ref: Ref) -> Iterator[None]:
    """Let what was forgotten look like what never was: a ref says nothing about others' entries."""
    try:
        yield
    except ErrForgotten as problem:
        if not asker.walled:
            raise
        raise unknown(ref) from problem


def require_own_ground(
    cell: Cell, asker: Asker, date: str, index: str | None, new: Sequence[Said] = ()
) -> None:
    """Refuse a hand-made index that names what the asker's own view of the day does not have.

    The whole day would confirm a guess of what others wrote. Raises :class:`ErrIndexUngrounded`.
    """
    if index is None or not asker.walled:
        return
    seen, hidden = _parted(cell, asker, date)
    if hidden:
        refuse_invented(index, [*said(seen, {}), *new], day=date)


def own_warnings(cell: Cell, asker: Asker, date: str, warnings: object) -> object:
    """Return the warnings about an index, none where others' entries had a part in them."""
    return [] if asker.walled and _parted(cell, asker, date)[1] else warnings


def _parted(cell: Cell, asker: Asker, date: str) -> tuple[list[Block], bool]:
    """Return the blocks of a day that the asker sees, and whether there are others."""
    day = read_day(cell.root, date)
    blocks = day.blocks if day else ()
    seen = [block for block in blocks if visible(block.attributes, asker.actor)]
    return seen, len(seen) < len(blocks)


def without_sizes(asker: Asker, document: dict[str, object]) -> dict[str, object]:
    """Return recall's answer without how much was looked through: that counts everybody's days."""
    stages = document["stages"]
    if not asker.walled or not isinstance(stages, list):
        return document
    return {**document, "stages": [{**stage, "scanned": None} for stage in stages]}


_EVERYBODYS = frozenset(
    {
        "sent",
        "received",
        "attempts",
        "receipt",
        "waiting",
        "pending",
        "held",
        "devices",
        "notices",
        "leftovers",
    }
)


def own_sync(asker: Asker, document: dict[str, object]) -> dict[str, object]:
    """Return the state of sync without what counts or names everybody's entries; admins are told all."""
    if not asker.walled or asker.is_admin:
        return document
    return {key: value for key, value in document.items() if key not in _EVERYBODYS}
