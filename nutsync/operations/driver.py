"""The merge driver: what Git itself calls for a day file that both sides changed (design §7).

It is the safety net for plain `git merge`, `git pull`, `git rebase` and their like; `nutsync sync` merges in
process. Git hands over three files and no history, so F is told from them: what the base held and a side
does not hold any more was forgotten there. What that cannot know (criss-cross histories) the next sync puts
right. Whatever is no day file goes to Git's own union, and so does a day whenever this fails.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from nutsync.core.cell import date_of_path
from nutsync.core.day import Day
from nutsync.core.entry import Block
from nutsync.core.errors import NutsyncError
from nutsync.core.forgotten import ForgottenSet
from nutsync.core.merge import Side, merge_day
from nutsync.store.files import read_bytes, write_atomic

_MARKERS = (b"<<<<<<< ", b">>>>>>> ")
EXIT_MERGED = 0
EXIT_NOT_OURS = 1
"""What lets the shell go on to Git's own union (see :func:`nutsync.operations.arming.driver_command`)."""


def run_driver(arguments: Sequence[str]) -> int:
    """Merge ``%O %A %B %P`` into ``%A``; any exit code but 0 asks for Git's own union instead."""
    if len(arguments) != 4:
        return EXIT_NOT_OURS
    base, ours, theirs = (Path(name) for name in arguments[:3])
    date = date_of_path(arguments[3])
    if date is None:
        return EXIT_NOT_OURS
    try:
        merged = merge_files(date, *(read_bytes(path) for path in (base, ours, theirs)))
        if merged is None:
            return EXIT_NOT_OURS
        write_atomic(ours, merged)
    except (NutsyncError, OSError):
        return EXIT_NOT_OURS
    return EXIT_MERGED


def merge_files(date: str, base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Return the merged content of one day, None where a side is no day that can be merged by blocks.

    An empty base is none: both sides made the file.
    """
    if any(marker in side for side in (ours, theirs) for marker in _MARKERS):
        return None
    before = Day.parse(base, date) if base else None
    days = [Day.parse(side, date) for side in (ours, theirs)]
    if any(day.front.date not in (None, date) for day in days):
        return None
    sides = [Side(day, forgotten_since(before, day)) for day in days]
    merged = merge_day(date, sides[0], sides[1], [before.front] if before else [], _merge_index)
    return b"" if merged is None else merged.render()


def forgotten_since(base: Day | None, side: Day) -> ForgottenSet:
    """Return what ``base`` held and ``side`` does not: in a day, only a forget takes anything away."""
    if base is None:
        return ForgottenSet()
    refs = frozenset(f"{side.date}#{name}" for name in set(base.ids) - set(side.ids))
    gone = Counter(_unstamped(base)) - Counter(_unstamped(side))
    return ForgottenSet(refs, {(side.date, body): count for body, count in gone.items()})


def _unstamped(day: Day) -> list[bytes]:
    return [block.body for block in day.blocks if not block.is_stamped]


def _merge_index(
    ours: str | None,
    theirs: str | None,
    bases: Sequence[str | None],
    blocks: Sequence[Block],
    forgotten: Sequence[Block],
) -> str:
    from nutsync.core.append import said
    from nutsync.core.index import merge_index

    return merge_index(ours, theirs, bases, said(blocks, {}), forgotten=said(forgotten, {}))
