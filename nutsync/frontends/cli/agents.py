"""`agent`: memory in the agents that people use, and what their hooks call."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from nutsync.core.agents.places import AGENTS
from nutsync.core.errors import EXIT_FINDINGS, ErrNoCell, ErrUsage, NutsyncError
from nutsync.frontends.cli.command import Answer, Command, Group, Line, options
from nutsync.operations.agents import Outcome, Place, note_for
from nutsync.operations.agents import install as install_agent
from nutsync.operations.agents import uninstall as uninstall_agent
from nutsync.operations.cell import open_cell

WHERE = options(
    click.argument("name", type=click.Choice(tuple(AGENTS)), metavar="AGENT"),
    click.option("--user", is_flag=True, help="For this user everywhere, not for this project alone."),
    click.option("--dry-run", is_flag=True, help="Say which files would change; change none."),
)


@click.group(cls=Group)
def agent() -> None:
    """Memory in the agents that people use: claude-code, codex, cursor, openclaw."""


@agent.command(cls=Command, example="""
    nutsync agent install claude-code
    nutsync -C ~/memory agent install codex --user --dry-run
""")  # fmt: skip
@WHERE
@click.pass_obj
def install(line: Line, name: str, user: bool, dry_run: bool) -> Answer:
    """Give AGENT its memory: context at a session's start, tools, a skill, a hook at the end.

    Files that are there keep all else they hold. Run again it changes nothing more.
    """
    project = line.directory.resolve()
    try:
        cell = open_cell(line.directory).root
    except ErrNoCell:
        if not user:
            raise
        cell = None
    done = install_agent(name, Place(project, Path.home(), cell, user), dry_run=dry_run)
    return _answer(name, done, dry_run, note_for(name))


@agent.command(cls=Command, example="""
    nutsync agent uninstall claude-code
""")  # fmt: skip
@WHERE
@click.pass_obj
def uninstall(line: Line, name: str, user: bool, dry_run: bool) -> Answer:
    """Take out what `agent install` put in; memory itself stays."""
    place = Place(line.directory.resolve(), Path.home(), user=user)
    done = uninstall_agent(name, place, dry_run=dry_run)
    return _answer(name, done, dry_run, "")


@agent.command(cls=Command, example="""
    nutsync agent hook session-start --for claude-code
""")  # fmt: skip
@click.argument("event", type=click.Choice(("session-start", "session-end")), metavar="EVENT")
@click.option("--for", "name", type=click.Choice(tuple(AGENTS)), default="claude-code", metavar="AGENT")
@click.pass_obj
def hook(line: Line, event: str, name: str) -> None:
    """What the agents' hooks call, at session-start and session-end. It never fails and never blocks them."""
    try:
        if event == "session-start":
            _session_start(line, name)
        else:
            _session_end(line)
    except ErrNoCell:
        return
    except NutsyncError as error:
        click.echo(f"nutsync: {error.message} ({error.code})", err=True)
    except Exception as error:
        from nutsync.store.report import write_report

        click.echo(f"nutsync: a bug; a report without memory text is at {write_report(error)}.", err=True)


@agent.command("hand-over", cls=Command, example="""
    echo "- X-200 costs 12,800 yuan" | nutsync agent hand-over --session 4f1c
""")  # fmt: skip
@click.option("--session", metavar="S", help="The session; NUTSYNC_SESSION by default.")
@click.pass_obj
def hand_over(line: Line, session: str | None) -> Answer:
    """Remember what standard input hands over: a bullet, a paragraph or a JSON object a thing.

    What cannot be written now is kept in the session's file and taken up at the next command.
    """
    from nutsync.core.agents.handover import read_things
    from nutsync.operations.handover import hand_over as hand_over_things

    things = read_things(_standard_input())
    if not things:
        raise ErrUsage("Nothing was handed over.")
    cell = open_cell(line.directory)
    document = hand_over_things(cell, session or cell.settings.session or "", things)
    return Answer(document, _handed_words(document))


def _session_start(line: Line, name: str) -> None:
    """Print the context as the agent's tool wants it; then write down what is new on this machine."""
    from nutsync.frontends.cli.contexts import context_words
    from nutsync.operations.context import context
    from nutsync.operations.sense import sense
    from nutsync.operations.waiting import take_up_what_waits

    cell = open_cell(line.directory)
    take_up_what_waits(cell)
    words = context_words(context(cell, reader=cell.actor))
    if name == "cursor":
        words = json.dumps({"additional_context": words}, ensure_ascii=False)
    elif name in ("claude-code", "codex"):
        said = {"hookEventName": "SessionStart", "additionalContext": words}
        words = json.dumps({"hookSpecificOutput": said}, ensure_ascii=False)
    click.echo(words)
    sys.stdout.flush()
    sense(cell)


def _session_end(line: Line) -> None:
    """Remember what the agent's last message hands over, and what waits since earlier."""
    from nutsync.core.agents.handover import handed_over, last_message, read_session_end
    from nutsync.operations.handover import hand_over as hand_over_things
    from nutsync.operations.waiting import take_up_what_waits

    said = read_session_end(_standard_input())
    cell = open_cell(line.directory)
    take_up_what_waits(cell)
    if said is None:
        return
    message = said.message or last_message(_transcript(said.transcript))
    things = handed_over(message)
    if things:
        document = hand_over_things(cell, said.session or cell.settings.session or "", things)
        click.echo(f"nutsync: {_handed_words(document)}", err=True)


def _transcript(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace") if path else ""
    except OSError:
        return ""


def _standard_input() -> str:
    return "" if sys.stdin.isatty() else sys.stdin.buffer.read().decode("utf-8", "replace")


def _handed_words(document: dict[str, object]) -> str:
    if document["waiting"]:
        return f"{document['waiting']} things wait in the session's file ({document['why']})."
    refs = document["entries"]
    return f"remembered: {', '.join(refs) if isinstance(refs, list) else ''}"


def _answer(name: str, done: list[Outcome], dry_run: bool, note: str) -> Answer:
    would = "would be " if dry_run else ""
    lines = []
    for one in done:
        state = (
            one.problem
            if one.state == "refused"
            else f"{'' if one.state == 'unchanged' else would}{one.state}"
        )
        lines.append(f"{one.path}  {one.what}: {state}")
    changed = any(one.state == "written" for one in done)
    document = {"agent": name, "dry_run": dry_run, "files": [one.as_json() for one in done], "note": note}
    words = "\n".join([*lines, *([note] if note and changed else [])])
    return Answer(document, words, EXIT_FINDINGS if any(one.state == "refused" for one in done) else 0)
