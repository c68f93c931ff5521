"""Hand edits that are not ours to commit: left as they are, named, and remembered (design §6, §8.2).

For every held file the clone remembers the blob that the edit was made from. What `forget --edited` takes
over is the difference to that version alone: a late entry that arrived meanwhile, or an entry that an agent
appended under a stale editor buffer, is never taken for deleted.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from nutsync.core.cell import day_path
from nutsync.core.edited import left_out, version_edited
from nutsync.core.sync_plan import Held
from nutsync.operations.record import Recorder
from nutsync.store.days import parse_day
from nutsync.store.files import read_if_there, remove_file, write_atomic
from nutsync.store.repo.git import Git
from nutsync.store.repo.refs import is_oid

_LOOKED_AT = 20
"""How many earlier versions of a day are compared with an edit."""

TAKE_OVER = "nutsync append --from {date}"
LET_IN = "nutsync sync --allow-secret"
TAKE_OVER_EDIT = "nutsync forget --edited --reason …"


def held_edit(date: str, reason: str) -> Held:
    """Return an edit that changed or removed what was remembered."""
    return Held(date, reason, TAKE_OVER_EDIT)


def held_additions(date: str, reason: str) -> Held:
    """Return additions to a day that is no longer open."""
    return Held(date, reason, TAKE_OVER.format(date=date))


def held_secret(date: str, reason: str) -> Held:
    """Return additions in which a credential seems to stand; taking it out lets the rest go on."""
    return Held(date, reason, LET_IN)


def edited_from(git: Git) -> dict[str, str | None]:
    """Return, for every held day, the id of the blob its edit was made from; None where it had no file."""
    found: dict[str, str | None] = {}
    for line in (read_if_there(_path(git)) or b"").decode("ascii", "replace").split("\n"):
        date, _, oid = line.partition(" ")
        if oid == "-" or is_oid(oid):
            found[date] = None if oid == "-" else oid
    return found


def remember_held(recorder: Recorder, dates: Iterable[str]) -> None:
    """Remember what the edits of ``dates`` were made from; of a day that is held no longer, forget it.

    The first version seen counts as long as a day is held.
    """
    known = edited_from(recorder.git)
    held = {date: known[date] if date in known else _made_from(recorder, date) for date in dates}
    if held == known:
        return
    if not held:
        remove_file(_path(recorder.git))
        return
    lines = [f"{date} {oid or '-'}\n" for date, oid in sorted(held.items())]
    write_atomic(_path(recorder.git), "".join(lines).encode("ascii"))


def _made_from(recorder: Recorder, date: str) -> str | None:
    """Return the version that an edit seen for the first time was made from."""
    path = day_path(date)
    newest = recorder.objects.entry(recorder.tip, path) if recorder.tip else None
    there = read_if_there(recorder.git.root / path)
    if newest is None or there is None:
        return newest.oid if newest else None
    edit = parse_day(there, date)
    if not left_out(edit, parse_day(recorder.objects.blob(newest.oid), date)):
        return newest.oid
    oids = list(dict.fromkeys([newest.oid, *_earlier(recorder, path)]))
    return oids[version_edited(edit, [parse_day(recorder.objects.blob(oid), date) for oid in oids])]


def _earlier(recorder: Recorder, path: str) -> list[str]:
    """Return the ids of the path's latest versions, newest first."""
    words = ("rev-list", f"--max-count={_LOOKED_AT}", recorder.tip or "", "--", path)
    commits = recorder.git.run(*words).text().split()
    entries = [recorder.objects.entry(commit, path) for commit in commits]
    return list(dict.fromkeys(entry.oid for entry in entries if entry is not None))


def _path(git: Git) -> Path:
    return git.private_dir / "held"
