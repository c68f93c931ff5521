"""Reading jrnl: its text journals, its JSON export, folders of days, and Day One's entries."""

from __future__ import annotations

import json
from xml.etree import ElementTree

from nutsync.core.moment import is_date
from nutsync.core.pattern import pattern
from nutsync.core.source_row import SourceRow, moment_of
from nutsync.core.sources.dates import clock_time, date_of
from nutsync.core.sources.decoding import decode_lines, is_binary
from nutsync.core.sources.reading import FileReport, Note, Reading, SourceFile

_HEADER = pattern(
    r"\[(\d{4}-\d{2}-\d{2})(?:[ T](\d{1,2}:\d{2}(?::\d{2})?(?: ?[AP]M)?))?\] ?(.*)"
    r"|(\d{4}-\d{2}-\d{2}) (\d{1,2}:\d{2}) (.*)"
)
_INSTANT = pattern(r"(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})Z")


def read_jrnl(file: SourceFile, reading: Reading, offset: int, today: str) -> None:
    """Add the entries of one journal file to ``reading``."""
    if is_binary(file.content) or _is_cipher(file.content):
        message = "this is encrypted or no text; `jrnl --decrypt` makes it readable"
        reading.notes.append(Note(file.name, 1, "not-text", message, skipped=True))
        return
    if file.suffix == ".json" and _read_json(file, reading, offset):
        return
    if file.suffix == ".doentry" and _read_day_one(file, reading):
        return
    _read_text(file, reading, offset, today)


def _is_cipher(content: bytes) -> bool:
    """Tell whether ``content`` is one long word, as encrypted journals are."""
    return len(content) > 200 and content.isascii() and len(content.split()) == 1


def _read_text(file: SourceFile, reading: Reading, offset: int, today: str) -> None:
    decoded = decode_lines(file.content)
    reading.notes += (Note(file.name, *note) for note in decoded.notes)
    named = date_of(file, {}, [])
    report = FileReport(file.name, "header")
    date, time, first, text = named.date or today, None, 1, list[str]()
    undated = named.date is None

    def finish() -> None:
        said = "\n".join(text).strip("\n")
        if said.strip():
            moment = moment_of(date, time, offset) if time else None
            reading.rows.append(_row(first, date, said, moment, file.name, undated))
            report.dates[date] += 1

    for number, line in decoded.lines:
        match = _HEADER.fullmatch(line)
        told = (match[1] or match[4]) if match else ""
        if match is None or not is_date(told):
            if match is not None:
                message = f"there is no {told}; the entry goes with the one before it"
                reading.notes.append(Note(file.name, number, "no-such-date", message))
            text.append(line)
            continue
        finish()
        date, first, undated = told, number, False
        time = clock_time(match[2] or match[5] or "")
        text = [match[3] if match[1] else match[6]]
    finish()
    if undated and report.dates:
        report.dated_by = "nothing"
    reading.files.append(report)


def _read_json(file: SourceFile, reading: Reading, offset: int) -> bool:
    try:
        document = json.loads(file.content)
    except ValueError:
        reading.notes.append(Note(file.name, 1, "no-json", "this is no JSON; it is read as text"))
        return False
    entries = document.get("entries") if isinstance(document, dict) else document
    if not isinstance(entries, list):
        return False
    report = FileReport(file.name, "field")
    for number, entry in enumerate(entries, 1):
        date = entry.get("date") if isinstance(entry, dict) else None
        if not isinstance(date, str) or not is_date(date):
            message = f"entry {number} has no date; it was left out"
            reading.notes.append(Note(file.name, number, "no-such-date", message, skipped=True))
            continue
        parts = [str(entry[key]) for key in ("title", "body") if entry.get(key)]
        said = "\n".join(parts).strip("\n")
        if not said.strip():
            reading.notes.append(Note(file.name, number, "empty", f"entry {number} says nothing"))
            continue
        time = clock_time(str(entry.get("time") or ""))
        moment = moment_of(date, time, offset) if time else None
        extra = {key: json.dumps(value) for key, value in entry.items() if _is_more(key, value)}
        reading.rows.append(_row(number, date, said, moment, file.name, False, extra))
        report.dates[date] += 1
    reading.files.append(report)
    return True


def _is_more(key: str, value: object) -> bool:
    return (
        key not in ("title", "body", "date", "time") and value not in (None, False, "", []) and key.isalpha()
    )


def _read_day_one(file: SourceFile, reading: Reading) -> bool:
    """Read Day One's property list; False where it is none that can be read."""
    try:
        root = ElementTree.fromstring(file.content)  # noqa: S314 (no entities are expanded beyond XML's own)
    except (ElementTree.ParseError, ValueError):
        reading.notes.append(Note(file.name, 1, "no-plist", "no property list; it is read as text"))
        return False
    fields: dict[str, str] = {}
    pairs = list(root.iter("dict"))
    children = list(pairs[0]) if pairs else []
    for key, value in zip(children[::2], children[1::2], strict=False):
        fields[key.text or ""] = "".join(value.itertext()) or value.tag
    instant = _INSTANT.search(fields.get("Creation Date", ""))
    text = fields.get("Entry Text", "").strip("\n")
    if instant is None or not is_date(instant[1]) or not text.strip():
        return False
    moment = moment_of(instant[1], instant[2], 0)
    extra = {"starred": "true"} if fields.get("Starred") == "true" else {}
    reading.rows.append(_row(1, instant[1], text, moment, file.name, False, extra))
    report = FileReport(file.name, "field")
    report.dates[instant[1]] += 1
    reading.files.append(report)
    return True


def _row(line: int, date: str, text: str, moment: object, name: str, undated: bool,
         extra: dict[str, str] | None = None) -> SourceRow:  # fmt: skip
    more = {"from": name, **(extra or {})}
    return SourceRow(line, date, text, None, "event", None, None, moment, more, name, undated)  # type: ignore[arg-type]
