"""A purge: the text is nowhere afterwards, on any device, and nothing else is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from nutsync.core.cell import catalog_path, purge_path
from nutsync.core.entry import Ref
from nutsync.core.errors import ErrForbidden, ErrReasonTells, ErrUnknownRef, ErrUsage
from nutsync.operations.correct import correct
from nutsync.operations.forget import ForgetRequest
from nutsync.operations.purging.purge import preview_purge, purge
from tests.support.cells import Desk, make_desk
from tests.support.fleet import Fleet
from tests.support.purges import (
    MONDAY,
    SECRET,
    TUESDAY,
    WHY,
    assert_gone,
    drop,
    faults,
    forget_only,
    is_clean,
    ref_of,
    tomorrow,
)
from tests.support.repos import commit_files, git, head, is_sound, write
from tests.support.search import places_of


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A device of its own, without a remote."""
    return make_desk(tmp_path / "memory")


def test_a_clone_without_a_remote_holds_the_text_nowhere_afterwards(desk: Desk) -> None:
    desk.append("one")
    ref = ref_of(desk)
    desk.append("three")
    done = drop(desk, ref)
    assert (done.result, done.exit_code, done.leftovers) == ("done", 0, ())
    assert desk.texts(MONDAY) == ["one", "three"]
    assert places_of(desk.root, SECRET, "4711") == []
    assert is_sound(desk.root) and is_clean(desk.root)
    assert faults(desk) == []


def test_the_audit_history_is_complete_but_for_the_text(desk: Desk) -> None:
    desk.append("one")
    ref = ref_of(desk)
    desk.clock.advance(days=1)
    desk.append("two")
    form = "--format=%an %ae %aI %cn %ce %cI%n%B"
    before = git(desk.root, "log", "--topo-order", form)
    drop(desk, ref)
    after = git(desk.root, "log", "--topo-order", form)
    assert after.endswith(before)
    added = after.removesuffix(before)
    assert f"Nutsync-Op: forget\nNutsync-Target: {ref}" in added
    assert f"Nutsync-Op: purge\nNutsync-Target: {ref}" in added
    assert SECRET not in after


def test_the_record_says_who_when_and_why_and_nothing_that_could_confirm_a_guess(desk: Desk) -> None:
    ref = ref_of(desk)
    old = {*git(desk.root, "rev-list", "--objects", "HEAD").split()}
    drop(desk, ref)
    record = git(desk.root, "show", f"HEAD:{purge_path(str(ref.id))}")
    for said in ('actor = "ana"', 'device = "desk"', f'reason = "{WHY}"', f'"{MONDAY}"', "recipe = 1"):
        assert said in record
    assert "-----BEGIN SSH SIGNATURE-----" in record
    assert "Globex" not in record and "4711" not in record
    assert not any(oid in record for oid in old if len(oid) == 40)


def test_indexes_from_before_the_purge_are_blank_and_those_after_it_are_fresh(desk: Desk) -> None:
    desk.append("X-200 costs 12,800")
    ref = ref_of(desk)
    desk.clock.advance(days=1)
    desk.append("a new day")
    drop(desk, ref)
    path = desk.path(MONDAY).relative_to(desk.root)
    versions = git(desk.root, "log", "--format=%H", "--", str(path)).split()
    newest, *older = [git(desk.root, "show", f"{commit}:{path}") for commit in versions]
    assert "12,800" in newest.split("\n")[2]
    assert older and all("index: '(purged)'" in version for version in older)
    assert "12,800" in (desk.root / catalog_path("2026")).read_text(encoding="utf-8")
    assert faults(desk) == []


def test_commits_before_the_first_change_keep_id_and_signature(desk: Desk) -> None:
    desk.append("one")
    before = head(desk.root)
    desk.clock.advance(days=1)
    ref = ref_of(desk)
    drop(desk, ref)
    assert git(desk.root, "merge-base", before, "HEAD") == before
    assert "gpgsig" in git(desk.root, "cat-file", "commit", before)
    assert "gpgsig" in git(desk.root, "cat-file", "commit", "HEAD")
    assert "gpgsig" not in git(desk.root, "cat-file", "commit", "HEAD^")


def test_a_second_device_follows_and_arrives_at_the_same_commits(fleet: Fleet) -> None:
    desk, lap = fleet["desk"], fleet["lap"]
    desk.append("one")
    ref = ref_of(desk)
    fleet.sync_all()
    lap.append("only on the lap yet")
    assert drop(desk, ref).result == "done"
    fleet.sync("lap")
    fleet.sync_all()
    assert lap.texts(MONDAY) == ["one", "only on the lap yet"]
    assert_gone(fleet, SECRET, "4711")


