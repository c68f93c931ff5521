"""Earlier versions of a day, from history."""

from __future__ import annotations

from nutsync.core.cell import day_path
from nutsync.core.day import Day
from nutsync.core.errors import ErrUnknownRef
from nutsync.core.moment import is_date, shift_day
from nutsync.core.pattern import pattern
from nutsync.operations.cell import Cell
from nutsync.store.days import parse_day
from nutsync.store.repo.objects import Objects

_COMMIT = pattern(r"[0-9a-f]{4,64}")


def read_earlier(cell: Cell, date: str, at: str) -> Day | None:
    """Return the day as it was in a commit, or at the end of a date (of the committers' own clocks).

    None where the day had no file then. Raises :class:`ErrUnknownRef` where ``at`` names neither a date nor
    a commit of this clone.
    """
    commit = _last_commit_on(cell, at) if is_date(at) else at.lower()
    with Objects(cell.git) as objects:
        if commit is None:
            return None
        if not _COMMIT.fullmatch(commit) or _is_no_commit(objects, commit):
            raise ErrUnknownRef(f"{at!r} is neither a date nor a commit of this clone.")
        content = objects.read(f"{commit}:{day_path(date)}")
    return parse_day(content.content, date) if content is not None and content.kind == "blob" else None


def _is_no_commit(objects: Objects, commit: str) -> bool:
    found = objects.read(f"{commit}^{{commit}}")
    return found is None or found.kind != "commit"


def _last_commit_on(cell: Cell, date: str) -> str | None:
    """Return the newest commit of the memory branch made before the day after ``date`` began here."""
    offset = cell.clock.now().local().strftime("%z")
    found = cell.git.run(
        *("rev-list", "-1", f"--before={shift_day(date, 1)}T00:00:00{offset}"),
        *("--end-of-options", f"refs/heads/{cell.branch}"),
        check=False,
    )
    return found.text() or None
