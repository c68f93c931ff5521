"""Opening a cell: where it is, whose it is, what time it is there (design §3, §5, §11)."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from nutsync.core.cell import ARCHIVE_DIR, CELL_PATH, CellConfig
from nutsync.core.errors import ErrCellFile, ErrNoCell, ErrUnreadable, ErrZone, NutsyncError
from nutsync.operations.armed import is_armed
from nutsync.operations.move_note import is_noted
from nutsync.store.clock import Clock, SystemClock, ZoneClock
from nutsync.store.files import read_if_there, remove_temporaries
from nutsync.store.repo.config import is_true
from nutsync.store.repo.git import Git
from nutsync.store.settings import Settings, read_settings, user_cell

if TYPE_CHECKING:
    from nutsync.operations.record import Recorder
    from nutsync.store.repo.objects import Objects

LOCK_SECONDS = 30.0
_PURGING = ("sync", "purge")
"""Commands that complete a purge themselves; any other completes one that a crash cut short."""


@dataclass(frozen=True)
class Cell:
    """One memory in one clone. ``clock`` tells the time in the cell's zone, or else the device's.

    Where this machine does not know the zone, the device's clock serves who reads; nobody writes.

    ``allow_secret`` lets this opening of it remember what looks like a credential.
    """

    git: Git
    config: CellConfig
    settings: Settings
    clock: Clock
    allow_secret: bool = False
    memo: dict[str, Mapping[str, Collection[str]]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def root(self) -> Path:
        return self.git.root

    @property
    def actor(self) -> str:
        return self.settings.actor

    @property
    def device(self) -> str:
        return self.settings.device

    @property
    def branch(self) -> str:
        return self.settings.branch

    def arming_advice(self) -> str:
        """Return what to do where this clone is not armed, else an empty text."""
        return "" if is_armed(self.git) else "this clone is not armed; `nutsync hooks install` arms it."

    @contextmanager
    def writing(self, command: str) -> Iterator[Recorder]:
        """Hold the clone's lock, in a repository that is fit, with a recorder on the memory branch.

        Raises the named errors of :func:`require_fit`, :class:`ErrLocked`, and :class:`ErrCellFile`
        where the cell's zone is not known here.
        """
        # Who only reads a cell waits for none of this, nor for the law and the recorder below.
        from nutsync.store.lock import clone_lock
        from nutsync.store.repo.fitness import require_fit
        from nutsync.store.repo.objects import Objects

        with clone_lock(self.git.common_dir, timeout=LOCK_SECONDS, command=command):
            require_fit(self.git, self.branch)
            if self.config.zone and not isinstance(self.clock, ZoneClock):
                raise _unknown(self.config.zone)
            remove_temporaries(archive_of(self.root) / self.clock.now().local_date()[:4])
            with Objects(self.git) as objects:
                recorder = recorder_for(self.git, objects, self.settings)
                recorder.allow_secret = self.allow_secret
                if is_noted(self.git):
                    from nutsync.operations.moving import complete

                    complete(recorder)
                if command != "purge" and (self.git.private_dir / "purge-asked").exists():
                    from nutsync.operations.purging.purge import resume

                    with suppress(NutsyncError):  # `status` goes on telling
                        resume(self, recorder)
                if command not in _PURGING and (self.git.private_dir / "purging").exists():
                    from nutsync.operations.purging.complete import complete_here

                    complete_here(self, recorder)
                yield recorder


def recorder_for(git: Git, objects: Objects, settings: Settings) -> Recorder:
    """Return a recorder on the memory branch; the clone's lock must be held."""
    from nutsync.operations.guard import Guard
    from nutsync.operations.record import Recorder
    from nutsync.store.repo.keys import load_key
    from nutsync.store.repo.refs import branch_ref, resolve_ref

    key = load_key(git.common_dir)
    return Recorder(
        git,
        objects,
        Guard(git, objects, key.public if key else None),
        settings.branch,
        settings.actor,
        settings.device,
        resolve_ref(git, branch_ref(settings.branch)),
        key.sign if key else None,
    )


def archive_of(root: Path) -> Path:
    """Return the folder of the day files."""
    return root / ARCHIVE_DIR


def open_cell(
    directory: Path,
    *,
    clock: Clock | None = None,
    environ: Mapping[str, str] = os.environ,
    actor: str | None = None,
    whole: bool = True,
) -> Cell:
    """Return the cell that ``directory`` is in, or the one the environment or the user's setting names.

    Raises :class:`ErrNoCell` where there is none, what reading its ``cell.toml`` raises, and,
    unless ``whole`` is false, :class:`ErrUnreadable` where sparse checkout keeps days out of the folder: what
    is not there cannot be found, and an append would write its day without them.
    """
    root = find_cell(directory, environ)
    git = Git.discover(root)
    if whole and is_true(git.own_config("core.sparseCheckout") or "false"):
        _require_whole(git)
    config = CellConfig.parse(read_if_there(root / CELL_PATH) or b"")
    settings = read_settings(git, environ, actor=actor)
    return Cell(git, config, settings, _clock_of(config, clock or SystemClock()))


def _require_whole(git: Git) -> None:
    from nutsync.store.repo.worktree import skipped_paths

    absent = skipped_paths(git, [ARCHIVE_DIR])
    if absent:
        days = "1 day file" if len(absent) == 1 else f"{len(absent)} day files"
        raise ErrUnreadable(
            f"Sparse checkout keeps {days} out of this folder.",
            hint="`git sparse-checkout list` shows what it lets in: add .agents to it, or end it with "
            "`git sparse-checkout disable`. `nutsync sync` and `nutsync verify` work meanwhile.",
        )


def _unknown(zone: str) -> ErrCellFile:
    return ErrCellFile(
        f"{CELL_PATH} names the time zone {zone}, which is not known here: what is today cannot be told.",
        hint="Bring the machine's time zones up to date (`pip install --upgrade tzdata`), or name another "
        "zone in that file and commit it. Reading works meanwhile.",
    )


def _clock_of(config: CellConfig, base: Clock) -> Clock:
    try:
        return ZoneClock(base, config.zone) if config.zone else base
    except ErrZone:
        return base


def find_cell(directory: Path, environ: Mapping[str, str]) -> Path:
    """Return the root of the repository whose cell is meant (design §11).

    The order: the folder and those above it, ``NUTSYNC_CELL``, the user's default cell.
    """
    start = directory.resolve()
    for folder in (start, *start.parents):
        if (folder / CELL_PATH).is_file():
            return folder
    for other in (environ.get("NUTSYNC_CELL"), user_cell(environ)):
        if other:
            root = Path(other).expanduser().resolve()
            if (root / CELL_PATH).is_file():
                return root
            raise ErrNoCell(f"There is no cell at {root}.")
    raise ErrNoCell(f"There is no cell at {start} or above it.")
