"""A note in this clone that the system's scheduler syncs it, so that `status` can say so at no cost."""

from __future__ import annotations

import json
from pathlib import Path

from nutsync.operations.cell import Cell
from nutsync.store.files import read_if_there, remove_file, write_atomic


def note_schedule(cell: Cell, scheduler: str, minutes: int) -> None:
    """Note which scheduler syncs the clone, and every how many minutes. Raises :class:`ErrUnwritable`."""
    write_atomic(_path(cell), json.dumps({"scheduler": scheduler, "every": minutes}).encode())


def forget_schedule(cell: Cell) -> None:
    """Note that no scheduler does it any longer."""
    remove_file(_path(cell))


def minutes_scheduled(cell: Cell) -> int | None:
    """Return every how many minutes the system syncs this clone, as far as was set up from here."""
    try:
        noted = json.loads(read_if_there(_path(cell)) or b"{}")
        return int(noted["every"])
    except (ValueError, KeyError, TypeError):
        return None


def _path(cell: Cell) -> Path:
    return cell.git.private_dir / "schedule"
