"""The reference of the command line, made from the commands themselves.

python -m nutsync.frontends.cli.reference > docs/cli.md
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import click

from nutsync.frontends.cli.command import Command
from nutsync.frontends.cli.main import COMMANDS, group

_HEAD = """\
# The command line

`nutsync [-C DIR] [--json] COMMAND …`. Made from the commands; `nutsync COMMAND --help` says the same.

| exit | meaning |
| --- | --- |
| 0 | done |
| 1 | findings, or nothing found |
| 2 | wrong usage |
| 3 | refused by a rule of memory |
| 4 | the repository is not fit |
| 5 | the remote: offline or contended; everything is kept |
| 70 | a bug; a report is written, without memory text |
"""


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield every command by its full name, those of groups too, in the order of the help."""
    context = click.Context(group, info_name="nutsync")
    for name in COMMANDS:
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield name, command
            for below in command.list_commands(context):
                inner = command.get_command(context, below)
                if inner is not None:
                    yield f"{name} {below}", inner
        elif command is not None:
            yield name, command


def render() -> str:
    """Return the whole page."""
    return "\n".join([_HEAD, *(line for name, command in commands() for line in _section(name, command))])


def _section(name: str, command: click.Command) -> Iterator[str]:
    level = "###" if " " in name else "##"
    yield f"{level} nutsync {name}"
    yield ""
    yield from (line.strip() for line in (command.help or "").strip().split("\n"))
    yield ""
    if isinstance(command, click.Group) and not isinstance(command, Command):
        return
    context = click.Context(command, info_name=f"nutsync {name}", **group.context_settings)
    yield "```"
    yield f"nutsync {name} {' '.join(command.collect_usage_pieces(context))}".rstrip()
    yield "```"
    yield ""
    rows = [record for param in command.get_params(context) if (record := _record(param, context))]
    if rows:
        yield "| option | |"
        yield "| --- | --- |"
        yield from (f"| `{option}` | {words} |" for option, words in rows)
        yield ""
    if isinstance(command, Command) and command.example:
        yield "```sh"
        yield textwrap.dedent(command.example).strip()
        yield "```"
        yield ""


def _record(param: click.Parameter, context: click.Context) -> tuple[str, str] | None:
    record = param.get_help_record(context)
    return (record[0].replace("|", "\\|"), record[1].replace("|", "\\|")) if record else None


if __name__ == "__main__":
    print(render(), end="")
