"""`import` and `export`: memory from other places, and to them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from nutsync.core.errors import EXIT_FINDINGS, ErrUnreadable, ErrUsage
from nutsync.core.layer_queries import resolve_query, resolve_reader
from nutsync.core.moment import require_date
from nutsync.frontends.cli.command import Answer, Command, Line
from nutsync.frontends.cli.opening import ALLOW_SECRET, open_here
from nutsync.frontends.cli.printing import counted, progress_bar
from nutsync.operations.import_report import Report
from nutsync.operations.imports import Defaults, import_rows, require_rows
from nutsync.operations.sources import FORMAT_NAMES, JSONL, read_files, read_jsonl_reading

_MOST_SHOWN = 20


@click.command("import", cls=Command, example="""
    nutsync import openclaw ~/.openclaw/workspace/memory --dry-run
    nutsync import logseq ~/notes/journals
    nutsync import jsonl diary.jsonl
    nutsync import letta ~/agent/memory --layer agent_memory --namespace letta
""")  # fmt: skip
@click.argument("source", type=click.Choice(FORMAT_NAMES), metavar="FORMAT")
@click.argument("path", type=click.Path(path_type=Path, allow_dash=True), metavar="PATH")
@click.option("--layer", metavar="LAYER", help="For what does not say: about_me (default) or agent_memory.")
@click.option("--actor", metavar="A", help="Whose it is where the source does not say; yours by default.")
@click.option("--namespace", metavar="N", help="Which role's memory; agent_memory needs one.")
@click.option("--dry-run", is_flag=True, help="Say what would be taken in; write nothing.")
@ALLOW_SECRET
@click.pass_obj
def import_(line: Line, source: str, path: Path, layer: str | None, actor: str | None,
            namespace: str | None, dry_run: bool) -> Answer:  # fmt: skip
    """Take memory over from PATH, a file or a folder (`-` reads JSON lines from standard input).

    FORMAT is openclaw, logseq, obsidian, jrnl, claude-memory, letta, basic-memory, markdown, or jsonl (one
    object a line with date and text; what `nutsync export` writes comes back whole). The date comes from a
    file's name, its frontmatter or its text; what has none is remembered today. Days that exist are never
    touched, so a second run adds nothing and a run that was stopped goes on.
    """
    cell = open_here(line)
    report = Report()
    if source == JSONL:
        reading = read_jsonl_reading(_lines(path), cell, report)
    else:
        reading = read_files(source, path, cell, report)
    require_rows(reading.rows, report)
    with progress_bar("days") as progress:
        import_rows(
            cell,
            reading.rows,
            report,
            dry_run=dry_run,
            progress=progress,
            defaults=Defaults(layer, actor, namespace),
            indexes=reading.indexes,
        )
    return Answer(report.as_json(), _words(report, dry_run), EXIT_FINDINGS if report.left_out else 0)


@click.command("export", cls=Command, example="""
    nutsync export > memory.jsonl
    nutsync export --html --output memory.html --since 2026-01-01
""")  # fmt: skip
@click.option("--jsonl", "form", flag_value="jsonl", default="jsonl", help="A JSON object a line (default).")
@click.option("--markdown", "form", flag_value="markdown", help="One page of Markdown.")
@click.option("--html", "form", flag_value="html", help="One page of HTML that needs no other file.")
@click.option("--output", metavar="FILE", type=click.Path(path_type=Path), help="Write it there.")
@click.option("--actor", metavar="A", help="What that actor sees; '*' exports everyone's.")
@click.option("--layer", metavar="LAYER", help="Only that layer.")
@click.option("--since", metavar="DATE", help="From that day on.")
@click.option("--until", metavar="DATE", help="Up to that day.")
@click.pass_obj
def export(line: Line, form: str, output: Path | None, actor: str | None, layer: str | None,
           since: str | None, until: str | None) -> Answer:  # fmt: skip
    """Write what is remembered as JSON lines, Markdown or HTML. `import jsonl` takes the first back whole."""
    from nutsync.operations.exports import ExportRequest
    from nutsync.operations.exports import export as export_cell

    cell = open_here(line)
    request = ExportRequest(
        actor=resolve_reader(actor, cell.actor, bound=False, everyone=True),
        form=form,
        query=resolve_query(layer, None),
        since=require_date(since) if since else "",
        until=require_date(until) if until else "9999",
    )
    done = export_cell(cell, request)
    document: dict[str, Any] = {"days": done.days, "entries": done.entries, "format": form}
    if output is None:
        return Answer({**document, "content": done.content}, done.content.removesuffix("\n"))
    try:
        output.write_text(done.content, encoding="utf-8", newline="\n")
    except OSError as problem:
        raise ErrUsage(f"{output} could not be written: {problem.strerror}.") from problem
    held = f"{counted(done.days, 'day')} with {counted(done.entries, 'entry', 'entries')}"
    words = f"{held} {'stands' if done.days == 1 else 'stand'} in {output}."
    return Answer({**document, "output": str(output)}, words)


def _lines(path: Path) -> list[bytes]:
    if str(path) == "-":
        return sys.stdin.buffer.read().split(b"\n")
    try:
        return path.read_bytes().split(b"\n")
    except OSError as error:
        raise ErrUnreadable(f"{path} could not be read: {error.strerror}.") from error


def _words(report: Report, dry_run: bool) -> str:
    document: dict[str, Any] = report.as_json()
    imported = f"{counted(report.days, 'day')} with {counted(report.entries, 'entry', 'entries')}"
    would = {True: ("would be", "would be"), False: ("was", "were")}[dry_run][report.days != 1]
    skipped = f", {counted(report.skipped, 'row')} skipped (already there, or left out below)"
    lines = [f"{imported} {would} imported{skipped if report.skipped else ''}.", f"Mapped: {report.mapping}."]
    left_out = [f for f in report.findings if f["severity"] == "skipped"]
    noticed = [f for f in report.findings if f["severity"] != "skipped"]
    for title, found in (("Left out", left_out), ("Put right or noticed", noticed)):
        lines += [f"{title}: {len(found)}"] if found else []
        lines += [f"  {finding['message']}" for finding in found[:_MOST_SHOWN]]
        if len(found) > _MOST_SHOWN:
            lines.append(f"  … and {len(found) - _MOST_SHOWN} more; --json lists all.")
    shown = ", ".join(f"{actor or 'everyone'} ({count})" for actor, count in document["actors"].items())
    if shown:
        lines.append(f"Recall will show them to: {shown}.")
    return "\n".join(lines)
