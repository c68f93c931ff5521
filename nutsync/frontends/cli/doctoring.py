"""`doctor`: what is wrong with this clone, and what to do about it."""

from __future__ import annotations

import click

from nutsync.core.errors import EXIT_FINDINGS
from nutsync.frontends.cli.command import Answer, Command, Line
from nutsync.operations.cell import open_cell
from nutsync.operations.doctor import examine


@click.command(cls=Command, example="""
    nutsync doctor
    nutsync doctor --fix
""")  # fmt: skip
@click.option("--fix", is_flag=True, help="Arm this clone and make the catalogs anew.")
@click.pass_obj
def doctor(line: Line, fix: bool) -> Answer:
    """Examine this clone: hooks, merge driver, signing, catalogs, what Git is doing. Exit 1 for findings."""
    problems = examine(open_cell(line.directory), fix=fix)
    armed = not any(problem.code.startswith(("hooks-", "driver-")) for problem in problems)
    document = {"armed": armed, "findings": [problem.as_json() for problem in problems]}
    words = [f"{problem.severity}: {problem.message} {problem.hint}".rstrip() for problem in problems]
    serious = any(problem.severity != "notice" for problem in problems)
    return Answer(document, "\n".join(words or ["All is well."]), EXIT_FINDINGS if serious else 0)
