"""`device`: which clones write this memory, and which no longer may."""

from __future__ import annotations

import click

from nutsync.frontends.cli.command import Answer, Command, Group, Line
from nutsync.frontends.cli.opening import open_here


@click.group(cls=Group)
def device() -> None:
    """The devices of this memory, and which are revoked."""


@device.command("list", cls=Command, example="""
    nutsync device list
    nutsync device list --json
""")  # fmt: skip
@click.pass_obj
def list_devices(line: Line) -> Answer:
    """List the devices with their actors; a revoked one stays in the list."""
    from nutsync.operations.devices import list_devices as read_devices

    found = read_devices(open_here(line))
    rows = []
    for name, one in sorted(found.devices.items()):
        since = f"enrolled {one.enrolled.local_date()}"
        until = f", revoked {one.revoked.local_date()}" if one.revoked else ""
        key = "" if one.key else ", cannot sign"
        here = " (this clone)" if name == found.here else ""
        rows.append(f"{name}{here}: {one.actor}, {since}{until}{key}")
    return Answer(found.as_json(), "\n".join(rows))


@device.command(cls=Command, example="""
    nutsync device revoke lost-laptop
""")  # fmt: skip
@click.argument("name", metavar="DEVICE")
@click.option("--yes", is_flag=True, help="Also where it is this very clone.")
@click.pass_obj
def revoke(line: Line, name: str, yes: bool) -> Answer:
    """Let nothing count that DEVICE signs from now on. What it signed before stays good.

    Its clone keeps what it has, and can still read whatever the remote lets it read: take its access away
    there too.
    """
    from nutsync.operations.devices import revoke_device

    done = revoke_device(open_here(line), name, yes=yes)
    words = f"{name} is revoked: `nutsync verify` says which later commits its key signed."
    return Answer(done.as_json(), words if done.commit else f"{name} was revoked before.")
