"""Finding one entry by its ref: there, replaced, forgotten, or never there."""

from __future__ import annotations

from dataclasses import dataclass

from nutsync.core.correction import successor
from nutsync.core.entry import Block, Ref
from nutsync.core.errors import ErrUnknownRef
from nutsync.core.visibility import visible
from nutsync.operations.cell import Cell
from nutsync.operations.guard import Guard
from nutsync.operations.remembered import remembered_day
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.refs import branch_ref, resolve_ref


@dataclass(frozen=True, slots=True)
class Found:
    """``block`` is None where nothing is there for the asker; ``forgotten`` says that it once was."""

    ref: Ref
    block: Block | None
    forgotten: bool = False


def unknown(ref: Ref) -> ErrUnknownRef:
    """Return the error of a ref that names nothing; every refusal of this kind reads the same."""
    return ErrUnknownRef(
        f"Nothing is remembered under {ref}.", hint="`nutsync recall` finds entries and shows their refs."
    )


def find_entry(cell: Cell, ref: Ref, actor: str) -> Found:
    """Look ``ref`` up in the worktree as ``actor`` sees it; a replaced entry is found by its old ref."""
    day = remembered_day(cell, ref.date)
    seen = [one for one in day.entries() if visible(one[1].attributes, actor)] if day else []
    for own, block in seen:
        if own == ref:
            return Found(own, block)
    replaced = successor(seen, ref)
    if replaced is not None:
        return Found(*replaced)
    return Found(ref, None, forgotten=_was_forgotten(cell, ref))


def _was_forgotten(cell: Cell, ref: Ref) -> bool:
    tip = resolve_ref(cell.git, branch_ref(cell.branch))
    if tip is None or ref.id is None:
        return False
    with Objects(cell.git) as objects:
        return Guard(cell.git, objects).forgotten(tip).has(str(ref))
