"""Commits that a clock dated ahead: found, and re-dated as long as they were not pushed (design §7, rule 6).

Others refuse a commit that is later than their own clock allows. Until it was sent, nobody but this clone has
seen it, so it can be made again with the time that it is now: the same tree, message and order. A day's date
is its identity, so a commit that writes the day of tomorrow stays as it is, and waits.
"""

from __future__ import annotations

from collections.abc import Iterator

from nutsync.core.freeze import Severity
from nutsync.core.moment import SKEW_MS, Moment
from nutsync.operations.cell import Cell
from nutsync.operations.guard import signature_of
from nutsync.operations.problem import Problem
from nutsync.operations.record import Recorder
from nutsync.operations.remote_seen import seen_tip
from nutsync.store.repo.commit import Author, new_commit
from nutsync.store.repo.git import Git
from nutsync.store.repo.history import list_commits
from nutsync.store.repo.message import Commit
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.refs import branch_ref, resolve_ref


def clock_problems(cell: Cell) -> list[Problem]:
    """Return what is wrong with the clock and the offset of this clone, as far as history shows it."""
    now = cell.clock.now()
    tip = resolve_ref(cell.git, branch_ref(cell.branch))
    if tip is None:
        return []
    with Objects(cell.git) as objects:
        ahead = [one for one in _unpushed(cell.git, objects, cell.branch, tip) if _is_ahead(one, now)]
        latest = objects.commit(tip).author.moment
    if ahead:
        message = (
            f"{len(ahead)} commits that were not pushed are dated ahead of this clock; others refuse them."
        )
        return [Problem("clock-ahead", message, "`nutsync doctor --fix` re-dates them, or set the clock.")]
    if latest.millis - now.millis > SKEW_MS:
        minutes = (latest.millis - now.millis) // 60_000
        message = f"The newest commit is dated {minutes} minutes after what this clock says."
        return [Problem("clock-behind", message, "Set this machine's clock.", severity="notice")]
    return _offset_moved(cell, now)


def _offset_moved(cell: Cell, now: Moment) -> list[Problem]:
    """Say where this device's clock stands in another offset than its last commit here."""
    if cell.config.zone:
        return []
    words = ("log", "-1", "--format=%ad", "--date=format:%z", f"--grep=^Nutsync-Device: {cell.device}$")
    said = cell.git.run(*words, branch_ref(cell.branch), "--").text()
    offset = f"{'-' if now.offset < 0 else '+'}{abs(now.offset) // 60:02}{abs(now.offset) % 60:02}"
    if not said or said == offset:
        return []
    message = (
        f"This device wrote last at the offset {said} and its clock stands at {offset}: its days begin then."
    )
    hint = "Right after a journey; else set the machine's time zone, or give the cell one."
    return [Problem("offset-moved", message, hint, severity="notice")]


def redate(cell: Cell) -> int:
    """Make the unpushed commits that are dated ahead again, dated now; return how many got another date.

    Nothing is changed, and 0 returned, where a merge, another device's signature or the law is in the way.
    """
    with cell.writing("doctor") as recorder:
        now = cell.clock.now()
        tip = recorder.tip
        waiting = list(_unpushed(cell.git, recorder.objects, cell.branch, tip)) if tip else []
        first = next((place for place, one in enumerate(waiting) if _is_ahead(one, now)), None)
        if first is None or tip is None:
            return 0
        later = waiting[first:]
        if not _is_own_line(later, recorder.guard.key):
            return 0
        new, changed = _made_again(recorder, later, now)
        judged = recorder.guard.judge_range(new, later[0].parents)
        if any(one.severity is Severity.VIOLATION for _, findings in judged for one in findings):
            return 0
        recorder.guard.keep(new)
        recorder.advance(new, "re-dated")
        return changed


def _made_again(recorder: Recorder, commits: list[Commit], now: Moment) -> tuple[str, int]:
    parents, changed = commits[0].parents, 0
    for one in commits:
        changed += _is_ahead(one, now)
        author, committer = (_not_after(person, now) for person in (one.author, one.committer))
        made = new_commit(
            recorder.git,
            recorder.objects,
            base=one.tree,
            parents=parents,
            changes={},
            author=author,
            committer=committer,
            message=one.message,
            sign=recorder.sign,
        )
        parents = (made,)
    return parents[0], changed


def _not_after(person: Author, now: Moment) -> Author:
    millis = min(person.moment.millis, now.millis)
    return person._replace(moment=Moment(millis, person.moment.offset))


def _is_own_line(commits: list[Commit], key: str | None) -> bool:
    """Tell whether these follow one another, and nobody signed one of them but this device."""
    known = {None, key}
    return all(len(one.parents) <= 1 and signature_of(one).key in known for one in commits)


def _unpushed(git: Git, objects: Objects, branch: str, tip: str) -> Iterator[Commit]:
    """Yield the commits that the remote is not known to have, oldest first."""
    seen = seen_tip(git, branch)
    for oid in list(list_commits(git, [tip], [seen] if seen else [])):
        yield objects.commit(oid)


def _is_ahead(commit: Commit, now: Moment) -> bool:
    return max(commit.author.moment.millis, commit.committer.moment.millis) - now.millis > SKEW_MS
