"""`sync` and `status`: this clone and its remote."""

from __future__ import annotations

import click

from nutsync.frontends.cli.command import Answer, Command, CommandGroup, Line, line_of, usage
from nutsync.frontends.cli.opening import ALLOW_SECRET, open_here
from nutsync.frontends.cli.transfer import shown_progress


@click.group(cls=CommandGroup, example="""
    nutsync sync
    nutsync sync --watch
    nutsync sync --json
""")  # fmt: skip
@ALLOW_SECRET
@click.option("--watch", "is_watching", is_flag=True, help="Go on syncing until Ctrl-C or SIGTERM.")
@click.option("--every", type=click.FloatRange(min=0.01), default=10, show_default=True, metavar="MINUTES",
              help="With --watch: also where nothing changes here.")  # fmt: skip
@click.option("--settle", type=click.FloatRange(min=0), default=60, show_default=True, metavar="SECONDS",
              help="With --watch: how long a file edited by hand has to rest.")  # fmt: skip
@click.pass_context
def sync(ctx: click.Context, is_watching: bool, every: float, settle: float) -> Answer | None:
    """Make this clone and the remote equal; nothing is lost, nothing asked. Exit 5: entries wait here.

    With --watch it syncs when something changed and came to rest, every so many minutes, and when the
    network is back, with a line for each round that did something. `sync install` lets the system do it.
    """
    line = line_of(ctx)
    if ctx.invoked_subcommand is not None:
        usage(is_watching, "--watch goes with no other command.")
        return None
    if is_watching:
        from nutsync.core.watching import Rhythm
        from nutsync.frontends.cli.watching import watch_here

        rhythm = Rhythm(every=every * 60, settle=min(2.0, settle), by_hand=settle)
        ctx.exit(watch_here(line, rhythm))
    from nutsync.operations.sync import sync as sync_cell

    cell = open_here(line, whole=False)
    with shown_progress() as progress:
        done = sync_cell(cell, progress=progress)
    return Answer(done.as_json(), done.words(), done.exit_code)


_DRY_RUN = click.option("--dry-run", is_flag=True, help="Show files and commands; change nothing.")


@sync.command(cls=Command, example="""
    nutsync sync install
    nutsync sync install --every 5 --dry-run
""")  # fmt: skip
@click.option("--every", type=click.IntRange(1, 1440), default=10, show_default=True, metavar="MINUTES")
@_DRY_RUN
@click.pass_obj
def install(line: Line, every: int, dry_run: bool) -> Answer:
    """Let the system sync this clone by itself: systemd timer, launchd agent or scheduled task.

    Run again it changes nothing more, or the minutes alone.
    """
    from nutsync.operations.scheduling import Machine
    from nutsync.operations.scheduling import install as set_up

    done = set_up(open_here(line), Machine.here(), every, dry_run=dry_run)
    return Answer(done.as_json(), done.words())


@sync.command(cls=Command, example="""
    nutsync sync uninstall
""")  # fmt: skip
@_DRY_RUN
@click.pass_obj
def uninstall(line: Line, dry_run: bool) -> Answer:
    """Undo `sync install`: the job stops, and its files go."""
    from nutsync.operations.scheduling import Machine
    from nutsync.operations.scheduling import uninstall as take_away

    done = take_away(open_here(line), Machine.here(), dry_run=dry_run)
    return Answer(done.as_json(), done.words())


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
