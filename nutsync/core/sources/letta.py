"""Reading Letta: memory files of its agents, and agent files with their memory blocks."""

from __future__ import annotations

import json
from collections.abc import Iterator

from nutsync.core.source_row import SourceRow
from nutsync.core.sources.markdown import KindOf, read_markdown
from nutsync.core.sources.reading import FileReport, Note, Reading, SourceFile


def read_letta(file: SourceFile, reading: Reading, offset: int, today: str, kind_of: KindOf) -> None:
    """Add a memory file, or the memory blocks of an agent file, to ``reading``."""
    if file.suffix not in (".af", ".json"):
        read_markdown(file, reading, offset, today, kind_of)
        return
    try:
        document = json.loads(file.content)
    except ValueError:
        reading.notes.append(Note(file.name, 1, "no-json", "this is no JSON; it was left out", skipped=True))
        return
    report = FileReport(file.name, "nothing")
    for number, block in enumerate(_blocks(document), 1):
        label = str(block.get("label") or "")
        parts = [
            f"{label}: {block['description']}" if block.get("description") else label,
            str(block["value"]),
        ]
        text = "\n".join(part for part in parts if part.strip())
        extra = {"from": file.name, **({"label": label} if label else {})}
        reading.rows.append(
            SourceRow(number, today, text, None, "fact", None, None, None, extra, file.name, True)
        )
        report.dates[today] += 1
    if not report.dates:
        message = "no memory block was found in it"
        reading.notes.append(Note(file.name, 1, "empty", message, skipped=True))
    reading.files.append(report)


def _blocks(document: object) -> Iterator[dict[str, object]]:
    """Yield every object with a value and a label, wherever an agent file keeps it."""
    if isinstance(document, dict):
        value = document.get("value")
        if isinstance(value, str) and value.strip() and "label" in document:
            yield document
        else:
            for part in document.values():
                yield from _blocks(part)
    elif isinstance(document, list):
        for part in document:
            yield from _blocks(part)
