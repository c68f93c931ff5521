"""Checking the indexes of days against their bodies, and building one to look at (design §3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nutsync.core.append import said
from nutsync.core.cell import day_path
from nutsync.core.day import Day
from nutsync.core.entry import Ref
from nutsync.core.errors import ErrRef, ErrUnknownRef
from nutsync.core.index import build_index as build_from
from nutsync.core.index import check_index
from nutsync.core.index.build import Said
from nutsync.core.visibility import visible
from nutsync.operations.cell import Cell, archive_of
from nutsync.store.days import parse_day, read_day
from nutsync.store.files import day_files, read_if_there


@dataclass(frozen=True, slots=True)
class DayIndexFinding:
    """One fault of a day's index. The message holds no memory text."""

    date: str
    code: str
    message: str

    def as_json(self) -> dict[str, object]:
        return {
            "path": day_path(self.date),
            "ref": self.date,
            "code": f"index-{self.code}",
            "severity": "notice",
            "message": self.message,
            "hint": "A frozen day keeps its index; of today, `nutsync append --index` makes a new one.",
        }


def check_indexes(cell: Cell, dates: Sequence[str]) -> list[DayIndexFinding]:
    """Return what is wrong with the indexes of ``dates``, of every day where none is named.

    A day without an entry needs none. Raises :class:`ErrUnknownRef` for a date that has no file, and
    :class:`ErrUnreadable`.
    """
    findings: list[DayIndexFinding] = []
    for date in dates or [date for date, _ in day_files(archive_of(cell.root))]:
        day = _day(cell, date)
        found = check_index(day.index or "", entries_of(cell, day), day=date)
        findings += [DayIndexFinding(date, one.code, one.message) for one in found]
    return findings


def build_index(cell: Cell, date: str) -> str:
    """Return the index that the builder gives for a day; :class:`ErrUnknownRef` where it has no file."""
    return build_from(entries_of(cell, _seen_by_owner(cell, _day(cell, date))))


def _seen_by_owner(cell: Cell, day: Day) -> Day:
    """Return the day with only what the clone's own actor sees: an answer never carries another's words."""
    hidden = [block for block in day.blocks if not visible(block.attributes, cell.actor)]
    return day.without(hidden) if hidden else day


def entries_of(cell: Cell, day: Day) -> tuple[Said, ...]:
    """Return what the builder needs to know of a day, the texts that its corrections replace included."""
    texts: dict[str, str] = {}
    for ref in sorted({block.attributes.get("corrects", "") for block in day.stamped} - {""}):
        text = _text(cell, ref)
        if text is not None:
            texts[ref] = text
    return said(day.blocks, texts)


def _text(cell: Cell, text: str) -> str | None:
    try:
        ref = Ref.parse(text)
    except ErrRef:
        return None
    content = read_if_there(cell.root / day_path(ref.date))
    block = parse_day(content, ref.date).find(ref) if content is not None else None
    return None if block is None else block.text


def _day(cell: Cell, date: str) -> Day:
    day = read_day(cell.root, date)
    if day is None:
        raise ErrUnknownRef(f"Nothing is remembered on {date}.")
    return day


__all__ = ["DayIndexFinding", "build_index", "check_indexes", "entries_of"]
