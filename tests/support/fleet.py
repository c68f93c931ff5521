"""Several devices of one cell around a bare remote, made by the product itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from nutsync.core.cell import ARCHIVE_DIR
from nutsync.operations.cell import open_cell
from nutsync.operations.founding import Founding, clone, init
from nutsync.operations.integrating import Integrator
from nutsync.operations.sync import Pace, Synced, sync
from tests.support.cells import Desk
from tests.support.clock import FakeClock
from tests.support.repos import git, head, make_remote

MORNING = "2026-11-30T09:00:00+08:00"


class Fleet:
    """A remote and its devices. The first device founds the cell."""

    def __init__(self, folder: Path, names: Sequence[str] = ("desk", "lap"), start: str = MORNING) -> None:
        self.folder = folder
        self.remote = make_remote(folder / "remote.git")
        self.desks: dict[str, Desk] = {}
        self.start = start
        for name in names:
            self.add(name)

    def __getitem__(self, name: str) -> Desk:
        return self.desks[name]

    def add(self, name: str, start: str | None = None) -> Desk:
        """Bring the cell to one more device; an empty remote gets a new cell from the first."""
        clock = FakeClock(start or self.start)
        founding = Founding(actor="ana", device=name)
        root = self.folder / name
        if self.desks:
            founded = clone(str(self.remote), root, founding, clock=clock, environ={})
        else:
            founded = init(
                root,
                Founding(actor="ana", device=name, remote=str(self.remote)),
                clock=clock,
                environ={},
            )
        self.desks[name] = Desk(founded.cell, clock)
        self.sync(name)
        return self.desks[name]

    def sync(self, name: str, attempts: int = 12) -> Synced:
        """Sync one device, without waiting between tries."""
        return sync(self.desks[name].cell, pace=NO_WAIT if attempts == 12 else quick(attempts))

    def sync_all(self) -> None:
        """Sync every device until all hold what all hold."""
        for _ in range(2):
            for name in self.desks:
                self.sync(name)

    def archives(self) -> dict[str, dict[str, bytes]]:
        """Return every device's day files by name."""
        return {name: archive(desk.root) for name, desk in self.desks.items()}

    def unplug(self, name: str) -> None:
        """Take the network away from a device: nobody listens at its remote's address."""
        git(self.desks[name].root, "remote", "set-url", "origin", "git://127.0.0.1:1/nobody")

    def plug(self, name: str) -> None:
        """Give a device the network back."""
        git(self.desks[name].root, "remote", "set-url", "origin", str(self.remote))

    def reopen(self, name: str) -> Desk:
        """Open a device's cell anew, as the next sync does."""
        desk = self.desks[name]
        self.desks[name] = Desk(open_cell(desk.root, clock=desk.clock, environ={}, whole=False), desk.clock)
        return self.desks[name]

    def take_from(self, name: str, peer: str) -> None:
        """Let one device take over what another holds, without a remote between them."""
        desk = self.desks[name]
        git(desk.root, "fetch", "-q", str(self.desks[peer].root), "main")
        with desk.cell.writing("sync") as recorder:
            Integrator(desk.cell, recorder).take(head(desk.root, "FETCH_HEAD"))


def quick(attempts: int) -> Pace:
    """Return a pace that does not wait."""
    return Pace(pause=lambda _seconds: None, random=lambda: 0.5, attempts=attempts)


NO_WAIT = quick(12)


def archive(root: Path) -> dict[str, bytes]:
    """Return the day files of a worktree by file name."""
    return {path.name: path.read_bytes() for path in sorted((root / ARCHIVE_DIR).rglob("*.md"))}


def same(archives: Mapping[str, Mapping[str, bytes]]) -> bool:
    """Tell whether all archives are equal byte for byte."""
    values = list(archives.values())
    return all(value == values[0] for value in values)
