"""`doctor`: what is wrong with this clone, with the cure; `--fix` arms it and makes catalogs anew."""

from __future__ import annotations

from nutsync.core.errors import NutsyncError
from nutsync.operations.arming import DRIVER_KEY, arm, arming_problems, driver_command
from nutsync.operations.catalogs import check, rebuild
from nutsync.operations.cell import Cell
from nutsync.operations.problem import Problem
from nutsync.store.repo.fitness import require_fit, require_git
from nutsync.store.repo.keys import load_key
from nutsync.store.repo.setup import try_merge

_PATH = ".agents/nutstore-sync/memory/archive/2020/2020-01-01.md"
_HEAD = "---\ndate: 2020-01-01\nindex: ''\n---\n## 2020-01-01\n"


def examine(cell: Cell, *, fix: bool = False) -> list[Problem]:
    """Return what is wrong with this clone; ``fix`` first does what can be done without a question."""
    today = cell.clock.now().local_date()
    if fix:
        arm(cell.git)
        rebuild(cell.root, cell.git.private_dir, today)
    problems = arming_problems(cell.git)
    problems += _fitness(cell)
    problems += _signing(cell)
    if not any(problem.code == "driver-missing" for problem in problems):
        problems += _driver(cell)
    for finding in check(cell.root, today):
        plain = {key: str(value) for key, value in finding.as_json().items()}
        problems.append(
            Problem(plain["code"], plain["message"], plain["hint"], plain["path"], severity="notice")
        )
    return problems


def _fitness(cell: Cell) -> list[Problem]:
    try:
        require_git(cell.git)
        require_fit(cell.git, cell.branch)
    except NutsyncError as error:
        return [Problem(error.code, error.message, error.hint)]
    return []


def _signing(cell: Cell) -> list[Problem]:
    try:
        key = load_key(cell.git.common_dir)
    except NutsyncError as error:
        return [Problem("key-unreadable", error.message, "`nutsync init` makes one where there is none.")]
    if key is None:
        message = "This device has no key, so its commits are not signed."
        return [Problem("key-missing", message, "`nutsync init` makes one.", severity="notice")]
    if key.can_be_used_by_git():
        return []
    message = (
        "ssh-keygen of OpenSSH 8.2 or newer is not here: plain commits are not signed, nutsync's own are."
    )
    return [Problem("ssh-keygen", message, "Install OpenSSH.", severity="notice")]


def _driver(cell: Cell) -> list[Problem]:
    """Try the merge driver out in a repository made for it."""
    sides = [f"{_HEAD}- base\n{line}".encode() for line in ("", "- ours\n", "- theirs\n")]
    driver = cell.git.config(DRIVER_KEY) or driver_command()
    trial = try_merge(_PATH, *sides, attributes=b"*.md merge=union\n", options={"merge.union.driver": driver})
    if trial.clean and all(word in trial.content for word in (b"- ours\n", b"- theirs\n")):
        return []
    return [
        Problem("driver-fails", "A merge with this clone's merge driver fails.", "`nutsync hooks install`.")
    ]
