"""Any command may be killed, or be failed by the system, at any step: the next one puts everything right.

What was reported as remembered is there, once; what was not is there whole or not at all; nothing is left
lying about. (What a sync does then stands in :mod:`tests.operations.test_sync_faults`.)
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from nutsync.core.entry import Ref
from nutsync.core.errors import NutsyncError
from nutsync.operations.arming import arm
from nutsync.operations.cell import open_cell
from nutsync.operations.correct import correct
from nutsync.operations.forget import ForgetRequest, forget
from nutsync.operations.sync import sync
from nutsync.operations.verify import verify
from tests.support.cells import Desk
from tests.support.clock import FakeClock
from tests.support.faults import arm_with_faults, count_steps, failed_at, hook_fault, killed_at
from tests.support.fleet import NO_WAIT, Fleet
from tests.support.repos import git, is_sound

MONDAY, TUESDAY = "2026-11-30", "2026-12-01"
NOON = f"{TUESDAY}T00:30:00+14:00"
"""Of the day that is today for the tests; no clock on earth that runs them is behind it."""
OLD = "Lanterns are lit at dusk"
KEPT = ["Tea is served at four", "Kites fly over the harbour"]
NEW = "Bicycles have two wheels"
BY_HAND = "Umbrellas are by the door"


class Scene:
    """A device with two days, one entry open by hand, and a remote, all copied to be spoiled."""

    def __init__(self, prepared: Path, folder: Path) -> None:
        shutil.copytree(prepared, folder, symlinks=True)
        self.root, self.folder = folder / "desk", folder
        git(self.root, "remote", "set-url", "origin", str(folder / "remote.git"))
        git(self.root, "update-index", "-q", "--refresh")
        arm(self.desk().cell.git)
        self.old = next(str(ref) for ref, block in self.desk().day(MONDAY).entries() if block.text == OLD)

    def desk(self) -> Desk:
        """Open the device as a new command does."""
        clock = FakeClock(NOON)
        return Desk(open_cell(self.root, clock=clock, environ={}), clock)

    def texts(self) -> list[str]:
        desk = self.desk()
        days = [date for date in (MONDAY, TUESDAY) if desk.path(date).exists()]
        return [text for date in days for text in desk.texts(date)]

    # --- What is done, and may be cut short -------------------------------------------------------------

    def append(self) -> None:
        self.desk().append(NEW)

    def correct(self) -> None:
        correct(self.desk().cell, Ref.parse(self.old), NEW)

    def forget(self) -> None:
        request = ForgetRequest(refs=[Ref.parse(self.old)], reason="a test", actor="ana")
        forget(self.desk().cell, request)

    def replace(self) -> None:
        request = ForgetRequest(
            refs=[Ref.parse(self.old)], reason="a test", actor="ana", replacement="Something else"
        )
        forget(self.desk().cell, request)


Action = Callable[[Scene], None]
ACTIONS: dict[str, Action] = {
    "append": Scene.append,
    "correct": Scene.correct,
    "forget": Scene.forget,
    "replace": Scene.replace,
}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    fleet = Fleet(folder, ["desk"], start=f"{MONDAY}T09:00:00+14:00")
    desk = fleet["desk"]
    desk.append(OLD, KEPT[0])
    desk.clock.set(f"{TUESDAY}T00:10:00+14:00")
    desk.append(KEPT[1])
    fleet.sync("desk")
    with desk.path(TUESDAY).open("a") as file:
        file.write(f"- {BY_HAND}\n")
    return folder


def require_whole(scene: Scene, what: str, *, done: bool | None) -> None:
    """Check that the next command works and that nothing is lost, doubled, damaged or left over.

    ``done`` says whether the action was reported as done (None: nobody knows).
    """
    scene.desk().append("afterwards")
    expected = [*KEPT, BY_HAND, "afterwards"]
    found = scene.texts()
    fresh = [NEW] if what in ("append", "correct") else []
    gone = [OLD] if what in ("forget", "replace") else []
    if what == "replace":
        fresh = ["Something else"]
    was_done = (fresh or gone) and all(text in found for text in fresh) and not any(t in found for t in gone)
    if done is not None:
        assert was_done or not done, "what was reported as done is done"
    expected += [*fresh] if was_done else [OLD]
    if was_done and not gone:
        expected.append(OLD)
    assert sorted(found) == sorted(expected)
    sync(scene.desk().cell, pace=NO_WAIT)
    require_clean(scene)


def require_clean(scene: Scene) -> None:
    """Check that the history is legal, worktree and index are clean, and no file of ours is left over."""
    report = verify(scene.desk().cell)
    assert report.ok, report.found
    assert git(scene.root, "status", "--porcelain") == ""
    assert is_sound(scene.root)
    committed = git(scene.root, "log", "--all", "--format=", "--name-only").split("\n")
    assert [name for name in committed if "tmp" in name or ".merge_file" in name] == []
    assert leftovers(scene.root) == []
    assert leftovers(scene.folder / "remote.git") == []


def leftovers(root: Path) -> list[str]:
    return [
        str(path)
        for path in root.rglob("*")
        if ".nutsync-tmp" in path.name or path.name.endswith(".lock") or path.name.startswith(".merge_file_")
    ]


def _killed(prepared: Path, folder: Path, what: str, steps: Iterator[int]) -> int:
    for step in steps:
        scene = Scene(prepared, folder / f"killed-{step}")
        killed = killed_at(step, lambda: ACTIONS[what](scene))  # noqa: B023 (called at once)
        require_whole(scene, what, done=None if killed else True)
        shutil.rmtree(scene.folder)
        if not killed:
            return step
    return 0


def _failed(prepared: Path, folder: Path, what: str, steps: Iterator[int]) -> int:
    most = count_steps(lambda: ACTIONS[what](Scene(prepared, folder / "counted")))
    for step in steps:
        if step > most:
            return step
        scene = Scene(prepared, folder / f"failed-{step}")
        failure = failed_at(step, lambda: ACTIONS[what](scene))  # noqa: B023 (called at once)
        assert failure is None or isinstance(failure, NutsyncError), f"step {step}: {failure!r}"
        require_whole(scene, what, done=failure is None or None)
        shutil.rmtree(scene.folder)
    return 0


def every(first: int = 1, by: int = 1) -> Iterator[int]:
    return iter(range(first, 1000, by))


@pytest.mark.parametrize("what", ["append", "forget"])
def test_a_command_that_is_cut_short_at_some_steps_leaves_nothing_to_clear_up(
    prepared: Path, tmp_path: Path, what: str
) -> None:
    assert _killed(prepared, tmp_path, what, every(3, 13)) > 16
    assert _failed(prepared, tmp_path, what, every(7, 13)) > 20


@pytest.mark.long
@pytest.mark.parametrize("what", ACTIONS)
def test_a_command_that_is_killed_at_any_step_is_completed_by_the_next(
    prepared: Path, tmp_path: Path, what: str
) -> None:
    assert _killed(prepared, tmp_path, what, every()) > 10


@pytest.mark.long
@pytest.mark.parametrize("what", ACTIONS)
def test_a_command_that_the_system_fails_at_any_step_says_so_by_name(
    prepared: Path, tmp_path: Path, what: str
) -> None:
    assert _failed(prepared, tmp_path, what, every()) > 10


# --- Hooks ----------------------------------------------------------------------------------------------


def _commit(scene: Scene, fault: str, step: int) -> tuple[bool, int]:
    """Commit by plain git what a hand wrote; return whether Git said that it did, and the hooks' steps."""
    counter = scene.folder / "counter"
    dates = {"GIT_AUTHOR_DATE": NOON, "GIT_COMMITTER_DATE": NOON}
    env = {**os.environ, **dates, **hook_fault(counter, fault, step)}
    git(scene.root, "add", "-A")
    done = subprocess.run(
        ["git", "commit", "-qm", "by hand"],
        cwd=scene.root,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        start_new_session=True,
        check=False,
    )
    return done.returncode == 0, int(counter.read_text())


