"""An armed clone with a few days behind it, in which every way a branch can move is tried.

It is made once, by the product and plain Git, and copied for every trial. All its times are long past, so
that nothing hangs on the day on which the tests run.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from nutsync.core.cell import day_path
from nutsync.core.day import Day
from nutsync.core.entry import Ref
from nutsync.operations.arming import arm
from nutsync.operations.forget import ForgetRequest, forget
from nutsync.store.repo.git import Git
from tests.support.cells import make_desk
from tests.support.repos import commit_files, git, make_repo, run_git

MALFORMED, PROSE, FIRST, YESTERDAY, TODAY, TOMORROW = (f"2024-03-0{day}" for day in (1, 2, 4, 5, 6, 7))
NOW = f"{TODAY}T20:00:00+08:00"
"""When changes are made unless they say otherwise."""
UNHOOKED = ("-c", f"core.hooksPath={os.devnull}")
MAIN = "refs/heads/main"
OUTSIDE = "notes/more.txt"

_BROKEN_DAY = f"---\ndate: {MALFORMED}\nindex: 'never closed\n---\n- from long ago\n"
_PROSE_DAY = (
    f"---\ndate: {PROSE}\nindex: 'old words'\n---\n## {PROSE}\nPlain words.\n\n* a bullet\n- another\n"
)
_HOOK = re.compile(r"run_command: .*hooks/([a-z-]+)")


@dataclass(frozen=True)
class Template:
    """A clone to copy: its folder, and the commits in it that changes begin at, by name."""

    root: Path
    commits: Mapping[str, str]


@cache
def template() -> Template:
    """Make the clone: days of hand, a birth, three days, and a forget as its last commit."""
    root = _before_birth(_folder_until_the_end() / "clone")
    desk = make_desk(root, f"{FIRST}T09:00:00+08:00")
    desk.append("the first thing", "the second thing")
    desk.clock.set(f"{YESTERDAY}T09:00:00+08:00")
    desk.append("yesterday one", "yesterday two")
    when = f"{YESTERDAY}T10:00:00+08:00"
    path = day_path(YESTERDAY)
    commit_files(
        root, {path: desk.path(YESTERDAY).read_text() + "Prose that no bullet holds.\n"}, "prose", when
    )
    fork = git(root, "rev-parse", "HEAD")
    desk.clock.set(f"{TODAY}T09:00:00+08:00")
    desk.append("today one", "today two")
    desk.append("today three")
    before_forget = git(root, "rev-parse", "HEAD")
    gone = desk.day(TODAY).entries()[2][0]
    desk.clock.set(f"{TODAY}T10:00:00+08:00")
    forget(desk.cell, ForgetRequest(refs=[gone], reason="asked for", actor="ana"))
    tip = git(root, "rev-parse", "HEAD")
    return Template(root, {"fork": fork, "before_forget": before_forget, "tip": tip})


@cache
def unborn_template() -> Template:
    """Make an armed clone whose archive is full of days of hand, and which holds no cell yet."""
    root = _before_birth(_folder_until_the_end() / "clone")
    for name, value in (("actor", "ana"), ("device", "desk"), ("branch", "main")):
        git(root, "config", f"nutsync.{name}", value)
    arm(Git.discover(root))
    return Template(root, {"tip": git(root, "rev-parse", "HEAD")})


def _folder_until_the_end() -> Path:
    """Make a folder that goes when the tests end."""
    folder = Path(mkdtemp(prefix="nutsync-ways-"))
    atexit.register(rmtree, folder, ignore_errors=True)
    return folder


def _before_birth(root: Path) -> Path:
    make_repo(root)
    files = {day_path(MALFORMED): _BROKEN_DAY, day_path(PROSE): _PROSE_DAY, "notes/todo.txt": "milk\n"}
    commit_files(root, files, "old days", "2024-03-03T12:00:00+08:00")
    return root


@dataclass
class Said:
    """How a trial ended: Git's exit code, what was said, and the last of our hooks that ran."""

    code: int
    text: str
    last_hook: str


