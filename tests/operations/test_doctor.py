"""`doctor` names what is wrong with a clone, and mends what needs no question."""

from __future__ import annotations

from pathlib import Path

from nutsync.operations.arming import disarm
from nutsync.operations.doctor import examine
from tests.support.cells import make_desk
from tests.support.repos import git


def test_a_sound_clone_has_nothing_wrong(tmp_path: Path) -> None:
    assert examine(make_desk(tmp_path / "cell").cell) == []


def test_a_disarmed_clone_and_one_without_its_merge_driver_are_named_and_mended(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "cell")
    disarm(desk.cell.git)
    assert {"hooks-missing", "driver-missing"} <= {problem.code for problem in examine(desk.cell)}
    assert examine(desk.cell, fix=True) == []
    desk.cell.git.set_config("merge.union.driver", "/nowhere/nutsync %A")
    assert [problem.code for problem in examine(desk.cell)] == ["driver-fails"]


def test_an_unfit_repository_is_named(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "cell")
    git(desk.root, "checkout", "-q", "--detach")
    assert [problem.code for problem in examine(desk.cell)] == ["ErrDetachedHead"]
