"""What is tried in every way: changes that the freeze law forbids, and changes that it allows (design §7).

A change is data: where main stands, the commit that holds it, and what the law says of it. Its ``shape``
says what can carry it: an EDIT is one commit on main, a MERGE has two parents, a MOVE leads back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nutsync.core.audit import Audit, Target, render_message
from nutsync.core.cell import CELL_PATH, CellConfig, day_path
from nutsync.core.day import Day
from nutsync.core.entry import Block, encode_entry
from tests.operations.hooks.world import (
    MALFORMED,
    NOW,
    TODAY,
    TOMORROW,
    YESTERDAY,
    World,
)

EDIT, MERGE, MOVE = "edit", "merge", "move"
STOPPED, PASSES, WARNED = "stopped", "passes", "passes with a warning"


@dataclass(frozen=True)
class Change:
    """One change: ``build`` makes it in a world. ``codes`` are the findings that may name it.

    ``early`` says that no message can make it legal, so that pre-commit stops it. ``ours`` says that a merge
    has the tree of its first parent; ``drawn`` that Git's own merge, with the driver, comes to it.
    """

    name: str
    shape: str
    outcome: str
    build: Callable[[World], None]
    codes: tuple[str, ...] = ()
    early: bool = False
    ours: bool = False
    drawn: bool = False
    unborn: bool = False


def entry(text: str, name: str, at: str, dev: str = "bag", **more: str) -> Block:
    """An entry of Ana's, from another device."""
    return encode_entry(
        text, {"id": name, "at": at, "dev": dev, "kind": "fact", "scope": "global", "actor": "ana", **more}
    )


LATEST = entry("a thing of this evening", "00000001", "20:00:00.000+08:00", dev="desk")


def said(op: str, *refs: object) -> str:
    """The message of a commit that does ``op`` to these refs."""
    targets = tuple(Target(str(ref), False) for ref in refs)
    return render_message(Audit(op=op, targets=targets, actor="ana", device="desk", reason="asked for"))


# --- Edits: one commit on main ------------------------------------------------------------------------


def _edit(world: World, files: dict[str, object], message: str = "a change\n", when: str = NOW) -> None:
    world.start, world.message, world.when = world.commits["tip"], message, when
    world.side = world.commit([world.start], files, message, when)  # type: ignore[arg-type]


def _frozen(world: World) -> Day:
    return world.day(world.commits["tip"], YESTERDAY)


def _today(world: World) -> Day:
    return world.day(world.commits["tip"], TODAY)


def _first_as(day: Day, raw: bytes) -> Day:
    return day.with_blocks([Block(raw), *day.blocks[1:]])


def rewrite_frozen(world: World) -> None:
    day = _frozen(world)
    reworded = _first_as(day, day.blocks[0].raw.replace(b"one", b"something else"))
    _edit(world, {day_path(YESTERDAY): reworded})


def delete_frozen(world: World) -> None:
    _edit(world, {day_path(YESTERDAY): None})


def rename_frozen(world: World) -> None:
    path = day_path(YESTERDAY)
    _edit(world, {path: None, path.replace(".md", "-old.md"): _frozen(world)})


def move_frozen(world: World) -> None:
    path = day_path(YESTERDAY)
    _edit(world, {path: None, path.replace("/2024/", "/2023/"): _frozen(world)})


def chmod_frozen(world: World) -> None:
    _edit(world, {day_path(YESTERDAY): ("100755", _frozen(world).render())})


def symlink_frozen(world: World) -> None:
    _edit(world, {day_path(YESTERDAY): ("120000", "../../../../../notes/todo.txt")})


def remove_todays(world: World) -> None:
    day = _today(world)
    _edit(world, {day_path(TODAY): day.without([day.blocks[0]])})


def malform_index(world: World) -> None:
    text = _today(world).render().decode()
    line = next(line for line in text.split("\n") if line.startswith("index:"))
    _edit(world, {day_path(TODAY): text.replace(line, "index: one\n  two: [", 1)})


def name_another(world: World) -> None:
    day = _frozen(world)
    left = day.without([day.blocks[0]])
    _edit(world, {day_path(YESTERDAY): left}, said("forget", world.refs(world.commits["tip"], YESTERDAY)[1]))


def tag_in_comment(world: World) -> None:
    day = _frozen(world)
    ref = world.refs(world.commits["tip"], YESTERDAY)[0]
    message = f"tidy up\n\n# Nutsync-Op: forget\n# Nutsync-Target: {ref}\n# Nutsync-Reason: asked for\n"
    _edit(world, {day_path(YESTERDAY): day.without([day.blocks[0]])}, message)


def back_date(world: World) -> None:
    late = entry("as if it had been yesterday", "00000002", "20:00:00.000+08:00")
    _edit(world, {day_path(YESTERDAY): _frozen(world).append(late)}, when=f"{YESTERDAY}T20:00:00+08:00")


def write_tomorrow(world: World) -> None:
    day = Day.new(TOMORROW).append(LATEST).with_index("a thing of this evening")
    _edit(world, {day_path(TOMORROW): day})


