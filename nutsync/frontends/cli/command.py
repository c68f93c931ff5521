"""What every command of the line has: `--json`, named errors, exit codes, help with an example.

Commands are found by name and imported only when asked for, so that starting one costs what that
one needs.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import click

from nutsync.core.errors import EXIT_BUG, EXIT_USAGE, ErrUsage, NutsyncError


@dataclass
class Line:
    """How this run was called: where the cell is sought, whether a program reads the answer, and whether
    what looks like a credential may be remembered."""

    directory: Path
    as_json: bool = False
    allow_secret: bool = False


class Answer(NamedTuple):
    """A command's answer: the document for programs, the words for people, the exit code."""

    document: dict[str, Any]
    words: str = ""
    exit_code: int = 0


class Command(click.Command):
    """A command that returns an :class:`Answer`, with an example at the end of its help."""

    def __init__(self, *args: Any, example: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.example = example
        self.params.append(_json_option())

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.example:
            with formatter.section("Example"):
                for line in self.example.strip().split("\n"):
                    formatter.write_text(line.strip())

    def invoke(self, ctx: click.Context) -> Any:
        answer = super().invoke(ctx)
        if isinstance(answer, Answer):
            show(answer, as_json=line_of(ctx).as_json)
            ctx.exit(answer.exit_code)
        return answer


class CommandGroup(Command, click.Group):
    """A command that works by itself and has commands below it, such as `sync` and `sync install`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, invoke_without_command=True, **kwargs)


class Group(click.Group):
    """Commands that belong together; its help ends with an example of each."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        shown = [command.example for command in self.commands.values() if isinstance(command, Command)]
        with formatter.section("Examples"):
            for line in dict.fromkeys(example.strip().split("\n")[0] for example in shown if example):
                formatter.write_text(line.strip())


class LazyGroup(click.Group):
    """A group whose commands live in modules of their own, imported when they are called.

    ``commands_at`` maps a command's name to ``module:attribute`` and its one-line help.
    """

    def __init__(
        self, *args: Any, commands_at: dict[str, tuple[str, str]] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.commands_at = commands_at or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self.commands_at, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.commands_at:
            return super().get_command(ctx, name)
        module, _, attribute = self.commands_at[name][0].partition(":")
        command = getattr(import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{name} is no command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            from difflib import get_close_matches

            near = [f"'{name}'" for name in get_close_matches(args[0], self.list_commands(ctx), n=2)]
            meant = f" Did you mean {' or '.join(near)}?" if near else ""
            raise click.UsageError(f"No such command '{args[0]}'.{meant}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, words) for name, (_, words) in self.commands_at.items()])


def line_of(ctx: click.Context) -> Line:
    """Return how this run was called."""
    return ctx.ensure_object(Line) if ctx.obj is not None else ctx.find_root().obj


def show(answer: Answer, *, as_json: bool) -> None:
    """Print the answer on standard output."""
    if as_json:
        click.echo(as_text(answer.document))
    elif answer.words:
        click.echo(answer.words.encode("utf-8", "backslashreplace").decode())


def as_text(document: object) -> str:
    """Return a JSON document as UTF-8 can carry it: bytes that are no UTF-8 stand as escaped surrogates."""
    import json

    text = json.dumps(document, ensure_ascii=False)
    return re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", text)


def run(group: click.Group, arguments: list[str]) -> int:
    """Run the line and return its exit code; every failure is said by name on standard error."""
    as_json = _asks_for_json(arguments)
    try:
        code = group.main(arguments, prog_name="nutsync", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except NutsyncError as error:
        return _say(error, as_json)
    except click.exceptions.NoArgsIsHelpError as error:
        if as_json:
            return _say(ErrUsage("No command was named.", hint=_help_hint(error)), as_json)
        click.echo(error.format_message(), err=True)
        return EXIT_USAGE
    except click.UsageError as error:
        usage = ErrUsage(error.format_message(), hint=_help_hint(error))
        return _say(usage, as_json)
    except click.Abort as error:
        return _say(_stopped(error), as_json)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # a bug: say where its report is, never what memory held
        return _report(error, as_json)


def _asks_for_json(arguments: list[str]) -> bool:
    words = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in words


def _set_json(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        line_of(ctx).as_json = True


def _json_option() -> click.Option:
    words = "Print one JSON document."
    return click.Option(
        ["--json", "as_json"], is_flag=True, help=words, expose_value=False, callback=_set_json
    )


def _help_hint(error: click.UsageError) -> str:
    path = error.ctx.command_path if error.ctx else "nutsync"
    return f"See `{path} --help`."


def _stopped(error: click.Abort) -> ErrUsage:
    """Return what to say when a question was answered with no, or work was broken off with Ctrl-C."""
    if isinstance(error.__cause__, KeyboardInterrupt):
        hint = "What was said to be done is kept; run the same command again to go on."
        return ErrUsage("Stopped before the end.", hint=hint)
    return ErrUsage("Stopped; nothing was changed.")


def _say(error: NutsyncError, as_json: bool) -> int:
    if as_json:
        click.echo(as_text(error.as_json()), err=True)
    else:
        click.echo(f"nutsync: {error.message} ({error.code})", err=True)
        if error.hint:
            click.echo(f"  {error.hint}", err=True)
    return error.exit_code


def _report(error: Exception, as_json: bool) -> int:
    from nutsync.store.report import write_report

    path = write_report(error)
    words = f"A bug in nutsync: {type(error).__name__}. A report without memory text is at {path}."
    if as_json:
        document = {"error": {"code": "ErrBug", "message": words, "hint": "Please send the report."}}
        click.echo(as_text(document), err=True)
    else:
        click.echo(f"nutsync: {words}", err=True)
    return EXIT_BUG


def usage(condition: bool, message: str) -> None:
    """Refuse wrong usage when ``condition`` holds."""
    if condition:
        raise ErrUsage(message)


def options(*decorators: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Join several click decorators to one, so that commands share their options."""

    def decorate(function: Any) -> Any:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


__all__ = [
    "EXIT_USAGE",
    "Answer",
    "Command",
    "CommandGroup",
    "LazyGroup",
    "Line",
    "line_of",
    "options",
    "run",
    "show",
    "usage",
]
