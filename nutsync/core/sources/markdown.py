"""Reading Markdown files: OpenClaw's, Logseq's, Obsidian's, Claude's, Letta's, basic-memory's, anybody's."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from nutsync.core.moment import Moment
from nutsync.core.pattern import pattern
from nutsync.core.source_row import SourceRow, moment_of
from nutsync.core.sources.dates import clock_time, date_of
from nutsync.core.sources.decoding import decode_lines, is_binary
from nutsync.core.sources.front import split_front, tags_of
from nutsync.core.sources.pieces import Piece, cut
from nutsync.core.sources.reading import FileReport, Note, Reading, SourceFile

KindOf = Callable[[Mapping[str, str], Piece], str]

_SESSION = pattern(r"# Session: \d{4}-\d{2}-\d{2} (\d{2}:\d{2}:\d{2}) (?:UTC|GMT)([+-]\d{1,2})?")
_TIMED_HEADING = pattern(r"#{2,4} ~?(\d{1,2}:\d{2}(?::\d{2})?)(?: ?([AP]M))?\b(?![:\d])")
_LONE_TIME = pattern(r"\d{1,2}:\d{2}$")
_ZONE = pattern(r"\bUTC\b")
_CATEGORY = pattern(r"\[(\w+)\] ")

_KIND_WORDS = {
    "decision": "decision", "preference": "preference", "convention": "convention", "rule": "convention",
    "feedback": "convention", "skill": "skill", "technique": "skill", "method": "skill", "howto": "skill",
    "task": "task", "todo": "task", "event": "event", "user": "preference",
}  # fmt: skip


def kind_by_words(front: Mapping[str, str], piece: Piece) -> str:
    """Return the kind that the frontmatter's ``type`` or an observation's ``[category]`` names; else fact."""
    category = _CATEGORY.match(piece.text)
    word = category[1] if category else front.get("type", "")
    return _KIND_WORDS.get(word.lower(), "fact")


def kind_event(front: Mapping[str, str], piece: Piece) -> str:
    """What a log tells happened."""
    return "event"


def kind_fact(front: Mapping[str, str], piece: Piece) -> str:
    """What a note says."""
    return "fact"


def read_markdown(file: SourceFile, reading: Reading, offset: int, today: str, kind_of: KindOf) -> None:
    """Add the entries of one file to ``reading``; ``offset`` serves where a time of day names no zone.

    A file that nothing dates is remembered today.
    """
    if is_binary(file.content):
        reading.notes.append(Note(file.name, 1, "not-text", "this is no text; it was left out", skipped=True))
        return
    decoded = decode_lines(file.content)
    lead, body, front = split_front(decoded.lines)
    dated = date_of(file, front, body)
    done = cut(lead, body, org=file.suffix == ".org")
    notes = [*decoded.notes, *done.notes]
    if dated.wrong:
        where = dated.date or f"{today}, today"
        notes.append((1, "no-such-date", f"there is no {dated.wrong}; its text goes to {where}"))
    elif dated.date is None and done.pieces:
        notes.append((1, "undated", f"nothing dates this file; its text goes to {today}, today"))
    reading.notes += (Note(file.name, *note) for note in sorted(notes))
    date = dated.date or today
    report = FileReport(file.name, dated.by)
    extra = {"from": file.name, **({"tags": tags} if (tags := tags_of(front)) else {})}
    zone = offset
    for number, piece in enumerate(done.pieces):
        time, zone = _time(piece, number, date, offset, zone)
        kind = "task" if piece.is_open_task else kind_of(front, piece)
        row = SourceRow(
            piece.line, date, piece.text, None, kind, None, None, time, extra, file.name, dated.date is None
        )
        reading.rows.append(row)
        report.dates[date] += 1
    reading.files.append(report)


def _time(piece: Piece, number: int, date: str, offset: int, zone: int) -> tuple[Moment | None, int]:
    """Return when a piece was written, as far as its first lines tell, and the zone that holds from there."""
    for _, text in piece.lines[:4]:
        session = _SESSION.match(text) if number == 0 else None
        if session:
            zone = int(session[2] or 0) * 60
            return moment_of(date, session[1], zone), zone
        timed = _TIMED_HEADING.match(text)
        if timed:
            told = clock_time(timed[0])
            here = 0 if _ZONE.search(text) else offset
            return (moment_of(date, told, here) if told else None), zone
    lone = _LONE_TIME.match(piece.lines[0][1].strip()) and clock_time(piece.lines[0][1])
    return (moment_of(date, lone, offset) if lone else None), zone
