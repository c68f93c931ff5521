"""Hand edits: additions at the end are pending, everything else is held and stays as it is."""

import pytest

from nutsync.core.day import Day
from nutsync.core.entry import Block
from nutsync.core.hand import Edit, fence_is_open, read_edit, stamp_added

DATE = "2026-11-30"
HEAD = "---\ndate: 2026-11-30\nindex: 'a'\n---\n## 2026-11-30\n- a <!-- nut id=k3f9x2ab at=1 dev=d -->\n"


def day(content: str) -> Day:
    return Day.parse(content.encode(), DATE)


def test_an_equal_file_is_no_edit() -> None:
    assert read_edit(day(HEAD), day(HEAD)).edit is Edit.NONE
    assert read_edit(None, None).edit is Edit.NONE


def test_line_ends_of_another_system_are_no_edit() -> None:
    assert read_edit(day(HEAD), day(HEAD.replace("\n", "\r\n"))).edit is Edit.NONE


def test_blocks_added_at_the_end_are_pending() -> None:
    edit = read_edit(day(HEAD), day(HEAD + "\n- b\n  more\nprose\n"))
    assert (edit.edit, [block.text for block in edit.added]) == (Edit.PENDING, ["b\nmore", "prose"])
    assert edit.index is None


def test_people_may_give_their_own_lines_attributes() -> None:
    for attributes in (
        "kind=task",
        "scope=global actor=ana",
        "scope=agent actor=ana namespace=coder",
        "scope=x",
    ):
        assert read_edit(day(HEAD), day(f"{HEAD}- b <!-- nut {attributes} -->\n")).edit is Edit.PENDING


def test_a_new_file_is_pending_as_a_whole() -> None:
    edit = read_edit(None, day("- a\n- b\n"))
    assert (edit.edit, len(edit.added)) == (Edit.PENDING, 2)


def test_an_index_written_by_hand_comes_with_the_additions() -> None:
    assert read_edit(day(HEAD), day(HEAD.replace("index: 'a'", "index: 'mine'") + "- b\n")).index == "mine"


@pytest.mark.parametrize(
    ("edited", "reason"),
    [
        (HEAD.replace("- a", "- A"), "changed"),
        (HEAD.replace("- a", "- b\n- a"), "changed"),
        (HEAD + "  a line under an old entry\n", "changed"),
        (HEAD.rpartition("- a")[0], "changed"),
        (HEAD.replace("date: 2026-11-30", "date: 2026-11-29") + "- b\n", "another date"),
        (HEAD.replace("'a'", "bare") + "- b\n", "quotes"),
        (HEAD + "<<<<<<< ours\n- b\n>>>>>>> theirs\n", "conflict markers"),
        (HEAD + "- b <!-- nut id=k3f9x2ab at=2 dev=d -->\n", "twice"),
        (HEAD + "- b\n- c <!-- nut scope=host kind=fact -->\n", "environment"),
        (HEAD + "- b <!-- nut id=p0q8m1zc at=2 dev=d scope=global -->\n", "consensus"),
        (HEAD + "- b <!-- nut scope=session session=4f1c -->\n", "session"),
        (HEAD + "- b <!-- nut scope=working -->\n", "working"),
    ],
)
def test_every_other_edit_is_held_and_says_why(edited: str, reason: str) -> None:
    edit = read_edit(day(HEAD), day(edited))
    assert edit.edit is Edit.HELD
    assert reason in edit.reason


def test_a_deleted_file_is_held_never_taken_for_a_wish() -> None:
    assert read_edit(day(HEAD), None).edit is Edit.HELD


def test_bullets_are_stamped_and_prose_code_and_empty_bullets_keep_their_bytes() -> None:
    added = day("- a\nprose\n```\n- code\n```\n-\n* b\n").blocks
    ids = iter(["00000001", "00000002", "00000003"])
    stamped = stamp_added(added, lambda: {"id": next(ids)})
    assert [block.id for block in stamped] == ["00000001", None, None, None, None, None, "00000002"]
    assert [b.raw for b in stamped if b.id is None] == [b.raw for b in added if b.text not in ("a", "b")]


def test_a_fence_left_open_before_keeps_what_follows_as_code() -> None:
    old = day("```\n- code\n").blocks
    assert fence_is_open(old)
    assert stamp_added([Block(b"- more\n")], lambda: {"id": "00000001"}, open_fence=True)[0].id is None
