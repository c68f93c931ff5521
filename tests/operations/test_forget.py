"""Forgetting: exactly the named entries go, from files, indexes and catalogs, and nothing else changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from nutsync.core.cell import catalog_path, day_path
from nutsync.core.day import Day
from nutsync.core.entry import Ref
from nutsync.core.errors import (
    ErrForbidden,
    ErrIndexForm,
    ErrIndexUngrounded,
    ErrReasonTells,
    ErrUnknownRef,
    ErrUsage,
)
from nutsync.core.layer_requests import ClearLayerRequest
from nutsync.operations.forget import ForgetRequest, Forgotten, clear_plan, forget, preview
from nutsync.operations.show import show
from tests.support.cells import Desk, make_desk
from tests.support.repos import git, head, is_sound

MONDAY, TUESDAY = "2026-11-30", "2026-12-01"
WHY = "asked for by the client"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return make_desk(tmp_path / "memory")


def ref_of(desk: Desk, text: str, **more: str) -> Ref:
    return desk.append(text, **more).placed[0].ref


def drop(desk: Desk, *refs: Ref, reason: str = WHY, **more: str) -> Forgotten:
    return forget(desk.cell, ForgetRequest(refs=refs, reason=reason, **{"actor": "ana", **more}))  # type: ignore[arg-type]


def committed(desk: Desk, date: str) -> Day:
    return Day.parse(git(desk.root, "show", f"HEAD:{day_path(date)}").encode() + b"\n", date)


def is_clean(desk: Desk) -> bool:
    return git(desk.root, "status", "--porcelain") == ""


# --- What goes ----------------------------------------------------------------------------------------


def test_the_named_entry_goes_and_every_other_byte_of_the_body_stays(desk: Desk) -> None:
    desk.append("one")
    ref = ref_of(desk, "Globex pays 4711")
    desk.append("three")
    before = [block.raw for block in desk.day(MONDAY).blocks]
    done = drop(desk, ref)
    assert [block.raw for block in desk.day(MONDAY).blocks] == [before[0], before[2]]
    assert done.as_json()["forgotten"] == [str(ref)]
    assert is_clean(desk) and is_sound(desk.root)


def test_a_forget_is_one_commit_that_says_what_why_and_who_without_the_text(desk: Desk) -> None:
    ref = ref_of(desk, "Globex pays 4711")
    before = int(git(desk.root, "rev-list", "--count", "HEAD"))
    drop(desk, ref)
    message = git(desk.root, "log", "-1", "--format=%B")
    for line in (
        "Nutsync-Op: forget",
        f"Nutsync-Target: {ref}",
        f"Nutsync-Reason: {WHY}",
        "Nutsync-Actor: ana",
    ):
        assert line in message
    assert "4711" not in message and "Globex" not in message
    assert int(git(desk.root, "rev-list", "--count", "HEAD")) == before + 1


def test_a_frozen_day_forgets_too_and_its_catalog_with_it(desk: Desk) -> None:
    desk.append("X-200 costs 12,800")
    ref = ref_of(desk, "Globex pays 4711")
    desk.clock.advance(days=1)
    desk.append("a new day")
    drop(desk, ref)
    rows = (desk.root / catalog_path("2026")).read_text(encoding="utf-8")
    assert desk.texts(MONDAY) == ["X-200 costs 12,800"]
    assert "4711" not in rows and "Globex" not in rows and "12,800" in rows


def test_no_term_that_only_the_forgotten_entry_had_is_left_in_a_hand_made_index(desk: Desk) -> None:
    desk.append("X-200 costs 12,800")
    ref = desk.append("Globex pays 4711", index="X-200 costs 12,800; Globex 4711").placed[0].ref
    drop(desk, ref)
    assert desk.day(MONDAY).index == "X-200 costs 12,800"


def test_what_another_entry_says_too_stays_in_the_index(desk: Desk) -> None:
    desk.append("Globex signs on Friday")
    ref = ref_of(desk, "Globex pays 4711")
    drop(desk, ref)
    index = desk.day(MONDAY).index or ""
    assert "Globex" in index and "4711" not in index


def test_several_entries_of_several_days_go_in_one_commit(desk: Desk) -> None:
    first = ref_of(desk, "one")
    desk.append("stays")
    desk.clock.advance(days=1)
    second = ref_of(desk, "two")
    desk.append("stays as well")
    before = head(desk.root)
    done = drop(desk, second, first)
    assert git(desk.root, "rev-parse", "HEAD^") == before
    assert done.as_json()["days"] == [MONDAY, TUESDAY]
    assert (desk.texts(MONDAY), desk.texts(TUESDAY)) == (["stays"], ["stays as well"])


def test_a_whole_day_goes_entry_by_entry_and_its_file_with_them(desk: Desk) -> None:
    refs = [one.ref for one in desk.append("one", "two").placed]
    desk.clock.advance(days=1)
    done = drop(desk, Ref(MONDAY))
    assert done.as_json()["forgotten"] == [str(ref) for ref in refs]
    assert done.as_json()["emptied"] == [MONDAY]
    assert not desk.path(MONDAY).exists()
    assert git(desk.root, "log", "-1", "--format=%B").count("Nutsync-Target:") == 2
    assert is_clean(desk)


def test_prose_and_unstamped_bullets_are_forgotten_by_their_place(desk: Desk) -> None:
    desk.path(MONDAY).parent.mkdir(parents=True)
    desk.path(MONDAY).write_text(f"---\ndate: {MONDAY}\nindex: 'x'\n---\nProse of 4711.\n\n- \n")
    git(desk.root, "add", "-A")
    git(desk.root, "commit", "-qm", "by hand", env=at("2026-11-30T10:00:00+08:00"))
    done = drop(desk, Ref(MONDAY, nth=1))
    target = done.plan.gone[0].target
    assert target.unstamped and f"Nutsync-Target: {target.ref} unstamped" in git(
        desk.root, "log", "-1", "--format=%B"
    )
    assert "4711" not in desk.path(MONDAY).read_text()


def test_minted_names_follow_the_order_in_which_everybody_finds_the_blocks(desk: Desk) -> None:
    """Of [A, B, A] the last two go: whoever compares the versions takes the first A for the one that went."""
    desk.path(MONDAY).parent.mkdir(parents=True)
    desk.path(MONDAY).write_text(f"---\ndate: {MONDAY}\nindex: 'x'\n---\nA\nB\nA\nC\n")
    git(desk.root, "add", "-A")
    git(desk.root, "commit", "-qm", "by hand", env=at("2026-11-30T10:00:00+08:00"))
    done = drop(desk, Ref(MONDAY, nth=2), Ref(MONDAY, nth=3))
    assert [one.block.text for one in done.plan.gone] == ["A", "B"]
    assert desk.texts(MONDAY) == ["A", "C"]


def at(when: str) -> dict[str, str]:
    return {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}


# --- Replacing ----------------------------------------------------------------------------------------


def test_a_replacement_has_a_new_id_the_same_time_and_place_and_old_refs_find_it(desk: Desk) -> None:
    ref = ref_of(desk, "the number is 16", kind="decision")
    desk.append("after it")
    old = desk.day(MONDAY).blocks[0].attributes
    desk.clock.advance(days=3)
    done = drop(desk, ref, replacement="the number is 17")
    new = desk.day(MONDAY).blocks[0]
    assert desk.texts(MONDAY) == ["the number is 17", "after it"]
    assert (new.attributes["at"], new.attributes["dev"], new.attributes["kind"]) == (
        old["at"],
        old["dev"],
        "decision",
    )
    assert new.id != ref.id and new.attributes["was"] == ref.id
    assert done.as_json()["replaced"] == [f"{MONDAY}#{new.id}"]
    assert [block.text for _, block in show(desk.cell, ref, actor="ana").entries] == ["the number is 17"]
    again = drop(desk, ref, replacement="the number is 18")
    assert again.plan.gone[0].ref.id == new.id
    assert [block.text for _, block in show(desk.cell, ref, actor="ana").entries] == ["the number is 18"]


def test_earlier_versions_are_shown_by_commit_and_by_date(desk: Desk) -> None:
    ref = ref_of(desk, "the number is 16")
    commit = head(desk.root)
    desk.clock.advance(days=1)
    drop(desk, ref, replacement="the number is 17")
    desk.clock.advance(days=1)
    for when in (commit, commit[:8], MONDAY):
        shown = show(desk.cell, ref, actor="ana", at=when)
        assert [block.text for _, block in shown.entries] == ["the number is 16"]
    assert [b.text for _, b in show(desk.cell, ref, actor="ana", at=TUESDAY).entries] == ["the number is 17"]


def test_only_one_entry_can_be_replaced_by_one_text(desk: Desk) -> None:
    refs = [one.ref for one in desk.append("one", "two").placed]
    with pytest.raises(ErrUsage):
        drop(desk, *refs, replacement="three")


# --- What repeats it ----------------------------------------------------------------------------------


def test_corrections_stay_are_named_and_lose_the_old_subject_from_their_index(desk: Desk) -> None:
    ref = ref_of(desk, "Billing runs on MySQL")
    desk.clock.advance(days=1)
    fix = ref_of(desk, "Billing runs on PostgreSQL", kind="correction", corrects=str(ref))
    desk.clock.advance(days=1)
    assert "MySQL" in (desk.day(TUESDAY).index or "")
    shown = preview(desk.cell, ForgetRequest(refs=[ref], reason=WHY, actor="ana"))
    done = drop(desk, ref)
    for one in (shown.as_json(), done.as_json()):
        assert (one["corrections"], one["reindexed"]) == ([str(fix)], [TUESDAY])
    assert desk.texts(TUESDAY) == ["Billing runs on PostgreSQL"]
    index = desk.day(TUESDAY).index or ""
    assert "MySQL" not in index and "PostgreSQL" in index
    assert "MySQL" not in (desk.root / catalog_path("2026")).read_text(encoding="utf-8")
    assert is_clean(desk)


def test_a_correction_in_an_edited_file_is_found_in_the_committed_version(desk: Desk) -> None:
    from nutsync.operations.held import remember_held

    ref = ref_of(desk, "Billing runs on MySQL")
    desk.clock.advance(days=1)
    desk.append("Billing runs on PostgreSQL", kind="correction", corrects=str(ref))
    desk.clock.advance(days=1)
    desk.path(TUESDAY).unlink()
    with desk.cell.writing("sync") as recorder:
        remember_held(recorder, [TUESDAY])
    drop(desk, ref)
    assert "MySQL" not in (committed(desk, TUESDAY).index or "")


@pytest.mark.parametrize("reason", ["4711 was wrong", "no more globex", "定为的数不对"])
def test_a_reason_that_repeats_distinctive_words_is_refused(desk: Desk, reason: str) -> None:
    ref = ref_of(desk, "Globex 定为 4711 元")
    before = head(desk.root)
    with pytest.raises(ErrReasonTells):
        drop(desk, ref, reason=reason)
    assert head(desk.root) == before


@pytest.mark.parametrize(
    ("index", "error"), [("Globex 4711; one", ErrIndexUngrounded), ("one\ttwo", ErrIndexForm)]
)
def test_a_hand_made_index_that_is_not_fit_is_refused(desk: Desk, index: str, error: type[Exception]) -> None:
    desk.append("one at last")
    ref = ref_of(desk, "Globex pays 4711")
    with pytest.raises(error):
        drop(desk, ref, index=index)


def test_a_hand_made_index_that_keeps_silent_is_taken(desk: Desk) -> None:
    desk.append("X-200 costs 12,800")
    ref = ref_of(desk, "Globex pays 4711")
    drop(desk, ref, index="X-200 price")
    assert (desk.day(MONDAY).index or "").startswith("X-200 price")


# --- Who may, and what is not there -------------------------------------------------------------------


def test_unknown_refs_and_an_empty_reason_change_nothing(desk: Desk) -> None:
    ref = ref_of(desk, "one")
    before = head(desk.root)
    for refs, reason, error in (
        ([ref, Ref(MONDAY, id="00000000")], WHY, ErrUnknownRef),
        ([Ref("2020-01-01")], WHY, ErrUnknownRef),
        ([Ref(MONDAY, nth=7)], WHY, ErrUnknownRef),
        ([], WHY, ErrUsage),
        ([ref], "  ", ErrUsage),
    ):
        with pytest.raises(error):
            drop(desk, *refs, reason=reason)
    assert head(desk.root) == before and desk.texts(MONDAY) == ["one"]


def test_only_the_actor_or_an_admin_forgets_an_entry(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "memory", admin=True)
    mine = ref_of(desk, "of ben", actor="ben")
    other = ref_of(desk, "of ana")
    with pytest.raises(ErrForbidden):
        drop(desk, other, actor="ben")
    drop(desk, mine, actor="ana")
    assert desk.texts(MONDAY) == ["of ana"]


def test_a_dry_run_shows_what_would_change_and_changes_nothing(desk: Desk) -> None:
    ref = ref_of(desk, "one")
    before, content = head(desk.root), desk.path(MONDAY).read_bytes()
    shown = preview(desk.cell, ForgetRequest(refs=[ref], reason=WHY, actor="ana"))
    assert shown.as_json()["forgotten"] == [str(ref)] and shown.commit is None
    assert (head(desk.root), desk.path(MONDAY).read_bytes()) == (before, content)


def test_clearing_a_layer_forgets_that_layer_of_that_actor_and_namespace_alone(desk: Desk) -> None:
    kept = ["about ana", "reviewer of ben"]
    desk.append("about ana")
    desk.append("reviewer of ana", scope="agent", namespace="reviewer", kind="skill")
    desk.append("writer of ana", scope="agent", namespace="writer", kind="skill")
    desk.append("reviewer of ben", scope="agent", namespace="reviewer", actor="ben", kind="skill")
    asked = clear_plan(
        desk.cell,
        ClearLayerRequest(
            layer="agent_memory",
            actor="ana",
            namespace="reviewer",
            reason=None,
            own_actor="ana",
            is_admin=False,
        ),
    )
    assert asked is not None
    forget(desk.cell, asked)
    assert desk.texts(MONDAY) == ["about ana", "writer of ana", "reviewer of ben"]
    everything = ClearLayerRequest(
        layer="agent_memory", actor="ana", namespace=None, reason=None, own_actor="ana", is_admin=False
    )
    asked = clear_plan(desk.cell, everything)
    assert asked is not None
    forget(desk.cell, asked)
    assert desk.texts(MONDAY) == kept
    assert clear_plan(desk.cell, everything) is None


# --- What people have open ----------------------------------------------------------------------------


def test_an_open_edit_of_the_same_day_survives_and_loses_the_same_entry(desk: Desk) -> None:
    desk.append("one")
    ref = ref_of(desk, "Globex pays 4711")
    path = desk.path(MONDAY)
    path.write_text(path.read_text().replace("- one", "- ONE"))
    drop(desk, ref)
    assert desk.texts(MONDAY) == ["ONE"]
    assert [block.text for block in committed(desk, MONDAY).blocks] == ["one"]
    assert "4711" not in path.read_text()


def test_an_edit_of_the_entry_itself_goes_with_it(desk: Desk) -> None:
    desk.append("one")
    ref = ref_of(desk, "Globex pays 4711")
    path = desk.path(MONDAY)
    path.write_text(path.read_text().replace("pays 4711", "pays 4711 and more"))
    drop(desk, ref)
    assert desk.texts(MONDAY) == ["one"]


def test_bullets_that_are_pending_stay_pending(desk: Desk) -> None:
    ref = ref_of(desk, "Globex pays 4711")
    path = desk.path(MONDAY)
    path.write_text(path.read_text() + "- by hand\n")
    drop(desk, ref)
    assert desk.texts(MONDAY) == ["by hand"]
    assert "4711" not in path.read_text()
    desk.append("next")
    assert [block.text for block in committed(desk, MONDAY).blocks] == ["by hand", "next"]
    assert committed(desk, MONDAY).index


def test_what_only_a_file_holds_goes_from_the_file_and_leaves_no_trace_in_history(desk: Desk) -> None:
    desk.append("one")
    before = head(desk.root)
    path = desk.path(MONDAY)
    path.write_text(path.read_text() + "- Globex pays 4711\n- stays\n")
    done = drop(desk, Ref(MONDAY, nth=1))
    assert desk.texts(MONDAY) == ["one", "stays"]
    assert done.commit is None and head(desk.root) == before
    assert done.as_json()["forgotten"] == [f"{MONDAY}#~1"]


def test_a_file_deleted_by_hand_stays_deleted(desk: Desk) -> None:
    desk.append("one")
    ref = ref_of(desk, "two")
    desk.path(MONDAY).unlink()
    drop(desk, ref)
    assert not desk.path(MONDAY).exists()
    assert [block.text for block in committed(desk, MONDAY).blocks] == ["one"]
