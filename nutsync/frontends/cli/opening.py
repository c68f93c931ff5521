"""How commands of the line open the cell they work on."""

from __future__ import annotations

import click

from nutsync.frontends.cli.command import Line
from nutsync.operations.cell import Cell, open_cell


def open_here(line: Line) -> Cell:
    """Return the cell of this run, and say on standard error where it is not armed."""
    cell = open_cell(line.directory)
    warning = cell.arming_advice()
    if warning:
        click.echo(f"nutsync: {warning}", err=True)
    return cell