def date_ahead(world: World) -> None:
    date = "2099-01-01"
    day = Day.new(date).append(LATEST).with_index("a thing of this evening")
    _edit(world, {day_path(date): day}, when=f"{date}T20:00:00+08:00")


def resurrect(world: World) -> None:
    gone = world.day(world.commits["before_forget"], TODAY).blocks[2]
    _edit(world, {day_path(TODAY): _today(world).append(gone)})


def continue_todays(world: World) -> None:
    day = _today(world)
    _edit(world, {day_path(TODAY): _first_as(day, day.blocks[0].raw + b"  a line more\n")})


def import_existing(world: World) -> None:
    more = entry("imported", "00000003", "09:30:00.000+08:00", formation="imported")
    _edit(world, {day_path(YESTERDAY): _frozen(world).append(more)}, said("import"))


def forget_and_add(world: World) -> None:
    day = _frozen(world)
    changed = day.without([day.blocks[0]]).append(entry("smuggled in", "00000004", "11:00:00.000+08:00"))
    _edit(
        world, {day_path(YESTERDAY): changed}, said("forget", world.refs(world.commits["tip"], YESTERDAY)[0])
    )


def append_today(world: World) -> None:
    _edit(world, {day_path(TODAY): _today(world).append(LATEST)})


def forget_frozen(world: World) -> None:
    day = _frozen(world)
    left = day.without([day.blocks[0]]).with_index("yesterday two")
    _edit(world, {day_path(YESTERDAY): left}, said("forget", world.refs(world.commits["tip"], YESTERDAY)[0]))


def forget_todays(world: World) -> None:
    day = _today(world)
    left = day.without([day.blocks[0]]).with_index("today two")
    _edit(world, {day_path(TODAY): left}, said("forget", world.refs(world.commits["tip"], TODAY)[0]))


def clock_steps_back(world: World) -> None:
    _edit(world, {day_path(TODAY): _today(world).append(LATEST)}, when=f"{TODAY}T09:50:00+08:00")


def be_born(world: World) -> None:
    _edit(world, {CELL_PATH: CellConfig(None, ()).render()}, said("birth"))


def repair_old(world: World) -> None:
    path = day_path(MALFORMED)
    text = world.file(world.commits["tip"], path).replace(b"'never closed", b"'never closed'")
    _edit(world, {path: text})


def change_outside(world: World) -> None:
    _edit(world, {"notes/todo.txt": "milk and bread\n", "notes/new.txt": "new\n"})


EDITS = (
    Change("rewrite an entry of a frozen day", EDIT, STOPPED, rewrite_frozen, ("frozen-altered",)),
    Change("delete a frozen day", EDIT, STOPPED, delete_frozen, ("frozen-removed",)),
    Change("rename a frozen day", EDIT, STOPPED, rename_frozen, ("path-stray",), early=True),
    Change("move a frozen day", EDIT, STOPPED, move_frozen, ("path-stray",), early=True),
    Change("make a frozen day executable", EDIT, STOPPED, chmod_frozen, ("path-mode",), early=True),
    Change("make a frozen day a symbolic link", EDIT, STOPPED, symlink_frozen, ("path-mode",), early=True),
    Change("remove a bullet of today", EDIT, STOPPED, remove_todays, ("today-altered",)),
    Change("malform today's index", EDIT, STOPPED, malform_index, ("form-front", "form-index"), early=True),
    Change("forget one entry and name another", EDIT, STOPPED, name_another, ("forget-unnamed",)),
    Change("forget with the tag in a comment", EDIT, STOPPED, tag_in_comment, ("frozen-altered",)),
    Change("date an addition back to a frozen day", EDIT, STOPPED, back_date, ("frozen-added",), early=True),
    Change("write the day of tomorrow", EDIT, STOPPED, write_tomorrow, ("future-day",), early=True),
    Change("date a commit far ahead", EDIT, STOPPED, date_ahead, ("clock-ahead",)),
    Change("bring a forgotten entry back", EDIT, STOPPED, resurrect, ("forgotten-returned",), early=True),
    Change("add a line under an old entry of today", EDIT, STOPPED, continue_todays, ("today-altered",)),
    Change("tag an import onto a day that exists", EDIT, STOPPED, import_existing,
           ("import-existing", "frozen-added"), early=True),
    Change("add something in a forget", EDIT, STOPPED, forget_and_add,
           ("forget-added", "frozen-altered", "frozen-added")),
    Change("append to today", EDIT, PASSES, append_today),
    Change("forget an entry of a frozen day, tagged", EDIT, PASSES, forget_frozen),
    Change("forget an entry of today, tagged", EDIT, PASSES, forget_todays),
    Change("append while the clock steps back", EDIT, PASSES, clock_steps_back),
    Change("be born on a folder of old days", EDIT, PASSES, be_born, unborn=True),
    Change("repair a day that was malformed before", EDIT, PASSES, repair_old),
    Change("change what is outside the cell", EDIT, PASSES, change_outside),
)  # fmt: skip
