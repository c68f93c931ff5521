"""A credential that another device let in is kept and named when it comes, and its value is not shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from nutsync.operations.exposed import exposed_since
from tests.support.cells import Desk
from tests.support.fleet import Fleet
from tests.support.purges import ref_of
from tests.support.repos import git, head

VALUE = "AKIA" + "QYLPMN5HHHFPZAM2"
TEXT = f"the key of the bucket is {VALUE}"
TODAY = "2026-11-30"


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    fleet = Fleet(tmp_path)
    fleet["desk"].append("common ground")
    fleet.sync_all()
    return fleet


def careless(desk: Desk) -> Desk:
    return Desk(replace(desk.cell, allow_secret=True), desk.clock)


def test_it_comes_and_is_named_once(fleet: Fleet) -> None:
    ref = ref_of(careless(fleet["desk"]), TEXT)
    fleet["lap"].append("likes tea")
    fleet.sync("desk")
    done = fleet.sync("lap")
    told = [words for words in done.notices if str(ref) in words]
    assert len(told) == 1 and "AWS" in told[0] and "forget" in told[0]
    assert VALUE not in repr(done)
    assert TEXT in fleet["lap"].texts(TODAY)
    assert done.exit_code == 0
    assert fleet.sync("lap").notices == () == fleet.sync("desk").notices


def test_what_a_plain_commit_without_hooks_brought_is_named_too(fleet: Fleet) -> None:
    desk, path = fleet["desk"], fleet["desk"].path(TODAY)
    path.write_text(path.read_text(encoding="utf-8") + f"- {TEXT}\n", encoding="utf-8")
    when = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"{TODAY}T09:00:30+08:00")
    git(desk.root, "-c", "core.hooksPath=/dev/null", "commit", "-qam", "by hand", env=when)
    git(desk.root, "-c", "core.hooksPath=/dev/null", "push", "-q", "origin", "main")
    assert any(f"{TODAY}#~1" in words for words in fleet.sync("lap").notices)


def test_many_are_counted_and_days_are_read_in_parts(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nutsync.operations.exposed._AT_ONCE", 2)
    before, desk = head(fleet["desk"].root), fleet["desk"]
    for number in range(5):
        careless(desk).append(*(f"{TEXT} {letter}{number}" for letter in "ABC"))
        desk.clock.advance(days=1)
    assert len({one.ref.date for one in exposed_since(desk.cell.git, before, head(desk.root))}) == 5
    fleet["lap"].clock.advance(days=5)
    fleet.sync("desk")
    assert "And in 5 more." in fleet.sync("lap").notices
