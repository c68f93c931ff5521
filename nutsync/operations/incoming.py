"""Judging what came in before it is taken over, and repairing what it blurred (design §7, §8.4)."""

from __future__ import annotations

from collections.abc import Sequence

from nutsync.core.ancestry import Ancestry
from nutsync.core.append import said
from nutsync.core.cell import day_path
from nutsync.core.day import Day
from nutsync.core.errors import ErrIncoming
from nutsync.core.freeze import Finding, Severity, judge_clock
from nutsync.core.index import build_index, merge_index
from nutsync.core.moment import Moment
from nutsync.core.progress import Progress, counted
from nutsync.core.repair import dates_to_repair, repaired
from nutsync.operations.guard import Guard
from nutsync.operations.record import Change, Recorder
from nutsync.store.days import parse_day
from nutsync.store.repo.history import list_commits


def judge_incoming(
    guard: Guard, new: str, known: Sequence[str], now: Moment, progress: Progress | None = None
) -> list[Finding]:
    """Judge every commit that ``new`` brings; return the findings that stop nothing.

    ``now`` is this device's own clock: a commit from further ahead than clocks may disagree is refused
    (rule 6). Raises :class:`ErrIncoming` for the first commit that breaks the law.
    """
    passed: list[Finding] = []
    total = sum(1 for _ in list_commits(guard.git, [new], known)) if progress else 0
    for commit, findings in counted(guard.judge_range(new, known), total, "Judging commits", progress):
        found = [*findings, *(judge_clock(commit, now) if commit.touches_cell else ())]
        for finding in found:
            if finding.severity is Severity.VIOLATION:
                raise _refusal(finding)
        passed += found
    return passed


def _refusal(finding: Finding) -> ErrIncoming:
    where = finding.ref or finding.path
    return ErrIncoming(
        f"The commit {finding.commit[:12]} from the remote breaks the freeze law"
        f"{f' at {where}' if where else ''}: {finding.message} Nothing was taken over, nothing was sent; "
        "all entries are kept here.",
        hint=finding.hint,
    )


def repair(recorder: Recorder, now: Moment) -> Change | None:
    """Return the commit that puts right every day that Git's own union blurred; None where none is."""
    guard = recorder.guard
    ancestry = guard.ancestry(recorder.tip)
    files: dict[str, bytes | None] = {}
    for date in sorted(dates_to_repair(ancestry)):
        content = recorder.committed(day_path(date))
        day = repaired(date, _parsed(content, date), ancestry, guard.past)
        if day is not None and day.front.present:
            day = day.with_index(_index(guard, ancestry, date, day))
        files[day_path(date)] = None if day is None else day.render()
    changed = {path: content for path, content in files.items() if content != recorder.committed(path)}
    if not changed:
        return None
    about = sorted(dates_to_repair(ancestry))[0]
    return Change(recorder.audit("repair"), changed, now, about=about)


def _index(guard: Guard, ancestry: Ancestry, date: str, day: Day) -> str:
    """Return the index of a repaired day: what the blurred merges should have given, as far as it holds."""
    entries = said(day.blocks, {})
    index: str | None = None
    for blur in sorted(ancestry.blurs.get(date) or ()):
        versions = guard.past.versions(blur.merge, date)
        known = [_parsed(content, date) for content in (*versions.parents, versions.own)]
        there = {block.body for block in day.blocks}
        gone = [block for one in known if one for block in one.blocks if block.body not in there]
        bases = _base_indexes(guard, blur.merge, date)
        for parent in known[:-1]:
            ours = index if index is not None else (parent.index if parent else None)
            theirs = parent.index if parent else None
            index = merge_index(ours, theirs, bases, entries, forgotten=said(gone, {}), day=date)
    return index if index is not None else build_index(entries)


def _base_indexes(guard: Guard, merge: str, date: str) -> list[str | None]:
    """Return the day's index in every merge base of a merge's parents."""
    parents = guard.objects.commit(merge).parents
    bases = guard.git.run("merge-base", "--all", *parents, check=False).text().split()
    days = [_parsed(guard.objects.file(base, day_path(date)), date) for base in bases]
    return [day.index for day in days if day is not None]


def _parsed(content: bytes | None, date: str) -> Day | None:
    return None if content is None else parse_day(content, date)
