"""`mcp`: memory as tools for agents."""

from __future__ import annotations

import os

import click

from nutsync.core.errors import ErrUsage
from nutsync.frontends.cli.command import Command, Line
from nutsync.frontends.cli.opening import open_here


@click.command(cls=Command, example="""
    nutsync mcp
    nutsync -C ~/memory mcp
    nutsync mcp --http --port 8766
""")  # fmt: skip
@click.option("--http", is_flag=True, help="Over HTTP at /mcp, for this machine alone, instead of stdio.")
@click.option("--port", type=click.IntRange(1, 65535), default=8766, show_default=True)
@click.pass_obj
def mcp(line: Line, http: bool, port: int) -> None:
    """Serve memory to an agent by the Model Context Protocol, on standard input and output.

    `nutsync agent install NAME` tells an agent to start it. Over HTTP a token of `nutsync token add` says who
    asks; without one it is this clone's actor.
    """
    root = open_here(line).root
    try:
        from nutsync.frontends.mcp_server import server
    except ModuleNotFoundError as missing:
        raise ErrUsage(
            f"Serving agents needs more than is installed here: {missing.name}.",
            hint="Install it with `pip install 'nutsync[mcp]'`.",
        ) from missing
    try:
        if http:
            server.run_http(root, os.environ, port)
        else:
            server.run_stdio(root, os.environ)
    except KeyboardInterrupt:
        return
