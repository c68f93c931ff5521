"""Forgetting at the top of a file, and two replacements of one entry."""

from __future__ import annotations

from pathlib import Path

import pytest

from nutsync.core.cell import day_path
from nutsync.core.day import Day
from nutsync.core.entry import Ref
from nutsync.operations.show import show
from tests.support.cells import make_desk
from tests.support.fleet import Fleet
from tests.support.purges import MONDAY, forget_only, is_clean, ref_of
from tests.support.repos import show as show_object


@pytest.mark.parametrize("under", ["---\ntags: [x]\n---\nLast.\n", "--- ruler\n", "\ufeffmarked\n"])
def test_what_comes_to_the_top_of_a_file_by_a_forget_means_no_more_there_than_before(
    tmp_path: Path, under: str
) -> None:
    """A ruler there would begin a frontmatter, and the blocks under it would be lost."""
    root = tmp_path / "old"
    path = root / day_path(MONDAY)
    path.parent.mkdir(parents=True)
    path.write_text(f"Globex pays 4711\n{under}", encoding="utf-8")
    desk = make_desk(root)
    left = [block.body for block in desk.day(MONDAY).blocks][1:]
    forget_only(desk, Ref(MONDAY, nth=1))
    assert [
        block.body for block in Day.parse(show_object(desk.root, f"HEAD:{day_path(MONDAY)}"), MONDAY).blocks
    ] == left
    assert path.read_text(encoding="utf-8") == f"\n{under}"
    assert is_clean(desk.root)


def test_of_an_entry_replaced_on_two_devices_at_once_both_replacements_stay_and_its_old_ref_names_both(
    tmp_path: Path,
) -> None:
    fleet = Fleet(tmp_path)
    desk, lap = fleet["desk"], fleet["lap"]
    ref = ref_of(desk, "Globex pays 4711")
    fleet.sync_all()
    forget_only(desk, ref, replacement="Globex pays on Monday")
    forget_only(lap, ref, replacement="Globex pays on Friday")
    fleet.sync_all()
    for device in (desk, lap):
        shown = show(device.cell, ref, actor="ana")
        texts = sorted(block.text for _, block in shown.entries)
        assert texts == ["Globex pays on Friday", "Globex pays on Monday"]
        assert sorted(device.texts(MONDAY)) == texts
    assert len({*lap.day(MONDAY).ids, str(ref.id)}) == 3
    second = show(desk.cell, ref, actor="ana").entries[0][0]
    forget_only(desk, second, replacement="Globex pays on Sunday")
    texts = sorted(block.text for _, block in show(desk.cell, ref, actor="ana").entries)
    assert len(texts) == 2 and "Globex pays on Sunday" in texts
    assert len(forget_only(desk, ref).plan.gone) == 2
    assert not desk.path(MONDAY).exists()
