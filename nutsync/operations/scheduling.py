"""`sync install` and `sync uninstall`: the system's own scheduler syncs this clone (design §8).

What the files hold is decided in :mod:`nutsync.core.schedule`. Here they are written, and the scheduler is
told; where it refuses, what was written goes again.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nutsync.core.errors import ErrScheduler
from nutsync.core.schedule import MARK, Job, Plan, System, plan, system_of
from nutsync.operations.cell import Cell
from nutsync.operations.scheduled import forget_schedule, note_schedule
from nutsync.store.files import read_if_there, remove_file, write_atomic
from nutsync.store.programs import Ran, run_program

DEFAULT_MINUTES = 10

Run = Callable[[Sequence[str]], Ran]


@dataclass(frozen=True)
class Machine:
    """What decides how a job is set up here; given from outside so that tests can be any system."""

    system: System | None
    home: Path
    environ: Mapping[str, str]
    python: str = sys.executable
    user: int = 0
    run: Run = run_program

    @classmethod
    def here(cls) -> Machine:
        """Return the machine that this runs on."""
        systemd = Path("/run/systemd/system").is_dir() and shutil.which("systemctl") is not None
        user = os.getuid() if hasattr(os, "getuid") else 0
        return cls(system_of(sys.platform, systemd=systemd), Path.home(), os.environ, user=user)

    def folder(self) -> Path:
        """Return where the scheduler's files belong."""
        if self.system is System.LAUNCHD:
            return self.home / "Library" / "LaunchAgents"
        if self.system is System.TASKS:
            local = self.environ.get("LOCALAPPDATA")
            return (Path(local) if local else self.home / "AppData" / "Local") / "nutsync" / "tasks"
        config = self.environ.get("XDG_CONFIG_HOME")
        return (Path(config) if config else self.home / ".config") / "systemd" / "user"

    def interpreter(self) -> str:
        """Return the interpreter; on Windows the one that opens no window, where it is there."""
        silent = Path(self.python).with_name("pythonw.exe")
        return str(silent) if self.system is System.TASKS and silent.exists() else self.python


@dataclass(frozen=True)
class Scheduled:
    """What was done, or would be: each file with its state and text, and the commands."""

    system: System
    minutes: int | None
    files: tuple[tuple[Path, str, str], ...]
    commands: tuple[tuple[str, ...], ...]
    dry_run: bool

    def as_json(self) -> dict[str, object]:
        """Return the document."""
        return {
            "scheduler": self.system.value,
            "every": self.minutes,
            "files": [{"path": str(path), "state": state, "text": text} for path, state, text in self.files],
            "commands": [list(words) for words in self.commands],
            "dry_run": self.dry_run,
        }

    def words(self) -> str:
        """Return what people read; a dry run shows the texts."""
        would = "would be " if self.dry_run else ""
        lines = []
        for path, state, text in self.files:
            lines.append(f"{path}: {state if state == 'unchanged' else would + state}")
            if self.dry_run and state == "written":
                lines += ["", *(f"    {line}".rstrip() for line in text.splitlines()), ""]
        lines += [f"{'would run' if self.dry_run else 'ran'}: {' '.join(words)}" for words in self.commands]
        if not self.dry_run:
            every = f"every {self.minutes} minutes" if self.minutes else "only when asked"
            lines.append(f"This clone is now synced {every}. `nutsync status` says when it last was.")
        return "\n".join(lines)


