"""One row of a foreign source, as an entry of ours (design §6, import).

Every column that bears text (`columns` tells which) is kept as text, every other one as an attribute.
Nothing is dropped: a column whose name cannot be an attribute's gets the nearest one that can.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from nutsync.core.columns import REQUEST_COLUMNS, shown, text_columns, text_of
from nutsync.core.entry import check_text, is_id
from nutsync.core.errors import ErrUsage, NutsyncError
from nutsync.core.moment import Moment, day_number, is_date, parse_at
from nutsync.core.pattern import pattern

IMPORTED = "imported"

_TAKEN = frozenset("id at dev scope kind actor namespace session formation corrects was about".split())
_TIME = pattern(r"(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,6}))?)?\s*(Z|[+-]\d{2}:?\d{2})?")
_OWN_COLUMNS = frozenset("ref id at device session corrects formation path unstamped".split())


@dataclass(frozen=True, slots=True)
class OwnEntry:
    """What an export of ours says of an entry beside its text: it keeps its id, so that refs hold."""

    id: str
    device: str
    session: str | None
    corrects: str | None


@dataclass(frozen=True, slots=True)
class SourceRow:
    """What a row says. ``moment`` is None where the source gives no time; None elsewhere is «not said».

    ``undated`` says that ``date`` is today's only because the source names none. ``own`` is set for rows
    of an export of ours.
    """

    line: int
    date: str
    text: str
    actor: str | None
    kind: str | None
    layer: str | None
    namespace: str | None
    moment: Moment | None
    extra: Mapping[str, str]
    file: str = ""
    undated: bool = False
    own: OwnEntry | None = None


def read_row(line: int, row: object, offset: int, columns: frozenset[str] | None = None) -> SourceRow:
    """Return the row at ``line``; ``offset`` (minutes east) serves where a time has none.

    ``columns`` are those of its source that bear text, by default those of this row alone.

    Raises :class:`ErrUsage`, or the named error of the text, for a row that cannot be taken in; the
    message never holds its text.
    """
    if not isinstance(row, dict):
        raise ErrUsage("the row is no JSON object")
    date = row.get("date")
    if not isinstance(date, str) or not is_date(date):
        raise ErrUsage(f"there is no such date: {date!r}" if _short(date) else "the row has no date")
    own, moment = _own_entry(date, row)
    is_ours = own is not None or row.get("unstamped") is True
    text, extra = _own_columns(row) if is_ours else _columns(row, columns)
    check_text(text)
    layer = _word(row, "layer")
    return SourceRow(
        line,
        date,
        text,
        _word(row, "actor") or _word(row, "author"),
        _word(row, "kind"),
        None if is_ours and layer == "unknown" else layer,  # nobody writes it: it gets the default one
        _word(row, "namespace"),
        moment or _moment(date, row.get("time"), offset),
        extra,
        own=own,
    )


def index_row(row: object) -> tuple[str, str] | None:
    """Return the date and the index that a row of an export of ours gives for a whole day, or None."""
    if not isinstance(row, dict) or row.keys() != {"date", "index"}:
        return None
    date, index = row["date"], row["index"]
    return (date, index) if isinstance(date, str) and is_date(date) and isinstance(index, str) else None


def explain(error: NutsyncError) -> str:
    """Return why a row was not taken, in one line."""
    return error.message.rstrip(".")


def _own_entry(date: str, row: Mapping[str, object]) -> tuple[OwnEntry | None, Moment | None]:
    """Return what a row of an export of ours says of its entry, and when it was written."""
    own, at, device = row.get("id"), row.get("at"), row.get("device")
    if not isinstance(own, str) or not is_id(own) or not isinstance(at, str) or not isinstance(device, str):
        return None, None
    moment = parse_at(date, at)
    if moment is None or not device:
        return None, None
    return OwnEntry(own, device, _word(row, "session") or None, _word(row, "corrects") or None), moment


def _own_columns(row: Mapping[str, object]) -> tuple[str, dict[str, str]]:
    """Return the text of a row of ours, and the attributes that are neither a request's nor a stamp."""
    known = _OWN_COLUMNS.union(REQUEST_COLUMNS, ("text",))
    extra = {key: value for key, value in row.items() if key not in known and isinstance(value, str)}
    return str(row.get("text", "")), extra


def _columns(row: Mapping[str, object], columns: frozenset[str] | None) -> tuple[str, dict[str, str]]:
    """Return the text that all text-bearing columns make, and the attributes that the others make."""
    text, told = text_of(row, text_columns([row]) if columns is None else columns)
    extra: dict[str, str] = {}
    for name, value in row.items():
        if name not in told and name not in REQUEST_COLUMNS and value is not None:
            extra[_attribute_name(name, extra)] = shown(value)
    return text, extra


def _attribute_name(name: str, used: Mapping[str, str]) -> str:
    plain = re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-") or "column"
    if not plain[0].isalpha() or plain in _TAKEN:
        plain = f"source-{plain}"
    candidate, number = plain, 2
    while candidate in used:
        candidate, number = f"{plain}-{number}", number + 1
    return candidate


def _word(row: Mapping[str, object], name: str) -> str | None:
    value = row.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise ErrUsage(f"{name} is no text")
    return value


def _short(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 40


def moment_of(date: str, time: str, offset: int) -> Moment:
    """Return the instant of a time of day (HH:MM:SS) on ``date``, ``offset`` minutes east."""
    hours, minutes, seconds = map(int, time.split(":"))
    local = ((hours * 60 + minutes) * 60 + seconds) * 1000
    return Moment(day_number(date) * 86_400_000 + local - offset * 60_000, offset)


def _moment(date: str, value: object, offset: int) -> Moment | None:
    """Return the instant that a date and a time of day make; None where the source names none."""
    if value is None or value == "":
        return None
    match = _TIME.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise ErrUsage(f"there is no such time: {value!r}" if _short(value) else "the time is no time of day")
    hours, minutes, seconds, fraction, zone = match.groups()
    if int(hours) > 23 or int(minutes) > 59 or int(seconds or 0) > 59:
        raise ErrUsage(f"there is no such time: {value!r}")
    ms = int(((fraction or "") + "000")[:3])
    if zone is None:
        east = offset
    elif zone == "Z":
        east = 0
    else:
        digits = zone[1:].replace(":", "")
        east = (int(digits[:2]) * 60 + int(digits[2:])) * (-1 if zone[0] == "-" else 1)
    local = ((int(hours) * 60 + int(minutes)) * 60 + int(seconds or 0)) * 1000 + ms
    return Moment(day_number(date) * 86_400_000 + local - east * 60_000, east)


def order_moments(rows: list[SourceRow], offset: int) -> list[tuple[SourceRow, Moment]]:
    """Return one day's rows with their instants, in the order of those.

    A row without a time follows the row before it in the source by 1 ms; the first of them starts the
    day. No two instants are equal.
    """
    placed: list[tuple[SourceRow, Moment]] = []
    previous = parse_at(rows[0].date, "00:00:00.000+00:00") if rows else None
    start = Moment((previous.millis if previous else 0) - offset * 60_000 - 1, offset)
    last = start
    for row in rows:
        last = row.moment or Moment(last.millis + 1, last.offset)
        placed.append((row, last))
    placed.sort(key=lambda one: one[1].millis)
    latest = start.millis - 86_400_000
    spread: list[tuple[SourceRow, Moment]] = []
    for row, moment in placed:
        latest = max(moment.millis, latest + 1)
        spread.append((row, Moment(latest, moment.offset)))
    return spread
