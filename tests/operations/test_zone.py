"""A time zone that nobody knows is refused where it is new; where it came all the same, memory is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from nutsync.core.cell import CELL_PATH, CellConfig
from nutsync.core.errors import ErrCellFile, ErrIncoming
from nutsync.operations.cell import open_cell
from nutsync.operations.context import context
from nutsync.operations.sync import sync
from nutsync.operations.verify import verify
from tests.support.fleet import NO_WAIT, Fleet
from tests.support.repos import git, head, run_git

MARS = "Mars/Olympus"


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    fleet = Fleet(tmp_path)
    fleet["desk"].append("likes tea")
    fleet.sync_all()
    return fleet


def name_zone(root: Path, *options: str) -> int:
    """Commit by plain Git that the cell's zone is on Mars; return Git's exit code."""
    path = root / CELL_PATH
    path.write_bytes(CellConfig.parse(path.read_bytes())._replace(zone=MARS).render())
    return run_git(root, *options, "commit", "-qam", "another zone", check=False).returncode


def test_an_armed_clone_refuses_a_zone_that_is_none(fleet: Fleet) -> None:
    root = fleet["desk"].root
    before = head(root)
    assert name_zone(root) != 0
    assert head(root) == before


def test_a_sync_takes_no_zone_that_is_none_and_keeps_what_is_here(fleet: Fleet) -> None:
    assert name_zone(fleet["lap"].root, "-c", "core.hooksPath=/dev/null") == 0
    git(fleet["lap"].root, "-c", "core.hooksPath=/dev/null", "push", "-q", "origin", "main")
    fleet["desk"].append("buys milk")
    with pytest.raises(ErrIncoming, match=MARS):
        fleet.sync("desk")
    assert fleet["desk"].texts("2026-11-30") == ["likes tea", "buys milk"]


def test_where_it_came_all_the_same_memory_is_read_and_not_written(fleet: Fleet) -> None:
    desk = fleet["desk"]
    assert name_zone(desk.root, "-c", "core.hooksPath=/dev/null") == 0
    cell = open_cell(desk.root, clock=desk.clock, environ={})
    assert [date for date, _index in context(cell, reader="ana").items] == ["2026-11-30"]
    assert "zone-unknown" in {finding.code for finding, _mended in verify(cell).found}
    before = head(desk.root)
    for change in (fleet.reopen("desk").append, lambda _text: sync(cell, pace=NO_WAIT)):
        with pytest.raises(ErrCellFile, match=MARS):
            change("buys milk")
    assert head(desk.root) == before
