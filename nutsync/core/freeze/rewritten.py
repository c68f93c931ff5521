"""Recognising what a squash, rebase or cherry-pick made of commits (design §7): its cure is another one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nutsync.core.cell import date_of_path
from nutsync.core.commit import Commit
from nutsync.core.day import Day
from nutsync.core.freeze.findings import REWRITTEN, Finding, Severity
from nutsync.core.moment import SKEW_MS

_RULES = {1, 2, 5, 6}
_OTHERWISE = {"forgotten-returned", "purged-returned", "environment-unsensed"}
"""What is no less wrong when it came by another way."""


def with_cure(commit: Commit, findings: list[Finding]) -> list[Finding]:
    """Return the findings, with the cure for a rewritten branch where a violation shows one."""
    if not any(_may_come_of_it(finding) for finding in findings) or not is_rewritten(commit):
        return findings
    return [finding._replace(hint=REWRITTEN) if _may_come_of_it(finding) else finding for finding in findings]


def is_rewritten(commit: Commit) -> bool:
    """Tell whether a commit with one parent brings entries that another commit brought before.

    nutsync stamps an entry in the commit that first holds it, names it there and signs that commit. So a
    commit that brings stamped entries and names no operation was squashed; one that names it, but is
    unsigned or has two dates far apart, was rebased, cherry-picked or amended.
    """
    if len(commit.parents) != 1 or commit.audit.op == "import" or not any(_brought(commit)):
        return False
    if not commit.audit.op:
        return True
    apart = abs(commit.authored.millis - commit.committed.millis) > SKEW_MS
    return apart or commit.signature.state in ("none", "bad")


def _may_come_of_it(finding: Finding) -> bool:
    is_violation = finding.severity is Severity.VIOLATION
    return is_violation and finding.rule in _RULES and finding.code not in _OTHERWISE


def _brought(commit: Commit) -> Iterator[str]:
    """Yield the ids of stamped entries that the commit adds to a day."""
    for change in (change for changes in commit.changes for change in changes):
        date = date_of_path(change.path)
        if date is not None and change.new is not None:
            there = set(_ids(change.old.content if change.old else b"", date))
            yield from (name for name in _ids(change.new.content, date) if name not in there)


def _ids(content: bytes, date: str) -> Iterable[str]:
    return (block.id for block in Day.parse(content, date).blocks if block.id is not None)
