"""The end of a session: what the agent hands over is remembered, and where that fails it is kept.

Nothing here ever stops an agent. What could not be remembered now, because the clone is locked or in the
middle of a merge, waits in the session's own file, and the next command takes it up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nutsync.core.agents.handover import Handed
from nutsync.core.cell import SESSION_DIR
from nutsync.core.entry import Block, encode_entry, split_blocks
from nutsync.core.errors import EXIT_REFUSED, EXIT_USAGE, NutsyncError
from nutsync.core.layer_requests import WriteRequest, command_line_defaults, resolve_write
from nutsync.operations.cell import Cell
from nutsync.operations.session import require_clean, session_path
from nutsync.operations.waiting import clear_mark, set_mark
from nutsync.store.files import append_bytes, read_if_there, remove_file, write_atomic
from nutsync.store.ids import mint_id
from nutsync.store.lock import clone_lock

if TYPE_CHECKING:
    from nutsync.core.append import NewEntry

WAITING = "handover"
_STAMPS = ("id", "on", "at", "dev", WAITING)
_SECONDS = 5.0


def hand_over(cell: Cell, session: str, things: Sequence[Handed]) -> dict[str, object]:
    """Remember what an agent hands over; what cannot be written now waits in the session's file.

    Returns the refs of what is remembered, how many things wait, and why. Raises the named errors of a rule
    that refuses a thing itself (a credential, an unknown kind): those would never be taken up.
    """
    from nutsync.operations.journal import append

    entries = [_entry(cell, session, one) for one in things]
    require_clean(cell, entries)
    try:
        done = append(cell, entries)
    except NutsyncError as error:
        if error.exit_code in (EXIT_REFUSED, EXIT_USAGE) and error.http_status != 409:
            raise
        _keep(cell, session, entries)
        return {"entries": [], "waiting": len(entries), "why": error.code}
    return {"entries": [str(one.ref) for one in done.placed], "waiting": 0, "why": ""}


def take_up(cell: Cell) -> int:
    """Remember what waits since an earlier hand-over; return how many entries. Raises nothing it can mend."""
    from nutsync.core.append import NewEntry
    from nutsync.operations.journal import append

    taken = 0
    with clone_lock(cell.git.common_dir, timeout=_SECONDS, command="append"):
        for path in _files_that_wait(cell.root):
            waiting, rest = _parted(path)
            append(cell, [NewEntry(block.text, _without_stamps(block)) for block in waiting])
            if rest:
                write_atomic(path, b"".join(block.raw for block in rest), mode=0o600)
            else:
                remove_file(path)
            taken += len(waiting)
        clear_mark(cell)
    return taken


def _entry(cell: Cell, session: str, one: Handed) -> NewEntry:
    from nutsync.core.append import NewEntry

    layer, kind = command_line_defaults(one.layer, one.kind)
    request = WriteRequest(
        layer=layer,
        kind=kind,
        namespace=one.namespace,
        session=session or None,
        own_actor=cell.actor,
        is_admin=cell.actor in cell.config.admins,
    )
    return NewEntry(one.text, resolve_write(request).attributes)


def _keep(cell: Cell, session: str, entries: Iterable[NewEntry]) -> None:
    """Put entries at the end of the session's file, in one write, whoever holds the lock."""
    now = cell.clock.now()
    day = now.local_date()
    blocks = []
    for entry in entries:
        stamps = {"id": mint_id(), "on": day, "at": now.at_on(day), "dev": cell.device, WAITING: "waiting"}
        blocks.append(encode_entry(entry.text, {**stamps, **entry.attributes}))
    append_bytes(cell.root / session_path(session), b"".join(block.raw for block in blocks), mode=0o600)
    set_mark(cell)


def _files_that_wait(root: Path) -> Iterator[Path]:
    """Yield the sessions' files in which a hand-over waits."""
    mark = f" {WAITING}=waiting".encode()
    for path in sorted((root / SESSION_DIR).glob("*.md")):
        if mark in (read_if_there(path) or b""):
            yield path


def _parted(path: Path) -> tuple[list[Block], list[Block]]:
    """Return the blocks of a session's file that wait, and the others."""
    _, blocks = split_blocks((read_if_there(path) or b"").replace(b"\r\n", b"\n"))
    waiting = [block for block in blocks if block.attributes.get(WAITING) == "waiting"]
    return waiting, [block for block in blocks if block not in waiting]


def _without_stamps(block: Block) -> dict[str, str]:
    return {key: value for key, value in block.attributes.items() if key not in _STAMPS}
