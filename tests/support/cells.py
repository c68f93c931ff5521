"""Cells for tests: made by the product itself, with a clock that stands where it is put."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from nutsync.core.append import NewEntry
from nutsync.core.cell import day_path
from nutsync.core.day import Day
from nutsync.operations.cell import Cell
from nutsync.operations.founding import Founding, init
from nutsync.operations.journal import Appended, append
from tests.support.clock import FakeClock

ABOUT_ME = {"kind": "fact", "scope": "global", "actor": "ana"}


@dataclass
class Desk:
    """A device with its cell and its own clock."""

    cell: Cell
    clock: FakeClock

    @property
    def root(self) -> Path:
        return self.cell.root

    def append(self, *texts: str, index: str | None = None, once: bool = True, **attributes: str) -> Appended:
        """Append texts as facts about ana, or with other attributes."""
        entries = [NewEntry(text, {**ABOUT_ME, **attributes}) for text in texts]
        return append(self.cell, entries, index=index, once=once)

    def path(self, date: str) -> Path:
        return self.root / day_path(date)

    def day(self, date: str) -> Day:
        return Day.parse(self.path(date).read_bytes(), date)

    def texts(self, date: str) -> list[str]:
        return [block.text for block in self.day(date).blocks]


def make_desk(
    root: Path,
    start: str = "2026-11-30T09:00:00+08:00",
    *,
    actor: str = "ana",
    device: str = "desk",
    **asked: object,
) -> Desk:
    """Make a cell at ``root`` whose clock stands at ``start``."""
    clock = FakeClock(start)
    founding = replace(Founding(actor=actor, device=device), **asked)  # type: ignore[arg-type]
    return Desk(init(root, founding, clock=clock, environ={}).cell, clock)
