"""Correcting: a new entry today; the old day is not touched, and the newest correction is shown first."""

from __future__ import annotations

from pathlib import Path

import pytest

from nutsync.core.entry import Ref
from nutsync.core.errors import ErrForgotten, ErrRef, ErrUnknownRef
from nutsync.operations.context import context
from nutsync.operations.correct import correct
from nutsync.operations.forget import ForgetRequest, forget
from nutsync.operations.show import show
from tests.support.cells import Desk, make_desk
from tests.support.repos import git, head

MONDAY, TUESDAY = "2026-11-30", "2026-12-01"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return make_desk(tmp_path / "memory")


def test_a_correction_is_an_entry_of_today_and_the_old_day_keeps_every_byte(desk: Desk) -> None:
    ref = desk.append("Billing runs on MySQL", kind="decision").placed[0].ref
    before = desk.path(MONDAY).read_bytes()
    desk.clock.advance(days=1)
    done = correct(desk.cell, ref, "Billing runs on PostgreSQL")
    new = done.placed[0].block.attributes
    assert desk.path(MONDAY).read_bytes() == before
    assert (new["kind"], new["corrects"], new["scope"], new["actor"]) == (
        "correction",
        str(ref),
        "global",
        "ana",
    )
    index = desk.day(TUESDAY).index or ""
    assert "MySQL" in index and "PostgreSQL" in index
    assert "Nutsync-Op: correct" in git(desk.root, "log", "-1", "--format=%B")


def test_chains_resolve_and_the_newest_correction_comes_first(desk: Desk) -> None:
    ref = desk.append("Billing runs on MySQL").placed[0].ref
    desk.clock.advance(days=1)
    first = correct(desk.cell, ref, "Billing runs on PostgreSQL 16").placed[0].ref
    desk.clock.advance(days=1)
    second = correct(desk.cell, first, "Billing runs on PostgreSQL 17").placed[0].ref
    shown = show(desk.cell, ref, actor="ana").as_json()
    (entry,) = shown["entries"]  # type: ignore[misc]
    assert entry["corrected_by"] == [str(second), str(first)]
    corrections = context(desk.cell, reader="ana").as_json()["corrections"]
    assert str(second) in str(corrections)


def test_a_correction_inherits_layer_actor_and_namespace_and_only_its_actor_makes_it(desk: Desk) -> None:
    role = {"scope": "agent", "actor": "ben", "namespace": "reviewer", "kind": "skill"}
    ref = desk.append("review in pairs", **role).placed[0].ref
    with pytest.raises(ErrUnknownRef):  # what cleo may not see does not exist for her
        correct(desk.cell, ref, "review alone", actor="cleo")
    new = correct(desk.cell, ref, "review alone", actor="ben").placed[0].block.attributes
    assert (new["scope"], new["actor"], new["namespace"]) == ("agent", "ben", "reviewer")


def test_what_is_unknown_forgotten_or_no_entry_is_refused_by_name(desk: Desk) -> None:
    ref = desk.append("one").placed[0].ref
    before = head(desk.root)
    for wrong, error in (
        (Ref(MONDAY, id="00000000"), ErrUnknownRef),
        (Ref(MONDAY), ErrRef),
        (Ref(MONDAY, nth=1), ErrRef),
    ):
        with pytest.raises(error):
            correct(desk.cell, wrong, "other")
    assert head(desk.root) == before
    forget(desk.cell, ForgetRequest(refs=[ref], reason="a test", actor="ana"))
    with pytest.raises(ErrForgotten):
        correct(desk.cell, ref, "other")


def test_correcting_by_an_old_ref_corrects_the_replacement(desk: Desk) -> None:
    ref = desk.append("the number is 16").placed[0].ref
    forget(desk.cell, ForgetRequest(refs=[ref], reason="a test", actor="ana", replacement="the count is 17"))
    new = desk.day(MONDAY).blocks[0].id
    done = correct(desk.cell, ref, "the count is 18")
    assert done.placed[0].block.attributes["corrects"] == f"{MONDAY}#{new}"
