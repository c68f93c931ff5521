"""Making a cell and joining one: every device signs the commit that brings it."""

from __future__ import annotations

from pathlib import Path

from nutsync.core.cell import device_path
from nutsync.operations.founding import Founding, clone, init
from nutsync.store.repo.git import Git
from nutsync.store.repo.keys import Verdict, check_signature
from nutsync.store.repo.objects import Objects
from tests.support.clock import FakeClock


def signature_of_head(root: Path) -> tuple[Verdict, str | None]:
    with Objects(Git.discover(root)) as objects:
        commit = objects.commit("HEAD")
    assert commit.signature is not None
    checked = check_signature(commit.signature, commit.payload)
    return checked.verdict, checked.key


def test_the_birth_is_signed_by_the_device_that_it_enrols(tmp_path: Path, clock: FakeClock) -> None:
    founded = init(tmp_path / "desk", Founding(actor="ana", device="desk"), clock=clock, environ={})
    verdict, key = signature_of_head(founded.cell.git.root)
    assert verdict is Verdict.GOOD
    assert key in (founded.cell.git.root / device_path("desk")).read_text()


def test_a_second_device_joins_with_a_commit_that_its_own_key_signed(
    tmp_path: Path, remote: Path, clock: FakeClock
) -> None:
    desk = init(
        tmp_path / "desk", Founding(actor="ana", device="desk", remote=str(remote)), clock=clock, environ={}
    )
    desk.cell.git.run("push", "--no-verify", "origin", "HEAD:main")
    lap = clone(str(remote), tmp_path / "lap", Founding(actor="ben", device="lap"), clock=clock, environ={})
    verdict, key = signature_of_head(lap.cell.git.root)
    assert verdict is Verdict.GOOD
    assert key in (lap.cell.git.root / device_path("lap")).read_text()
    assert (lap.cell.git.root / device_path("desk")).exists()
