"""What people write into day files by hand is committed where that is legal, and otherwise left as it is."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

import pytest

from nutsync.core.cell import day_path
from nutsync.core.errors import ErrFrozen, ErrUsage
from nutsync.operations.held import edited_from
from nutsync.operations.takeover import take_over_from
from tests.support.fleet import Fleet, same
from tests.support.repos import commit_files, git, head, show

TODAY = "2026-11-30"
TOMORROW = "2026-12-01"


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    fleet = Fleet(tmp_path)
    fleet["desk"].append("remembered by nutsync")
    fleet.sync_all()
    return fleet


def add_by_hand(fleet: Fleet, name: str, text: str, date: str = TODAY, when: str | None = None) -> Path:
    """Append lines to a day file as an editor does, at a time of the file system."""
    path = fleet[name].path(date)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(text)
    stamp = datetime.fromisoformat(when or f"{date}T12:00:00+08:00").timestamp()
    os.utime(path, (stamp, stamp))
    return path


def committed(fleet: Fleet, name: str, date: str = TODAY) -> str:
    return show(fleet[name].root, f"HEAD:{day_path(date)}").decode()


def test_bullets_added_to_today_are_stamped_committed_and_sent(fleet: Fleet) -> None:
    add_by_hand(fleet, "desk", "* by hand\n  with more below\n- [ ] a box\n")
    done = fleet.sync("desk")
    fleet.sync("lap")
    assert (done.sent, done.held) == (2, ())
    assert fleet["lap"].texts(TODAY) == ["remembered by nutsync", "by hand\nwith more below", "[ ] a box"]
    assert "* by hand <!-- nut id=" in committed(fleet, "desk")
    assert "with more below" in fleet["desk"].day(TODAY).index or "hand" in (
        fleet["desk"].day(TODAY).index or ""
    )
    assert git(fleet["desk"].root, "status", "--porcelain") == ""


def test_a_file_of_today_made_by_hand_becomes_a_day(fleet: Fleet) -> None:
    for desk in fleet.desks.values():
        desk.clock.advance(days=1)
    add_by_hand(fleet, "desk", "# My day\n\n- first\n\nSome prose.\n", TOMORROW)
    fleet.sync("desk")
    fleet.sync("lap")
    content = fleet["lap"].path(TOMORROW).read_text(encoding="utf-8")
    assert "# My day\n\n- first <!-- nut id=" in content and content.endswith("Some prose.\n")


def test_bullets_of_yesterday_whose_file_proves_their_time_are_late_entries(fleet: Fleet) -> None:
    add_by_hand(fleet, "desk", "- written before midnight\n", when=f"{TODAY}T23:59:00+08:00")
    for desk in fleet.desks.values():
        desk.clock.set(f"{TOMORROW}T08:00:00+08:00")
    fleet["lap"].append("the next morning")
    fleet.sync("lap")
    fleet["desk"].append("also the next morning")
    done = fleet.sync("desk")
    fleet.sync("lap")
    assert done.held == ()
    assert fleet["lap"].texts(TODAY) == ["remembered by nutsync", "written before midnight"]
    assert same(fleet.archives())
    when = git(
        fleet["desk"].root, "log", "--all", "--format=%ad", "--date=iso-strict", "-S", "written before"
    )
    assert f"{TODAY}T23:59:00+08:00" in when.splitlines()
    assert "at=23:59:00" in committed(fleet, "desk")


def test_bullets_of_yesterday_without_proof_are_held_and_named(fleet: Fleet) -> None:
    path = add_by_hand(fleet, "desk", "- too late\n", when=f"{TOMORROW}T07:00:00+08:00")
    before = path.read_bytes()
    fleet["desk"].clock.set(f"{TOMORROW}T08:00:00+08:00")
    done = fleet.sync("desk")
    assert [one.as_json()["date"] for one in done.held] == [TODAY]
    assert done.held[0].command == f"nutsync append --from {TODAY}"
    assert done.exit_code == 0 and f"held: {TODAY}" in done.words()
    assert path.read_bytes() == before and "too late" not in committed(fleet, "desk")


def test_append_from_moves_them_into_today_and_gives_the_file_back(fleet: Fleet) -> None:
    add_by_hand(fleet, "desk", "* too late, but said\n  twice\n", when=f"{TOMORROW}T07:00:00+08:00")
    fleet["desk"].clock.set(f"{TOMORROW}T08:00:00+08:00")
    done = take_over_from(fleet["desk"].cell, TODAY)
    assert [entry["duplicate"] for entry in done["entries"]] == [False]  # type: ignore[attr-defined]
    assert fleet["desk"].texts(TOMORROW) == ["too late, but said\ntwice"]
    (block,) = fleet["desk"].day(TOMORROW).blocks
    assert block.attributes["about"] == TODAY and block.raw.startswith(b"* too late")
    assert fleet["desk"].path(TODAY).read_text() == committed(fleet, "desk")
    assert fleet.sync("desk").held == ()
    with pytest.raises(ErrUsage):
        take_over_from(fleet["desk"].cell, TODAY)


def test_append_from_repeated_writes_nothing_twice(fleet: Fleet) -> None:
    fleet["desk"].clock.set(f"{TOMORROW}T08:00:00+08:00")
    for _ in range(2):
        add_by_hand(fleet, "desk", "- once\n", when=f"{TOMORROW}T07:00:00+08:00")
        done = take_over_from(fleet["desk"].cell, TODAY)
    assert fleet["desk"].texts(TOMORROW) == ["once"]
    assert done["entries"][0]["duplicate"] is True and done["commit"] is None  # type: ignore[index]


def test_append_from_refuses_days_that_are_not_over_and_edits_that_did_more(fleet: Fleet) -> None:
    with pytest.raises(ErrUsage):
        take_over_from(fleet["desk"].cell, TODAY)
    fleet["desk"].clock.set(f"{TOMORROW}T08:00:00+08:00")
    path = fleet["desk"].path(TODAY)
    path.write_text(path.read_text().replace("remembered", "misremembered"))
    with pytest.raises(ErrFrozen):
        take_over_from(fleet["desk"].cell, TODAY)
    assert "misremembered" in path.read_text()


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace("remembered", "misremembered"),
        lambda text: "",
        lambda text: text + "<<<<<<< ours\n- a\n>>>>>>> theirs\n",
        lambda text: text.replace(f"date: {TODAY}", "date: 2020-01-01"),
        lambda text: text.replace("index: '", "index: '\t"),
    ],
)
def test_every_other_edit_is_held_and_the_rest_goes_on(fleet: Fleet, edit: object) -> None:
    path = fleet["desk"].path(TODAY)
    path.write_text(edit(path.read_text()))  # type: ignore[operator]
    kept = path.read_bytes()
    fleet["lap"].append("from elsewhere")
    fleet.sync("lap")
    done = fleet.sync("desk")
    assert done.result == "fast-forwarded" and [one.date for one in done.held] == [TODAY]
    assert path.read_bytes() == kept
    assert "from elsewhere" in committed(fleet, "desk")
    assert fleet.sync("desk").result == "up-to-date"


def test_a_removed_file_is_held_and_not_brought_back(fleet: Fleet) -> None:
    fleet["desk"].path(TODAY).unlink()
    done = fleet.sync("desk")
    assert [one.reason for one in done.held] == ["the file is gone"]
    assert not fleet["desk"].path(TODAY).exists()


def test_a_file_of_a_day_that_has_not_come_waits_for_it(fleet: Fleet) -> None:
    add_by_hand(fleet, "desk", "- a plan\n", TOMORROW, when=f"{TODAY}T12:00:00+08:00")
    done = fleet.sync("desk")
    assert [one.reason for one in done.held] == ["that day has not come yet"]
    fleet["desk"].clock.set(f"{TOMORROW}T08:00:00+08:00")
    done = fleet.sync("desk")
    assert (done.held, done.sent) == ((), 1)


def test_what_a_held_edit_was_made_from_is_remembered_as_long_as_it_is_held(fleet: Fleet) -> None:
    """A late entry that arrives meanwhile is not part of what the edit left out."""
    path = fleet["desk"].path(TODAY)
    original = path.read_text()
    made_from = git(fleet["desk"].root, "rev-parse", f"HEAD:{day_path(TODAY)}")
    path.write_text(original.replace("remembered", "misremembered"))
    fleet.sync("desk")
    fleet["lap"].append("a late entry")
    fleet.sync("lap")
    fleet.sync("desk")
    assert edited_from(fleet["desk"].cell.git) == {TODAY: made_from}
    path.write_text(committed(fleet, "desk"))
    fleet.sync("desk")
    assert edited_from(fleet["desk"].cell.git) == {}


def test_an_agents_append_under_a_stale_editor_buffer_is_not_taken_for_deleted(fleet: Fleet) -> None:
    path = fleet["desk"].path(TODAY)
    buffer = path.read_text()
    made_from = git(fleet["desk"].root, "rev-parse", f"HEAD:{day_path(TODAY)}")
    fleet["desk"].append("an agent's, while the editor was open")
    path.write_text(buffer.replace("remembered", "misremembered"))
    fleet.sync("desk")
    assert edited_from(fleet["desk"].cell.git) == {TODAY: made_from}


def test_additions_that_arrive_while_a_sync_writes_are_joined_not_overwritten(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet["lap"].append("from elsewhere")
    fleet.sync("lap")
    from nutsync.operations import moving

    real = moving.bring

    def edited_meanwhile(*args: object) -> tuple[str, ...]:
        add_by_hand(fleet, "desk", "- typed just now\n")
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(moving, "bring", edited_meanwhile)
    done = fleet.sync("desk")
    monkeypatch.undo()
    assert done.held == ()
    assert fleet["desk"].texts(TODAY) == ["remembered by nutsync", "from elsewhere", "typed just now"]
    assert fleet.sync("desk").sent == 1
    fleet.sync("lap")
    assert same(fleet.archives())


def test_line_ends_of_windows_are_no_edit(fleet: Fleet) -> None:
    path = fleet["desk"].path(TODAY)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n") + b"- by hand\r\n")
    done = fleet.sync("desk")
    assert (done.sent, done.held) == (1, ())
    assert "\r" not in committed(fleet, "desk")


def test_staged_hand_edits_and_strays_are_left(fleet: Fleet) -> None:
    root = fleet["desk"].root
    commit_files(root, {"README": "mine"})
    (fleet["desk"].path(TODAY).parent / ".nutsync-tmp-1-dead").write_text("left by a killed writer")
    stray = fleet["desk"].path(TODAY).parent / "notes.txt"
    stray.write_text("not a day")
    before = head(root)
    done = fleet.sync("desk")
    assert done.held == () and stray.exists() and head(root) == before
    assert not (fleet["desk"].path(TODAY).parent / ".nutsync-tmp-1-dead").exists()
