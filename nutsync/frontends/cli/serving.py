"""`serve` and `token`: memory over HTTP, and who may come in."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from nutsync.core.errors import ErrUsage
from nutsync.frontends.cli.command import Answer, Command, Group, Line
from nutsync.frontends.cli.command import show as show_answer
from nutsync.frontends.cli.opening import open_here
from nutsync.frontends.cli.printing import printable


@click.command(cls=Command, example="""
    nutsync serve
    nutsync serve --cell mine=~/memory --cell team=/srv/team
    nutsync serve --allow-host memory.example.org --require-token
""")  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS",
              help="Another address than this machine's own needs tokens.")  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True)
@click.option("--cell", "cells", multiple=True, metavar="ID=DIR", help="Serve that cell under that name.")
@click.option("--allow-host", "names", multiple=True, metavar="NAME",
              help="A host name that leads here, such as a proxy's; then all need a token.")  # fmt: skip
@click.option("--require-token", is_flag=True, help="Also for requests of this machine.")
@click.option("--quiet", is_flag=True, help="Log no requests.")
@click.pass_obj
def serve(line: Line, host: str, port: int, cells: tuple[str, ...], names: tuple[str, ...],
          require_token: bool, quiet: bool) -> None:  # fmt: skip
    """Serve memory over HTTP, with a page for people at / and the description of all paths at /docs."""
    try:
        from nutsync.frontends.http_api import server
    except ModuleNotFoundError as missing:
        raise ErrUsage(
            f"Serving needs more than is installed here: {missing.name}.",
            hint="Install it with `pip install 'nutsync[serve]'`.",
        ) from missing

    folders = server.read_cells(cells) or {"main": open_here(line).root}
    folders = {name: Path(line.directory, folder.expanduser()) for name, folder in folders.items()}
    setup = server.make_setup(folders, host=host, names=names, token_needed=require_token, environ=os.environ)
    open_socket = server.listen(host, port)
    url = server.url_of(open_socket)
    words = f"Serving {', '.join(setup.cells)} at {url} (the page) and {url}/docs. Ctrl-C stops it."
    answer = Answer({"url": url, "cells": list(setup.cells)}, words)

    def announce() -> None:
        show_answer(answer, as_json=line.as_json)
        sys.stdout.flush()

    server.run(setup, open_socket, announce, quiet=quiet)


@click.group(cls=Group)
def token() -> None:
    """Who may come in over HTTP: each token is one actor. Only hashes of them are kept, in this clone."""


@token.command(cls=Command, example="""
    nutsync token add ben
    nutsync token add ana --admin --note "the laptop"
""")  # fmt: skip
@click.argument("actor")
@click.option("--admin", is_flag=True, help="With the rights that the cell's list of admins gives the actor.")
@click.option("--note", default="", metavar="S", help="What it is for, to tell tokens apart.")
@click.pass_obj
def add(line: Line, actor: str, admin: bool, note: str) -> Answer:
    """Make a token for ACTOR. It is shown once, now."""
    from nutsync.operations.tokens import add_token, token_json

    cell = open_here(line)
    made, secret = add_token(cell, actor, admin=admin, note=note)
    words = [
        secret,
        f"This is {made.actor}'s token {made.id}. It is shown only now: keep it like a password.",
    ]
    if admin and made.actor not in cell.config.admins:
        words.append(f"{made.actor} is no admin of this cell yet: `nutsync admin add {made.actor}`.")
    return Answer({"token": secret, **token_json(made)}, "\n".join(words))


@token.command("list", cls=Command, example="""
    nutsync token list
""")  # fmt: skip
@click.pass_obj
def list_(line: Line) -> Answer:
    """List the tokens of this clone, never the secrets."""
    from nutsync.operations.tokens import list_tokens, token_json

    found = [token_json(one) for one in list_tokens(open_here(line))]
    words = [
        f"{one['id']}  {one['actor']}{' (admin)' if one['admin'] else ''}  {one['made']}"
        f"  {printable(str(one['note']))}".rstrip()
        for one in found
    ]
    return Answer({"tokens": found}, "\n".join(words) or "There are no tokens.")


@token.command(cls=Command, example="""
    nutsync token revoke k3f9x2ab
""")  # fmt: skip
@click.argument("name", metavar="ID")
@click.pass_obj
def revoke(line: Line, name: str) -> Answer:
    """Take a token away; the next request with it is refused."""
    from nutsync.operations.tokens import revoke_token, token_json

    gone = revoke_token(open_here(line), name)
    return Answer({"revoked": token_json(gone)}, f"{gone.actor}'s token {gone.id} lets nobody in any more.")
