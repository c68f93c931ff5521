"""Real daily notes of every shape keep every block when two devices append to them and merge."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from nutsync.core.day import Day, count_blocks
from nutsync.core.entry import encode_entry
from nutsync.core.merge import Side, merge_day

CASES = Path(__file__).resolve().parents[2].parent / "shared" / "cases" / "daily-notes"
FILES = sorted(path for path in CASES.rglob("*") if path.is_file() and path.name != "MANIFEST.jsonl")
DATE = "2026-11-30"


def keep_index(*sides: object, **_: object) -> str:
    return ""


@pytest.mark.skipif(not FILES, reason="the folder of cases is not here")
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_note_of_any_shape_that_two_devices_appended_to_keeps_every_block(path: Path) -> None:
    note = Day.parse(path.read_bytes(), DATE)
    first = encode_entry("from the desk", {"id": "k3f9x2ab", "at": "09:00:00.000+08:00", "dev": "desk"})
    second = encode_entry("from the laptop", {"id": "p0q8m1zc", "at": "10:00:00.000+08:00", "dev": "laptop"})
    ours, theirs = Side(note.append(first)), Side(note.append(second))
    merged = merge_day(DATE, ours, theirs, [note.front], keep_index)
    assert merged is not None
    assert count_blocks(merged) == count_blocks(note) + Counter([first.body, second.body])
    again = merge_day(DATE, theirs, ours, [note.front], keep_index)
    assert again is not None
    assert again.render() == merged.render()
