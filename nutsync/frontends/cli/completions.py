"""`completion`: what a shell needs to complete nutsync's words."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from nutsync.frontends.cli.command import Answer, Command


@click.command(cls=Command, example="""
    eval "$(nutsync completion bash)"
    nutsync completion fish > ~/.config/fish/completions/nutsync.fish
""")  # fmt: skip
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> Answer:
    """Print the script that makes SHELL complete commands and options."""
    made = get_completion_class(shell)
    if made is None:
        raise click.UsageError(f"There is no completion for {shell}.")
    script = made(ctx.find_root().command, {}, "nutsync", "_NUTSYNC_COMPLETE").source()
    return Answer({"shell": shell, "script": script}, script)
