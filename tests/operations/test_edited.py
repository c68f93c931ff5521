"""`forget --edited` takes over what a person changed and deleted, and nothing that they never saw."""

from __future__ import annotations

from pathlib import Path

import pytest

from nutsync.core.errors import ErrForbidden, ErrReasonTells, ErrUsage
from nutsync.operations.edited import TakenOver, forget_edited, preview_edited
from nutsync.operations.pending import commit_pending
from tests.support.cells import Desk, make_desk
from tests.support.fleet import Fleet
from tests.support.repos import git, head

MONDAY, TUESDAY = "2026-11-30", "2026-12-01"
WHY = "tidied up"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A desk on Tuesday, with three entries of Monday."""
    desk = make_desk(tmp_path / "memory")
    desk.append("one", "two is here", "three")
    desk.clock.advance(days=1)
    return desk


def edit(desk: Desk, date: str, *changes: tuple[str, str]) -> None:
    path = desk.path(date)
    text = path.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)


def without_line(desk: Desk, date: str, word: str) -> None:
    path = desk.path(date)
    path.write_text("".join(line for line in path.read_text().splitlines(True) if f"- {word}" not in line))


def hold(desk: Desk) -> None:
    """Let nutsync notice the edits, as any sync does."""
    with desk.cell.writing("sync") as recorder:
        commit_pending(desk.cell, recorder)


def take_over(desk: Desk, reason: str = WHY) -> TakenOver:
    return forget_edited(desk.cell, reason, "ana")


def is_clean(desk: Desk) -> bool:
    return git(desk.root, "status", "--porcelain") == ""


def test_what_was_deleted_by_hand_is_forgotten(desk: Desk) -> None:
    (_, ref, _) = (ref for ref, _ in desk.day(MONDAY).entries())
    without_line(desk, MONDAY, "two")
    done = take_over(desk)
    assert done.as_json()["forgotten"] == [str(ref)]
    assert desk.texts(MONDAY) == ["one", "three"]
    message = git(desk.root, "log", "-1", "--format=%B")
    assert "Nutsync-Op: forget" in message and f"Nutsync-Target: {ref}" in message
    assert "here" not in (desk.day(MONDAY).index or "")
    assert is_clean(desk)


def test_what_was_changed_by_hand_is_replaced(desk: Desk) -> None:
    old = desk.day(MONDAY).blocks[1]
    edit(desk, MONDAY, ("two is here", "two was here"))
    done = take_over(desk)
    new = desk.day(MONDAY).blocks[1]
    assert desk.texts(MONDAY) == ["one", "two was here", "three"]
    assert new.attributes["was"] == old.id and new.attributes["at"] == old.attributes["at"]
    assert new.id != old.id
    assert done.forgotten.plan.gone[0].replacement == new
    assert is_clean(desk)


def test_a_file_deleted_by_hand_is_a_forgotten_day(desk: Desk) -> None:
    desk.path(MONDAY).unlink()
    assert len(take_over(desk).forgotten.plan.gone) == 3
    assert not desk.path(MONDAY).exists() and is_clean(desk)


def test_todays_file_is_taken_over_too_and_what_was_added_there_stays_there(desk: Desk) -> None:
    desk.append("today one", "today two")
    without_line(desk, TUESDAY, "today one")
    desk.path(TUESDAY).write_text(desk.path(TUESDAY).read_text() + "- by hand\n")
    done = take_over(desk)
    assert desk.texts(TUESDAY) == ["today two", "by hand"]
    assert [one.block.text for one in done.moved] == ["by hand"]
    assert desk.day(TUESDAY).blocks[1].id is not None
    assert is_clean(desk)


def test_bullets_added_to_a_frozen_day_move_unchanged_into_today(desk: Desk) -> None:
    desk.append("today")
    without_line(desk, MONDAY, "one")
    desk.path(MONDAY).write_text(desk.path(MONDAY).read_text() + "- found later\n  with more\n")
    done = take_over(desk)
    assert desk.texts(MONDAY) == ["two is here", "three"]
    assert desk.texts(TUESDAY) == ["today", "found later\nwith more"]
    assert desk.day(TUESDAY).blocks[1].attributes["about"] == MONDAY
    assert [str(one.ref) for one in done.moved] == [str(desk.day(TUESDAY).entries()[1][0])]
    assert is_clean(desk)


def test_a_bullet_without_attributes_that_was_changed_is_replaced_in_its_place(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "memory")
    desk.path(MONDAY).parent.mkdir(parents=True)
    desk.path(MONDAY).write_text(f"---\ndate: {MONDAY}\nindex: 'x'\n---\n## {MONDAY}\n- a\n- b\n- c\n")
    when = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), "2026-11-30T10:00:00+08:00")
    git(desk.root, "add", "-A")
    git(desk.root, "commit", "-qm", "by hand", env=when)
    desk.clock.advance(days=1)
    edit(desk, MONDAY, ("- b\n", "- B\n"))
    take_over(desk)
    assert desk.texts(MONDAY) == ["a", "B", "c"]
    assert is_clean(desk)


def test_attributes_that_were_deleted_alone_change_nothing(desk: Desk) -> None:
    before = desk.path(MONDAY).read_bytes()
    path = desk.path(MONDAY)
    lines = path.read_text().splitlines(True)
    path.write_text("".join(line.partition(" <!--")[0].rstrip("\n") + "\n" for line in lines))
    done = take_over(desk)
    assert done.as_json()["forgotten"] == [] and [one.date for one in done.left] == [MONDAY]
    assert path.read_bytes() != before


def test_a_late_entry_that_arrived_meanwhile_is_not_taken_for_deleted(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path)
    fleet["desk"].append("one", "two is here")
    fleet.sync_all()
    fleet.unplug("lap")
    fleet["lap"].append("late from the lap")
    fleet.plug("lap")
    for desk in fleet.desks.values():
        desk.clock.advance(days=1)
    without_line(fleet["desk"], MONDAY, "two")
    fleet.sync("desk")
    fleet.sync("lap")
    done = fleet.sync("desk")
    assert [one.date for one in done.held] == [MONDAY]
    taken = take_over(fleet["desk"])
    assert [one.block.text for one in taken.forgotten.plan.gone] == ["two is here"]
    assert fleet["desk"].texts(MONDAY) == ["one", "late from the lap"]
    fleet.sync_all()
    assert fleet["lap"].texts(MONDAY) == ["one", "late from the lap"]


def test_an_append_under_a_stale_editor_buffer_is_not_taken_for_deleted(desk: Desk) -> None:
    """The editor had read the file before an agent appended, and saves its old buffer with one line less."""
    desk.append("seen", "to go")
    stale = desk.path(TUESDAY).read_text()
    desk.append("by an agent meanwhile")
    lines = [line for line in stale.splitlines(True) if "- to go" not in line]
    desk.path(TUESDAY).write_text("".join(lines))
    done = take_over(desk)
    assert [one.block.text for one in done.forgotten.plan.gone] == ["to go"]
    assert desk.texts(TUESDAY) == ["seen", "by an agent meanwhile"]


@pytest.mark.parametrize(
    "gone", [("first",), ("second",), ("third",), ("second", "third"), ("first", "third")]
)
def test_what_was_deleted_of_entries_that_came_one_by_one_is_forgotten(
    desk: Desk, gone: tuple[str, ...]
) -> None:
    """Earlier versions of the day, which had not yet what was deleted, are not taken for the edited one."""
    texts = ["first", "second", "third"]
    for text in texts:
        desk.append(text)
    for text in gone:
        without_line(desk, TUESDAY, text)
    done = take_over(desk)
    assert [one.block.text for one in done.forgotten.plan.gone] == list(gone)
    assert desk.texts(TUESDAY) == [text for text in texts if text not in gone]
    assert is_clean(desk)


def test_an_entry_deleted_with_the_index_line_is_forgotten_where_a_later_one_stands(desk: Desk) -> None:
    for text in ("first", "second", "third"):
        desk.append(text)
    path = desk.path(TUESDAY)
    lines = path.read_text().splitlines(True)
    path.write_text("".join(line for line in lines if "second" not in line))
    assert [one.block.text for one in take_over(desk).forgotten.plan.gone] == ["second"]


def test_an_append_while_an_edit_is_held_is_kept(desk: Desk) -> None:
    desk.append("seen", "to go")
    without_line(desk, TUESDAY, "to go")
    hold(desk)
    desk.append("by an agent")
    take_over(desk)
    assert desk.texts(TUESDAY) == ["seen", "by an agent"]


def test_reordering_and_an_index_written_anew_are_named_and_left(desk: Desk) -> None:
    edit(desk, MONDAY, ("index: '", "index: 'mine; "))
    before = head(desk.root)
    done = take_over(desk)
    assert head(desk.root) == before
    assert [(one.date, one.reason) for one in done.left] == [
        (MONDAY, "only its index, layout or frontmatter was changed")
    ]


def test_a_preview_lists_every_entry_that_goes_and_changes_nothing(desk: Desk) -> None:
    without_line(desk, MONDAY, "two")
    edit(desk, MONDAY, ("three", "four"))
    before, content = head(desk.root), desk.path(MONDAY).read_bytes()
    shown = preview_edited(desk.cell, WHY, "ana")
    assert [one.block.text for one in shown.forgotten.plan.gone] == ["two is here", "three"]
    assert (head(desk.root), desk.path(MONDAY).read_bytes()) == (before, content)


def test_refusals_leave_everything_as_it_is(desk: Desk) -> None:
    without_line(desk, MONDAY, "two")
    content = desk.path(MONDAY).read_bytes()
    for reason, actor, error in (
        ("", "ana", ErrUsage),
        ("two is gone from here", "ana", ErrReasonTells),
        (WHY, "ben", ErrForbidden),
    ):
        with pytest.raises(error):
            forget_edited(desk.cell, reason, actor)
    desk.path(MONDAY).write_bytes(content + b"<<<<<<< ours\n")
    with pytest.raises(ErrUsage):
        take_over(desk)
    assert desk.path(MONDAY).read_bytes() == content + b"<<<<<<< ours\n"


def test_a_copied_bullet_is_an_entry_of_its_own(desk: Desk) -> None:
    line = next(one for one in desk.path(MONDAY).read_text().splitlines(True) if "- one" in one)
    without_line(desk, MONDAY, "three")
    desk.path(MONDAY).write_text(desk.path(MONDAY).read_text() + line.replace("- one", "- one more"))
    take_over(desk)
    assert desk.texts(MONDAY) == ["one", "two is here"]
    assert desk.texts(TUESDAY) == ["one more"]
    assert desk.day(TUESDAY).blocks[0].id != desk.day(MONDAY).blocks[0].id
