"""`import`: memory from other places."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from nutsync.core.errors import EXIT_FINDINGS, ErrUnreadable
from nutsync.frontends.cli.command import Answer, Command, Line
from nutsync.frontends.cli.opening import ALLOW_SECRET, open_here
from nutsync.frontends.cli.printing import progress_bar
from nutsync.operations.imports import Report, import_rows, read_jsonl, require_rows


@click.command("import", cls=Command, example="""
    nutsync import jsonl diary.jsonl --dry-run
    nutsync import jsonl diary.jsonl
""")  # fmt: skip
@click.argument("source", type=click.Choice(["jsonl"]), metavar="FORMAT")
@click.argument("path", type=click.Path(path_type=Path, allow_dash=True), metavar="PATH")
@click.option("--dry-run", is_flag=True, help="Say what would be taken in; write nothing.")
@ALLOW_SECRET
@click.pass_obj
def import_(line: Line, source: str, path: Path, dry_run: bool) -> Answer:
    """Take memory over from PATH (`-` for standard input). FORMAT is jsonl: one object a line.

    Rows have a date and a text, and may have actor or author, time, kind, layer, namespace and body. Every
    other column is kept too. Days that exist are never touched; a second run adds nothing.
    """
    cell = open_here(line)
    report = Report()
    rows = read_jsonl(_lines(path), cell, report)
    require_rows(rows, report)
    with progress_bar("days") as progress:
        import_rows(cell, rows, report, dry_run=dry_run, progress=progress)
    return Answer(report.as_json(), _words(report, dry_run), EXIT_FINDINGS if report.findings else 0)


def _lines(path: Path) -> list[bytes]:
    if str(path) == "-":
        return sys.stdin.buffer.read().split(b"\n")
    try:
        return path.read_bytes().split(b"\n")
    except OSError as error:
        raise ErrUnreadable(f"{path} could not be read: {error.strerror}.") from error


def _words(report: Report, dry_run: bool) -> str:
    document: dict[str, Any] = report.as_json()
    would = "would be" if dry_run else "were"
    lines = [
        f"{report.days} days with {report.entries} entries {would} imported, {report.skipped} rows skipped."
    ]
    lines += [str(finding["message"]) for finding in report.findings[:20]]
    if len(report.findings) > 20:
        lines.append(f"… and {len(report.findings) - 20} more; --json lists all.")
    shown = ", ".join(f"{actor or 'everyone'} ({count})" for actor, count in document["actors"].items())
    if shown:
        lines.append(f"Recall will show them to: {shown}.")
    return "\n".join(lines)