def test_a_device_that_was_offline_before_and_after_follows_too(tmp_path: Path) -> None:
    """One has unsynced entries, another a late entry for that very day; a third knew nothing of the entry."""
    fleet = Fleet(tmp_path, ["desk", "lap", "old", "idle"])
    desk, lap, old = fleet["desk"], fleet["lap"], fleet["old"]
    fleet.sync_all()
    for name in ("old", "idle"):
        fleet.unplug(name)
    ref = ref_of(desk)
    desk.append("of the desk")
    fleet.sync("desk")
    fleet.sync("lap")
    old.append("written on Monday, offline")
    lap.clock.advance(days=1)
    lap.append("on Tuesday, not sent")
    desk.clock.advance(days=1)
    assert drop(desk, ref).result == "done"
    for name in ("old", "idle"):
        fleet[name].clock.advance(days=2)
        fleet.plug(name)
    desk.clock.advance(days=1)
    lap.clock.advance(days=1)
    old.append("back again")
    for name in ("idle", "lap", "old"):
        fleet.sync(name)
    fleet.sync_all()
    fleet.sync_all()
    assert sorted(desk.texts(MONDAY)) == ["of the desk", "written on Monday, offline"]
    assert desk.texts(TUESDAY) == ["on Tuesday, not sent"]
    assert desk.texts("2026-12-02") == ["back again"]
    assert_gone(fleet, SECRET, "4711")


def test_two_devices_that_purge_different_entries_at_once_agree(fleet: Fleet) -> None:
    desk, lap = fleet["desk"], fleet["lap"]
    first, second = ref_of(desk), ref_of(desk, "Initech owes 0815")
    desk.append("stays")
    lap.append("stays too")
    fleet.sync_all()
    fleet.unplug("lap")
    assert drop(lap, second).result == "pending"
    assert drop(desk, first).result == "done"
    fleet.plug("lap")
    fleet.sync("lap")
    fleet.sync_all()
    assert sorted(desk.texts(MONDAY)) == ["stays", "stays too"]
    assert_gone(fleet, SECRET, "4711", "Initech", "0815")


def test_an_entry_that_exists_only_unsynced_is_purged_without_rewriting_the_remote(fleet: Fleet) -> None:
    desk = fleet["desk"]
    desk.append("sent")
    fleet.sync("desk")
    tomorrow(fleet)
    sent = git(fleet.remote, "rev-parse", "main")
    ref = ref_of(desk)
    git(fleet.remote, "config", "receive.denyNonFastForwards", "true")
    assert drop(desk, ref).result == "done"
    assert git(fleet.remote, "merge-base", sent, "main") == sent
    fleet.sync_all()
    assert_gone(fleet, SECRET, "4711")


def test_what_was_forgotten_long_ago_can_be_purged(fleet: Fleet) -> None:
    desk = fleet["desk"]
    ref = ref_of(desk)
    desk.append("stays")
    fleet.sync_all()
    forget_only(desk, ref)
    tomorrow(fleet, 30)
    desk.append("much later")
    fleet.sync_all()
    assert drop(desk, ref).refs == (str(ref),)
    fleet.sync_all()
    assert_gone(fleet, SECRET, "4711")


def test_a_correction_that_repeats_it_loses_the_old_subject_in_every_version(fleet: Fleet) -> None:
    desk, lap = fleet["desk"], fleet["lap"]
    ref = ref_of(desk)
    fleet.sync_all()
    tomorrow(fleet)
    correct(desk.cell, ref, "Globex pays more")
    lap.clock.advance(days=1)
    correct(lap.cell, ref, "it pays nothing any more")
    assert "4711" in (lap.day("2026-12-02").index or "")
    assert drop(desk, ref).result == "done"
    desk.clock.advance(days=1)
    fleet.sync("lap")
    fleet.sync_all()
    assert desk.texts(TUESDAY) == ["Globex pays more"]
    assert "pays" in (desk.day("2026-12-02").index or "")
    assert_gone(fleet, "4711")


def test_a_whole_day_goes_for_good(fleet: Fleet) -> None:
    desk = fleet["desk"]
    ref_of(desk), ref_of(desk, "Initech owes 0815")
    fleet.sync_all()
    tomorrow(fleet)
    desk.append("a new day")
    done = drop(desk, Ref(MONDAY))
    assert len(done.refs) == 2
    fleet.sync_all()
    assert not desk.path(MONDAY).exists()
    assert_gone(fleet, "4711", "0815")


def test_a_replacement_stands_in_the_place_of_what_is_purged(fleet: Fleet) -> None:
    desk = fleet["desk"]
    ref = ref_of(desk)
    desk.append("after it")
    fleet.sync_all()
    drop(desk, ref, replacement="it pays as agreed")
    fleet.sync_all()
    assert desk.texts(MONDAY) == ["it pays as agreed", "after it"]
    assert_gone(fleet, "4711")


def test_an_old_ref_purges_what_was_replaced_and_not_what_replaced_it(fleet: Fleet) -> None:
    desk = fleet["desk"]
    ref = ref_of(desk)
    forget_only(desk, ref, replacement="it pays as agreed")
    fleet.sync_all()
    drop(desk, ref)
    fleet.sync_all()
    assert desk.texts(MONDAY) == ["it pays as agreed"]
    assert_gone(fleet, "4711")


def test_purged_again_nothing_happens(fleet: Fleet) -> None:
    desk = fleet["desk"]
    ref = ref_of(desk)
    fleet.sync_all()
    drop(desk, ref)
    before = head(desk.root)
    done = drop(desk, ref)
    assert (done.result, head(desk.root)) == ("done", before)


