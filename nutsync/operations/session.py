"""What does not outlive its session: a file of its own, never committed (design §4).

Session-bound entries and the session and working layers stand in `memory/session/<session>.md`
(`_working.md` without a session). They are seen in that session alone, and go when it ends or once
nobody touched them for 30 days.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nutsync.core.cell import SESSION_DIR
from nutsync.core.entry import Block, Ref, encode_entry, split_blocks
from nutsync.core.errors import ErrUnknownSession
from nutsync.core.layer import layer_of
from nutsync.core.names import session_file, session_of_file
from nutsync.core.visibility import visible
from nutsync.operations.cell import LOCK_SECONDS, Cell
from nutsync.store.files import read_if_there, remove_file, unreadable, write_atomic
from nutsync.store.ids import mint_id
from nutsync.store.lock import clone_lock

if TYPE_CHECKING:
    from nutsync.core.append import NewEntry

UNTOUCHED_DAYS = 30
_MS_A_DAY = 86_400_000


def session_path(session: str) -> str:
    """Return the path of a session's file; an empty session has the working file."""
    return f"{SESSION_DIR}/{session_file(session or None)}"


def note(cell: Cell, entries: Sequence[NewEntry]) -> list[dict[str, object]]:
    """Write entries to their sessions' files and return them as `append` does (design §11).

    The same text of the same kind and actor is not written twice to one session. Raises
    :class:`ErrSecret` before anything is written.
    """
    require_clean(cell, entries)
    with clone_lock(cell.git.common_dir, timeout=LOCK_SECONDS, command="session note"):
        expire(cell)
        return [_note(cell, entry) for entry in entries]


def require_clean(cell: Cell, entries: Sequence[NewEntry]) -> None:
    """Raise :class:`ErrSecret` where an entry holds what looks like a credential."""
    from nutsync.operations import secrets  # a recall reads sessions and looks for no credentials

    for entry in () if cell.allow_secret else entries:
        secrets.require_clean(entry.text, entry.attributes)


def read_session(cell: Cell, session: str, actor: str) -> tuple[tuple[Ref, Block], ...]:
    """Return what ``actor`` sees of a session's own entries, oldest first; nothing where it has none."""
    return tuple(
        (ref, block)
        for ref, block in _entries(cell.root / session_path(session))
        if visible(block.attributes, actor, session)
    )


def list_sessions(cell: Cell) -> list[dict[str, object]]:
    """Return every session that has a file, with the number of its entries and when it was touched (ISO)."""
    found: list[dict[str, object]] = []
    for path in _files(cell.root):
        touched = path.stat().st_mtime_ns // 1_000_000
        found.append(
            {"session": _name_of(path), "entries": len(_entries(path)), "untouched_days": _age(cell, touched)}
        )
    return found


def end_session(cell: Cell, session: str) -> int:
    """Remove a session's file and return how many entries went; raises :class:`ErrUnknownSession`."""
    with clone_lock(cell.git.common_dir, timeout=LOCK_SECONDS, command="session end"):
        path = cell.root / session_path(session)
        count = len(_entries(path))
        if not remove_file(path):
            raise ErrUnknownSession(f"There is no session {session!r} here.")
        return count


def expire(cell: Cell) -> int:
    """Remove the files of sessions that nobody touched for 30 days; return how many went."""
    stale = [p for p in _files(cell.root) if _age(cell, p.stat().st_mtime_ns // 1_000_000) >= UNTOUCHED_DAYS]
    return sum(remove_file(path) for path in stale)


def _note(cell: Cell, entry: NewEntry) -> dict[str, object]:
    session = entry.attributes.get("session", "")
    path = cell.root / session_path(session)
    content = read_if_there(path) or b""
    known = next((one for one in _entries(path) if _same(one[1], entry)), None)
    if known is None:
        now = cell.clock.now()
        day = now.local_date()
        stamps = {"id": mint_id(), "on": day, "at": now.at_on(day), "dev": cell.device}
        block = encode_entry(entry.text, {**stamps, **entry.attributes})
        separator = b"" if content.endswith(b"\n") or not content else b"\n"
        write_atomic(path, content + separator + block.raw, mode=0o600)
    ref, block = known or (Ref(day, id=stamps["id"]), block)
    return {
        "ref": str(ref),
        "id": ref.id,
        "date": ref.date,
        "path": session_path(session),
        "layer": layer_of(block.attributes),
        "kind": block.attributes.get("kind", ""),
        "actor": block.attributes.get("actor", ""),
        "duplicate": known is not None,
    }


def _same(block: Block, entry: NewEntry) -> bool:
    keys = ("kind", "scope", "actor", "namespace")
    return block.text == entry.text and all(
        block.attributes.get(key, "") == entry.attributes.get(key, "") for key in keys
    )


def _entries(path: Path) -> tuple[tuple[Ref, Block], ...]:
    content = read_if_there(path) or b""
    _, blocks = split_blocks(content.replace(b"\r\n", b"\n"))
    return tuple((Ref(b.attributes.get("on", ""), id=b.id), b) for b in blocks if b.is_stamped)


def _files(root: Path) -> list[Path]:
    folder = root / SESSION_DIR
    try:
        paths = sorted(folder.iterdir())
    except FileNotFoundError:
        return []
    except OSError as problem:
        raise unreadable(folder, problem) from problem
    return [path for path in paths if path.suffix == ".md" and not path.name.startswith(".")]


def _name_of(path: Path) -> str:
    return session_of_file(path.name) or ""


def _age(cell: Cell, touched_ms: int) -> int:
    return max(0, (cell.clock.now().millis - touched_ms) // _MS_A_DAY)
