"""Cells to measure on: the same archive as an armed cell and as a plain Git repository."""

from __future__ import annotations

import datetime
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from bench.archive import ARCHIVE, Founding, Plan, build
from bench.install import Installed
from bench.paired import ROUNDS, Command, Row, paired
from bench.signed import sign_history
from nutsync.store.repo.keys import load_key

QUIET = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0"}
PERSON = {
    "GIT_AUTHOR_NAME": "ana",
    "GIT_AUTHOR_EMAIL": "ana@desk",
    "GIT_COMMITTER_NAME": "ana",
    "GIT_COMMITTER_EMAIL": "ana@desk",
}


@dataclass
class Workshop:
    """One size of archive, and copies of it that a measurement may wear out.

    ``folder`` keeps what is slow to make from run to run; ``scratch`` is this run's, and may be removed.
    """

    folder: Path
    tools: Installed
    years: int
    rounds: int = ROUNDS
    _numbers: Iterator[int] = field(default_factory=count)

    @property
    def scratch(self) -> Path:
        """The folder of what this run uses up."""
        scratch = self.folder / f"run-{os.getpid()}"
        scratch.mkdir(parents=True, exist_ok=True)
        return scratch

    def number(self) -> int:
        """Return a number that was not returned before: for texts and folders that must differ."""
        return next(self._numbers)

    def plan(self) -> Plan:
        """Return what the archive holds: it ends yesterday, so that today is free to write in."""
        return Plan(years=self.years, until=datetime.date.today() - datetime.timedelta(days=1))

    def template(self, device: str = "desk") -> Path:
        """Return the armed cell of ``device`` that others are copied from, made once.

        Both devices, desk and lap, are enrolled at birth; desk wrote the archive and signed it.
        """
        cell = self.folder / f"{self.years}-years-{device}"
        if not cell.exists():
            self._make_templates()
        return cell

    def _make_templates(self) -> None:
        for device in ("desk", "lap"):
            self.copy(self.empty(device), self.folder / f"{self.years}-years-{device}")
        desk, lap = (self.folder / f"{self.years}-years-{device}" for device in ("desk", "lap"))
        branch = self.branch(desk)
        plan = replace(self.plan(), foundings=self._foundings(lap, branch))
        build(desk, plan, branch=branch)
        self.sign(desk, branch)
        unhooked = ["git", "-c", f"core.hooksPath={os.devnull}"]
        self.run([*unhooked, "fetch", "--quiet", str(desk), f"+{branch}:refs/heads/{branch}", "-u"], lap)
        for cell in (desk, lap):
            self.run([*unhooked, "reset", "--quiet", "--hard", branch], cell)

    def long(self, days: int) -> Path:
        """Return an armed cell with a commit for each of so many days, to be copied and not used."""
        cell = self.folder / f"{days}-days"
        if not cell.exists():
            self.copy(self.empty(), cell)
            branch = self.branch(cell)
            plan = replace(self.plan(), days_only=days, foundings=self._foundings(self.empty("lap"), branch))
            build(cell, plan, branch=branch)
            self.sign(cell, branch)
            unhooked = ["git", "-c", f"core.hooksPath={os.devnull}"]
            self.run([*unhooked, "reset", "--quiet", "--hard", branch], cell)
            self.run(["git", "repack", "--quiet", "-a", "-d"], cell)
        return cell

    def empty(self, device: str = "desk") -> Path:
        """Return a cell of ``device`` in which nothing was remembered yet, to be copied and not used."""
        seed = self.folder / "seed"
        if not seed.exists():
            seed.mkdir(parents=True)
            self.run(["git", "init", "--quiet", "--bare", "remote.git"], seed)
            bare = str(seed / "remote.git")
            self.run(
                self.nutsync("init", "desk", "--remote", bare, "--actor", "ana", "--device", "desk"), seed
            )
            self.run(["git", "push", "--quiet", "--no-verify", "origin", "HEAD"], seed / "desk")
            self.run(self.nutsync("clone", bare, "lap", "--actor", "ben", "--device", "lap"), seed)
            for name in ("desk", "lap"):
                self._forget_remote(seed / name)
        return seed / device

    def _foundings(self, cell: Path, branch: str) -> list[Founding]:
        """Return the commits that made ``cell``, to be made again before the archive's first day."""
        foundings = []
        for commit in self.run(["git", "rev-list", "--reverse", branch], cell).split():
            message = self.run(["git", "log", "-1", "--format=%B", commit], cell)
            paths = self.run(
                ["git", "diff-tree", "-r", "--root", "--no-commit-id", "--name-only", commit], cell
            )
            files = {p: self.run(["git", "show", f"{commit}:{p}"], cell).encode() for p in paths.split()}
            who = "ben@lap" if "Nutsync-Device: lap" in message else "ana@desk"
            foundings.append(Founding(files, message, who))
        return foundings

    def _forget_remote(self, cell: Path) -> None:
        self.run(["git", "remote", "remove", "origin"], cell)
        for ref in self.run(["git", "for-each-ref", "--format=%(refname)"], cell).split():
            if not ref.startswith("refs/heads/"):
                self.run(["git", "update-ref", "-d", ref], cell)

    def sign(self, cell: Path, branch: str, commits: str | None = None) -> None:
        """Sign ``commits``, or all of ``branch``, each with the key of the device that made it."""
        keys = {f"@{name}>": load_key(self.empty(name) / ".git") for name in ("desk", "lap")}

        def sign(payload: bytes) -> bytes:
            author = next(line for line in payload.decode().splitlines() if line.startswith("author "))
            (key,) = (key for who, key in keys.items() if who in author)
            if key is None:
                raise SystemExit("this machine cannot make keys, so there is no signed archive to measure on")
            return key.sign(payload)

        sign_history(cell, branch, sign, commits)

    def armed(self, device: str = "desk") -> Path:
        """Return a fresh armed cell."""
        return self._fresh(self.template(device))

    def plain(self) -> Path:
        """Return a fresh plain repository with the same history: no hooks, no nutsync."""
        cell = self.folder / f"{self.years}-years-plain"
        if not cell.exists():
            self.run(["git", "clone", "--quiet", "--no-local", str(self.template()), str(cell)], self.folder)
            self.run(["git", "remote", "remove", "origin"], cell)
        return self._fresh(cell)

    def branch(self, cell: Path) -> str:
        """Return the branch that is checked out in ``cell``."""
        return self.run(["git", "branch", "--show-current"], cell).strip()

    def remote(self, *cells: Path) -> Path:
        """Return a fresh bare repository that the given cells have as ``origin``, all up to date."""
        bare = self.scratch / f"remote-{self.number()}.git"
        self.run(["git", "clone", "--quiet", "--bare", "--no-local", str(cells[0]), str(bare)], self.folder)
        for cell in cells:
            branch = self.branch(cell)
            self.run(["git", "remote", "add", "origin", str(bare)], cell)
            self.run(["git", "fetch", "--quiet", "origin"], cell)
            self.run(["git", "branch", "--quiet", f"--set-upstream-to=origin/{branch}"], cell)
        return bare

    def run(self, argv: list[str], cwd: Path, **env_more: str) -> str:
        """Run something that is not measured; it must work. Return what it printed."""
        env = {**os.environ, **QUIET, **PERSON, **env_more}
        return subprocess.run(argv, cwd=cwd, env=env, check=True, stdout=subprocess.PIPE).stdout.decode()

    def nutsync(self, *words: str) -> list[str]:
        """Return the words of a nutsync command."""
        return [self.tools.nutsync, *words]

    def bare_python(self) -> list[str]:
        """Return a command that only starts Python."""
        return [self.tools.python, "-I", "-c", "pass"]

    def compare(self, action: str, ours: Command, against: str, theirs: Command, aim: str) -> Row:
        """Pair two commands in this workshop's environment."""
        ours, theirs = (
            replace(command, env={**QUIET, **PERSON, **command.env}) for command in (ours, theirs)
        )
        return paired(action, ours, against, theirs, aim=aim, rounds=self.rounds)

    def aim(self, at_ten: str, at_hundred: str | None = None) -> str:
        """Return the aim that holds for this size."""
        return at_hundred if self.years >= 100 and at_hundred else at_ten

    def today(self, cell: Path) -> Path:
        """Return the path of today's file in ``cell``."""
        today = datetime.date.today()
        return cell / ARCHIVE / f"{today:%Y}" / f"{today}.md"

    def write_by_hand(self, cell: Path) -> Path:
        """Add a bullet to today's file as a person would, and return the file."""
        path = self.today(cell)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            day = path.stem
            path.write_text(f"---\ndate: {day}\nindex: 'Written by hand'\n---\n## {day}\n")
        with path.open("a") as file:
            file.write(f"- Written by hand {self.number()}\n")
        return path

    def copy(self, place: Path, target: Path) -> None:
        """Copy a repository, so that Git finds its worktree unchanged."""
        subprocess.run(["cp", "-a", str(place), str(target)], check=True)
        if (target / ".git").exists():
            self.run(["git", "update-index", "-q", "--refresh"], target)

    def _fresh(self, cell: Path) -> Path:
        target = self.scratch / f"cell-{self.number()}"
        self.copy(cell, target)
        return target
