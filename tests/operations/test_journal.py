"""Appending: today only grows, nothing is written twice, and nobody's open edit is in the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from nutsync.core.cell import day_path
from nutsync.core.errors import ErrEmptyText, ErrIndexUngrounded, ErrTooLarge
from tests.support.cells import Desk, make_desk
from tests.support.repos import git, is_sound

TODAY = "2026-11-30"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return make_desk(tmp_path / "memory")


def test_an_append_is_one_commit_that_says_who_where_when_and_what(desk: Desk) -> None:
    done = desk.append("X-200 costs 12,800", kind="decision")
    (placed,) = done.placed
    message = git(desk.root, "log", "-1", "--format=%s%n%n%b")
    assert message.startswith(f"append {placed.ref}\n")
    for line in (
        "Nutsync-Op: append",
        f"Nutsync-Entry: {placed.ref}",
        "Nutsync-Layer: about_me",
        "Nutsync-Kind: decision",
        "Nutsync-Actor: ana",
        "Nutsync-Device: desk",
    ):
        assert line in message
    assert "12,800" not in message
    assert git(desk.root, "log", "-1", "--format=%aI").strip() == "2026-11-30T09:00:00+08:00"
    assert done.commit == git(desk.root, "rev-parse", "HEAD").strip()


def test_what_is_committed_lies_in_the_worktree_and_git_sees_no_difference(desk: Desk) -> None:
    desk.append("one")
    desk.append("two")
    assert desk.texts(TODAY) == ["one", "two"]
    assert git(desk.root, "status", "--porcelain") == ""
    assert is_sound(desk.root)


def test_every_commit_is_signed_with_the_devices_own_key(desk: Desk) -> None:
    desk.append("one")
    assert "gpgsig -----BEGIN SSH SIGNATURE-----" in git(desk.root, "cat-file", "commit", "HEAD")


def test_a_retry_gets_the_same_ref_and_writes_nothing(desk: Desk) -> None:
    first = desk.append("buy milk")
    again = desk.append("buy milk")
    assert again.placed[0].duplicate
    assert again.placed[0].ref == first.placed[0].ref
    assert again.commit is None
    assert desk.texts(TODAY) == ["buy milk"]


@pytest.mark.parametrize("other", [{"kind": "task"}, {"actor": "ben"}, {"session": "s1"}, {"namespace": "n"}])
def test_the_same_text_of_another_kind_actor_or_session_is_another_entry(
    desk: Desk, other: dict[str, str]
) -> None:
    desk.append("buy milk")
    assert not desk.append("buy milk", **other).placed[0].duplicate


def test_a_retry_on_another_day_is_a_new_entry(desk: Desk) -> None:
    desk.append("buy milk")
    desk.clock.advance(days=1)
    assert desk.append("buy milk").date == "2026-12-01"
    assert desk.texts("2026-12-01") == ["buy milk"]


def test_several_texts_go_into_one_commit(desk: Desk) -> None:
    before = git(desk.root, "rev-list", "--count", "HEAD").strip()
    desk.append("one", "two", "three")
    assert int(git(desk.root, "rev-list", "--count", "HEAD")) == int(before) + 1
    assert desk.texts(TODAY) == ["one", "two", "three"]


def test_half_past_midnight_in_shanghai_is_today_there(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "memory", "2026-12-01T00:30:00+08:00")
    assert desk.append("late").date == "2026-12-01"


def test_the_cells_zone_decides_the_day_on_every_device(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "memory", "2026-11-30T17:30:00+01:00", zone="Asia/Shanghai")
    assert desk.append("late").date == "2026-12-01"


@pytest.mark.parametrize(
    ("instant", "date"),
    [("2026-03-29T00:59:59+00:00", "2026-03-29"), ("2026-10-24T22:30:00+00:00", "2026-10-25")],
)
def test_days_on_which_the_clocks_change_have_their_local_date(
    tmp_path: Path, instant: str, date: str
) -> None:
    desk = make_desk(tmp_path / "memory", instant, zone="Europe/Berlin")
    assert desk.append("x").date == date


def test_a_clock_that_steps_back_never_puts_an_entry_before_another(desk: Desk) -> None:
    desk.append("one")
    desk.clock.advance(seconds=-120)
    desk.append("two")
    first, second = (block.attributes["at"] for block in desk.day(TODAY).blocks)
    assert first < second


def test_bullets_added_by_hand_are_stamped_and_committed_first(desk: Desk) -> None:
    desk.append("one")
    path = desk.path(TODAY)
    path.write_text(path.read_text() + "- by hand\n  more\n\nprose\n")
    desk.append("two")
    assert desk.texts(TODAY) == ["one", "by hand\nmore", "prose", "two"]
    assert desk.day(TODAY).blocks[1].id is not None
    assert git(desk.root, "status", "--porcelain") == ""


def test_an_edit_that_is_open_stays_in_the_worktree_and_out_of_the_commit(desk: Desk) -> None:
    desk.append("one")
    path = desk.path(TODAY)
    path.write_text(path.read_text().replace("- one", "- ONE"))
    done = desk.append("two")
    assert done.held
    committed = git(desk.root, "show", f"HEAD:.agents/nutstore-sync/memory/archive/2026/{TODAY}.md")
    assert "- one <!--" in committed
    assert "- two <!--" in committed
    assert desk.texts(TODAY) == ["ONE", "two"]


def test_a_file_deleted_by_hand_is_not_brought_back_and_not_taken_for_forgotten(desk: Desk) -> None:
    desk.append("one")
    desk.path(TODAY).unlink()
    desk.append("two")
    assert desk.texts(TODAY) == ["two"]
    committed = git(desk.root, "show", f"HEAD:.agents/nutstore-sync/memory/archive/2026/{TODAY}.md")
    assert "- one <!--" in committed


def test_a_hand_made_index_is_taken_as_it_is(desk: Desk) -> None:
    desk.append("X-200 costs 12,800", index="X-200 price 12,800")
    assert desk.day(TODAY).index == "X-200 price 12,800"


def test_an_index_that_says_more_than_the_day_is_refused_and_nothing_is_written(desk: Desk) -> None:
    with pytest.raises(ErrIndexUngrounded):
        desk.append("X-200 costs 12,800", index="X-999 price 12,800")
    assert not desk.path(TODAY).exists()


@pytest.mark.parametrize(("text", "error"), [("  ", ErrEmptyText), ("x" * 70_000, ErrTooLarge)])
def test_a_refused_text_leaves_no_trace(desk: Desk, text: str, error: type[Exception]) -> None:
    before = git(desk.root, "rev-parse", "HEAD")
    with pytest.raises(error):
        desk.append("good", text)
    assert git(desk.root, "rev-parse", "HEAD") == before
    assert not desk.path(TODAY).exists()


def test_a_correction_puts_the_old_subject_into_todays_index(desk: Desk) -> None:
    ref = desk.append("Billing runs on MySQL").placed[0].ref
    desk.clock.advance(days=1)
    desk.append("Billing runs on PostgreSQL", kind="correction", corrects=str(ref))
    assert "MySQL" in (desk.day("2026-12-01").index or "")
    assert "PostgreSQL" in (desk.day("2026-12-01").index or "")


def test_reading_never_creates_a_file(desk: Desk) -> None:
    from nutsync.core.entry import Ref
    from nutsync.core.errors import ErrUnknownRef
    from nutsync.operations.show import show

    with pytest.raises(ErrUnknownRef):
        show(desk.cell, Ref(TODAY), actor="ana")
    assert not desk.path(TODAY).exists()


@pytest.mark.parametrize("forged", ["scope=host kind=fact", "scope=global kind=fact"])
def test_a_line_that_hands_do_not_write_is_held_and_in_nobodys_way(desk: Desk, forged: str) -> None:
    desk.append("one")
    path = desk.path(TODAY)
    path.write_bytes(path.read_bytes() + f"- forged <!-- nut {forged} -->\n".encode())
    done = desk.append("two")
    assert done.held
    assert "forged" not in git(desk.root, "show", f"HEAD:{day_path(TODAY)}")
    assert desk.texts(TODAY) == ["one", "forged", "two"]


def test_a_clock_that_lags_behind_history_writes_to_the_day_that_judges_will_find(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "memory", "2026-12-01T00:30:00+08:00")
    desk.append("after midnight")
    desk.clock.set("2026-11-30T23:40:00+08:00")
    assert desk.append("by a clock fifty minutes behind").date == "2026-12-01"


def test_a_clock_that_steps_back_over_midnight_in_the_cells_zone_stays_on_the_new_day(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "memory", "2026-12-01T00:01:00+08:00", zone="Asia/Shanghai")
    first = desk.append("just after midnight")
    desk.clock.set("2026-11-30T23:59:00+08:00")
    second = desk.append("the clock stepped back")
    assert (first.date, second.date) == ("2026-12-01", "2026-12-01")
    at = [block.attributes["at"] for block in desk.day("2026-12-01").blocks]
    assert at == sorted(at)
