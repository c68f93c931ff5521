"""Whether something waits to be remembered: one look at one file, so that every command can afford it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from nutsync.core.errors import NutsyncError
from nutsync.operations.cell import Cell
from nutsync.store.files import remove_file, write_atomic


def take_up_what_waits(cell: Cell) -> None:
    """Remember what an earlier hand-over could not; where that still fails, it goes on waiting."""
    if _mark(cell).exists():
        from nutsync.operations.handover import take_up

        with suppress(NutsyncError):
            take_up(cell)


def set_mark(cell: Cell) -> None:
    """Note that something waits. Raises :class:`ErrUnwritable`."""
    write_atomic(_mark(cell), b"")


def clear_mark(cell: Cell) -> None:
    """Note that nothing waits any longer."""
    remove_file(_mark(cell))


def _mark(cell: Cell) -> Path:
    return cell.git.private_dir / "waiting"
