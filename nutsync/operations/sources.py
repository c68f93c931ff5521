"""Reading a source from the disk into rows; the writer is `imports`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from nutsync.core.columns import text_columns
from nutsync.core.errors import NutsyncError
from nutsync.core.source_row import SourceRow, explain, index_row, read_row
from nutsync.core.sources import FORMATS, Reading, SourceFile, read_sources
from nutsync.operations.cell import Cell
from nutsync.operations.import_report import Report
from nutsync.store.sources import read_source, source_files

JSONL = "jsonl"
JSONL_MAPPING = "each row becomes an entry; columns that bear no text become attributes"

FORMAT_NAMES = (*FORMATS, JSONL)


def read_files(name: str, path: Path, cell: Cell, report: Report) -> Reading:
    """Return what the files of a source in the format ``name`` hold, and complete ``report`` with it.

    Raises :class:`ErrUnreadable` where the source is not there.
    """
    format = FORMATS[name]
    report.mapping = format.mapping
    files: list[SourceFile] = []
    for shown, where in source_files(path, format.suffixes, format.skipped_folders):
        try:
            files.append(SourceFile(shown, read_source(where)))
        except NutsyncError as error:
            report.find(1, error.code, explain(error), shown)
    now = cell.clock.now()
    reading = read_sources(name, files, now.offset, now.local_date())
    report.take(reading.notes, reading.files)
    return reading


def read_jsonl_reading(lines: Iterable[bytes], cell: Cell, report: Report) -> Reading:
    """Return the rows of a JSON Lines source, and the days' own index lines where it is an export of ours."""
    offset = cell.clock.now().offset
    report.mapping = JSONL_MAPPING
    reading = Reading()
    rows = dict(_json_rows(lines, report))
    columns = text_columns(rows.values())
    for number, row in rows.items():
        try:
            index = index_row(row)
            if index is not None:
                reading.indexes[index[0]] = index[1]
            else:
                reading.rows.append(read_row(number, row, offset, columns))
        except NutsyncError as error:
            report.find(number, error.code, explain(error))
    return reading


def _json_rows(lines: Iterable[bytes], report: Report) -> Iterator[tuple[int, object]]:
    for number, raw in enumerate(lines, 1):
        if not raw.strip():
            continue
        try:
            yield number, json.loads(raw)
        except ValueError:
            report.find(number, "ErrUsage", "it is no JSON in UTF-8")


def read_jsonl(lines: Iterable[bytes], cell: Cell, report: Report) -> list[SourceRow]:
    """Return the rows of a JSON Lines source; what is no row becomes a finding with its line number."""
    return read_jsonl_reading(lines, cell, report).rows
