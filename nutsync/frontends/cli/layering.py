"""`layers`, `sense`, `session` and `admin`: whose memory is what, of a machine, of a session."""

from __future__ import annotations

import sys

import click

from nutsync.core.errors import ErrLayerNotWritable, ErrSessionRequired
from nutsync.core.layer import Writer, user_word
from nutsync.core.layer_queries import resolve_reader
from nutsync.core.layer_requests import WriteRequest
from nutsync.frontends.cli.command import Answer, Command, Group, Line
from nutsync.frontends.cli.memory import placed_words
from nutsync.frontends.cli.opening import ALLOW_SECRET, open_here, standard_input

SESSION = click.option("--session", metavar="S", help="The session; NUTSYNC_SESSION by default.")


@click.command(cls=Command, example="""
    nutsync layers
    nutsync layers --actor ana --json
""")  # fmt: skip
@click.option("--actor", metavar="A", help="As that actor sees it; '*' counts everyone's.")
@SESSION
@click.pass_obj
def layers(line: Line, actor: str | None, session: str | None) -> Answer:
    """Count what is remembered in each of the seven layers."""
    from nutsync.operations.layers import counts

    cell = open_here(line)
    reader = resolve_reader(actor, cell.actor, bound=False, everyone=True)
    found = counts(cell, actor=reader, session=session or cell.settings.session or "")
    width = max(map(len, map(user_word, found)))
    words = [f"{user_word(layer):<{width}}  {count:>6,}  {layer}" for layer, count in found.items()]
    return Answer(dict(found), "\n".join(words))


@click.command(cls=Command, example="""
    nutsync sense --dry-run
""")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Show what would be written; write nothing.")
@click.pass_obj
def sense(line: Line, dry_run: bool) -> Answer:
    """Write what is new on this machine: operating system, toolchains, runtimes; what is gone, too."""
    from nutsync.operations.sense import sense as sense_host

    cell = open_here(line)
    told = sense_host(cell, dry_run=dry_run)
    texts = told["texts"]
    words = "\n".join(texts) if isinstance(texts, list) and texts else "Nothing is new on this machine."
    return Answer(told, words)


@click.group(cls=Group)
def session() -> None:
    """What belongs to one session: seen in it alone, never committed, gone when it ends."""


@session.command(cls=Command, example="""
    echo "renaming the parser first" | nutsync session note --session 4f1c -
""")  # fmt: skip
@click.argument("text", nargs=-1, required=True, metavar="TEXT…")
@click.option("--layer", default="session", metavar="LAYER", help="session (default) or working.")
@click.option("--kind", default="observation", metavar="KIND", help="observation (default), plan, turn, …")
@click.option("--actor", metavar="A", help="Whose note it is; the configured actor by default.")
@SESSION
@ALLOW_SECRET
@click.pass_obj
def note(line: Line, text: tuple[str, ...], layer: str, kind: str, actor: str | None,
         session: str | None) -> Answer:  # fmt: skip
    """Keep TEXT for the session. For runtimes: people use `append`."""
    from nutsync.operations.remember import Memo, remember

    if sys.stdin.isatty():
        raise ErrLayerNotWritable(
            "Notes of a session are written by the runtime, not on a terminal.",
            hint="Use `nutsync append`; with --kind plan --session S it lasts as long as the session.",
        )
    cell = open_here(line)
    request = WriteRequest(
        layer=layer,
        kind=kind,
        actor=actor,
        session=session or cell.settings.session,
        own_actor=cell.actor,
        writer=Writer.RUNTIME,
    )
    said = " ".join(standard_input() if word == "-" else word for word in text)
    document = remember(cell, [Memo(said, request)])
    return Answer(document, placed_words(document))


@session.command("list", cls=Command, example="""
    nutsync session list
""")  # fmt: skip
@click.pass_obj
def list_(line: Line) -> Answer:
    """List the sessions that have notes here."""
    from nutsync.operations.session import list_sessions

    found = list_sessions(open_here(line))
    line_of_one = "{session}  {entries} entries, untouched for {untouched_days} days"
    words = [line_of_one.format(**{**one, "session": one["session"] or "(working)"}) for one in found]
    return Answer({"sessions": found}, "\n".join(words) or "No session has notes here.")


@session.command(cls=Command, example="""
    nutsync session end 4f1c
""")  # fmt: skip
@click.argument("name", required=False, metavar="SESSION")
@click.pass_obj
def end(line: Line, name: str | None) -> Answer:
    """End a session: its notes go."""
    from nutsync.operations.session import end_session

    cell = open_here(line)
    ending = name or cell.settings.session
    if not ending:
        raise ErrSessionRequired("Name the session that ends.")
    count = end_session(cell, ending)
    return Answer({"session": ending, "removed": count}, f"{count} entries of the session went with it.")


@click.group(cls=Group)
def admin() -> None:
    """Who writes what the whole team has agreed."""


@admin.command(cls=Command, example="""
    nutsync admin add ana
""")  # fmt: skip
@click.argument("name", metavar="ACTOR")
@click.pass_obj
def add(line: Line, name: str) -> Answer:
    """Make ACTOR an admin."""
    from nutsync.operations.admins import add_admin

    done = add_admin(open_here(line), name)
    return Answer(done.as_json(), f"Admins: {', '.join(done.names)}.")


@admin.command(cls=Command, example="""
    nutsync admin remove ana
""")  # fmt: skip
@click.argument("name", metavar="ACTOR")
@click.option("--yes", is_flag=True, help="Also where it is the last one.")
@click.pass_obj
def remove(line: Line, name: str, yes: bool) -> Answer:
    """Make ACTOR an admin no longer."""
    from nutsync.operations.admins import remove_admin

    done = remove_admin(open_here(line), name, yes=yes)
    return Answer(done.as_json(), f"Admins: {', '.join(done.names) or 'none'}.")


@admin.command("list", cls=Command, example="""
    nutsync admin list
""")  # fmt: skip
@click.pass_obj
def list_admins(line: Line) -> Answer:
    """List the admins."""
    from nutsync.operations.admins import list_admins as read_admins

    found = read_admins(open_here(line))
    words = ", ".join(found.names) or "none; so the consensus stays empty"
    return Answer(found.as_json(), f"Admins: {words}.")
