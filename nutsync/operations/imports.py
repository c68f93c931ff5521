"""Import: memory from other places becomes past days of this archive (design §6).

Past days that history never held are made, tagged `import`. A day that exists is never touched: what of
it is there already is recognised, the rest is reported. Rows for today are appended. One writer serves
every format; readers know nothing of cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from nutsync.core.append import NewEntry, said
from nutsync.core.cell import day_path
from nutsync.core.day import Day
from nutsync.core.entry import Block, encode_entry
from nutsync.core.errors import ErrForgotten, ErrUsage, NutsyncError
from nutsync.core.index import Said, build_index, complete_index
from nutsync.core.layer_requests import Placement, WriteRequest, command_line_defaults, resolve_write
from nutsync.core.source_row import IMPORTED, SourceRow, explain, order_moments
from nutsync.operations.cell import Cell, archive_of
from nutsync.operations.import_report import Report
from nutsync.operations.journal import append, committed_day
from nutsync.operations.record import Change, Recorder
from nutsync.operations.secrets import require_clean
from nutsync.operations.sources import read_jsonl
from nutsync.store.days import read_day
from nutsync.store.files import CAN_SYNC_ALL, day_files, read_bytes, sync_all
from nutsync.store.ids import mint_id
from nutsync.store.repo.worktree import write_worktree

DAYS_A_COMMIT = 500
"""So many days go into one commit: a long import that is stopped goes on where it was."""

Progress = Callable[[int, int], None]

__all__ = ["Defaults", "Report", "import_rows", "read_jsonl", "require_rows"]


@dataclass(frozen=True, slots=True)
class Defaults:
    """What rows get that do not say it themselves; None leaves it to the command line's own defaults."""

    layer: str | None = None
    actor: str | None = None
    namespace: str | None = None


@dataclass(frozen=True, slots=True)
class _Planned:
    """A row and where it goes."""

    row: SourceRow
    placement: Placement

    @property
    def key(self) -> tuple[str, str]:
        """What two rows have in common that say the same for the same actor."""
        return self.row.text, self.placement.attributes.get("actor", "")

    @property
    def attributes(self) -> dict[str, str]:
        """Everything but the stamps."""
        own = self.row.own
        corrects = {"corrects": own.corrects} if own and own.corrects else {}
        return {**self.placement.attributes, **corrects, **self.row.extra}


