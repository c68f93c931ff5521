"""Making a cell, bringing one from a remote, and enrolling this device (design §3, §6, §11)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from nutsync.core.cell import (
    ATTRIBUTES_LINE,
    ATTRIBUTES_PATH,
    CELL_PATH,
    IGNORE_CONTENT,
    IGNORE_PATH,
    CellConfig,
    Device,
    day_path,
    device_path,
)
from nutsync.core.day import normalise_line_ends
from nutsync.core.errors import ErrNoCell, ErrNoRepository, ErrUsage
from nutsync.core.moment import Moment
from nutsync.core.names import check_actor, check_device
from nutsync.operations.armed import is_armed
from nutsync.operations.arming import arm
from nutsync.operations.cell import LOCK_SECONDS, Cell, archive_of, recorder_for
from nutsync.operations.enrolling import enrol, this_device
from nutsync.operations.last_sync import note_sync
from nutsync.operations.record import Change, Recorder
from nutsync.operations.remote_seen import note_seen
from nutsync.store.clock import Clock, SystemClock, ZoneClock
from nutsync.store.files import day_files, read_bytes, read_if_there
from nutsync.store.lock import clone_lock
from nutsync.store.repo.fitness import require_fit, require_git
from nutsync.store.repo.git import Git
from nutsync.store.repo.keys import make_key
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.refs import HEADS, head_ref, resolve_ref
from nutsync.store.repo.setup import clone_repository, init_repository, set_remote, track
from nutsync.store.repo.worktree import write_worktree
from nutsync.store.settings import DEFAULT_ACTOR, Settings, propose_device, write_settings

if TYPE_CHECKING:
    from nutsync.core.freeze import Finding


@dataclass(frozen=True)
class Founding:
    """What somebody asks of `init` or `clone`; None where nothing was said."""

    actor: str | None = None
    device: str | None = None
    zone: str | None = None
    admin: bool = False
    remote: str | None = None
    allow_secret: bool = False


@dataclass(frozen=True)
class Founded:
    """The cell as it stands; ``made`` tells whether it was born just now.

    ``broken`` is what `verify` finds in the history that a clone brought; it is taken over all the same.
    """

    cell: Cell
    made: bool
    enrolled: bool
    broken: tuple[Finding, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return the document of design §11."""
        cell = self.cell
        return {
            "cell": str(cell.root),
            "branch": cell.branch,
            "device": cell.device,
            "actor": cell.actor,
            "armed": is_armed(cell.git),
            **({"findings": [finding.as_json() for finding in self.broken]} if self.broken else {}),
        }


def init(
    directory: Path, asked: Founding, *, clock: Clock | None = None, environ: Mapping[str, str] = os.environ
) -> Founded:
    """Make a cell in ``directory``, or complete the one that is there. Idempotent.

    Makes the Git repository where there is none and takes over day files that lie in the archive
    already. With a remote that holds a cell, that cell is taken, not a second one made. Raises the
    named errors of an unfit repository and of a remote.
    """
    git = _repository(directory)
    require_git(git)
    settings = _settings(git, asked, environ)
    if asked.zone is not None:
        ZoneClock(SystemClock(), asked.zone)
    write_settings(git, actor=settings.actor, device=settings.device, branch=settings.branch)
    if asked.remote is not None:
        set_remote(git.root, asked.remote)
        settings = settings._replace(branch=_take_remote_cell(git, settings, clock or SystemClock()))
        write_settings(git, actor=settings.actor, device=settings.device, branch=settings.branch)
        track(git.root, settings.branch)
    return _complete(git, settings, asked, clock or SystemClock())


