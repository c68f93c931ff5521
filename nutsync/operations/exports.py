"""Export: what one actor sees of the archive, in a form that leaves the cell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nutsync.core.day import Day
from nutsync.core.exported import ExportedDay, to_html, to_jsonl, to_markdown
from nutsync.core.layer_queries import Query
from nutsync.core.visibility import visible
from nutsync.operations.cell import Cell, archive_of
from nutsync.operations.layers import EVERYTHING
from nutsync.operations.seen import index_for
from nutsync.store.days import parse_day
from nutsync.store.files import day_files, read_bytes

FORMS = ("jsonl", "markdown", "html")


@dataclass(frozen=True, kw_only=True)
class ExportRequest:
    """What is to be exported, for whom. Dates are inclusive; empty is «any»."""

    actor: str
    form: str = "jsonl"
    query: Query = EVERYTHING
    since: str = ""
    until: str = "9999"


@dataclass(frozen=True)
class Exported:
    """The content, and how much it holds."""

    content: str
    days: int
    entries: int


def export(cell: Cell, request: ExportRequest) -> Exported:
    """Return what ``request.actor`` sees of the archive. Raises :class:`ErrUnreadable`."""
    days = list(_days(cell, request))
    if request.form == "jsonl":
        lines = to_jsonl(days)
    elif request.form == "markdown":
        lines = to_markdown(days)
    else:
        lines = to_html(days, "Memory")
    content = "".join(f"{line}\n" for line in lines)
    return Exported(content, len(days), sum(len(day.entries) for day in days))


def _days(cell: Cell, request: ExportRequest) -> Iterator[ExportedDay]:
    for date, path in day_files(archive_of(cell.root), request.since, request.until):
        day: Day = parse_day(read_bytes(path), date)
        seen = [one for one in day.entries() if visible(one[1].attributes, request.actor)]
        asked = [one for one in seen if request.query.matches(one[1].attributes)]
        if asked:
            whole = len(asked) == len(seen)
            yield ExportedDay(date, (index_for(day, request.actor) or "") if whole else "", asked)
