"""`sync` and `status`: this clone and its remote."""

from __future__ import annotations

import click

from nutsync.frontends.cli.command import Answer, Command, Line
from nutsync.frontends.cli.opening import ALLOW_SECRET, open_here


@click.command(cls=Command, example="""
    nutsync sync
    nutsync sync --json
""")  # fmt: skip
@ALLOW_SECRET
@click.pass_obj
def sync(line: Line) -> Answer:
    """Make this clone and the remote equal; nothing is lost, nothing asked. Exit 5: entries wait here."""
    from nutsync.operations.sync import sync as sync_cell

    done = sync_cell(open_here(line))
    return Answer(done.as_json(), done.words(), done.exit_code)


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
