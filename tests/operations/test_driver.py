"""Plain Git merges day files by entry, through the driver, and falls back to its own union."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from nutsync.core.cell import day_path
from nutsync.core.day import Day
from nutsync.operations.driver import merge_files, run_driver
from tests.support.fleet import Fleet, same
from tests.support.repos import commit_files, git, run_git, write

TODAY = "2026-11-30"
IDENTITY = ("-c", "user.name=ana", "-c", "user.email=a@b.invalid")
DATES = {"GIT_AUTHOR_DATE": f"{TODAY}T09:05:00+08:00", "GIT_COMMITTER_DATE": f"{TODAY}T09:05:00+08:00"}


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    fleet = Fleet(tmp_path)
    fleet["desk"].append("common ground")
    fleet.sync_all()
    return fleet


def _arm(root: Path) -> None:
    """Let Git call this very program as the driver."""
    here = Path(__file__).parents[2]
    command = f"PYTHONPATH={here} {sys.executable} -m nutsync merge-driver %O %A %B %P"
    git(root, "config", "merge.union.driver", f"{command} || git merge-file --union %A %O %B")


def test_git_pull_merges_by_entry_and_sync_finds_nothing_to_repair(fleet: Fleet) -> None:
    fleet["desk"].append("from the desk")
    fleet["lap"].clock.advance(seconds=5)
    fleet["lap"].append("from the lap")
    fleet.sync("desk")
    lap = fleet["lap"].root
    _arm(lap)
    git(lap, *IDENTITY, "pull", "-q", "--no-rebase", env=DATES)
    assert fleet["lap"].texts(TODAY) == ["common ground", "from the desk", "from the lap"]
    assert fleet["lap"].day(TODAY).front.canonical
    fleet.sync("lap")
    fleet.sync("desk")
    assert same(fleet.archives())


def test_both_sides_of_a_driver_merge_give_the_same_bytes(fleet: Fleet) -> None:
    base = fleet["desk"].path(TODAY).read_bytes()
    fleet["desk"].append("from the desk")
    fleet["lap"].append("from the lap")
    ours, theirs = (fleet[name].path(TODAY).read_bytes() for name in ("desk", "lap"))
    merged = merge_files(TODAY, base, ours, theirs)
    assert merged == merge_files(TODAY, base, theirs, ours)
    assert merged is not None and len(Day.parse(merged, TODAY).blocks) == 3


def test_what_one_side_forgot_does_not_come_back_beside_an_append(fleet: Fleet) -> None:
    base = fleet["desk"].path(TODAY).read_bytes()
    fleet["lap"].append("from the lap")
    day = Day.parse(base, TODAY)
    forgot = day.without(day.blocks).with_index("").render()
    merged = merge_files(TODAY, base, forgot, fleet["lap"].path(TODAY).read_bytes())
    assert merged is not None
    assert [block.text for block in Day.parse(merged, TODAY).blocks] == ["from the lap"]
    assert b"common ground" not in merged


def test_unstamped_words_that_one_side_removed_stay_removed() -> None:
    base, ours, theirs = b"- a\n- a\n- b\n", b"- a\n- b\n", b"- a\n- a\n- b\n- c\n"
    assert merge_files(TODAY, base, ours, theirs) == b"- a\n- b\n- c\n"


def test_what_is_no_day_file_goes_to_gits_own_union(fleet: Fleet, tmp_path: Path) -> None:
    """Other files of the repository may use the union driver too."""
    root = fleet["desk"].root
    _arm(root)
    commit_files(root, {".gitattributes": "*.log merge=union\n", "a.log": "one\n"})
    git(root, "checkout", "-q", "-b", "side")
    commit_files(root, {"a.log": "one\nside\n"})
    git(root, "checkout", "-q", "main")
    commit_files(root, {"a.log": "one\nmain\n"})
    git(root, "merge", "-q", "-m", "join", "side")
    assert (root / "a.log").read_text() == "one\nmain\nside\n"


@pytest.mark.parametrize(
    ("path", "ours"),
    [
        ("notes.txt", b"- a\n"),
        (day_path(TODAY), b"<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> x\n"),
        (day_path(TODAY), b"---\ndate: 2020-01-01\nindex: ''\n---\n- a\n"),
    ],
)
def test_the_driver_leaves_alone_what_it_cannot_merge(tmp_path: Path, path: str, ours: bytes) -> None:
    files = [
        str(write(tmp_path, name, content)) for name, content in (("o", b""), ("a", ours), ("b", b"- c\n"))
    ]
    assert run_driver([*files, path]) != 0
    assert (tmp_path / "a").read_bytes() == ours


def test_a_driver_that_cannot_start_falls_back_to_union(fleet: Fleet) -> None:
    fleet["desk"].append("from the desk")
    fleet["lap"].append("from the lap")
    fleet.sync("desk")
    lap = fleet["lap"].root
    git(lap, "config", "merge.union.driver", "/nowhere/nutsync %O || git merge-file --union %A %O %B")
    assert run_git(lap, *IDENTITY, "pull", "-q", "--no-rebase", env=DATES, check=False).returncode == 0
    assert "from the desk" in fleet["lap"].path(TODAY).read_text()
    assert "from the lap" in fleet["lap"].path(TODAY).read_text()
