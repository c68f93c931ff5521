"""A clone of a hundred years that is 5,000 entries behind comes along in bounded memory, without a word."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

import nutsync
from bench.archive import Plan, build
from nutsync.core.cell import ARCHIVE_DIR
from nutsync.core.progress import Step, read_step
from nutsync.operations.sync import sync
from tests.support.fleet import NO_WAIT, Fleet
from tests.support.repos import git, head, is_sound

pytestmark = pytest.mark.long

DAYS, BEHIND = 36_500, 5_000
MOST_MEMORY = 300
"""MiB; a day file is some hundred bytes, so all of them at once, parsed, would take more."""
_SYNC = (
    "import resource, sys; from nutsync.__main__ import main; code = main(); sys.stdout.flush(); "
    "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr); sys.exit(code)"
)


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    """The desk and the remote hold every day; the lap holds all but the last 5,000."""
    fleet = Fleet(tmp_path, ("desk", "lap"), start="1970-01-01T12:00:00+08:00")
    fleet.sync_all()
    desk, lap = fleet["desk"].root, fleet["lap"].root
    plan = Plan(years=100, until=date(2024, 12, 31), a_day=1, onto=head(desk))
    tip = build(desk, plan)
    unhooked = ("-c", f"core.hooksPath={os.devnull}")
    git(desk, *unhooked, "push", "-q", "origin", f"{tip}~{BEHIND}:refs/heads/main")
    for desk_ in fleet.desks.values():
        desk_.clock.advance(days=366 * 55)
    assert fleet.sync("lap").received == DAYS - BEHIND
    assert head(lap) == git(desk, "rev-parse", f"{tip}~{BEHIND}")
    git(desk, *unhooked, "push", "-q", "origin", f"{tip}:refs/heads/main")
    return fleet


def names_in(root: Path) -> set[str]:
    return {path.name for path in (root / ARCHIVE_DIR).rglob("*.md")}


def test_it_receives_them_all_in_bounded_memory_and_draws_nothing(fleet: Fleet) -> None:
    lap = fleet["lap"].root
    done = subprocess.run(
        [sys.executable, "-c", _SYNC, "-C", str(lap), "sync", "--json"],
        env={**os.environ, "PYTHONPATH": str(Path(nutsync.__file__).parent.parent)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["result"], answer["received"]) == ("fast-forwarded", BEHIND)
    (kibibytes,) = done.stderr.split()
    assert int(kibibytes) / 1024 < MOST_MEMORY
    assert names_in(lap) == names_in(fleet["desk"].root) and len(names_in(lap)) == DAYS
    assert git(lap, "status", "--porcelain") == "" and is_sound(lap)


def test_entries_of_its_own_are_merged_and_every_step_is_told_of(fleet: Fleet) -> None:
    told: list[str] = []
    fleet["lap"].append("written while behind")
    done = sync(fleet["lap"].cell, pace=NO_WAIT, progress=told.append)
    assert (done.result, done.received, done.receipt.complete) == ("merged", BEHIND, True)
    steps = [read_step(line) for line in told]
    judged = [step for step in steps if step.what == "Judging commits"]
    assert judged[-1] == Step("Judging commits", BEHIND, BEHIND) and len(judged) > 50
    assert [step.done for step in judged] == sorted(step.done for step in judged)
    fleet.sync("desk")
    assert head(fleet["desk"].root) == head(fleet["lap"].root)
