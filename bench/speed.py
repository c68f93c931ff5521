"""Measures what nutsync costs beside the plain commands that do the nearest thing.

    python -m bench.speed [--years 1 10 100] [--rounds 10] [--rows append recall …] [--workdir DIR]

Every figure is a ratio taken in one run, in pairs, on an installed wheel; see `bench/paired.py`. The
aims stand beside the figures; none is a test.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench import rows_agents, rows_history, rows_law, rows_local, rows_scale, rows_sync
from bench.install import Installed, install
from bench.paired import ROUNDS, CommandFailed, Row, table
from bench.workshop import Workshop

ROWS: list[Callable[[Workshop], Row | list[Row]]] = [
    *rows_local.ROWS,
    *rows_sync.ROWS,
    *rows_history.ROWS,
    *rows_law.ROWS,
    *rows_agents.ROWS,
    *rows_scale.ROWS,
]


def measure(folder: Path, tools: Installed, years: int, rounds: int, wanted: list[str]) -> str:
    """Take every wanted row on an archive of ``years`` and return the table."""
    shop = Workshop(folder, tools, years, rounds)
    rows: list[Row] = []
    for take in ROWS:
        if wanted and not any(word in take.__name__ for word in wanted):
            continue
        print(f"{years} years: {take.__name__}", file=sys.stderr, flush=True)
        try:
            taken = take(shop)
        except (CommandFailed, subprocess.CalledProcessError) as failed:
            print(f"  not taken: {failed}", file=sys.stderr, flush=True)
            continue
        rows += taken if isinstance(taken, list) else [taken]
    shutil.rmtree(shop.scratch)
    return table(f"{years} {'year' if years == 1 else 'years'}", rows, rounds)


def main() -> None:
    """Read the command line, install the wheel, measure, print the tables."""
    parser = argparse.ArgumentParser(description="Measure nutsync beside plain commands.")
    parser.add_argument("--years", type=int, nargs="+", default=[10])
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--rows", nargs="+", default=[], help="parts of the rows' names")
    parser.add_argument("--workdir", type=Path, help="where cells are kept; a temporary folder without it")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.workdir or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        tools = install(folder / "installed")
        for years in args.years:
            print(measure(folder / f"{years}", tools, years, args.rounds, args.rows), end="\n\n")


if __name__ == "__main__":
    main()
