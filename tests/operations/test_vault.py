"""A cell in a vault of 10,000 files, in the middle of its owner's work: nutsync touches only its own."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from nutsync.core.cell import CELL_DIR
from nutsync.core.errors import ErrForeignConflict
from nutsync.operations.cell import open_cell
from nutsync.operations.correct import correct
from nutsync.operations.forget import ForgetRequest, forget
from nutsync.operations.founding import Founding, clone
from nutsync.operations.status import read_status
from nutsync.operations.sync import sync
from tests.support.cells import Desk, make_desk
from tests.support.clock import FakeClock
from tests.support.fleet import NO_WAIT
from tests.support.repos import commit_files, git, head, make_remote, run_git
from tests.support.vault import changed_paths, get_to_work, make_vault, snapshot

TODAY = "2026-11-30"
MORNING = f"{TODAY}T09:00:00+08:00"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault with a cell, its remote, and a second device that has remembered something since."""
    folder = tmp_path_factory.mktemp("vault")
    remote = make_remote(folder / "remote.git")
    make_vault(folder / "desk", folder / "library")
    shutil.copytree(folder / "desk", folder / "plain", symlinks=True)
    desk = make_desk(folder / "desk", MORNING, remote=str(remote))
    desk.append("common ground", "to be forgotten")
    sync(desk.cell, pace=NO_WAIT)
    clock = FakeClock(MORNING)
    lap = Desk(
        clone(str(remote), folder / "lap", Founding("ana", "lap"), clock=clock, environ={}).cell, clock
    )
    sync(lap.cell, pace=NO_WAIT)
    sync(desk.cell, pace=NO_WAIT)
    return folder


class Vault:
    """A copy of the prepared vault with its owner at work in it."""

    def __init__(self, prepared: Path, folder: Path) -> None:
        shutil.copytree(prepared, folder, symlinks=True, ignore=shutil.ignore_patterns("plain"))
        self.folder = folder
        for name in ("desk", "lap"):
            git(folder / name, "remote", "set-url", "origin", str(folder / "remote.git"))
            git(folder / name, "update-index", "-q", "--refresh")
        get_to_work(folder / "desk")
        self.start = head(folder / "desk")
        self.before = snapshot(folder / "desk")

    def open(self, name: str = "desk") -> Desk:
        clock = FakeClock(f"{TODAY}T09:01:00+08:00")
        return Desk(open_cell(self.folder / name, clock=clock, environ={}), clock)

    def sync(self, name: str = "desk") -> str:
        return sync(self.open(name).cell, pace=NO_WAIT).result

    def require_untouched(self) -> None:
        """Check that the owner's index and files are what they were, and that only ours was committed."""
        after = snapshot(self.folder / "desk")
        for what, value in self.before.items():
            assert after[what] == value, what
        changed = changed_paths(self.folder / "desk", self.start)
        assert changed, "something was committed"
        assert {path for path in changed if not path.startswith(f"{CELL_DIR}/")} == set()


@pytest.fixture
def vault(prepared: Path, tmp_path: Path) -> Vault:
    return Vault(prepared, tmp_path / "vault")


def append(vault: Vault) -> None:
    vault.open().append("one more")
    assert vault.open().texts(TODAY)[-1] == "one more"


def append_beside_a_draft(vault: Vault) -> None:
    """A file of the cell itself is being written by hand while an agent appends."""
    with vault.open().path(TODAY).open("a") as file:
        file.write("- by hand\n")
    vault.open().append("one more")
    assert vault.open().texts(TODAY)[-2:] == ["by hand", "one more"]


def correct_one(vault: Vault) -> None:
    desk = vault.open()
    correct(desk.cell, desk.day(TODAY).entries()[0][0], "uncommon ground")


def forget_one(vault: Vault) -> None:
    desk = vault.open()
    ref = desk.day(TODAY).entries()[1][0]
    forget(desk.cell, ForgetRequest(refs=(ref,), reason="asked for", actor="ana"))
    assert desk.texts(TODAY) == ["common ground"]


def sync_both_changed(vault: Vault) -> None:
    lap = vault.open("lap")
    lap.append("from the lap")
    vault.sync("lap")
    vault.open().append("from the desk")
    assert vault.sync() == "merged"
    assert {"from the lap", "from the desk"} <= set(vault.open().texts(TODAY))