def _hooks(prepared: Path, folder: Path, fault: str, steps: Iterator[int]) -> int:
    for step in steps:
        scene = Scene(prepared, folder / f"{fault}-{step}")
        arm_with_faults(scene.root / ".git/nutsync/hooks/run.sh", scene.folder)
        done, steps_made = _commit(scene, fault, step)
        committed = BY_HAND in git(
            scene.root, "show", f"HEAD:{scene.desk().path(TUESDAY).relative_to(scene.root)}"
        )
        assert committed or not done
        arm(scene.desk().cell.git)
        require_whole(scene, "hook", done=None)
        shutil.rmtree(scene.folder)
        if steps_made < step:
            return step
    return 0


def test_a_hook_that_is_cut_short_at_some_steps_leaves_nothing_to_clear_up(
    prepared: Path, tmp_path: Path
) -> None:
    for fault in ("fail", "kill", "kill-all"):
        assert _hooks(prepared, tmp_path, fault, every(4, 11)) > 4


@pytest.mark.long
@pytest.mark.parametrize("fault", ["fail", "kill", "kill-all"])
def test_a_hook_that_is_cut_short_at_any_step_leaves_nothing_to_clear_up(
    prepared: Path, tmp_path: Path, fault: str
) -> None:
    assert _hooks(prepared, tmp_path, fault, every()) > 4
