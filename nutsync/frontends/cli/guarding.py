"""`hooks`: what keeps plain Git from rewriting memory, installed, looked at, taken away."""

from __future__ import annotations

from pathlib import Path

import click

from nutsync.core.errors import EXIT_FINDINGS, ErrBareRepository
from nutsync.frontends.cli.command import Answer, Command, Group, Line
from nutsync.operations.problem import Problem
from nutsync.store.repo.git import Git

SERVER = click.option("--server", is_flag=True, help="In a bare repository: judge what is pushed to it.")


@click.group(cls=Group)
def hooks() -> None:
    """What keeps plain Git from rewriting memory."""


@hooks.command(cls=Command, example="""
    nutsync hooks install
    nutsync -C /srv/git/memory.git hooks install --server
""")  # fmt: skip
@SERVER
@click.option("--branch", metavar="B", help="With --server: the memory branch; HEAD's by default.")
@click.pass_obj
def install(line: Line, server: bool, branch: str | None) -> Answer:
    """Arm this clone: hooks, merge driver, signing. Hooks that are here are kept and run first."""
    from nutsync.operations.armed import arming_problems
    from nutsync.operations.arming import arm
    from nutsync.operations.server import arm_server, server_problems

    git = _repository(line.directory, server=server)
    if server:
        arm_server(git, branch)
        return _answer(server_problems(git), f"{git.root} now judges what is pushed to it.")
    arm(git)
    return _answer(arming_problems(git), f"This clone at {git.root} is armed.")


@hooks.command(cls=Command, example="""
    nutsync hooks uninstall
""")  # fmt: skip
@SERVER
@click.pass_obj
def uninstall(line: Line, server: bool) -> Answer:
    """Take hooks, merge driver and signing out, and put back what was here before."""
    from nutsync.operations.arming import disarm

    git = _repository(line.directory, server=server)
    left = disarm(git)
    problems = [
        Problem(
            "hook-left",
            "Another hook stands where this one was; it was left here.",
            "Put it back yourself if you want it.",
            path,
            severity="notice",
        )
        for path in left
    ]
    document = {"armed": False, "findings": [problem.as_json() for problem in problems]}
    words = "\n".join(["nutsync's hooks are gone; what was here before is back.", *map(_line, problems)])
    return Answer(document, words)


@hooks.command(cls=Command, example="""
    nutsync hooks status
""")  # fmt: skip
@SERVER
@click.pass_obj
def status(line: Line, server: bool) -> Answer:
    """Say whether this clone is armed, and what is wrong if it is not."""
    from nutsync.operations.armed import arming_problems
    from nutsync.operations.server import server_problems

    git = _repository(line.directory, server=server)
    problems = server_problems(git) if server else arming_problems(git)
    return _answer(problems, "Armed: plain Git cannot rewrite this memory unnoticed.")


def _answer(problems: list[Problem], words: str) -> Answer:
    armed = all(problem.severity == "notice" for problem in problems)
    document = {"armed": armed, "findings": [problem.as_json() for problem in problems]}
    said = "\n".join([*([words] if armed else ["Not armed."]), *map(_line, problems)])
    return Answer(document, said, 0 if armed else EXIT_FINDINGS)


def _line(problem: Problem) -> str:
    place = f" ({problem.path})" if problem.path and problem.path not in problem.message else ""
    return f"  {problem.message}{place} {problem.hint}".rstrip()


def _repository(directory: Path, *, server: bool) -> Git:
    if not server:
        return Git.discover(directory)
    git = Git.of_bare(directory)
    if not (git.git_dir / "HEAD").is_file() or not (git.git_dir / "objects").is_dir():
        raise ErrBareRepository(
            f"{directory} is not the folder of a bare repository.",
            hint="Point -C at the bare repository itself, such as /srv/git/memory.git.",
        )
    return git
