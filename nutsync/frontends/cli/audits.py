"""`log` and `blame`: the audit trail, for people as a table and for programs as records."""

from __future__ import annotations

import click

from nutsync.core.audit import AuditRecord
from nutsync.core.entry import Ref
from nutsync.core.errors import EXIT_FINDINGS
from nutsync.core.layer import layer_row
from nutsync.core.layer_queries import resolve_reader
from nutsync.core.moment import require_date
from nutsync.core.trail import TrailQuery
from nutsync.frontends.cli.command import Answer, Command, Line
from nutsync.frontends.cli.opening import open_here
from nutsync.frontends.cli.printing import printable
from nutsync.operations.trail import blame as blame_day
from nutsync.operations.trail import read_trail


@click.command(cls=Command, example="""
    nutsync log --since 2026-11-01
    nutsync log --op forget --json
    nutsync log --entry 2026-11-30#k3f9x2ab
""")  # fmt: skip
@click.option("--actor", metavar="A", help="As that actor sees it; '*' sees everyone's.")
@click.option("--device", metavar="D", help="Only changes made on that device.")
@click.option("--op", metavar="OP", help="Only append, correct, forget, purge, import, merge, …")
@click.option("--layer", metavar="LAYER", help="Only changes of that layer.")
@click.option("--entry", metavar="REF", help="Only what touched that entry or day.")
@click.option("--since", metavar="DATE", help="From that date on.")
@click.option("--until", metavar="DATE", help="Up to that date.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most N records.")
@click.pass_obj
def log(line: Line, actor: str | None, device: str | None, op: str | None, layer: str | None,
        entry: str | None, since: str | None, until: str | None, limit: int | None) -> Answer:  # fmt: skip
    """Say who changed what, when, on which device, and why; newest first."""
    cell = open_here(line)
    query = TrailQuery(
        reader=resolve_reader(actor, cell.actor, bound=False, everyone=True),
        device=device,
        op=op,
        layer=layer_row(layer).name if layer is not None else None,
        entry=Ref.parse(entry) if entry else None,
        since=require_date(since) if since else None,
        until=require_date(until) if until else None,
    )
    return _answer(read_trail(cell, query, limit=limit))


@click.command(cls=Command, example="""
    nutsync blame 2026-11-30
""")  # fmt: skip
@click.argument("date")
@click.option("--actor", metavar="A", help="As that actor sees it; '*' sees everyone's.")
@click.pass_obj
def blame(line: Line, date: str, actor: str | None) -> Answer:
    """Say who wrote, corrected or removed what of one day."""
    cell = open_here(line)
    reader = resolve_reader(actor, cell.actor, bound=False, everyone=True)
    return _answer(blame_day(cell, require_date(date), reader))


def _answer(records: list[AuditRecord]) -> Answer:
    document = {"records": [record.as_json() for record in records]}
    words = "\n".join(map(_line, records)) or "No change of that kind was recorded."
    return Answer(document, words, 0 if records else EXIT_FINDINGS)


def _line(record: AuditRecord) -> str:
    audit = record.audit
    what = audit.op or "(plain commit)"
    named = [*audit.entries, *audit.target_refs()]
    which = f" {named[0]}" + (f" and {len(named) - 1} more" if len(named) > 1 else "") if named else ""
    marks = f"[signature {record.signature}{', late' if record.late else ''}]"
    why = f"  because: {printable(audit.reason)}" if audit.reason else ""
    who = f"{audit.actor or '?'} on {audit.device or '?'}"
    return f"{record.at}  {record.commit[:10]}  {who:24}  {what}{which} {marks}{why}"