def test_a_second_purge_leaves_the_first_as_it_was(fleet: Fleet) -> None:
    desk = fleet["desk"]
    first, second = ref_of(desk), ref_of(desk, "Initech owes 0815")
    desk.append("stays")
    fleet.sync_all()
    drop(desk, first)
    fleet.sync_all()
    desk.append("between the two")
    drop(desk, second)
    fleet.sync_all()
    assert desk.texts(MONDAY) == ["stays", "between the two"]
    assert_gone(fleet, "4711", "0815")


# --- Words without an id ------------------------------------------------------------------------------


def prose(desk: Desk, *lines: str) -> None:
    """Commit a day of prose with plain git, as before there was nutsync."""
    when = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), "2026-11-30T09:00:30+08:00")
    body = "".join(f"{line}\n" for line in lines)
    write(
        desk.root,
        str(desk.path(MONDAY).relative_to(desk.root)),
        f"---\ndate: {MONDAY}\nindex: 'x'\n---\n{body}",
    )
    git(desk.root, "add", "-A")
    git(desk.root, "commit", "-qm", "by hand", env=when)


def test_prose_is_purged_and_a_device_that_knows_the_forget_follows(fleet: Fleet) -> None:
    desk, lap = fleet["desk"], fleet["lap"]
    prose(desk, "First.", "- Globex pays 4711", "Last.")
    fleet.sync_all()
    done = forget_only(desk, Ref(MONDAY, nth=2))
    fleet.sync_all()
    lap.append("not sent")
    drop(desk, Ref.parse(done.plan.gone[0].target.ref))
    fleet.sync_all()
    assert desk.texts(MONDAY) == ["First.", "Last.", "not sent"]
    assert_gone(fleet, "4711")


def test_prose_is_purged_and_a_device_that_never_saw_the_forget_follows(fleet: Fleet) -> None:
    desk, lap = fleet["desk"], fleet["lap"]
    prose(desk, "First.", "- Globex pays 4711", "Last.")
    fleet.sync_all()
    lap.append("not sent")
    drop(desk, Ref(MONDAY, nth=2))
    fleet.sync_all()
    assert desk.texts(MONDAY) == ["First.", "Last.", "not sent"]
    assert_gone(fleet, "4711")


def test_words_that_stand_twice_are_purged_together_or_not_at_all(desk: Desk) -> None:
    prose(desk, "Globex pays 4711", "between", "Globex pays 4711")
    before = head(desk.root)
    with pytest.raises(ErrUsage):
        drop(desk, Ref(MONDAY, nth=1))
    assert head(desk.root) == before
    assert drop(desk, Ref(MONDAY, nth=1), Ref(MONDAY, nth=3)).result == "done"
    assert desk.texts(MONDAY) == ["between"]
    assert places_of(desk.root, "4711") == []


# --- Refusals, previews, leftovers --------------------------------------------------------------------


def test_refusals_change_nothing(desk: Desk) -> None:
    ref = ref_of(desk)
    gone = ref_of(desk, "Initech owes 0815")
    forget_only(desk, gone)
    before = head(desk.root)
    for refs, reason, actor, error in (
        ([Ref(MONDAY, id="00000000")], WHY, "ana", ErrUnknownRef),
        ([ref], "4711 was wrong", "ana", ErrReasonTells),
        ([gone], "0815 was wrong", "ana", ErrReasonTells),
        ([gone], WHY, "ben", ErrForbidden),
        ([ref], WHY, "ben", ErrForbidden),
        ([ref, gone], "0815 was wrong", "ana", ErrReasonTells),
    ):
        with pytest.raises(error):
            purge(desk.cell, ForgetRequest(refs=refs, reason=reason, actor=actor))
    assert head(desk.root) == before


def test_a_preview_tells_what_would_be_rewritten_and_moves_nothing(desk: Desk) -> None:
    ref = ref_of(desk)
    desk.append("two")
    git(desk.root, "branch", "other")
    before = head(desk.root)
    shown = preview_purge(desk.cell, ForgetRequest(refs=[ref], reason=WHY, actor="ana"))
    assert shown.as_json()["purged"] == [str(ref)]
    assert (shown.commits, shown.others, shown.shared) == (2, ("refs/heads/other",), True)
    assert head(desk.root) == before and head(desk.root, "other") == before


def test_text_that_is_left_somewhere_is_named_and_the_purge_is_not_done(desk: Desk) -> None:
    ref = ref_of(desk)
    commit_files(desk.root, {"notes.txt": f"{SECRET}, as ana said\n"}, "notes")
    done = drop(desk, ref)
    assert (done.result, done.exit_code) == ("incomplete", 1)
    assert any("a blob among Git's objects" in left for left in done.leftovers)
    assert not any("4711" in left for left in done.leftovers)


def test_a_message_that_repeats_the_text_is_found(desk: Desk) -> None:
    ref = ref_of(desk)
    commit_files(desk.root, {"notes.txt": "x\n"}, f"remember: {SECRET}")
    assert any("a commit among" in left for left in drop(desk, ref).leftovers)