def install(cell: Cell, machine: Machine, minutes: int, *, dry_run: bool = False) -> Scheduled:
    """Let the system sync the cell every so many minutes. Done again it changes nothing more.

    Raises :class:`ErrScheduler` where there is no scheduler we know, where it refuses (then what was
    written goes again), or where a file of that name is not nutsync's.
    """
    system, wanted = _plan(cell, machine, minutes)
    folder = machine.folder()
    states = []
    for name, content in wanted.files:
        before = _own_file(folder / name)
        states.append((folder / name, "unchanged" if before == content else "written", _text(content)))
    commands = (*_again(wanted, system, states), *wanted.start)
    if not dry_run:
        before_all = {folder / name: read_if_there(folder / name) for name, _ in wanted.files}
        for name, content in wanted.files:
            write_atomic(folder / name, content)
        try:
            _start(wanted, machine, first=commands[: -len(wanted.start)])
        except ErrScheduler:
            _put_back(before_all, machine)
            raise
        note_schedule(cell, system.value, minutes)
    return Scheduled(system, minutes, tuple(states), commands, dry_run)


def uninstall(cell: Cell, machine: Machine, *, dry_run: bool = False) -> Scheduled:
    """Undo :func:`install`: stop the job and remove its files, with folders that are empty then."""
    system, there = _plan(cell, machine, DEFAULT_MINUTES)
    folder = machine.folder()
    found = [folder / name for name, _ in there.files if _own_file(folder / name) is not None]
    commands = (*there.stop, *there.clear) if found else ()
    if not dry_run:
        for words in there.stop if found else ():
            machine.run(words)
        _put_back(dict.fromkeys(found), machine)
        for words in there.clear if found else ():
            machine.run(words)
        forget_schedule(cell)
    states = tuple((path, "removed", "") for path in found)
    return Scheduled(system, None, states, commands, dry_run)


def _plan(cell: Cell, machine: Machine, minutes: int) -> tuple[System, Plan]:
    if machine.system is None:
        raise ErrScheduler(
            "This system has no scheduler that nutsync knows (systemd, launchd, Task Scheduler).",
            hint=f"Let cron or another run `{' '.join(_words(cell, machine))}` every few minutes, or keep "
            "`nutsync sync --watch` running.",
        )
    job = Job(
        _words(cell, machine),
        str(cell.root),
        minutes,
        machine.environ.get("PATH", os.defpath),
        str(machine.folder()),
        machine.user,
    )
    return machine.system, plan(machine.system, job)


def _words(cell: Cell, machine: Machine) -> list[str]:
    # -P: a folder called nutsync where the job happens to start must not be what runs.
    return [machine.interpreter(), "-P", "-m", "nutsync", "-C", str(cell.root), "sync"]


def _own_file(path: Path) -> bytes | None:
    """Return what our file holds, None where there is none; raise where another's stands there."""
    content = read_if_there(path)
    if content is not None and MARK not in _text(content):
        raise ErrScheduler(
            f"{path} was not made by nutsync; it is left as it is.", hint="Look at it, and move it away."
        )
    return content


def _text(content: bytes) -> str:
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    return content.decode(encoding, "replace")


def _again(
    wanted: Plan, system: System, states: Sequence[tuple[Path, str, str]]
) -> tuple[tuple[str, ...], ...]:
    """Return what has to stop first: launchd starts nothing under a name that runs already."""
    is_there = any(path.exists() for path, _, _ in states)
    return wanted.stop if is_there and system is System.LAUNCHD else ()


def _start(wanted: Plan, machine: Machine, first: Sequence[Sequence[str]]) -> None:
    for words in first:
        machine.run(words)
    for words in wanted.start:
        ran = machine.run(words)
        if ran.code != 0:
            raise ErrScheduler(
                f"`{' '.join(words)}` did not work: {ran.words or f'exit {ran.code}'}. Nothing was set up.",
                hint="`nutsync sync --watch` syncs by itself for as long as it runs.",
            )


def _put_back(before: Mapping[Path, bytes | None], machine: Machine) -> None:
    """Give each file what it held, or remove it, with the folders below home that are empty then."""
    for path, content in before.items():
        if content is not None:
            write_atomic(path, content)
            continue
        remove_file(path)
        for folder in path.parents:
            if folder == machine.home or machine.home not in folder.parents:
                break
            try:
                folder.rmdir()
            except OSError:
                break
