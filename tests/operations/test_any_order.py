"""Three devices in three zones, and everything that may happen to them, in any order.

Afterwards every device holds the same archive byte for byte, everything reported as remembered is there,
and nothing forgotten came back.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from nutsync.core.cell import ARCHIVE_DIR
from nutsync.core.day import Day
from nutsync.core.entry import Ref
from nutsync.core.moment import Moment
from nutsync.operations.cell import open_cell
from nutsync.operations.forget import ForgetRequest, forget
from nutsync.operations.status import read_status
from nutsync.operations.sync import sync
from tests.support.cells import Desk
from tests.support.clock import FakeClock
from tests.support.faults import killed_at
from tests.support.fleet import NO_WAIT, Fleet, archive
from tests.support.repos import git, is_sound

DEVICES = ("a", "b", "c")
OFFSETS = {"a": 480, "b": 0, "c": -300}
START = 1_796_000_000_000  # 2026-11-30, late in the morning in Shanghai
MINUTE = 60_000
HOUR = 60 * MINUTE

devices = st.sampled_from(DEVICES)


class World(RuleBasedStateMachine):
    """The devices, their clocks, and what is known to have been said and forgotten."""

    prepared: Path

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="any-order-"))
        self.now = START
        self.said: dict[str, str] = {}
        self.by_hand: set[str] = set()
        self.forgotten: set[str] = set()
        self.spoiled: dict[Path, Ref] = {}
        self.count = 0

    @initialize(skews=st.tuples(*(st.integers(-5, 5) for _ in DEVICES)))
    def begin(self, skews: tuple[int, ...]) -> None:
        shutil.rmtree(self.folder)
        shutil.copytree(self.prepared, self.folder, symlinks=True)
        self.skews = {name: skew * MINUTE for name, skew in zip(DEVICES, skews, strict=True)}
        for name in DEVICES:
            git(self.folder / name, "remote", "set-url", "origin", str(self.folder / "remote.git"))

    # --- Devices ----------------------------------------------------------------------------------------

    def desk(self, name: str) -> Desk:
        """Open a device as a new command does, at its own idea of the time."""
        clock = FakeClock(Moment(self.now + self.skews[name], OFFSETS[name]))
        return Desk(open_cell(self.folder / name, clock=clock, environ={}), clock)

    def sync(self, name: str) -> None:
        sync(self.desk(name).cell, pace=NO_WAIT)

    def word(self) -> str:
        self.count += 1
        self.now += 1000
        return f"number {self.count}"

    # --- What may happen ----------------------------------------------------------------------------------

    @rule(name=devices)
    def append(self, name: str) -> None:
        text = self.word()
        (placed,) = self.desk(name).append(text).placed
        self.said[str(placed.ref)] = text

    @rule(name=devices)
    def synced(self, name: str) -> None:
        self.now += 1000
        self.sync(name)

    @rule(name=devices)
    def write_by_hand(self, name: str) -> None:
        desk, text = self.desk(name), self.word()
        path = desk.path(desk.clock.moment.local_date())
        if path in self.spoiled:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"- {text}\n")
        self._touch(name, path)
        self.by_hand.add(text)

    def _touch(self, name: str, path: Path) -> None:
        seconds = self.desk(name).clock.moment.millis / 1000
        os.utime(path, (seconds, seconds))

    @rule(hours=st.sampled_from([1, 9, 15, 24]))
    def time_passes(self, hours: int) -> None:
        self.now += hours * HOUR

    @precondition(lambda self: self.said)
    @rule(name=devices, data=st.data())
    def forget_one(self, name: str, data: st.DataObject) -> None:
        desk = self.desk(name)
        here = {
            path.stem: path for path in (desk.root / ARCHIVE_DIR).rglob("*.md") if path not in self.spoiled
        }
        refs = [
            ref
            for date, path in sorted(here.items())
            for ref, _ in Day.parse(path.read_bytes(), date).entries()
            if str(ref) in self.said
        ]
        committed = [ref for ref in refs if self._is_committed(name, ref)]
        if committed:
            ref = data.draw(st.sampled_from(committed))
            forget(desk.cell, ForgetRequest(refs=[ref], reason="a test", actor="ana"))
            self.forgotten.add(str(ref))

    def _is_committed(self, name: str, ref: Ref) -> bool:
        path = f"{ARCHIVE_DIR}/{ref.date[:4]}/{ref.date}.md"
        tree = git(self.folder / name, "ls-tree", "-r", "--name-only", "HEAD", "--", path)
        return bool(tree) and f"id={ref.id}" in git(self.folder / name, "cat-file", "-p", f"HEAD:{path}")

    @rule(name=devices, step=st.integers(1, 160), what=st.sampled_from(["sync", "append"]))
    def killed(self, name: str, step: int, what: str) -> None:
        self.now += 1000
        if what == "sync":
            killed_at(step, lambda: self.sync(name))
            return
        path = self.desk(name).path(self.desk(name).clock.moment.local_date())
        before = path.stat().st_mtime_ns if path.exists() else None
        killed_at(step, lambda: self.desk(name).append("perhaps"))
        if path.exists() and path.stat().st_mtime_ns != before:
            self._touch(name, path)  # a file that is written now bears the time that it is now

    @rule(name=devices)
    def spoil_by_hand(self, name: str) -> None:
        """Change what was remembered: an edit that is held, and stays as it is."""
        files = sorted((self.folder / name / ARCHIVE_DIR).rglob("*.md"))
        clean = [p for p in files if p not in self.spoiled and b"- number" in p.read_bytes()]
        if clean and not any(path.is_relative_to(self.folder / name) for path in self.spoiled):
            path = clean[0]
            day = Day.parse(path.read_bytes(), path.stem)
            ref, block = next((r, b) for r, b in day.entries() if b.text.startswith("number"))
            path.write_bytes(path.read_bytes().replace(block.raw, block.raw.replace(b"number", b"NUMBER")))
            self.spoiled[path] = ref

    # --- What must hold -----------------------------------------------------------------------------------

    def teardown(self) -> None:
        try:
            if hasattr(self, "skews"):
                self.check()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def check(self) -> None:
        self.now += HOUR
        for _ in range(3):
            for name in DEVICES:
                self.sync(name)
        trees = {git(self.folder / name, "ls-tree", "-r", "HEAD", "--", ARCHIVE_DIR) for name in DEVICES}
        assert len(trees) == 1, "the committed archives are one"
        for path, ref in self.spoiled.items():
            if str(ref) not in self.forgotten:  # what was forgotten goes from open edits too
                assert b"NUMBER" in path.read_bytes(), path
        held = {path.relative_to(self.folder).parts[0] for path in self.spoiled}
        clean = [name for name in DEVICES if name not in held]
        archives = [archive(self.folder / name) for name in clean]
        for one in archives[1:]:
            assert one == archives[0], [read_status(self.desk(name).cell).as_json()["held"] for name in clean]
        if clean:
            self._check_entries(clean[0], archives[0])

    def _check_entries(self, name: str, files: dict[str, bytes]) -> None:
        days = [Day.parse(content, file[:-3]) for file, content in files.items()]
        blocks = {str(ref): block.text for day in days for ref, block in day.entries()}
        for ref, text in self.said.items():
            if ref not in self.forgotten:
                assert blocks.get(ref) == text, ref
        assert not self.forgotten & blocks.keys()
        texts = list(blocks.values())
        for text in self.by_hand:
            if not self.spoiled:
                assert texts.count(text) == 1, text
        assert git(self.folder / name, "status", "--porcelain") == ""
        assert is_sound(self.folder / name)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("devices")
    Fleet(folder, DEVICES, start="2026-11-30T08:00:00+08:00").sync_all()
    return folder


def _run(prepared: Path, examples: int, steps: int) -> None:
    World.prepared = prepared
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        World,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.explicit, Phase.reuse, Phase.generate),  # shrinking such schedules takes hours
            derandomize=False,
        ),
    )


def test_a_few_schedules_in_any_order(prepared: Path) -> None:
    _run(prepared, 4, 8)


@pytest.mark.long
def test_many_schedules_in_any_order(prepared: Path) -> None:
    _run(prepared, 60, 25)
