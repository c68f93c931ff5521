"""`status`: when the last sync was, what waits here, what is held, which devices were seen when (design §11).

It changes nothing and asks no remote.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from nutsync.core.audit import parse_message
from nutsync.core.cell import DEVICES_DIR, device_of_path
from nutsync.core.hand import Edit
from nutsync.core.moment import Moment
from nutsync.core.sync_plan import Held
from nutsync.operations.armed import is_armed
from nutsync.operations.cell import Cell, recorder_for
from nutsync.operations.counting import count_new
from nutsync.operations.last_sync import read_last_sync
from nutsync.operations.pending import HandFile, find_hand_files, judge_hand_file
from nutsync.operations.purging import intent, state
from nutsync.operations.record import Recorder
from nutsync.operations.remote_seen import seen_tip
from nutsync.operations.scheduled import minutes_scheduled
from nutsync.operations.sync import remote_of
from nutsync.store.repo.fitness import require_fit
from nutsync.store.repo.history import list_commits
from nutsync.store.repo.message import parse_commit
from nutsync.store.repo.objects import Objects

STALE_DAYS = 3
_COMMITS_LOOKED_AT = 500


@dataclass(frozen=True)
class Status:
    """The state of this clone. ``waiting`` counts entries that no remote is known to have.

    ``pending`` are the days with hand-written entries that the next command commits; ``seen`` maps each
    enrolled device to the time of its latest commit here, empty where that is long ago. ``stale`` tells
    that the remote was not reached for days, however often that was tried; ``every`` says every how many
    minutes the system syncs this clone by itself. ``purging`` tells that a purge was begun and not ended.
    """

    branch: str
    device: str
    armed: bool
    has_remote: bool
    last: dict[str, object]
    waiting: int
    pending: tuple[str, ...]
    held: tuple[Held, ...]
    seen: dict[str, str]
    stale: bool
    every: int | None = None
    purging: bool = False

    def as_json(self) -> dict[str, object]:
        """Return the document of design §11; ``result`` and the numbers are the last sync's."""
        return {
            "result": self.last.get("result"),
            "sent": self.last.get("sent", 0),
            "received": self.last.get("received", 0),
            "attempts": self.last.get("attempts", 0),
            "receipt": self.last.get("receipt"),
            "last_sync": self.last.get("at"),
            "last_success": self.last.get("reached"),
            "problem": self.last.get("problem"),
            "stale": self.stale,
            "every": self.every,
            "waiting": self.waiting,
            "pending": list(self.pending),
            "held": [one.as_json() for one in self.held],
            "devices": [{"device": name, "seen": at or None} for name, at in sorted(self.seen.items())],
            "branch": self.branch,
            "device": self.device,
            "armed": self.armed,
            "remote": self.has_remote,
            "purging": self.purging,
        }

    def words(self) -> str:
        """Return what people read."""
        lines = [f"This is the device {self.device}, branch {self.branch}.", self._sync_words()]
        if self.every:
            lines.append(f"The system syncs this clone every {self.every} minutes.")
        if self.waiting:
            lines.append(f"{_count(self.waiting, 'entry is', 'entries are')} only here.")
        if self.pending:
            lines.append(f"Written by hand, committed by the next command: {', '.join(self.pending)}.")
        if self.purging:
            lines.append(
                "PURGE UNDER WAY: text that was to go is still in history; `nutsync sync` goes on with it."
            )
        lines += [f"held: {one.date}, {one.reason}. Take it over with: {one.command}" for one in self.held]
        lines += [f"{name}: last seen {at or 'long ago'}" for name, at in sorted(self.seen.items())]
        if not self.armed:
            lines.append("This clone is not armed: `nutsync hooks install` arms it.")
        return "\n".join(lines)

    def _sync_words(self) -> str:
        if not self.has_remote:
            return "NO REMOTE: everything is in this clone alone. `nutsync init --remote URL` gives it one."
        if not self.last:
            return "NEVER SYNCED: run `nutsync sync`."
        how = self.last.get("problem") or self.last.get("result")
        words = f"Last sync: {self.last.get('at')} ({how})."
        if not self.stale:
            return words
        reached = self.last.get("reached")
        since = f"the remote was last reached {reached}" if reached else "the remote was never reached"
        cure = "" if self.every else " `nutsync sync install` lets the system do it."
        return f"STALE: {since}. {words} Run `nutsync sync`; it says what is wrong.{cure}"


def read_status(cell: Cell) -> Status:
    """Return the state of the cell's clone. Raises the named errors of an unfit repository."""
    require_fit(cell.git, cell.branch)
    now = cell.clock.now()
    with Objects(cell.git) as objects:
        recorder = recorder_for(cell.git, objects, cell.settings)
        verdicts = [(file, judge_hand_file(cell, file, now.local_date())) for file in _hand_files(recorder)]
        seen = _devices_seen(recorder)
    last = read_last_sync(cell)
    has_remote = cell.git.config(f"remote.{remote_of(cell)}.url") is not None
    waiting = count_new(cell.git, seen_tip(cell.git, cell.branch), recorder.tip)
    return Status(
        cell.branch,
        cell.device,
        is_armed(cell.git),
        has_remote,
        last,
        waiting,
        tuple(file.date for file, verdict in verdicts if not isinstance(verdict, Held)),
        tuple(verdict for _, verdict in verdicts if isinstance(verdict, Held)),
        seen,
        has_remote and _is_stale(last.get("reached"), now),
        minutes_scheduled(cell),
        any((cell.git.private_dir / name).exists() for name in (intent.FILE, state.FILE)),
    )


def _hand_files(recorder: Recorder) -> list[HandFile]:
    return [file for file in find_hand_files(recorder) if file.edit.edit is not Edit.NONE]


def _is_stale(at: object, now: Moment) -> bool:
    try:
        then = Moment.of(datetime.fromisoformat(str(at)))
    except ValueError:
        return True
    return now.millis - then.millis > STALE_DAYS * 86_400_000


def _devices_seen(recorder: Recorder) -> dict[str, str]:
    """Return the enrolled devices, with the time of their latest commit among the newest of the history."""
    tip = recorder.tip
    folder = recorder.objects.entry(tip, DEVICES_DIR) if tip else None
    if tip is None or folder is None or not folder.is_tree:
        return {}
    paths = (f"{DEVICES_DIR}/{name}" for name in recorder.objects.tree(folder.oid))
    seen = {name: "" for path in paths if (name := device_of_path(path)) is not None}
    newest = islice(list_commits(recorder.git, [tip], newest_first=True), _COMMITS_LOOKED_AT)
    for found in recorder.objects.read_many(newest):
        if found is None:
            continue
        commit = parse_commit(found.oid, found.content)
        device = parse_message(commit.message).device
        if seen.get(device) == "":
            seen[device] = commit.committer.moment.local().isoformat()
            if all(seen.values()):
                break
    return seen


def _count(number: int, one: str, many: str) -> str:
    return f"1 {one}" if number == 1 else f"{number} {many}"
