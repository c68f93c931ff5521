"""Rows for what a hundred years cost beside one: the same command on both, which should cost as much."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from bench.paired import Command, Row
from bench.workshop import Workshop

_AIM = "≤ 2 (CPU)"


def _pair(shop: Workshop) -> tuple[Path, Path]:
    """Return a cell of this many days and one of 365."""
    year = replace(shop, folder=shop.folder.parent / "1", years=1)
    return shop.armed(), year.armed()


def _compare(shop: Workshop, action: str, words: list[str], cells: tuple[Path, Path]) -> Row:
    return shop.compare(
        f"{action}, {shop.years * 365:,} days",
        Command([shop.nutsync(*words)], cells[0]),
        "the same, 365 days",
        Command([shop.nutsync(*words)], cells[1]),
        _AIM,
    )


def many_days_append_and_status(shop: Workshop) -> Row | list[Row]:
    """An append, and a look at the clone."""
    if shop.years < 100:
        return []
    cells = _pair(shop)
    for cell in cells:
        shop.remote(cell)
        shop.run(shop.nutsync("sync"), cell)
    appended = shop.compare(
        f"append, {shop.years * 365:,} days",
        Command(lambda: [_append(shop)], cells[0]),
        "the same, 365 days",
        Command(lambda: [_append(shop)], cells[1]),
        _AIM,
    )
    return [appended, _compare(shop, "status", ["status"], cells)]


def _append(shop: Workshop) -> list[str]:
    """Return an append that no earlier one makes a duplicate."""
    return shop.nutsync("append", f"Lanternfield costs {shop.number()} euros")


def many_days_sync(shop: Workshop) -> Row | list[Row]:
    """A sync that finds nothing new, and one that sends an entry."""
    if shop.years < 100:
        return []
    cells = _pair(shop)
    for cell in cells:
        shop.remote(cell)
        shop.run(shop.nutsync("sync"), cell)
    nothing = _compare(shop, "sync, nothing new", ["sync"], cells)

    def one_more(cell: Path) -> Callable[[], None]:
        def append() -> None:
            shop.run(_append(shop), cell)

        return append

    one = shop.compare(
        f"sync, one new entry here, {shop.years * 365:,} days",
        Command([shop.nutsync("sync")], cells[0], one_more(cells[0])),
        "the same, 365 days",
        Command([shop.nutsync("sync")], cells[1], one_more(cells[1])),
        _AIM,
    )
    return [nothing, one]


ROWS: list[Callable[[Workshop], Row | list[Row]]] = [many_days_append_and_status, many_days_sync]
