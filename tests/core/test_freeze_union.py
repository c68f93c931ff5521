"""Git's own union, as an unarmed clone merges: none of it is a violation, all of it can be repaired."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from nutsync.core.day import Day
from nutsync.core.entry import Block
from nutsync.core.freeze import is_legal
from nutsync.core.repair import dates_to_repair, repaired
from tests.support.history import MONDAY, TUESDAY, History, Made, entry

SEVERAL_LINES = 0.5
NOON, NEXT = "2026-11-30T12:00+08:00", "2026-12-01T12:00+08:00"


def union(folder: Path, ours: bytes | None, base: bytes | None, theirs: bytes | None) -> bytes:
    """What Git's union driver makes of three versions."""
    names = []
    for name, content in (("ours", ours), ("base", base), ("theirs", theirs)):
        (folder / name).write_bytes(content or b"")
        names.append(name)
    command = ["git", "merge-file", "--union", "-p", *names]
    return subprocess.run(command, cwd=folder, capture_output=True, check=True).stdout


class Device:
    """A device that writes and forgets by the rules, on its own line of history."""

    def __init__(self, history: History, dev: str, chance: random.Random, ids: list[int]) -> None:
        self.history, self.dev, self.chance, self.ids = history, dev, chance, ids

    def work(self, tip: Made, steps: int) -> Made:
        for _ in range(steps):
            held = tip.day(MONDAY).blocks
            if held and self.chance.random() < 0.25:
                block = self.chance.choice(held)
                tip = self.history.forget(tip, MONDAY, block, at=NOON)
            else:
                tip = self.history.append(tip, MONDAY, *self.blocks(), at=NOON)
            assert tip.codes == []
        return tip

    def blocks(self) -> list[Block]:
        made = []
        for _ in range(self.chance.randint(1, 2)):
            number = len(self.ids)
            self.ids.append(number)
            if self.chance.random() < 0.3:
                made.append(Block(b"- word %d\n" % self.chance.randint(0, 3)))
            else:
                minute = f"{10 + number // 60:02d}:{number % 60:02d}:00.000+08:00"
                more = "\nReason: the same\n\nand more" if self.chance.random() < SEVERAL_LINES else ""
                made.append(entry(f"text {number}{more}", number + 1, minute, self.dev))
        return made


@pytest.mark.parametrize("seed", range(60))
def test_what_union_leaves_behind_is_at_most_a_blur_and_is_repaired(tmp_path: Path, seed: int) -> None:
    history, chance, ids = History(), random.Random(seed), []  # type: ignore[var-annotated]
    devices = [Device(history, dev, chance, ids) for dev in ("desk", "bag")]
    base = devices[0].work(history.born(), chance.randint(0, 3))
    one, two = (device.work(base, chance.randint(1, 3)) for device in devices)
    if one.content(MONDAY) is None or two.content(MONDAY) is None:
        return  # a day that one side deleted is no work for a driver
    content = union(tmp_path, one.content(MONDAY), base.content(MONDAY), two.content(MONDAY))
    merged = history.merge(one, two, at=NOON, files={MONDAY: content}, op="append", message="Merge\n")
    assert is_legal(merged.findings), merged.codes
    if not merged.codes:
        return
    assert dates_to_repair(merged.ancestry) == [MONDAY]
    grown = history.append(merged, TUESDAY, entry("later", 999), at=NEXT)
    want = repaired(MONDAY, grown.day(MONDAY), grown.ancestry, history.past)
    law = history.law(MONDAY, one, two)
    assert (want.blocks if want else ()) == (law.blocks if law else ())
    anew = want.with_index("words") if isinstance(want, Day) else None
    mended = history.commit([grown], {MONDAY: anew}, at=NEXT, op="repair")
    assert mended.codes == []
    assert dates_to_repair(mended.ancestry) == []
