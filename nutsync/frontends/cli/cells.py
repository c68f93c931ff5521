"""`init` and `clone`: how a cell comes to be on this machine."""

from __future__ import annotations

from pathlib import Path

import click

from nutsync.core.errors import EXIT_FINDINGS
from nutsync.frontends.cli.command import Answer, Command, Line, options
from nutsync.frontends.cli.opening import ALLOW_SECRET
from nutsync.operations.founding import Founded, Founding
from nutsync.operations.founding import clone as clone_cell
from nutsync.operations.founding import init as init_cell

WHO = options(
    click.option("--actor", metavar="A", help="Whose memory this clone writes; `local` by default."),
    click.option("--device", metavar="D", help="This clone's name; a word and four characters by default."),
)


@click.command(cls=Command, example="""
    nutsync init
    nutsync init ~/memory --remote git@example.org:me/memory.git --actor ana
""")  # fmt: skip
@click.argument("directory", required=False, type=click.Path(path_type=Path), metavar="[DIR]")
@click.option("--remote", metavar="URL", help="Where this cell is kept in common; fetched first.")
@WHO
@click.option("--zone", metavar="Z", help="The cell's time zone, such as Asia/Shanghai.")
@click.option("--admin", is_flag=True, help="Make the actor the first admin.")
@ALLOW_SECRET
@click.pass_obj
def init(line: Line, directory: Path | None, remote: str | None, actor: str | None, device: str | None,
         zone: str | None, admin: bool) -> Answer:  # fmt: skip
    """Make a cell in DIR (here by default). Run again it completes what is missing and changes no memory."""
    where = line.directory / directory if directory else line.directory
    founded = init_cell(where, Founding(actor, device, zone, admin, remote, line.allow_secret))
    return Answer(founded.as_json(), _words(founded))


@click.command(cls=Command, example="""
    nutsync clone git@example.org:me/memory.git ~/memory
""")  # fmt: skip
@click.argument("url")
@click.argument("directory", required=False, type=click.Path(path_type=Path), metavar="[DIR]")
@WHO
@click.pass_obj
def clone(line: Line, url: str, directory: Path | None, actor: str | None, device: str | None) -> Answer:
    """Bring the cell at URL to DIR and enrol this device in it. An empty remote gets a new cell."""
    where = line.directory / (directory or Path(_name_of(url)))
    founded = clone_cell(url, where, Founding(actor, device))
    if not founded.broken:
        return Answer(founded.as_json(), _words(founded))
    count = f"{len(founded.broken)} {'finding' if len(founded.broken) == 1 else 'findings'}"
    loud = f"THIS HISTORY DOES NOT KEEP THE LAW: {count}; `nutsync verify` lists them. The first: "
    return Answer(founded.as_json(), f"{_words(founded)}\n{loud}{founded.broken[0].message}", EXIT_FINDINGS)


def _name_of(url: str) -> str:
    last = url.rstrip("/").replace(":", "/").rpartition("/")[2]
    return last.removesuffix(".git") or "memory"


def _words(founded: Founded) -> str:
    cell = founded.cell
    what = "A new cell" if founded.made else "The cell"
    armed = "armed" if founded.as_json()["armed"] else "not armed: run `nutsync hooks install`"
    return (
        f"{what} at {cell.root}, branch {cell.branch}.\n"
        f"This clone is the device {cell.device} and writes for the actor {cell.actor}; it is {armed}.\n"
        "Next: nutsync append …, nutsync sync. Everyone who has this repository can read its files."
    )
