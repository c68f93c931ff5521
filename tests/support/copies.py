"""Copies of a remote and its devices, each to be spoiled by one test."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from nutsync.operations.cell import open_cell
from nutsync.operations.sync import Synced, sync
from tests.support.cells import Desk
from tests.support.clock import FakeClock
from tests.support.fleet import NO_WAIT
from tests.support.repos import git


class Copies:
    """A copy of a folder that holds ``remote.git`` and devices side by side."""

    def __init__(self, prepared: Path, folder: Path, names: Sequence[str], now: str) -> None:
        shutil.copytree(prepared, folder, symlinks=True)
        self.folder = folder
        self.now = now
        self.remote = folder / "remote.git"
        self.roots = {name: folder / name for name in names}
        for root in self.roots.values():
            git(root, "remote", "set-url", "origin", str(self.remote))
            git(root, "update-index", "-q", "--refresh")

    def open(self, name: str) -> Desk:
        """Open a device's cell anew, as each command does."""
        clock = FakeClock(self.now)
        return Desk(open_cell(self.roots[name], clock=clock, environ={}), clock)

    def sync(self, name: str) -> Synced:
        return sync(self.open(name).cell, pace=NO_WAIT)

    def remove(self) -> None:
        shutil.rmtree(self.folder)
