"""The freeze law: ``judge`` and the clock check (design §7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nutsync.core.advance import read_device
from nutsync.core.ancestry import UNBORN, Ancestry, Past, join, today_of
from nutsync.core.cell import CELL_PATH, date_of_path, device_of_path
from nutsync.core.commit import Change, Commit
from nutsync.core.freeze.case import Case
from nutsync.core.freeze.days import judge_day
from nutsync.core.freeze.findings import Finding, Findings, Severity, is_legal
from nutsync.core.freeze.forgets import judge_untouched
from nutsync.core.freeze.paths import check_mode, check_place, is_archive_path
from nutsync.core.freeze.rights import judge_settings, signer_of
from nutsync.core.moment import SKEW_MS, Moment


def judge(commit: Commit, parents: Sequence[Ancestry], past: Past) -> list[Finding]:
    """Judge one commit by the rules 1–7 and 9.

    ``parents`` are the ancestries of its parents, in their order (none for a commit without parents), and
    ``past`` looks up what they only name. Commits that do not touch the cell, or come before its birth,
    have no findings.
    """
    known = parents[0] if len(parents) == 1 else join(parents)
    out = Findings(commit.id)
    if not known.born:
        if _holds_cell(commit):
            _judge_dates(commit, out)
            _notice(commit, known, out)
        return out.all
    if not commit.counts:
        return out.all
    today = today_of(commit.authored, parents or (UNBORN,), past.zone_offset)
    case = Case(commit, parents, known, past, today, out)
    judge_untouched(case)
    if not commit.touches_cell:
        return out.all
    _judge_dates(commit, out)
    if len(commit.parents) > 1:
        # Loads with the first merge: an append judges its own commit and waits for nothing else.
        from nutsync.core.freeze.merges import judge_merge

        judge_merge(case)
        births = {parent.birth for parent in parents if parent.born}
        if len(births) > 1:
            out.add("second-birth", "This merge joins two cells that were born apart.")
    else:
        _judge_changes(case)
    _notice(commit, known, out)
    return out.all if is_legal(out.all) else _with_cure(commit, out.all)


def _with_cure(commit: Commit, findings: list[Finding]) -> list[Finding]:
    # Loads with the first violation: what is legal waits for nothing else.
    from nutsync.core.freeze.rewritten import with_cure

    return with_cure(commit, findings)


def judge_clock(commit: Commit, now: Moment) -> list[Finding]:
    """Rule 6, for receivers only: refuse a commit that is later than their own clock allows."""
    out = Findings(commit.id)
    late = max(commit.authored.millis, commit.committed.millis) - now.millis
    if late > SKEW_MS:
        minutes = late // 60_000
        out.add("clock-ahead", f"The commit is dated {minutes} minutes ahead of this device's clock.")
    return out.all


def blurred_days(findings: Iterable[Finding]) -> set[str]:
    """Return the days that a merge left blurred, as :func:`nutsync.core.advance.advance` wants them."""
    dates = (date_of_path(finding.path) for finding in findings if finding.severity is Severity.BLUR)
    return {date for date in dates if date is not None}


def _holds_cell(commit: Commit) -> bool:
    return any(change.path == CELL_PATH and change.new for changes in commit.changes for change in changes)


def _judge_dates(commit: Commit, out: Findings) -> None:
    if abs(commit.authored.millis - commit.committed.millis) > SKEW_MS:
        minutes = abs(commit.authored.millis - commit.committed.millis) // 60_000
        out.add("dates-apart", f"Author and committer date are {minutes} minutes apart.")


def _judge_changes(case: Case) -> None:
    for change in case.commit.changes[0] if case.commit.changes else ():
        date = date_of_path(change.path)
        if change.new is not None and not check_mode(change.path, change.new, [change.old], case.out):
            continue
        if date is not None:
            judge_day(case, _as_files(change), date)
            continue
        check_place(change, case.out)
        if not is_archive_path(change.path):
            judge_settings(change, case.commit, case.known, case.past.zone_offset, case.out)


def _as_files(change: Change) -> Change:
    """Return the change as if a link or submodule that was there had not been: it held no day."""
    is_file = change.old is not None and change.old.is_file
    return change if is_file else change._replace(old=None)


# --- Worth knowing --------------------------------------------------------------------------------


def _notice(commit: Commit, known: Ancestry, out: Findings) -> None:
    audit = commit.audit
    if not audit.stamped:
        why = f": {audit.problem}" if audit.problem else ""
        out.add("unstamped", f"The commit does not say who made it{why}.")
    state = commit.signature.state
    if state == "none":
        out.add("unsigned", "The commit is not signed.")
    elif state == "lost":
        out.add("signature-lost", "The commit lost its signature to a purge.")
    elif state == "bad":
        out.add("signature-bad", "The signature does not fit the commit.")
    elif state == "other":
        out.add("signer-unknown", "The commit is signed in a way that nutsync does not check.")
    else:
        _notice_signer(commit, known, out)


def _notice_signer(commit: Commit, known: Ancestry, out: Findings) -> None:
    device = signer_of(commit, known)
    if device is None:
        device = _enrolled_here(commit)
    if device is None:
        out.add("signer-unknown", "The commit is signed with a key that is not enrolled here.")
    elif commit.audit.device and commit.audit.device != device:
        message = f"The commit says {commit.audit.device} and is signed by {device}."
        out.add("device-differs", message)


def _enrolled_here(commit: Commit) -> str | None:
    """Return the device that this very commit enrols with the key that signed it."""
    for changes in commit.changes:
        for change in changes:
            name = device_of_path(change.path) if change.old is None else None
            facts = read_device(change.new.content, name) if name and change.new else None
            if facts is not None and facts.key == commit.signature.key:
                return name
    return None
