"""`doctor`: what is wrong with this clone, with the cure.

`--fix` arms it, makes catalogs anew, and re-dates what a clock dated ahead and nobody else has seen.
"""

from __future__ import annotations

from nutsync.core.cell import day_path
from nutsync.core.day import Day
from nutsync.core.errors import ErrUnreadable, NutsyncError
from nutsync.core.freeze.form import form_of
from nutsync.operations.armed import DRIVER_KEY, arming_problems
from nutsync.operations.arming import arm, driver_command
from nutsync.operations.catalogs import check, rebuild
from nutsync.operations.cell import Cell, archive_of
from nutsync.operations.counting import count_new
from nutsync.operations.problem import Problem
from nutsync.operations.redating import clock_problems, redate
from nutsync.operations.remote_seen import seen_tip
from nutsync.operations.sync import remote_of
from nutsync.store.files import day_files, read_bytes
from nutsync.store.repo.fitness import git_version, require_fit, require_git
from nutsync.store.repo.keys import load_key
from nutsync.store.repo.refs import branch_ref, resolve_ref
from nutsync.store.repo.setup import try_merge

_MERGES_FOREIGN = (2, 38)
_MEND = "It stays as it is and is found as text; an editor mends its frontmatter."
_PATH = ".agents/nutstore-sync/memory/archive/2020/2020-01-01.md"
_HEAD = "---\ndate: 2020-01-01\nindex: ''\n---\n## 2020-01-01\n"


def examine(cell: Cell, *, fix: bool = False) -> list[Problem]:
    """Return what is wrong with this clone; ``fix`` first does what can be done without a question."""
    today = cell.clock.now().local_date()
    if fix:
        arm(cell.git)
        rebuild(cell.root, cell.git.private_dir, today)
        if not _fitness(cell):
            redate(cell)
    problems = arming_problems(cell.git)
    problems += _fitness(cell)
    problems += _signing(cell)
    problems += _git_version(cell)
    problems += _days(cell)
    problems += clock_problems(cell)
    problems += _unpushed(cell)
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


def _git_version(cell: Cell) -> list[Problem]:
    version = git_version(cell.git)
    if version >= _MERGES_FOREIGN:
        return []
    message = f"Git {version[0]}.{version[1]} cannot merge files outside the cell that both sides changed."
    return [Problem("git-old", message, "Install Git 2.38 or newer.", severity="notice")]


def _days(cell: Cell) -> list[Problem]:
    """Name the days that nobody can read, and those whose form is not what it should be."""
    problems = []
    try:
        for date, path in day_files(archive_of(cell.root)):
            place = day_path(date)
            try:
                form = form_of(Day.parse(read_bytes(path), date))
            except ErrUnreadable as error:
                problems.append(Problem("day-unreadable", error.message, error.hint, place, date))
                continue
            said = list(form.faults.items())
            said += [("form-markers", "there are conflict markers")] if form.markers else []
            said += [
                ("form-ids", f"the id {name} stands there more than once") for name in sorted(form.doubled)
            ]
            problems += [
                Problem(code, f"In {date} {message}.", _MEND, place, date, "notice") for code, message in said
            ]
    except ErrUnreadable as error:
        problems.append(Problem("day-unreadable", error.message, error.hint))
    return problems


def _unpushed(cell: Cell) -> list[Problem]:
    if cell.git.config(f"remote.{remote_of(cell)}.url") is None:
        return []
    tip = resolve_ref(cell.git, branch_ref(cell.branch))
    waiting = count_new(cell.git, seen_tip(cell.git, cell.branch), tip)
    if not waiting:
        return []
    message = f"{waiting} {'entry is' if waiting == 1 else 'entries are'} only here."
    return [Problem("unpushed", message, "`nutsync sync` sends them.", severity="notice")]


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