@dataclass
class World:
    """One copy, set up for one change.

    ``start`` is where main stands, ``side`` the commit that holds the change, ``other`` what it merges,
    ``before`` where main stood before git was run last.
    Changes have a message and a time of their own; ``folder`` is for whatever a way needs besides.
    """

    root: Path
    folder: Path
    commits: Mapping[str, str]
    when: str = NOW
    message: str = "a change\n"
    start: str = ""
    side: str = ""
    other: str = ""
    before: str = ""

    @classmethod
    def copy(cls, made: Template, folder: Path) -> World:
        """Copy a template into ``folder``."""
        shutil.copytree(made.root, folder / "clone", symlinks=True)
        return cls(folder / "clone", folder, made.commits)

    # --- reading and making what is tried ---------------------------------------------------------

    def day(self, commit: str, date: str) -> Day:
        return Day.parse(self.file(commit, day_path(date)), date)

    def file(self, commit: str, path: str) -> bytes:
        return run_git(self.root, "cat-file", "blob", f"{commit}:{path}").stdout

    def refs(self, commit: str, date: str) -> list[Ref]:
        return [ref for ref, _ in self.day(commit, date).entries()]

    def commit(
        self,
        parents: Sequence[str],
        files: Mapping[str, Day | str | bytes | tuple[str, str | bytes] | None],
        message: str = "a change\n",
        when: str = "",
    ) -> str:
        """Make a commit past every hook, from the first parent's tree; a tuple says a file's mode."""
        env = {"GIT_INDEX_FILE": str(self.folder / "draft-index")}
        git(self.root, "read-tree", parents[0], env=env)
        for path, content in files.items():
            mode, text = content if isinstance(content, tuple) else ("100644", content)
            if text is None:
                git(self.root, "update-index", "--force-remove", "--", path, env=env)
                continue
            raw = text.render() if isinstance(text, Day) else text.encode() if isinstance(text, str) else text
            blob = git(self.root, "hash-object", "-w", "--stdin", input=raw)
            git(self.root, "update-index", "--add", "--cacheinfo", f"{mode},{blob},{path}", env=env)
        tree = git(self.root, "write-tree", env=env)
        return self.commit_tree(tree, parents, message, when)

    def commit_tree(self, tree: str, parents: Sequence[str], message: str = "x\n", when: str = "") -> str:
        """Make a commit of a whole tree past every hook."""
        words = [word for parent in parents for word in ("-p", parent)]
        return git(
            self.root, "commit-tree", tree, *words, input=message.encode(), env=self.dates(when or self.when)
        )

    def outside(self, parent: str) -> str:
        """Make a commit that changes nothing of the cell's."""
        return self.commit([parent], {OUTSIDE: "more\n"}, "outside the cell\n")

    def dates(self, when: str = "") -> dict[str, str]:
        return dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), when or self.when)

    # --- driving Git --------------------------------------------------------------------------------

    def stand(self, commit: str) -> None:
        """Put main and the worktree on a commit, past every hook."""
        git(self.root, *UNHOOKED, "reset", "-q", "--hard", commit)

    def step_aside(self) -> None:
        """Check out another branch than main."""
        git(self.root, *UNHOOKED, "switch", "-q", "-c", "elsewhere")

    def lay_out(self) -> None:
        """Give the worktree what the change holds."""
        git(self.root, *UNHOOKED, "restore", "--source", self.side, "--worktree", "--", ":/")

    def tree(self, commit: str) -> str:
        return git(self.root, "rev-parse", f"{commit}^{{tree}}")

    def main(self, root: Path | None = None) -> str:
        """Where main stands, empty where it is gone."""
        done = run_git(root or self.root, "rev-parse", "--verify", "--quiet", MAIN, check=False)
        return done.stdout.decode().strip()

    @property
    def message_file(self) -> str:
        path = self.folder / "message"
        path.write_text(self.message, encoding="utf-8")
        return str(path)

    def run(self, *words: str, input: bytes = b"", env: Mapping[str, str] | None = None) -> Said:
        """Run git with the change's time, its editors writing the change's message; hooks are on."""
        self.before = self.main()
        trace = self.folder / "trace"
        trace.unlink(missing_ok=True)
        given = {
            "GIT_EDITOR": f"cp {self.message_file}",
            "GIT_TRACE": str(trace),
            **self.dates(),
            **(env or {}),
        }
        done = subprocess.run(
            ["git", *words], cwd=self.root, input=input, env={**os.environ, **given},
            capture_output=True, check=False,
        )  # fmt: skip
        hooks = _HOOK.findall(trace.read_text(errors="replace")) if trace.exists() else []
        text = (done.stdout + done.stderr).decode(errors="replace")
        return Said(done.returncode, text, hooks[-1] if hooks else "")

    def bare(self, commit: str) -> Path:
        """Make a bare repository whose main stands on a commit, without arms."""
        path = self.folder / "bare.git"
        git(self.folder, "init", "-q", "--bare", "-b", "main", str(path))
        git(self.root, *UNHOOKED, "push", "-q", str(path), f"{commit}:{MAIN}")
        return path
