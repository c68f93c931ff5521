"""Listing and counting memory by layer, as one actor sees it (design §4, §11, §12)."""

from __future__ import annotations

from collections.abc import Iterator

from nutsync.core.day import Day
from nutsync.core.entry import Block, Ref
from nutsync.core.layer_queries import Query
from nutsync.core.visibility import count_layers, visible
from nutsync.operations.cell import Cell, archive_of
from nutsync.operations.corrections import read_corrections
from nutsync.operations.remembered import remembered
from nutsync.operations.seen import entry_json, visible_corrections
from nutsync.operations.session import read_session
from nutsync.store.files import day_files, read_bytes

EVERYTHING = Query()


def entries(
    cell: Cell, *, actor: str, session: str = "", query: Query = EVERYTHING
) -> Iterator[tuple[Ref, Block]]:
    """Yield the entries that ``actor`` sees and ``query`` asks for: the archive's, then the session's own.

    Raises :class:`ErrUnreadable` where a file or folder cannot be read.
    """
    for date, path in day_files(archive_of(cell.root)):
        for ref, block in remembered(cell, Day.parse(read_bytes(path), date)).entries():
            seen = block.is_bullet and visible(block.attributes, actor, session)
            if seen and query.matches(block.attributes):
                yield ref, block
    for ref, block in read_session(cell, session, actor):
        if query.matches(block.attributes):
            yield ref, block


def counts(cell: Cell, *, actor: str, session: str = "") -> dict[str, int]:
    """Return how many entries of each layer ``actor`` sees: all seven keys, zeros too."""
    return count_layers(block.attributes for _, block in entries(cell, actor=actor, session=session))


def list_entries(cell: Cell, *, actor: str, session: str = "", query: Query = EVERYTHING) -> list[object]:
    """Return the entries as every front end shows them, each with its date and layer, oldest first."""
    corrections = visible_corrections(read_corrections(cell.root, since=""), actor, session)
    return [
        {"date": ref.date, **entry_json(ref, block, corrections)}
        for ref, block in entries(cell, actor=actor, session=session, query=query)
    ]
