"""What the last sync did, kept for `status`: numbers and words of ours, never memory text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from nutsync.core.errors import ErrUnwritable, NutsyncError
from nutsync.core.sync_plan import CONTENDED, OFFLINE
from nutsync.operations.cell import Cell
from nutsync.store.files import read_if_there, write_unflushed


def note_sync(cell: Cell, result: str, document: Mapping[str, object]) -> None:
    """Note what a sync did, and when. A note that cannot be written is no reason to fail.

    Beside the last try (`at`) it keeps when the remote was last reached (`reached`): a clone that was
    offline for a month is stale, however often it tried.
    """
    kept = {key: document[key] for key in ("sent", "received", "attempts", "receipt")}
    now = _now(cell)
    reached = read_last_sync(cell).get("reached") if result in (OFFLINE, CONTENDED) else now
    _write(cell, {"at": now, "reached": reached, "result": result, **kept})


def note_failure(cell: Cell, failure: NutsyncError) -> None:
    """Note that a sync ended with a named error; what the last one that came to an end did is kept."""
    _write(cell, {**read_last_sync(cell), "at": _now(cell), "problem": failure.code})


def read_last_sync(cell: Cell) -> dict[str, object]:
    """Return what the last sync noted; an empty value where there was none, or its note cannot be read."""
    try:
        noted = json.loads(read_if_there(_path(cell)) or b"{}")
    except ValueError:
        return {}
    return noted if isinstance(noted, dict) else {}


def _now(cell: Cell) -> str:
    return cell.clock.now().local().isoformat(timespec="seconds")


def _write(cell: Cell, noted: Mapping[str, object]) -> None:
    with suppress(ErrUnwritable):
        write_unflushed(_path(cell), json.dumps(noted).encode())


def _path(cell: Cell) -> Path:
    return cell.git.private_dir / "last-sync"
