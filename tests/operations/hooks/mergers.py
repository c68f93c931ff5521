"""The changes with two parents, and the moves that lead back."""

from __future__ import annotations

from nutsync.core.cell import day_path
from nutsync.core.day import Day
from nutsync.core.entry import Block
from tests.operations.hooks.changes import (
    EDITS,
    LATEST,
    MERGE,
    MOVE,
    PASSES,
    STOPPED,
    WARNED,
    Change,
    entry,
)
from tests.operations.hooks.world import NOW, TODAY, TOMORROW, YESTERDAY, World

_BAG = entry("from the bag", "00000011", "10:30:00.000+08:00")


def _merge(world: World, files: dict[str, object], start: str = "") -> None:
    """Merge ``world.other`` into main; ``files`` is what the merge holds other than main."""
    world.start, world.message, world.when = start or world.commits["tip"], "a merge\n", NOW
    world.side = world.commit([world.start, world.other], files, world.message)  # type: ignore[arg-type]


def _branch(world: World, date: str, block: Block, when: str, base: str = "fork") -> Day:
    """Let another device write one entry on top of ``base``; return the day as main's plus that entry."""
    fork, tip = world.commits[base], world.commits["tip"]
    day = world.day(fork, date) if base != "fork" or date != TODAY else Day.new(date)
    world.other = world.commit(
        [fork], {day_path(date): day.append(block).with_index("from the bag")}, when=when
    )
    return world.day(tip, date).append(block)


def merge_honestly(world: World) -> None:
    _merge(world, {day_path(TODAY): _branch(world, TODAY, _BAG, f"{TODAY}T10:30:00+08:00")})


def merge_late(world: World) -> None:
    late = entry("late from the bag", "00000012", "23:00:00.000+08:00")
    _merge(world, {day_path(YESTERDAY): _branch(world, YESTERDAY, late, f"{YESTERDAY}T23:00:00+08:00")})


def merge_east(world: World) -> None:
    east = entry("from Kiritimati", "00000013", "01:30:00.000+14:00")
    day = Day.new(TOMORROW).append(east).with_index("from Kiritimati")
    world.other = world.commit(
        [world.commits["fork"]], {day_path(TOMORROW): day}, when=f"{TOMORROW}T01:30:00+14:00"
    )
    _merge(world, {day_path(TOMORROW): day})


def merge_west(world: World) -> None:
    west = entry("from Midway", "00000014", "15:00:00.000-11:00")
    _merge(world, {day_path(YESTERDAY): _branch(world, YESTERDAY, west, f"{YESTERDAY}T15:00:00-11:00")})


def merge_clocks_apart(world: World) -> None:
    ahead = entry("ten minutes ahead", "00000015", "20:10:00.000+08:00")
    _merge(world, {day_path(TODAY): _branch(world, TODAY, ahead, f"{TODAY}T20:10:00+08:00")})


def merge_criss_cross(world: World, *more: Block) -> None:
    """Both devices merged each other before; ``more`` is what this merge holds beyond the law."""
    tip = world.commits["tip"]
    day = _branch(world, TODAY, _BAG, f"{TODAY}T10:30:00+08:00", base="before_forget")
    files = {day_path(TODAY): day}
    theirs = world.other
    start = world.commit([tip, theirs], files, when=f"{TODAY}T19:00:00+08:00")
    world.other = world.commit_tree(world.tree(start), [theirs, tip], when=f"{TODAY}T19:00:00+08:00")
    beyond = {day_path(TODAY): day.with_blocks([*day.blocks[:2], *more, *day.blocks[2:]])} if more else {}
    _merge(world, beyond, start)


def resurrect_in_merge(world: World) -> None:
    day = _branch(world, TODAY, _BAG, f"{TODAY}T10:30:00+08:00", base="before_forget")
    gone = world.day(world.commits["before_forget"], TODAY).blocks[2]
    _merge(world, {day_path(TODAY): day.with_blocks([*day.blocks[:2], gone, *day.blocks[2:]])})


def resurrect_criss_cross(world: World) -> None:
    merge_criss_cross(world, world.day(world.commits["before_forget"], TODAY).blocks[2])


def merge_losing_one(world: World) -> None:
    day = _branch(world, TODAY, _BAG, f"{TODAY}T10:30:00+08:00")
    _merge(world, {day_path(TODAY): day.without([day.blocks[0]])})


def merge_adding_one(world: World) -> None:
    day = _branch(world, TODAY, _BAG, f"{TODAY}T10:30:00+08:00")
    _merge(world, {day_path(TODAY): day.append(LATEST)})


def merge_dropping_prose(world: World) -> None:
    late = entry("late from the bag", "00000012", "23:00:00.000+08:00")
    day = _branch(world, YESTERDAY, late, f"{YESTERDAY}T23:00:00+08:00")
    prose = next(block for block in day.blocks if block.raw.startswith(b"Prose"))
    _merge(world, {day_path(YESTERDAY): day.without([prose])})


def merge_dropping_theirs(world: World) -> None:
    _branch(world, TODAY, _BAG, f"{TODAY}T10:30:00+08:00")
    _merge(world, {})


def merge_dropping_outside(world: World) -> None:
    world.other = world.outside(world.commits["fork"])
    _merge(world, {})


def drop_the_forget(world: World) -> None:
    world.start, world.side = world.commits["tip"], world.commits["before_forget"]


def drop_an_entry(world: World) -> None:
    tip = world.commits["tip"]
    day = world.day(tip, TODAY).append(LATEST)
    world.start, world.side = world.commit([tip], {day_path(TODAY): day}), tip


def drop_outside(world: World) -> None:
    world.side = world.commits["tip"]
    world.start = world.outside(world.side)


MERGES = (
    Change("lose an entry in a merge", MERGE, STOPPED, merge_losing_one, ("merge-lost",), early=True),
    Change("add an entry in a merge", MERGE, STOPPED, merge_adding_one, ("merge-added",), early=True),
    Change("drop unstamped prose in a merge", MERGE, STOPPED, merge_dropping_prose, ("merge-lost",),
           early=True),
    Change("drop the other side's entry in a merge", MERGE, STOPPED, merge_dropping_theirs, ("merge-lost",),
           early=True, ours=True),
    Change("bring a forgotten entry back in a merge", MERGE, WARNED, resurrect_in_merge, ("merge-returned",)),
    Change("bring it back in a criss-cross merge", MERGE, STOPPED, resurrect_criss_cross,
           ("forgotten-returned",), early=True),
    Change("merge honestly", MERGE, PASSES, merge_honestly, drawn=True),
    Change("merge a late entry", MERGE, PASSES, merge_late, drawn=True),
    Change("merge a device further east", MERGE, PASSES, merge_east, drawn=True),
    Change("merge a device further west", MERGE, PASSES, merge_west, drawn=True),
    Change("merge a clock ten minutes ahead", MERGE, PASSES, merge_clocks_apart, drawn=True),
    Change("merge criss-cross", MERGE, PASSES, merge_criss_cross, drawn=True),
    Change("drop the other side's files outside the cell", MERGE, PASSES, merge_dropping_outside, ours=True),
)  # fmt: skip

MOVES = (
    Change("drop a forget", MOVE, STOPPED, drop_the_forget, ("move-unforgot",)),
    Change("drop an entry", MOVE, STOPPED, drop_an_entry, ("move-lost",)),
    Change("drop a commit outside the cell", MOVE, PASSES, drop_outside),
)

CHANGES = (*EDITS, *MERGES, *MOVES)
