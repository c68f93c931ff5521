"""What the last sync did, kept for `status`: numbers and words of ours, never memory text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from nutsync.core.errors import ErrUnwritable
from nutsync.operations.cell import Cell
from nutsync.store.files import read_if_there, write_unflushed


def note_sync(cell: Cell, result: str, document: Mapping[str, object]) -> None:
    """Note what a sync did, and when. A note that cannot be written is no reason to fail."""
    kept = {key: document[key] for key in ("sent", "received", "attempts", "receipt")}
    now = cell.clock.now().local().isoformat(timespec="seconds")
    with suppress(ErrUnwritable):
        write_unflushed(_path(cell), json.dumps({"at": now, "result": result, **kept}).encode())


def read_last_sync(cell: Cell) -> dict[str, object]:
    """Return what the last sync noted; an empty value where there was none, or its note cannot be read."""
    try:
        noted = json.loads(read_if_there(_path(cell)) or b"{}")
    except ValueError:
        return {}
    return noted if isinstance(noted, dict) else {}


def _path(cell: Cell) -> Path:
    return cell.git.private_dir / "last-sync"