def sync_only_theirs(vault: Vault) -> None:
    vault.open("lap").append("from the lap")
    vault.sync("lap")
    assert vault.sync() == "fast-forwarded"


@pytest.mark.parametrize(
    "action",
    [
        append,
        forget_one,
        sync_both_changed,
        *(pytest.param(one, marks=pytest.mark.long) for one in (append_beside_a_draft, correct_one)),
        pytest.param(sync_only_theirs, marks=pytest.mark.long),
    ],
    ids=lambda action: action.__name__,
)
def test_index_and_files_of_the_owner_stay_as_they_were_byte_for_byte(
    vault: Vault, action: Callable[[Vault], None]
) -> None:
    action(vault)
    vault.require_untouched()
    assert read_status(vault.open().cell).held == ()
    vault.require_untouched()


def test_what_the_other_device_changed_outside_the_cell_comes_along_and_the_rest_stays(vault: Vault) -> None:
    """A foreign file that is clean here follows; all the owner's open work is where it was."""
    vault.open("lap").append("from the lap")
    commit_files(vault.folder / "lap", {"notes/050/000.md": "changed on the lap\n"}, when=MORNING)
    vault.sync("lap")
    vault.open().append("from the desk")
    assert vault.sync() == "merged"
    after = snapshot(vault.folder / "desk")
    files, before = after["files"], vault.before["files"]
    assert isinstance(files, dict) and isinstance(before, dict)
    assert {path for path in files.keys() | before.keys() if files.get(path) != before.get(path)} == {
        "notes/050/000.md"
    }
    assert files["notes/050/000.md"][2] == b"changed on the lap\n"
    assert after["status"] == vault.before["status"]
    assert after["flags"] == vault.before["flags"]


def test_a_foreign_file_in_the_way_stops_the_merge_and_changes_nothing(vault: Vault) -> None:
    commit_files(vault.folder / "lap", {"notes/001/001.md": "changed on the lap\n"}, when=MORNING)
    vault.open("lap").append("from the lap")
    vault.sync("lap")
    vault.open().append("from the desk")
    with pytest.raises(ErrForeignConflict, match=r"notes/001/001\.md"):
        vault.sync()
    vault.require_untouched()
    device = run_git(vault.folder / "remote.git", "rev-parse", "refs/nutsync/devices/desk").stdout.decode()
    assert device.strip() == head(vault.folder / "desk"), "the entries have left this machine all the same"


@pytest.mark.long
def test_a_cone_of_sparse_checkout_with_a_sparse_index_stays_one(prepared: Path, tmp_path: Path) -> None:
    vault = Vault(prepared, tmp_path / "vault")
    desk = vault.folder / "desk"
    for name in ("clean", "smudge"):
        git(desk, "config", f"filter.lfs.{name}", "cat")
    git(desk, "sparse-checkout", "disable")
    git(desk, "reset", "-q", "--hard")
    git(desk, "sparse-checkout", "set", "--cone", "--sparse-index", "notes/001", ".agents")
    vault.before = snapshot(desk)
    sync_both_changed(vault)
    vault.require_untouched()
    assert not (desk / "notes" / "050").exists()


def test_a_cell_is_born_in_the_middle_of_work_without_touching_it(prepared: Path, tmp_path: Path) -> None:
    """Only `.gitattributes` gets a line, on top of what is committed of it and of what is being written."""
    root = tmp_path / "desk"
    shutil.copytree(prepared / "plain", root, symlinks=True)
    git(root, "update-index", "-q", "--refresh")
    get_to_work(root)
    with (root / ".gitattributes").open("a") as file:
        file.write("*.draft -text\n")
    before, start = snapshot(root), head(root)
    make_desk(root, MORNING)
    after = snapshot(root)
    outside = {path for path in changed_paths(root, start) if not path.startswith(f"{CELL_DIR}/")}
    assert outside == {".gitattributes"}
    assert "*.draft" not in git(root, "show", "HEAD:.gitattributes")
    assert "*.draft -text\n" in (root / ".gitattributes").read_text()
    for one in (before, after):
        files, index = one["files"], one["index"]
        assert isinstance(files, dict) and isinstance(index, list)
        del files[".gitattributes"]
        one["index"] = [entry for entry in index if "\t.gitattributes" not in entry]
    assert after["index"] == before["index"]
    assert after["files"] == before["files"]
    assert after["flags"] == before["flags"]
