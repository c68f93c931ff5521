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
@click.option(
    "--fix", is_flag=True, help="Arm this clone, make catalogs anew, re-date what a clock dated ahead."
)
@click.pass_obj
def doctor(line: Line, fix: bool) -> Answer:
    """Examine this clone; exit 1 for findings.

    It looks at hooks, merge driver (by a real merge), signing, catalogs, days that cannot be read, clock and
    offset, what was not sent yet, Git's version, and what Git is doing.
    """
    problems = examine(open_cell(line.directory), fix=fix)
    armed = not any(problem.code.startswith(("hooks-", "driver-")) for problem in problems)
    document = {"armed": armed, "findings": [problem.as_json() for problem in problems]}
    words = [f"{problem.severity}: {problem.message} {problem.hint}".rstrip() for problem in problems]
    serious = any(problem.severity != "notice" for problem in problems)
    return Answer(document, "\n".join(words or ["All is well."]), EXIT_FINDINGS if serious else 0)
