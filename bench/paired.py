"""Compares commands in pairs: A B A B …, whole processes, medians, and the ratio of the medians.

What is measured is what a person waits for: from starting the process to its end. Commands of a pair
take turns, so that a machine that slows down slows both. Absolute times belong to the machine in the
last line of the table; ratios travel better, and on a machine that is busy with other things only the
ratio of processor time means anything.
"""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROUNDS = 10
WARM_UP = 2


@dataclass(frozen=True)
class Command:
    """What is timed: processes one after the other, and what has to be done before, untimed.

    ``argvs`` may be a function where each round needs other words. ``codes`` are the exit codes that
    count as working; any other ends the measurement. Each process reads ``stdin``.
    """

    argvs: Sequence[Sequence[str]] | Callable[[], Sequence[Sequence[str]]]
    cwd: Path
    prepare: Callable[[], None] | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    codes: frozenset[int] = frozenset({0})
    stdin: bytes = b""


@dataclass(frozen=True)
class Cost:
    """What one run took: wall-clock and processor milliseconds, and the largest resident set."""

    wall: float
    cpu: float
    mebibytes: float


@dataclass(frozen=True)
class Row:
    """One line of the table: an action, what it is compared to, and what is aimed for."""

    action: str
    against: str
    ours: Cost
    theirs: Cost
    aim: str

    @property
    def ratio(self) -> float:
        """Our median over theirs."""
        return self.ours.wall / self.theirs.wall

    @property
    def cpu_ratio(self) -> float:
        """The same of processor time, of which the system counts no less than a tick."""
        return self.ours.cpu / max(self.theirs.cpu, 0.1)


class CommandFailed(Exception):
    """A command that should be timed did not work, so its time means nothing."""


def run_once(command: Command) -> Cost:
    """Prepare, then run the command's processes and return their cost together."""
    if command.prepare:
        command.prepare()
    wall = cpu = peak = 0.0
    for argv in command.argvs() if callable(command.argvs) else command.argvs:
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said:
            given.write(command.stdin)
            given.seek(0)
            begun = time.perf_counter()
            process = subprocess.Popen(
                list(argv),
                cwd=command.cwd,
                env={**os.environ, **command.env},
                stdin=given,
                stdout=subprocess.DEVNULL,
                stderr=said,
            )
            _, status, usage = os.wait4(process.pid, 0)
            wall += time.perf_counter() - begun
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode not in command.codes:
                said.seek(0)
                raise CommandFailed(f"{list(argv)} ended with {process.returncode}: {said.read(2000)!r}")
        cpu += usage.ru_utime + usage.ru_stime
        peak = max(peak, usage.ru_maxrss / (1024 if sys.platform != "darwin" else 1024 * 1024))
    return Cost(wall * 1000, cpu * 1000, peak)


def paired(
    action: str,
    ours: Command,
    against: str,
    theirs: Command,
    *,
    aim: str = "",
    rounds: int = ROUNDS,
    warm_up: int = WARM_UP,
) -> Row:
    """Run both commands in turns and return their medians as a row."""
    costs: tuple[list[Cost], list[Cost]] = ([], [])
    for number in range(warm_up + rounds):
        for side, command in enumerate((ours, theirs)):
            cost = run_once(command)
            if number >= warm_up:
                costs[side].append(cost)
    return Row(action, against, _median(costs[0]), _median(costs[1]), aim)


def _median(costs: Sequence[Cost]) -> Cost:
    return Cost(
        statistics.median(cost.wall for cost in costs),
        statistics.median(cost.cpu for cost in costs),
        max(cost.mebibytes for cost in costs),
    )


def machine() -> str:
    """Return one line that says what the figures were taken on."""
    git = subprocess.run(["git", "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python "
        f"{platform.python_version()}, Git {git.split()[2]}{load}"
    )


def table(title: str, rows: Sequence[Row], rounds: int = ROUNDS) -> str:
    """Return the rows as a Markdown table under a heading, and the machine's line below."""
    lines = [
        f"## {title}",
        "",
        "| action | compared to | ours ms | theirs ms | ratio | CPU ratio | CPU ms | aim | ours MiB |",
        "|---|---|--:|--:|--:|--:|--:|---|--:|",
    ]
    for row in rows:
        extra = row.ours.cpu - row.theirs.cpu
        lines.append(
            f"| {row.action} | {row.against} | {row.ours.wall:.1f} | {row.theirs.wall:.1f} | {row.ratio:.2f} "
            f"| {row.cpu_ratio:.2f} | {extra:+.0f} | {row.aim} | {row.ours.mebibytes:.0f} |"
        )
    lines += ["", f"Medians of {rounds} rounds, whole processes, taken in turns. {machine()}."]
    return "\n".join(lines)