def clone(
    url: str,
    directory: Path,
    asked: Founding,
    *,
    clock: Clock | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Founded:
    """Bring the cell at ``url`` to ``directory`` and enrol this device in it.

    An empty remote gets a new cell. The history that comes is judged, and what breaks the law is told, not
    refused: whoever clones wants to see it. Raises :class:`ErrNoCell` where the remote holds something
    else, and the named errors of the remote; then ``directory`` is as it was.
    """
    clone_repository(url, directory)
    git = Git.discover(directory)
    require_git(git)
    tip = resolve_ref(git, "HEAD")
    if tip is not None:
        with Objects(git) as objects:
            if objects.file(tip, CELL_PATH) is None:
                raise ErrNoCell(
                    f"What was cloned to {directory} holds no cell.",
                    hint="Run `nutsync init` in it to make one.",
                )
    settings = _settings(git, asked, environ)
    write_settings(git, actor=settings.actor, device=settings.device, branch=settings.branch)
    note_seen(git, settings.branch, tip)
    founded = _complete(git, settings, asked, clock or SystemClock())
    if tip is not None:
        founded = replace(founded, broken=_broken(founded.cell))
        note_sync(founded.cell, "cloned", {"sent": 0, "received": 0, "attempts": 1, "receipt": {}})
    return founded


def _broken(cell: Cell) -> tuple[Finding, ...]:
    """Judge the history that came, as `verify` does, and return what stands against it."""
    from nutsync.core.freeze import Finding, Severity
    from nutsync.operations.verify import verify

    found = (one for one, mended in verify(cell).found if not mended and isinstance(one, Finding))
    return tuple(one for one in found if one.severity != Severity.NOTICE)


def _repository(directory: Path) -> Git:
    try:
        git = Git.discover(directory) if directory.is_dir() else None
    except ErrNoRepository:
        git = None
    if git is None:
        init_repository(directory)
        git = Git.discover(directory)
    if git.root != directory.resolve() and not (git.root / CELL_PATH).is_file():
        raise ErrUsage(
            f"{directory} lies inside the repository {git.root}, which holds no cell. Nothing was made.",
            hint=f"`nutsync init {git.root}` keeps memory in that repository; "
            "`git init` here first gives memory one of its own.",
        )
    return git


def _settings(git: Git, asked: Founding, environ: Mapping[str, str]) -> Settings:
    """Return what was asked, else what the clone has, else what the environment says, else the default."""
    ref = head_ref(git)
    actor = asked.actor or git.config("nutsync.actor") or environ.get("NUTSYNC_ACTOR") or DEFAULT_ACTOR
    device = git.config("nutsync.device") or asked.device or environ.get("NUTSYNC_DEVICE") or propose_device()
    branch = git.config("nutsync.branch") or (ref.removeprefix(HEADS) if ref else "main")
    return Settings(check_actor(actor), check_device(device), branch)


def _take_remote_cell(git: Git, settings: Settings, clock: Clock) -> str:
    """Fetch first: of two births the earlier wins, so an existing cell is taken over (design §8.5)."""
    from nutsync.operations.adopting import adopt_remote

    return adopt_remote(git, settings, clock)


def _complete(git: Git, settings: Settings, asked: Founding, clock: Clock) -> Founded:
    with clone_lock(git.common_dir, timeout=LOCK_SECONDS, command="init"):
        require_fit(git, settings.branch)
        make_key(git.common_dir)  # first: the commit that brings this device is signed by it
        with Objects(git) as objects:
            recorder = recorder_for(git, objects, settings)
            recorder.allow_secret = asked.allow_secret
            content = recorder.committed(CELL_PATH)
            made = content is None
            if content is None:
                config = CellConfig(zone=asked.zone, admins=(settings.actor,) if asked.admin else ())
                now = _zoned(clock, config).now()
                _bear(git, recorder, config, this_device(git, settings, now), now)
                enrolled = True
            else:
                config = CellConfig.parse(content)
                settings, enrolled = enrol(recorder, settings, _zoned(clock, config).now())
    arm(git)
    return Founded(Cell(git, config, settings, _zoned(clock, config)), made, enrolled)


def _bear(git: Git, recorder: Recorder, config: CellConfig, device: Device, now: Moment) -> None:
    """Make the birth commit: the cell's own files and every day file that is there already."""
    files = {
        CELL_PATH: config.render(),
        device_path(device.name): device.render(),
        IGNORE_PATH: IGNORE_CONTENT,
        # The owner may be at work in this file: what is committed is only what was, and our line.
        ATTRIBUTES_PATH: _attributes(recorder.committed(ATTRIBUTES_PATH) or b""),
    }
    written = {**files, ATTRIBUTES_PATH: _attributes(read_if_there(git.root / ATTRIBUTES_PATH) or b"")}
    there = {
        day_path(date): normalise_line_ends(read_bytes(path))
        for date, path in day_files(archive_of(git.root))
    }
    change = Change(recorder.audit("birth"), {**files, **there}, now, about=device.name)
    recorder.check([change])
    for path, content in written.items():
        write_worktree(git, path, content)
    recorder.commit([change])


def _zoned(clock: Clock, config: CellConfig) -> Clock:
    return ZoneClock(clock, config.zone) if config.zone else clock


def _attributes(content: bytes) -> bytes:
    """Return ``.gitattributes`` with our line at its end: the last matching line holds for Git."""
    line = ATTRIBUTES_LINE.encode() + b"\n"
    if line in content.replace(b"\r\n", b"\n").splitlines(keepends=True):
        return content
    return content + (b"" if content.endswith(b"\n") or not content else b"\n") + line
