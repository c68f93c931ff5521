"""Correcting: a new entry today; the old day is not touched (design §6)."""

from __future__ import annotations

from nutsync.core.append import NewEntry
from nutsync.core.entry import Block, Ref, check_text
from nutsync.core.errors import ErrForgotten, ErrRef
from nutsync.core.layer_requests import resolve_correction
from nutsync.operations.cell import Cell
from nutsync.operations.journal import Appended, append
from nutsync.operations.lookup import find_entry, unknown


def correct(
    cell: Cell,
    ref: Ref,
    text: str,
    *,
    index: str | None = None,
    actor: str | None = None,
    is_admin: bool | None = None,
) -> Appended:
    """Remember ``text`` today as what holds instead of ``ref``.

    The correction inherits its target's layer, actor and namespace; ``actor`` is who asks (the cell's
    by default), ``is_admin`` whether with an admin's rights (by default as the cell's list says).

    Raises :class:`ErrUnknownRef`, :class:`ErrForgotten`, :class:`ErrRef` for a whole day or an
    unstamped block, and what :func:`resolve_correction` and :func:`append` raise.
    """
    check_text(text)
    asking = actor or cell.actor
    target, block = require_target(cell, ref, asking)
    rights = asking in cell.config.admins if is_admin is None else is_admin
    placement = resolve_correction(block.attributes, asking, is_admin=rights)
    attributes = {**placement.attributes, "corrects": str(target)}
    return append(cell, [NewEntry(text, attributes)], index=index, op="correct")


def require_target(cell: Cell, ref: Ref, actor: str) -> tuple[Ref, Block]:
    """Return the entry that ``ref`` names now, as ``actor`` sees it, or raise the named error."""
    if ref.id is None:
        raise ErrRef(
            f"{ref} names no stamped entry, so a correction could not point at it for ever.",
            hint="Write today what holds, or use `nutsync forget --replace` on the block itself.",
        )
    found = find_entry(cell, ref, actor)
    if found.block is not None:
        return found.ref, found.block
    if found.forgotten:
        raise ErrForgotten(f"{ref} was forgotten, so there is nothing to correct.")
    raise unknown(ref)
