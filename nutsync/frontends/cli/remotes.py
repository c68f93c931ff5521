"""`sync` and `status`: this clone and its remote."""

from __future__ import annotations

import sys
import time
from contextlib import closing
from typing import Any

import click

from nutsync.frontends.cli.command import Answer, Command, Line
from nutsync.frontends.cli.opening import ALLOW_SECRET, open_here

_A_MOMENT = 1.0


@click.command(cls=Command, example="""
    nutsync sync
    nutsync sync --json
""")  # fmt: skip
@ALLOW_SECRET
@click.pass_obj
def sync(line: Line) -> Answer:
    """Make this clone and the remote equal; nothing is lost, nothing asked. Exit 5: entries wait here."""
    from nutsync.operations.sync import sync as sync_cell

    cell = open_here(line)
    if not sys.stderr.isatty():
        done = sync_cell(cell)
    else:
        with closing(Transfer()) as transfer:
            done = sync_cell(cell, progress=transfer)
    return Answer(done.as_json(), done.words(), done.exit_code)


class Transfer:
    """Shows how far something long is, a transfer above all, once it takes longer than a moment."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._status: Any = None

    def __call__(self, words: str) -> None:
        if self._status is None:
            if time.monotonic() - self._began < _A_MOMENT:
                return
            from rich.console import Console

            self._status = Console(stderr=True).status(words)
            self._status.start()
        self._status.update(words.strip())

    def close(self) -> None:
        if self._status is not None:
            self._status.stop()


@click.command(cls=Command, example="""
    nutsync status
""")  # fmt: skip
@click.pass_obj
def status(line: Line) -> Answer:
    """Say when the last sync was, what waits here, what is held, and which devices were seen when."""
    from nutsync.operations.cell import open_cell
    from nutsync.operations.status import read_status

    done = read_status(open_cell(line.directory))
    return Answer(done.as_json(), done.words())