@dataclass
class _Import:
    """One run: the cell it goes to, what it found, and the days' index lines that the source brought."""

    cell: Cell
    report: Report
    dry_run: bool
    defaults: Defaults
    indexes: Mapping[str, str] = field(default_factory=dict)

    def plan(self, rows: Sequence[SourceRow]) -> dict[str, list[_Planned]]:
        """Return the rows that may be remembered, by date; the others are findings."""
        planned: dict[str, list[_Planned]] = {}
        for row in rows:
            try:
                placement = resolve_write(self._request(row))
                if not self.cell.allow_secret:
                    require_clean(row.text, row.extra)
            except NutsyncError as error:
                self.report.find(row.line, error.code, explain(error), row.file)
                continue
            if not placement.durable:
                why = "that kind ends with its session; it is not kept"
                self.report.find(row.line, "ErrSessionRequired", why, row.file)
                continue
            planned.setdefault(row.date, []).append(_Planned(row, placement))
        return dict(sorted(planned.items()))

    def sift(
        self, recorder: Recorder, planned: Mapping[str, list[_Planned]], today: str
    ) -> list[tuple[str, list[_Planned]]]:
        """Return the days to make; the others are recognised or reported."""
        fresh: list[tuple[str, list[_Planned]]] = []
        gone = recorder.guard.days_gone(recorder.tip)
        for date, rows in planned.items():
            if date > today:
                self._refuse(rows, "ErrDate", f"{date} is in the future")
            elif date == today:
                continue
            elif (there := committed_day(recorder, date) or read_day(self.cell.root, date)) is not None:
                self._recognise(there, rows)
            elif date in gone:
                self._refuse(rows, "ErrForgotten", f"all of {date} was forgotten; it does not come back")
            elif left := self.not_forgotten(recorder, rows):
                fresh.append((date, left))
        return fresh

    def write(self, recorder: Recorder, part: Sequence[tuple[str, list[_Planned]]]) -> None:
        """Write some days in one commit: worktree first, then Git, as every append does."""
        days = [self._day(date, rows) for date, rows in part]
        self._count([one for _, rows in part for one in rows], len(days))
        if self.dry_run or not days:
            return
        files = {day_path(day.date): day.render() for day in days}
        audit = recorder.audit("import", entries=tuple(day.date for day in days))
        change = Change(audit, files, self.cell.clock.now())
        recorder.check([change])
        for path, content in files.items():
            write_worktree(self.cell.git, path, content, expected=None, flush=not CAN_SYNC_ALL)
        if CAN_SYNC_ALL:
            sync_all()
        self.report.commits.append(recorder.commit([change]))

    def not_forgotten(self, recorder: Recorder, rows: Sequence[_Planned]) -> list[_Planned]:
        """Return the rows whose entries were not forgotten here: an export brings none of them back."""
        if not any(one.row.own for one in rows):
            return list(rows)
        forgotten = recorder.guard.forgotten(recorder.tip)
        lost = [one for one in rows if one.row.own and forgotten.has(f"{one.row.date}#{one.row.own.id}")]
        self._refuse(lost, ErrForgotten.__name__, "that entry was forgotten here; it does not come back")
        return [one for one in rows if one not in lost]

    def append_today(self, rows: Sequence[_Planned]) -> None:
        """Append today's rows, and those without a date, that are not remembered yet."""
        today = rows[0].row.date
        missing = _missing(
            _held(read_day(self.cell.root, today)), [one for one in rows if not one.row.undated]
        )
        undated = [one for one in rows if one.row.undated]
        if undated:
            missing += _missing(self._imported_before(), undated)
        self.report.skipped += len(rows) - len(missing)
        self._count(missing, bool(missing))
        if missing and not self.dry_run:
            new = [
                NewEntry(one.row.text, one.attributes, one.row.own.id if one.row.own else None)
                for one in missing
            ]
            done = append(self.cell, new, once=False)
            if done.commit:
                self.report.commits.append(done.commit)

    def _request(self, row: SourceRow) -> WriteRequest:
        layer, kind = command_line_defaults(row.layer or self.defaults.layer, row.kind)
        actor = row.actor or self.defaults.actor
        return WriteRequest(
            layer=layer,
            kind=kind,
            actor=None if layer == "consensus" else actor,
            namespace=row.namespace or (None if row.layer else self.defaults.namespace),
            session=row.own.session if row.own else None,
            formation=IMPORTED,
            own_actor=self.cell.actor,
            is_admin=self.cell.actor in self.cell.config.admins,
        )

    def _refuse(self, rows: Sequence[_Planned], code: str, why: str) -> None:
        self.report.skipped += len(rows)
        for one in rows:
            self.report.find(one.row.line, code, why, one.row.file)

    def _recognise(self, day: Day, rows: Sequence[_Planned]) -> None:
        self.report.skipped += len(rows)
        why = f"{day.date} exists and is not touched; this row is not in it"
        for one in _missing(_held(day), rows):
            self.report.find(one.row.line, "ErrFrozen", why, one.row.file)

    def _imported_before(self) -> Counter[tuple[str, str]]:
        """Count what was imported on any day: what has no date is remembered on the day of its import."""
        held: Counter[tuple[str, str]] = Counter()
        for date, path in day_files(archive_of(self.cell.root)):
            content = read_bytes(path)
            if b"formation=imported" in content:
                held += _held(Day.parse(content, date))
        return held

    def _count(self, rows: Sequence[_Planned], days: int) -> None:
        self.report.days += days
        self.report.entries += len(rows)
        self.report.actors.update(one.placement.attributes.get("actor", "") for one in rows)

    def _day(self, date: str, rows: Sequence[_Planned]) -> Day:
        planned = {id(one.row): one for one in rows}
        ordered = order_moments([one.row for one in rows], self.cell.clock.now().offset)
        used: set[str] = set()
        blocks: list[Block] = []
        for row, moment in ordered:
            own = row.own if row.own and row.own.id not in used else None
            name = own.id if own else mint_id()
            used.add(name)
            stamps = {"id": name, "at": moment.at_on(date), "dev": own.device if own else self.cell.device}
            blocks.append(encode_entry(row.text, {**stamps, **planned[id(row)].attributes}))
        return Day.new(date).append(*blocks).with_index(self._index(date, said(blocks, {})))

    def _index(self, date: str, entries: tuple[Said, ...]) -> str:
        if date in self.indexes:
            try:
                return complete_index(self.indexes[date], entries, day=date).index
            except NutsyncError:  # somebody else's index, or one of more entries than came along
                pass
        return build_index(entries)


def import_rows(
    cell: Cell,
    rows: Sequence[SourceRow],
    report: Report,
    *,
    dry_run: bool = False,
    progress: Progress = lambda done, total: None,
    defaults: Defaults | None = None,
    indexes: Mapping[str, str] | None = None,
) -> Report:
    """Take ``rows`` in and complete ``report``. Nothing of a day is written unless all of it can be.

    ``indexes`` are days' index lines that the source brings. Raises the named errors of an unfit
    repository; rows that cannot be taken in are findings.
    """
    run = _Import(cell, report, dry_run, defaults or Defaults(), indexes or {})
    planned = run.plan(rows)
    with cell.writing("import") as recorder:
        today = cell.clock.now().local_date()
        fresh = run.sift(recorder, planned, today)
        for_today = run.not_forgotten(recorder, planned.get(today, ()))
        for start in range(0, len(fresh), DAYS_A_COMMIT):
            part = fresh[start : start + DAYS_A_COMMIT]
            run.write(recorder, part)
            progress(start + len(part), len(fresh))
    if for_today:
        run.append_today(for_today)
    return report


def require_rows(rows: Sequence[SourceRow], report: Report) -> None:
    """Raise :class:`ErrUsage` where a source held nothing that could be read."""
    if not rows and not report.findings:
        raise ErrUsage("The source holds no rows; nothing was imported.")


def _held(day: Day | None) -> Counter[tuple[str, str]]:
    return (
        Counter((block.text, block.attributes.get("actor", "")) for block in day.blocks) if day else Counter()
    )


def _missing(held: Counter[tuple[str, str]], rows: Sequence[_Planned]) -> list[_Planned]:
    """Return the rows that ``held`` lacks; a row that stands twice must be there twice."""
    left = Counter(held)
    missing = []
    for one in rows:
        if left[one.key] > 0:
            left[one.key] -= 1
        else:
            missing.append(one)
    return missing
