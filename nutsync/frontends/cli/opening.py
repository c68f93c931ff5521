"""How commands of the line open the cell they work on."""

from __future__ import annotations

import sys
from dataclasses import replace

import click

from nutsync.core.errors import ErrUsage
from nutsync.frontends.cli.command import Line, line_of
from nutsync.operations.cell import Cell, open_cell
from nutsync.operations.waiting import take_up_what_waits


def _allow_secret(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    line_of(ctx).allow_secret = value


ALLOW_SECRET = click.option(
    "--allow-secret",
    is_flag=True,
    expose_value=False,
    callback=_allow_secret,
    help="Remember it even where it looks like a credential.",
)


def open_here(line: Line, *, whole: bool = True) -> Cell:
    """Return the cell of this run, and say on standard error where it is not armed.

    ``whole`` is false for what works without all day files in the folder.
    """
    cell = reopen(line, whole=whole)
    warning = cell.arming_advice()
    if warning:
        click.echo(f"nutsync: {warning}", err=True)
    return cell


def reopen(line: Line, *, whole: bool = True) -> Cell:
    """Return the cell of this run, and say nothing; for commands that run on and on."""
    cell = replace(open_cell(line.directory, whole=whole), allow_secret=line.allow_secret)
    if whole:
        take_up_what_waits(cell)
    return cell


def standard_input() -> str:
    """Return what is piped in, as UTF-8 whatever the system's code page is. Raises :class:`ErrUsage`."""
    try:
        return sys.stdin.buffer.read().decode().removesuffix("\n")
    except UnicodeDecodeError as error:
        raise ErrUsage(
            "Standard input is no UTF-8. Nothing was written.",
            hint="Convert it first, for example with iconv.",
        ) from error
