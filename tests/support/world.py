"""Clones of one cell in several time zones, what may happen to them, and what must hold afterwards.

Armed clones are worked with by nutsync and by plain Git; one was never armed, so that Git's own union
merges there; and the remote may merge by itself, as a hosting service's button does. The clocks of the clones
differ, and all stand in the past: hooks refuse what is later than the machine's own clock.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from nutsync.core.cell import ARCHIVE_DIR, day_path
from nutsync.core.day import Day
from nutsync.core.entry import Ref
from nutsync.core.errors import ErrForeignConflict
from nutsync.core.moment import SKEW_MS, Moment
from nutsync.operations.cell import open_cell
from nutsync.operations.edited import forget_edited
from nutsync.operations.forget import ForgetRequest, forget
from nutsync.operations.status import read_status
from nutsync.operations.sync import sync
from nutsync.operations.verify import verify
from tests.support.cells import Desk
from tests.support.clock import FakeClock
from tests.support.faults import killed_at
from tests.support.fleet import NO_WAIT, Fleet, archive, quick
from tests.support.repos import git, is_sound, run_git

ARMED = ("a", "b", "c", "d")
GHOST, PLAIN, HOST = "g", "plain", "host"
"""A clone that leaves entries aside and is never seen again; one never armed; where the remote merges."""
OFFSETS = {"a": 480, "b": 0, "c": -300, "d": 480, GHOST: 0, PLAIN: 480, HOST: 0}
BIRTH = "2026-09-01T08:00:00+08:00"
START = 1_788_240_000_000  # a little later, the first of September 2026
MINUTE = 60_000
HOUR = 60 * MINUTE


def prepare(folder: Path) -> Path:
    """Make the clones that every schedule begins with a copy of."""
    fleet = Fleet(folder, (*ARMED, GHOST), start=BIRTH)
    fleet.sync_all()
    for name in (PLAIN, HOST):
        git(folder, "clone", "-q", str(fleet.remote), name)
    return folder


class World:
    """The clones, their clocks, and what is known to have been said and forgotten."""

    def __init__(self, prepared: Path, folder: Path, skews: dict[str, int]) -> None:
        shutil.copytree(prepared, folder, symlinks=True)
        self.folder = folder
        self.now = START
        self.skews = skews
        self.said: dict[str, str] = {}
        self.by_hand: set[str] = set()
        self.in_plain: set[str] = set()
        self.forgotten: set[str] = set()
        self.buffers: dict[Path, bytes | None] = {}
        self.held: dict[Path, Ref | None] = {}
        self.stale: set[str] = set()
        self.count = 0
        for name in (*ARMED, GHOST, PLAIN, HOST):
            git(folder / name, "remote", "set-url", "origin", str(folder / "remote.git"))

    # --- Clones -----------------------------------------------------------------------------------------

    def desk(self, name: str) -> Desk:
        """Open a clone as a new command does, at its own idea of the time."""
        clock = FakeClock(self._moment(name))
        return Desk(open_cell(self.folder / name, clock=clock, environ={}), clock)

    def _moment(self, name: str) -> Moment:
        return Moment(self.now + self.skews.get(name, 0) * MINUTE, OFFSETS[name])

    def today(self, name: str) -> str:
        return self._moment(name).local_date()

    def git(self, name: str, *words: str) -> subprocess.CompletedProcess[bytes]:
        """Run plain git in a clone, at its own idea of the time; it may fail."""
        when = self._moment(name)
        date = f"{when.millis // 1000} {when.offset // 60:+03d}{abs(when.offset) % 60:02d}"
        env = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, "GIT_EDITOR": "true"}
        return run_git(self.folder / name, *words, env=env, check=False)

    def word(self) -> str:
        self.count += 1
        self.now += 1000
        return f"number {self.count}"

    def is_held(self, name: str) -> bool:
        return any(path.is_relative_to(self.folder / name) for path in self.held)

    # --- By nutsync --------------------------------------------------------------------------------------

    def append(self, name: str) -> None:
        text = self.word()
        (placed,) = self.desk(name).append(text).placed
        self.said[str(placed.ref)] = text

    def sync(self, name: str, attempts: int = 12) -> None:
        """Sync, and where foreign files conflict, merge them by hand as the message says."""
        self.now += 1000
        pace = NO_WAIT if attempts == 12 else quick(attempts)
        try:
            sync(self.desk(name).cell, pace=pace)
        except ErrForeignConflict:
            self._resolve(name)
            sync(self.desk(name).cell, pace=pace)

    def _resolve(self, name: str) -> None:
        """Merge in another folder, by plain Git, what conflicts; edits that are open here are in the way."""
        git(self.folder / HOST, "fetch", "-q", str(self.folder / name), "main:refs/heads/topic", "-f")
        self._merge_in_host("topic", "-X", "theirs")

    def forget(self, name: str, choose: Callable[[list[Ref]], Ref]) -> None:
        """Forget a committed entry of one clone."""
        desk = self.desk(name)
        committed = [
            ref for ref in self._committed(name) if str(ref) in self.said and ref not in self.held.values()
        ]
        if committed:
            ref = choose(committed)
            forget(desk.cell, ForgetRequest(refs=[ref], reason="a test", actor="ana"))
            self.forgotten.add(str(ref))

    def _committed(self, name: str) -> list[Ref]:
        root = self.folder / name
        paths = git(root, "ls-tree", "-r", "--name-only", "HEAD", "--", ARCHIVE_DIR).split("\n")
        days = [(path, path[-13:-3]) for path in paths if path.endswith(".md")]
        return [
            ref
            for path, date in days
            for ref, _ in Day.parse(
                git(root, "cat-file", "-p", f"HEAD:{path}").encode() + b"\n", date
            ).entries()
        ]

    def ghost(self) -> None:
        """Let a clone leave an entry at the remote under its own ref, and never be seen again."""
        if not (self.folder / GHOST).exists():
            return
        self.append(GHOST)
        self.sync(GHOST, attempts=0)
        shutil.rmtree(self.folder / GHOST)

    def killed(self, name: str, step: int, what: str) -> None:
        self.now += 1000
        if what == "sync":
            killed_at(step, lambda: self.sync(name))
            return
        path = self.desk(name).path(self.today(name))
        before = path.stat().st_mtime_ns if path.exists() else None
        killed_at(step, lambda: self.desk(name).append("perhaps"))
        if path.exists() and path.stat().st_mtime_ns != before:
            self._touch(name, path)  # a file that is written now bears the time that it is now

    # --- By hand -----------------------------------------------------------------------------------------

    def write_by_hand(self, name: str) -> None:
        path = self.desk(name).path(self.today(name))
        if path in self.held:
            return
        text = self.word()
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"- {text}\n")
        self._touch(name, path)
        self.by_hand.add(text)

    def _touch(self, name: str, path: Path) -> None:
        seconds = self._moment(name).millis / 1000
        os.utime(path, (seconds, seconds))

    def change_by_hand(self, name: str) -> None:
        """Change what was remembered: an edit that is held, and stays as it is."""
        if self.is_held(name):
            return
        for path in sorted((self.folder / name / ARCHIVE_DIR).rglob("*.md")):
            day = Day.parse(path.read_bytes(), path.stem)
            found = [(r, b) for r, b in day.entries() if str(r) in self.said and str(r) not in self.forgotten]
            if found:
                ref, block = found[0]
                path.write_bytes(
                    path.read_bytes().replace(block.raw, block.raw.replace(b"number", b"NUMBER"))
                )
                self.held[path] = ref
                return

    def open_editor(self, name: str) -> None:
        """Read today's file into an editor."""
        path = self.desk(name).path(self.today(name))
        if path.exists() and path not in self.held:
            self.buffers[path] = path.read_bytes()

    def save_editor(self, name: str) -> None:
        """Save what an editor read some time ago, with a bullet more, over whatever is there now."""
        mine = [path for path in self.buffers if path.is_relative_to(self.folder / name)]
        if not mine or self.is_held(name):
            return
        path = mine[0]
        buffer = self.buffers.pop(path)
        if buffer is None or path.stem != self.today(name):
            return
        text = self.word()
        lost = {t for t in self.by_hand if path.exists() and t.encode() in path.read_bytes()} - {
            t for t in self.by_hand if t.encode() in buffer
        }
        self.by_hand -= lost - self._texts_committed(name, path.stem)  # the person's own editor threw it away
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(buffer + f"- {text}\n".encode())
        self._touch(name, path)
        self.held[path] = None
        self.stale.add(text)

    def _texts_committed(self, name: str, date: str) -> set[str]:
        spec = f"HEAD:{day_path(date)}"
        done = run_git(self.folder / name, "cat-file", "-p", spec, check=False)
        return {block.text for _, block in Day.parse(done.stdout, date).entries()}

    # --- By plain git ------------------------------------------------------------------------------------

    def pull(self, name: str, *, rebase: bool) -> None:
        """Pull by plain git. Where no hook stops it, old commits are merged: rebased they break rule 6."""
        if rebase and not (name == PLAIN and self._has_old_commits(name)):
            self.git(name, "pull", "-q", "--rebase")
        else:
            self.git(name, "pull", "-q", "--no-rebase", "--no-edit")
        self._give_up(name, "rebase")
        self._give_up(name, "merge")
        self.now += 1000

    def _has_old_commits(self, name: str) -> bool:
        """Tell whether a rebase would date anything apart from when it was written (design §7, rule 6)."""
        written = self.git(name, "log", "--format=%at", "@{upstream}..HEAD").stdout.split()
        now = self._moment(name).millis
        return any(abs(now - int(seconds) * 1000) >= SKEW_MS for seconds in written)

    def _give_up(self, name: str, what: str) -> None:
        """Give up what did not come to its end, as Git says."""
        folder = self.folder / name / ".git"
        if what == "merge" and (folder / "MERGE_HEAD").exists():
            git(self.folder / name, "merge", "--abort")
        if what == "rebase" and ((folder / "rebase-merge").exists() or (folder / "rebase-apply").exists()):
            git(self.folder / name, "rebase", "--abort")

    def commit_plainly(self, name: str) -> None:
        """Commit what a hand wrote by plain git; hooks may refuse that."""
        self.git(name, "add", "-A", "--", ARCHIVE_DIR)
        self.git(name, "commit", "-qm", "notes")
        self.git(name, "reset", "-q")

    def write_foreign(self, name: str, *, shared: bool) -> None:
        """Commit a file beside the cell, one that all write or one's own."""
        path = self.folder / name / ("shared.txt" if shared else f"{name}.txt")
        path.write_text(f"{self.word()}\n")
        self.git(name, "add", path.name)
        self.git(name, "commit", "-qm", "foreign", "--", path.name)

    # --- Where nutsync never was --------------------------------------------------------------------------

    def write_in_plain(self) -> None:
        text, date = self.word(), self.today(PLAIN)
        path = self.folder / PLAIN / day_path(date)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"---\ndate: {date}\nindex: 'By hand'\n---\n## {date}\n")
        with path.open("a") as file:
            file.write(f"- {text}\n")
        self.git(PLAIN, "add", "-A")
        if self.git(PLAIN, "commit", "-qm", "notes").returncode == 0:
            self.in_plain.add(text)

    def push_plain(self) -> None:
        if self.git(PLAIN, "push", "-q", "origin", "HEAD:main").returncode == 0:
            self._sent_plain()

    def _sent_plain(self) -> None:
        self.by_hand |= self.in_plain
        self.in_plain = set()

    def merge_at_remote(self) -> None:
        """Let the remote merge what the plain clone has, by Git's own union."""
        git(self.folder / HOST, "fetch", "-q", str(self.folder / PLAIN), "main:refs/heads/topic", "-f")
        if self._merge_in_host("topic"):
            self._sent_plain()

    def _merge_in_host(self, branch: str, *how: str) -> bool:
        """Merge a branch into the remote's as somebody does who never heard of nutsync."""
        git(self.folder / HOST, "fetch", "-q", "origin", "main")
        git(self.folder / HOST, "reset", "-q", "--hard", "FETCH_HEAD")
        if self.git(HOST, "merge", "-q", "--no-edit", *how, branch).returncode:
            self.git(HOST, "add", "-A")  # a day changed here and gone there: it stays
            self.git(HOST, "commit", "-q", "--no-edit")
        return self.git(HOST, "push", "-q", "origin", "HEAD:main").returncode == 0

    # --- What must hold -----------------------------------------------------------------------------------

    def check(self) -> None:
        """Check that all is one, that nothing is lost and that nothing forgotten is back."""
        self.now += HOUR
        self._sync_all()
        self._check_held()
        self._take_over()
        self._sync_all()
        archives = {name: archive(self.folder / name) for name in ARMED}
        for name in ARMED[1:]:
            assert archives[name] == archives[ARMED[0]], read_status(self.desk(name).cell).as_json()["held"]
        self._check_entries(archives[ARMED[0]])
        for name in ARMED:
            assert git(self.folder / name, "status", "--porcelain", "--", ARCHIVE_DIR) == ""
            assert is_sound(self.folder / name)
            report = verify(self.desk(name).cell)
            assert report.ok, report.found

    def _sync_all(self) -> None:
        for _ in range(3):
            for name in ARMED:
                self.sync(name)
        trees = {git(self.folder / name, "ls-tree", "-r", "HEAD", "--", ARCHIVE_DIR) for name in ARMED}
        assert len(trees) == 1, "the committed archives are one"

    def _check_held(self) -> None:
        """Check that what a person changed is as they left it."""
        for path, ref in self.held.items():
            if ref is not None and str(ref) not in self.forgotten:  # what was forgotten goes from open edits
                assert b"NUMBER" in path.read_bytes(), path

    def _take_over(self) -> None:
        """Take over all that is held, as its owners do at last."""
        for name in ARMED:
            self.now += MINUTE
            forget_edited(self.desk(name).cell, "a test", "ana")
        for ref in self.held.values():
            if ref is not None and str(ref) not in self.forgotten:
                self.stale.add(self.said[str(ref)].upper())
                self.forgotten.add(str(ref))

    def _check_entries(self, files: dict[str, bytes]) -> None:
        days = [Day.parse(content, file[:-3]) for file, content in files.items()]
        blocks = {str(ref): block.text for day in days for ref, block in day.entries()}
        for ref, text in self.said.items():
            if ref not in self.forgotten:
                assert blocks.get(ref) == text, ref
        assert not self.forgotten & blocks.keys()
        texts = list(blocks.values())
        for text in self.by_hand | self.stale:
            assert texts.count(text) == 1, text
