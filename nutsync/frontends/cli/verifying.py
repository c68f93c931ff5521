"""`verify`: the freeze law over the whole history, for people as it goes, for programs as one document."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from dataclasses import replace

import click

from nutsync.core.errors import EXIT_DONE, EXIT_FINDINGS
from nutsync.core.freeze import Finding, Severity
from nutsync.frontends.cli.command import Answer, Command, Line
from nutsync.frontends.cli.opening import open_here
from nutsync.frontends.quick import NOTE
from nutsync.operations.cell import Cell
from nutsync.operations.problem import Problem
from nutsync.operations.verify import Report
from nutsync.operations.verify import verify as verify_history
from nutsync.store.files import remove_quietly
from nutsync.store.repo.refs import branch_ref


@click.command(cls=Command, example="""
    nutsync verify
    nutsync verify --full --json
""")  # fmt: skip
@click.option("--full", is_flag=True, help="Trust nothing that was worked out before; use every core.")
@click.option("--notices", is_flag=True, help="Show each notice, not only how many there are.")
@click.pass_obj
def verify(line: Line, full: bool, notices: bool) -> Answer:
    """Judge every commit that ever changed this memory. Exit 1 for violations and for unrepaired blurs."""

    def say(found: Finding | Problem, repaired: bool) -> None:
        if not line.as_json and (notices or found.severity != Severity.NOTICE):
            click.echo(_words(found, repaired))

    cell = open_here(line, whole=False)
    report = verify_history(cell, full=full, say=say)
    answer = Answer(report.as_json(), _summary(report), EXIT_DONE if report.ok else EXIT_FINDINGS)
    _note(cell, report)
    return answer


def _note(cell: Cell, report: Report) -> None:
    """Note the answer that the next run gives if nothing has moved: what is known then, and no more."""
    path = cell.git.private_dir.parent / NOTE
    if not report.ok or any(not isinstance(found, Finding) for found, _ in report.found):
        remove_quietly(path)
        return
    kept = replace(report, found=[one for one in report.found if one[0].severity != Severity.NOTICE])
    kept.since = report.tip
    lines = (
        branch_ref(cell.branch),
        report.tip,
        _summary(kept).replace("\n", " "),
        json.dumps(kept.as_json()),
    )
    with suppress(OSError):
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _words(found: Finding | Problem, repaired: bool) -> str:
    commit = f"{found.commit[:12]} " if isinstance(found, Finding) and found.commit else ""
    weight = "repaired blur" if repaired else str(found.severity)
    place = f" ({found.path})" if found.path and not found.ref else ""
    hint = f"\n    {found.hint}" if found.hint and not repaired else ""
    return f"{weight}: {commit}{found.message}{place} [{found.code}]{hint}"


def _summary(report: Report) -> str:
    counts = Counter(str(found.severity) if not mended else "repaired" for found, mended in report.found)
    codes = Counter(found.code for found, _ in report.found if found.severity == Severity.NOTICE)
    lines = [f"notices: {', '.join(f'{count:,} {code}' for code, count in codes.items())}"] if codes else []
    judged = f"{report.commits:,} commits judged, {report.merges:,} merges' receipts recomputed"
    broken, blurs, mended = counts["violation"], counts["blur"], counts["repaired"]
    verdict = "Nothing was rewritten." if report.ok else "This history does not keep the law."
    if blurs and not broken:
        verdict = "Nothing was lost; the next `nutsync sync` repairs what is blurred."
    told = f"{broken:,} violations, {blurs:,} blurs, {mended:,} repaired"
    return "\n".join([*lines, f"{judged}: {told}. {verdict}"])
