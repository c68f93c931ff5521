"""The command line's table of contents (design §11)."""

from __future__ import annotations

from pathlib import Path

import click

from nutsync.frontends.cli.command import LazyGroup, Line, run

_HERE = "nutsync.frontends.cli"

COMMANDS: dict[str, tuple[str, str]] = {
    "init": (f"{_HERE}.cells:init", "Make a cell here, or arm the one that is here."),
    "clone": (f"{_HERE}.cells:clone", "Bring a cell from a remote to this machine."),
    "append": (f"{_HERE}.memory:append", "Remember something today."),
    "correct": (f"{_HERE}.changes:correct", "Say today what holds instead of an entry."),
    "forget": (f"{_HERE}.changes:forget", "Remove entries from what is remembered."),
    "purges": (f"{_HERE}.purging:purges", "What was forgotten for good, and who has followed."),
    "clear": (f"{_HERE}.changes:clear", "Forget a whole layer of one actor."),
    "show": (f"{_HERE}.memory:show", "Show an entry or a day."),
    "recall": (f"{_HERE}.recalls:recall", "Find what was remembered, from near to far."),
    "context": (f"{_HERE}.contexts:context", "What a session starts with: the last 30 days."),
    "sync": (f"{_HERE}.remotes:sync", "Make this clone and the remote equal."),
    "status": (f"{_HERE}.remotes:status", "What waits, what is held, when the last sync was."),
    "catalog": (f"{_HERE}.derived:catalog", "Rebuild or check the yearly catalogs."),
    "index": (f"{_HERE}.derived:index", "Check or build a day's index."),
    "log": (f"{_HERE}.audits:log", "Who changed what, when, on which device, and why."),
    "blame": (f"{_HERE}.audits:blame", "Who wrote, corrected or removed what of one day."),
    "layers": (f"{_HERE}.layering:layers", "Count what is remembered in each layer."),
    "sense": (f"{_HERE}.layering:sense", "Write what is new on this machine."),
    "session": (f"{_HERE}.layering:session", "Notes that end with their session."),
    "admin": (f"{_HERE}.layering:admin", "Who writes what the team has agreed."),
    "device": (f"{_HERE}.devices:device", "The devices of this memory, and which are revoked."),
    "verify": (f"{_HERE}.verifying:verify", "Judge the whole history of this memory."),
    "doctor": (f"{_HERE}.doctoring:doctor", "Examine this clone."),
    "hooks": (f"{_HERE}.guarding:hooks", "What keeps plain Git from rewriting memory."),
    "import": (f"{_HERE}.exchanges:import_", "Take memory over from other places."),
    "serve": (f"{_HERE}.serving:serve", "Memory over HTTP, with a page for people."),
    "agent": (f"{_HERE}.agents:agent", "Memory in Claude Code, Codex, Cursor and OpenClaw."),
    "mcp": (f"{_HERE}.mcp:mcp", "Memory as tools for agents."),
    "token": (f"{_HERE}.serving:token", "Who may come in over HTTP."),
    "export": (f"{_HERE}.exchanges:export", "Write memory as JSON lines, Markdown or one HTML page."),
    "completion": (f"{_HERE}.completions:completion", "Complete words in bash, zsh and fish."),
}


@click.group(cls=LazyGroup, commands_at=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "-C", "directory", type=click.Path(path_type=Path), default=Path(), help="Work as if started there."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.version_option(package_name="nutsync", message="nutsync %(version)s")
@click.pass_context
def group(ctx: click.Context, directory: Path, as_json: bool) -> None:
    """Long-term memory for AI agents and their people: plain Markdown, one file a day, in Git."""
    ctx.obj = Line(directory, as_json)


def run_line(arguments: list[str]) -> int:
    """Run ``nutsync`` with ``arguments`` and return its exit code."""
    return run(group, arguments)
