"""What the systems' own schedulers need so that a clone syncs by itself: values in, texts out (design §8).

systemd's user timers on Linux, launchd's agents on macOS, scheduled tasks on Windows. Nothing here asks
which system this is: whoever calls says it, so that every text can be tested anywhere.
"""

from __future__ import annotations

import hashlib
import plistlib
import re
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple
from xml.sax.saxutils import escape

from nutsync.core.errors import ErrUsage

MARK = "Made by `nutsync sync install`; `nutsync sync uninstall` takes it away."
"""Stands in every file, so that only such a file is ever replaced or removed."""

_OFFLINE_IS_FINE = 5
_PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"


class System(Enum):
    """The schedulers that are known."""

    SYSTEMD = "systemd"
    LAUNCHD = "launchd"
    TASKS = "task scheduler"


def system_of(platform: str, *, systemd: bool) -> System | None:
    """Return the scheduler of a platform (as `sys.platform` names it); None where there is none we know."""
    if platform == "darwin":
        return System.LAUNCHD
    if platform == "win32":
        return System.TASKS
    return System.SYSTEMD if systemd else None


class Job(NamedTuple):
    """What is to run: a command as a list of words, for which cell, every how many minutes.

    ``path`` is the PATH on which Git and its helpers are found; ``folder`` is where the scheduler's files
    belong, with "/" or "\\\\" as the system has it; ``user`` is the user's number where there are numbers.
    """

    words: Sequence[str]
    cell: str
    minutes: int
    path: str
    folder: str
    user: int = 0


class ScheduleFile(NamedTuple):
    """A file by name, and what it holds."""

    name: str
    content: bytes


class Plan(NamedTuple):
    """Files to write into the job's folder; commands that start the job, and that stop it."""

    files: tuple[ScheduleFile, ...]
    start: tuple[tuple[str, ...], ...]
    stop: tuple[tuple[str, ...], ...]
    clear: tuple[tuple[str, ...], ...] = ()
    """What makes the scheduler forget removed files."""


def plan(system: System, job: Job) -> Plan:
    """Return what sets the job up. Raises :class:`ErrUsage` where a path cannot stand in such a file."""
    for text in (*job.words, job.cell, job.path, job.folder):
        if any(not character.isprintable() for character in text) or '"' in text:
            raise ErrUsage(f"{text!r} holds characters that no scheduler's file can carry.")
    return {System.SYSTEMD: _systemd, System.LAUNCHD: _launchd, System.TASKS: _tasks}[system](job)


def job_name(cell: str) -> str:
    """Return a name that tells this cell's job from every other's, short enough for a file."""
    last = re.split(r"[\\/]", cell.rstrip("\\/"))[-1]
    readable = "".join(character for character in last if character in _PLAIN)[:24] or "cell"
    return f"nutsync-{readable}-{hashlib.sha256(cell.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"


# --- systemd -----------------------------------------------------------------------------------------


def _systemd(job: Job) -> Plan:
    name = job_name(job.cell)
    command = " ".join(f'"{_specifiers(word).replace("$", "$$")}"' for word in job.words)
    service = f"""\
# {MARK}
[Unit]
Description=Sync the memory at {_specifiers(job.cell)}

[Service]
Type=oneshot
Environment="PATH={_specifiers(job.path)}"
ExecStart={command}
SuccessExitStatus={_OFFLINE_IS_FINE}
Nice=10
"""
    timer = f"""\
# {MARK}
[Unit]
Description=Sync the memory at {_specifiers(job.cell)} every {job.minutes} minutes

[Timer]
OnActiveSec=1min
OnUnitInactiveSec={job.minutes}min
RandomizedDelaySec=30

[Install]
WantedBy=timers.target
"""
    systemctl = ("systemctl", "--user")
    return Plan(
        (
            ScheduleFile(f"{name}.service", service.encode()),
            ScheduleFile(f"{name}.timer", timer.encode()),
        ),
        (
            (*systemctl, "daemon-reload"),
            (*systemctl, "enable", f"{name}.timer"),
            (*systemctl, "restart", f"{name}.timer"),
        ),
        ((*systemctl, "disable", "--now", f"{name}.timer"),),
        ((*systemctl, "daemon-reload"),),
    )


def _specifiers(text: str) -> str:
    """Return ``text`` as a unit file carries it within double quotes."""
    return text.replace("\\", "\\\\").replace("%", "%%")


# --- launchd -----------------------------------------------------------------------------------------


def _launchd(job: Job) -> Plan:
    label = f"org.{job_name(job.cell)}"
    path = f"{job.folder}/{label}.plist"
    values = {
        "Label": label,
        "ProgramArguments": list(job.words),
        "EnvironmentVariables": {"PATH": job.path},
        "StartInterval": job.minutes * 60,
        "RunAtLoad": True,
        "ProcessType": "Background",
    }
    head, line, rest = plistlib.dumps(values).partition(b"<plist")
    content = head + f"<!-- {MARK} -->\n".encode() + line + rest
    domain = f"gui/{job.user}"
    stop = ("launchctl", "bootout", f"{domain}/{label}")
    start = ("launchctl", "bootstrap", domain, path)
    return Plan((ScheduleFile(f"{label}.plist", content),), (start,), (stop,))


# --- Windows -----------------------------------------------------------------------------------------


def _tasks(job: Job) -> Plan:
    name = job_name(job.cell)
    program, *arguments = job.words
    text = f"""\
<?xml version="1.0" encoding="UTF-16"?>
<!-- {MARK} -->
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo><Description>Sync the memory at {escape(job.cell)}</Description></RegistrationInfo>
  <Triggers>
    <TimeTrigger>
      <StartBoundary>2020-01-01T00:00:00</StartBoundary>
      <Repetition><Interval>PT{job.minutes}M</Interval></Repetition>
    </TimeTrigger>
  </Triggers>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <RunOnlyIfNetworkAvailable>true</RunOnlyIfNetworkAvailable>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
  </Settings>
  <Actions>
    <Exec>
      <Command>{escape(program)}</Command>
      <Arguments>{escape(" ".join(map(_windows_word, arguments)))}</Arguments>
    </Exec>
  </Actions>
</Task>
""".replace("\n", "\r\n")
    file = f"{name}.xml"
    return Plan(
        (ScheduleFile(file, text.encode("utf-16")),),
        (("schtasks", "/Create", "/F", "/TN", name, "/XML", f"{job.folder}\\{file}"),),
        (("schtasks", "/Delete", "/F", "/TN", name),),
    )


def _windows_word(word: str) -> str:
    """Quote a word as Windows' programs split their command line; a last backslash would eat the quote."""
    if word and not re.search(r"\s", word):
        return word
    backslashes = len(word) - len(word.rstrip("\\"))
    return '"' + word + "\\" * backslashes + '"'


__all__ = ["MARK", "Job", "Plan", "ScheduleFile", "System", "job_name", "plan", "system_of"]
