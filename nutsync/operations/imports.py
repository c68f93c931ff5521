"""Import: memory from other places becomes past days of this archive (design §6).

Past days that history never held are made, tagged `import`. A day that exists is never touched: what of
it is there already is recognised, the rest is reported. Rows for today are appended.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from nutsync.core.append import NewEntry, said
from nutsync.core.cell import day_path
from nutsync.core.day import Day
from nutsync.core.entry import Block, encode_entry
from nutsync.core.errors import ErrUsage, NutsyncError
from nutsync.core.index import build_index
from nutsync.core.layer_requests import Placement, WriteRequest, command_line_defaults, resolve_write
from nutsync.core.source_row import IMPORTED, SourceRow, explain, order_moments, read_row
from nutsync.operations.cell import Cell
from nutsync.operations.journal import append, committed_day
from nutsync.operations.record import Change, Recorder
from nutsync.operations.secrets import require_clean
from nutsync.store.days import read_day
from nutsync.store.ids import mint_id
from nutsync.store.repo.worktree import write_worktree

DAYS_A_COMMIT = 500
"""So many days go into one commit: a long import that is stopped goes on where it was."""

Progress = Callable[[int, int], None]


@dataclass
class Report:
    """What an import did, or would do. ``findings`` name the line of the source, never its text."""

    days: int = 0
    entries: int = 0
    skipped: int = 0
    commits: list[str] = field(default_factory=list)
    findings: list[dict[str, object]] = field(default_factory=list)
    actors: Counter[str] = field(default_factory=Counter)

    def as_json(self) -> dict[str, object]:
        """Return the document of design §11; ``actors`` says whose recall will show what was imported."""
        return {
            "days": self.days,
            "entries": self.entries,
            "skipped": self.skipped,
            "findings": self.findings,
            "actors": dict(sorted(self.actors.items())),
            "commits": self.commits,
        }

    def find(self, line: int, code: str, message: str) -> None:
        """Note one thing that was not taken in, with the line of the source."""
        self.findings.append({"line": line, "code": code, "message": f"line {line}: {message}"})


@dataclass(frozen=True, slots=True)
class _Planned:
    """A row, its instant and where it goes."""

    row: SourceRow
    placement: Placement


def read_jsonl(lines: Iterable[bytes], cell: Cell, report: Report) -> list[SourceRow]:
    """Return the rows of a JSON Lines source; what is no row becomes a finding with its line number."""
    offset = cell.clock.now().offset
    rows: list[SourceRow] = []
    for number, raw in enumerate(lines, 1):
        if not raw.strip():
            continue
        try:
            rows.append(read_row(number, json.loads(raw), offset))
        except ValueError:
            report.find(number, "ErrUsage", "it is no JSON in UTF-8")
        except NutsyncError as error:
            report.find(number, error.code, explain(error))
    return rows


def import_rows(
    cell: Cell,
    rows: Sequence[SourceRow],
    report: Report,
    *,
    dry_run: bool = False,
    progress: Progress = lambda done, total: None,
) -> Report:
    """Take ``rows`` in and complete ``report``. Nothing of a day is written unless all of it can be.

    Raises the named errors of an unfit repository; rows that cannot be taken in are findings.
    """
    planned = _by_date(cell, rows, report)
    with cell.writing("import") as recorder:
        today = cell.clock.now().local_date()
        fresh = _sift(cell, recorder, planned, today, report)
        for start in range(0, len(fresh), DAYS_A_COMMIT):
            part = fresh[start : start + DAYS_A_COMMIT]
            _write(cell, recorder, part, report, dry_run)
            progress(start + len(part), len(fresh))
    if today in planned:
        _append_today(cell, planned[today], report, dry_run)
    return report


def _by_date(cell: Cell, rows: Sequence[SourceRow], report: Report) -> dict[str, list[_Planned]]:
    planned: dict[str, list[_Planned]] = {}
    for row in rows:
        try:
            placement = resolve_write(_request(cell, row))
            if not cell.allow_secret:
                require_clean(row.text, row.extra)
        except NutsyncError as error:
            report.find(row.line, error.code, explain(error))
            continue
        if not placement.durable:
            report.find(row.line, "ErrSessionRequired", "that kind ends with its session; it is not kept")
            continue
        planned.setdefault(row.date, []).append(_Planned(row, placement))
    return dict(sorted(planned.items()))


def _request(cell: Cell, row: SourceRow) -> WriteRequest:
    layer, kind = command_line_defaults(row.layer, row.kind)
    return WriteRequest(
        layer=layer,
        kind=kind,
        actor=None if layer == "consensus" else row.actor,
        namespace=row.namespace,
        formation=IMPORTED,
        own_actor=cell.actor,
        is_admin=cell.actor in cell.config.admins,
    )


def _sift(
    cell: Cell, recorder: Recorder, planned: Mapping[str, list[_Planned]], today: str, report: Report
) -> list[tuple[str, list[_Planned]]]:
    """Return the days to make; the others are recognised or reported."""
    fresh: list[tuple[str, list[_Planned]]] = []
    gone = recorder.guard.days_gone(recorder.tip)
    for date, rows in planned.items():
        if date > today:
            _refuse(rows, "ErrDate", f"{date} is in the future", report)
        elif date == today:
            continue
        elif date in gone:
            _refuse(rows, "ErrForgotten", f"all of {date} was forgotten; it does not come back", report)
        elif (there := committed_day(recorder, date) or read_day(cell.root, date)) is not None:
            _recognise(there, rows, report)
        else:
            fresh.append((date, rows))
    return fresh


def _refuse(rows: Sequence[_Planned], code: str, why: str, report: Report) -> None:
    report.skipped += len(rows)
    for one in rows:
        report.find(one.row.line, code, why)


def _recognise(day: Day, rows: Sequence[_Planned], report: Report) -> None:
    missing = _missing(day, rows)
    report.skipped += len(rows)
    for one in missing:
        report.find(one.row.line, "ErrFrozen", f"{day.date} exists and is not touched; this row is not in it")


def _missing(day: Day | None, rows: Sequence[_Planned]) -> list[_Planned]:
    """Return the rows that ``day`` does not hold yet; a row that stands twice must be there twice."""
    held = (
        Counter((block.text, block.attributes.get("actor", "")) for block in day.blocks) if day else Counter()
    )
    missing = []
    for one in rows:
        key = (one.row.text, one.placement.attributes.get("actor", ""))
        if held[key] > 0:
            held[key] -= 1
        else:
            missing.append(one)
    return missing


def _write(
    cell: Cell,
    recorder: Recorder,
    part: Sequence[tuple[str, list[_Planned]]],
    report: Report,
    dry_run: bool,
) -> None:
    """Write some days in one commit: worktree first, then Git, as every append does."""
    days = [_make(cell, date, rows) for date, rows in part]
    report.days += len(days)
    for _, rows in part:
        report.entries += len(rows)
        report.actors.update(one.placement.attributes.get("actor", "") for one in rows)
    if dry_run or not days:
        return
    files = {day_path(day.date): day.render() for day in days}
    audit = recorder.audit("import", entries=tuple(day.date for day in days))
    change = Change(audit, files, cell.clock.now())
    recorder.check([change])
    for path, content in files.items():
        write_worktree(cell.git, path, content, expected=None)
    report.commits.append(recorder.commit([change]))


def _make(cell: Cell, date: str, rows: Sequence[_Planned]) -> Day:
    placements = {id(one.row): one.placement for one in rows}
    ordered = order_moments([one.row for one in rows], cell.clock.now().offset)
    blocks: list[Block] = []
    for row, moment in ordered:
        stamps = {"id": mint_id(), "at": moment.at_on(date), "dev": cell.device}
        blocks.append(encode_entry(row.text, {**stamps, **placements[id(row)].attributes, **row.extra}))
    return Day.new(date).append(*blocks).with_index(build_index(said(blocks, {})))


def _append_today(cell: Cell, rows: Sequence[_Planned], report: Report, dry_run: bool) -> None:
    missing = _missing(read_day(cell.root, rows[0].row.date), rows)
    report.skipped += len(rows) - len(missing)
    report.entries += len(missing)
    report.days += bool(missing)
    report.actors.update(one.placement.attributes.get("actor", "") for one in missing)
    if missing and not dry_run:
        new = [NewEntry(one.row.text, {**one.placement.attributes, **one.row.extra}) for one in missing]
        done = append(cell, new, once=False)
        if done.commit:
            report.commits.append(done.commit)


def require_rows(rows: Sequence[SourceRow], report: Report) -> None:
    """Raise :class:`ErrUsage` where a source held nothing that could be read."""
    if not rows and not report.findings:
        raise ErrUsage("The source holds no rows; nothing was imported.")
