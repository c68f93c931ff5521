"""Measures `serve` while many clients ask at once, beside the same operations in one process.

    python -m bench.load [--years 10] [--rounds 10] [--requests 10] [--clients 16] [--workdir DIR]

For each operation, in one run and in turns: how long 95 of 100 take alone in a process, of as many threads
as there are clients in a process, over HTTP alone, and over HTTP from all clients at once. A figure is the
median of the rounds. One interpreter computes one answer at a time: so the third column says what the machine
allows, whatever is in front of it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse, RemoteDisconnected
from pathlib import Path
from threading import local
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from bench.install import install
from bench.paired import machine
from bench.workshop import Workshop
from nutsync.operations.cell import open_cell
from nutsync.operations.context import context
from nutsync.operations.listing import counts
from nutsync.operations.overview import Overview
from nutsync.operations.recall import recall
from nutsync.operations.recalled import Question, terms_query

_WORD = "PostgreSQL"


class Operation(NamedTuple):
    """One thing that is asked for: in a process, and over HTTP."""

    name: str
    here: Callable[[], object]
    path: str


def operations(root: Path) -> list[Operation]:
    """Return what is measured; in a process as `serve` does it, with the days it has seen at hand."""
    overview = Overview(root)
    at = "/cells/main"

    def count() -> object:
        return counts(open_cell(root), overview, actor="ana", session="")

    def find() -> object:
        return recall(open_cell(root), Question(query=terms_query([_WORD]), reader="ana")).as_json()

    def begin() -> object:
        return context(open_cell(root), reader="ana").as_json()

    return [
        Operation("counts", count, f"{at}/memory/counts"),
        Operation("recall", find, f"{at}/recall?term={quote(_WORD)}"),
        Operation("context", begin, f"{at}/context"),
    ]


def p95(times: list[float]) -> float:
    """Return the time that 95 of 100 stay below, in milliseconds."""
    return statistics.quantiles(times, n=20, method="inclusive")[-1] * 1000


def timed(action: Callable[[], object], times: int) -> list[float]:
    """Return how long each of so many goes took, in seconds."""
    found = []
    for _ in range(times):
        begun = time.perf_counter()
        action()
        found.append(time.perf_counter() - begun)
    return found


def at_once(action: Callable[[], object], threads: int, times: int) -> list[float]:
    """Return how long each go took while so many threads were at it."""
    with ThreadPoolExecutor(threads) as pool:
        rounds = [pool.submit(timed, action, times) for _ in range(threads)]
        return [seconds for one in rounds for seconds in one.result()]


class Client:
    """Asks over HTTP, each thread on a connection of its own that it keeps."""

    def __init__(self, url: str) -> None:
        self._where = urlsplit(url).netloc
        self._own = local()

    def ask(self, path: str) -> None:
        """Ask for ``path``. Raises :class:`SystemExit` where the answer is another than 200."""
        connection = getattr(self._own, "connection", None)
        if connection is None:
            connection = self._own.connection = HTTPConnection(self._where, timeout=120)
        try:
            answer = self._answer(connection, path)
        except RemoteDisconnected:  # it was idle for longer than the server keeps one
            connection.close()
            answer = self._answer(connection, path)
        if answer.status != 200:
            raise SystemExit(f"{path} was answered with {answer.status}")

    @staticmethod
    def _answer(connection: HTTPConnection, path: str) -> HTTPResponse:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        return answer


@contextmanager
def served(command: list[str], root: Path) -> Iterator[tuple[str, int]]:
    """Start `serve` on a free port; yield its address and its process id."""
    words = [*command, "-C", str(root), "--json", "serve", "--port", "0", "--quiet"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["url"], process.pid
    finally:
        process.terminate()
        process.wait(60)


def most_memory(process: int) -> str:
    """Return the most memory that a process held so far, in MiB; a dash where the system does not tell."""
    status = Path(f"/proc/{process}/status")
    if not status.exists():
        return "–"
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return f"{int(line.split()[1]) / 1024:.0f}"


def measure(shop: Workshop, clients: int, requests: int) -> str:
    """Return the table for one size of archive."""
    root = shop.armed()
    rows = operations(root)
    taken: dict[str, list[tuple[float, float, float, float]]] = {row.name: [] for row in rows}
    with served([shop.tools.nutsync], root) as (url, process):
        client = Client(url)
        for row in rows:  # the first answer of each reads what the others have at hand
            row.here()
            client.ask(row.path)
        for number in range(shop.rounds):
            print(f"{shop.years} years: round {number + 1}", file=sys.stderr, flush=True)
            for row in rows:
                ask = lambda row=row: client.ask(row.path)  # noqa: E731
                taken[row.name].append(
                    (
                        p95(timed(row.here, clients)),
                        p95(at_once(row.here, clients, requests)),
                        p95(timed(ask, clients)),
                        p95(at_once(ask, clients, requests)),
                    )
                )
        memory = most_memory(process)
    lines = [
        f"## {shop.years} {'year' if shop.years == 1 else 'years'}, {clients} clients",
        "",
        f"| operation | alone ms | {clients} threads ms | HTTP alone ms | HTTP {clients} ms "
        "| HTTP / alone | HTTP / threads | aim |",
        "|---|--:|--:|--:|--:|--:|--:|---|",
    ]
    for name, rounds in taken.items():
        alone, threads, single, loaded = (statistics.median(column) for column in zip(*rounds, strict=True))
        lines.append(
            f"| {name} | {alone:.1f} | {threads:.1f} | {single:.1f} | {loaded:.1f} "
            f"| {loaded / alone:.1f} | {loaded / threads:.2f} | ≤ 3 × alone |"
        )
    said = f"p95, medians of {shop.rounds} rounds of {requests} requests a client"
    return "\n".join([*lines, "", f"{said}; serve held {memory} MiB at most. {machine()}"])


def main() -> None:
    """Read the command line, install the wheel, measure, print the tables."""
    parser = argparse.ArgumentParser(description="Measure serve under load.")
    parser.add_argument("--years", type=int, nargs="+", default=[10])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--requests", type=int, default=10, help="of each client, in each round")
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--workdir", type=Path, help="where cells are kept; a temporary folder without it")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.workdir or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        tools = install(folder / "installed")
        for years in args.years:
            shop = Workshop(folder / f"{years}", tools, years, args.rounds)
            print(measure(shop, args.clients, args.requests), end="\n\n")


if __name__ == "__main__":
    main()
