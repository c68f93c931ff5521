"""What a hook says when it stops something: what is wrong, what to do instead, how to get out (design §7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nutsync.core.freeze import Finding, Severity
from nutsync.operations.hooks.draft import DRAFT
from nutsync.store.repo.fitness import under_way
from nutsync.store.repo.git import Git

MOST_SHOWN = 12


def violations(findings: Iterable[Finding]) -> list[Finding]:
    """Return those findings that stop something."""
    return [finding for finding in findings if finding.severity is Severity.VIOLATION]


def blurs(findings: Iterable[Finding]) -> list[Finding]:
    """Return those findings that pass with a warning."""
    return [finding for finding in findings if finding.severity is Severity.BLUR]


def veto_text(headline: str, findings: Sequence[Finding], way_out: str) -> str:
    """Return the whole message of a veto: each finding with its commit, day, entry, rule and cure."""
    lines = [f"nutsync: {headline}"]
    for finding in findings[:MOST_SHOWN]:
        lines.append(f"  {describe(finding)}")
    if len(findings) > MOST_SHOWN:
        lines.append(f"  … and {len(findings) - MOST_SHOWN} more.")
    lines += [f"  Instead: {hint}" for hint in dict.fromkeys(f.hint for f in findings[:MOST_SHOWN]) if hint]
    lines.append(f"  {way_out}")
    return "\n".join(lines)


def describe(finding: Finding) -> str:
    """Return one finding as a line: which commit, what, and the rule's number and name."""
    where = "" if finding.commit == DRAFT else f"commit {finding.commit[:12]}: "
    rule = f"rule {finding.rule}, " if finding.rule else ""
    place = finding.path if finding.path and finding.ref not in finding.message else ""
    return f"{where}{finding.message}{f' ({place})' if place else ''} [{rule}{finding.code}]"


def way_out_of_commit(git: Git) -> str:
    """Return how to go on after a commit was stopped: what was staged is still staged."""
    found = under_way(git)
    if found is None:
        return (
            "Nothing was lost: what you staged is still staged, and `git restore --staged` unstages a file."
        )
    what, go_on = found
    return (
        f"Nothing was lost. A {what} is unfinished: put the files right and go on with `{go_on}`,"
        " or give it up; `git status` names both ways."
    )


def way_out_of_move(git: Git, branch: str) -> str:
    """Return how to go on after a move of the branch was stopped."""
    found = under_way(git)
    stays = f"Nothing was lost: {branch} still stands where it stood."
    if found is None:
        return (
            f"{stays} If files or the index changed already (reset, checkout, a fast-forward do that first),"
            " `git status` shows which differ from the branch, and `git restore` with --source=HEAD brings"
            " a file back."
        )
    rebase = git.git_dir / "rebase-apply"
    if (rebase / "rebasing").exists() and not (rebase / "head-name").exists():  # it cannot be given up
        return f"{stays} The rebase ends half way: leave by `git rebase --quit`, then `git switch {branch}`."
    what, go_on = found
    return (
        f"{stays} A {what} is unfinished: put it right and go on with `{go_on}`, or give it up, which brings"
        " the branch's own files back; `git status` names both ways."
    )
