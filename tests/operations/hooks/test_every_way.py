"""Every way a branch can move, with every change that it can carry, against an armed clone (design §7)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nutsync.core.errors import ErrIncoming
from nutsync.operations.cell import open_cell
from nutsync.operations.sync import sync
from nutsync.operations.verify import verify
from nutsync.store.repo.fitness import under_way
from nutsync.store.repo.git import Git
from tests.operations.hooks.changes import EDIT, EDITS, PASSES, STOPPED, WARNED, Change
from tests.operations.hooks.escapes import ESCAPES, Escape
from tests.operations.hooks.mergers import CHANGES
from tests.operations.hooks.table import PAGE, page
from tests.operations.hooks.ways import SERVER, WAYS, Way, armed_bare
from tests.operations.hooks.world import MAIN, NOW, YESTERDAY, World, template, unborn_template
from tests.support.clock import FakeClock
from tests.support.fleet import NO_WAIT
from tests.support.repos import git, head, run_git

DESTRUCTIVE = re.compile(r"--hard|--force|checkout -f|clean -|branch -D|update-ref|push \+")
"""What no message may offer ready to paste."""


def try_out(way: Way, change: Change, folder: Path) -> None:
    """Take a change its way, and see that the hook which is to stop it does, or that none does."""
    world = World.copy(unborn_template() if change.unborn else template(), folder)
    change.build(world)
    world.stand(world.start)
    done = way.go(world)
    root = folder / "bare.git" if way.guard == SERVER else world.root
    cell = git(world.root, "rev-parse", f"{world.side}:.agents")
    if change.outcome != STOPPED:
        assert done.code == 0, done.text
        assert (change.outcome == WARNED) == any(code in done.text for code in change.codes), done.text
        if way.only != "drawn":  # the driver gives a merged day the index that the builder gives
            assert git(root, "rev-parse", f"{MAIN}:.agents") == cell
        return
    assert done.code != 0
    assert done.last_hook in way.stops(change)
    if way.name != "filter-branch":  # it keeps to itself what hooks say
        codes = (*change.codes, *(("merge-lost", "merge-altered") if way.joins else ()))
        assert any(code in done.text for code in codes), done.text
        assert "Instead: " in done.text and "Nothing " in done.text
        assert not DESTRUCTIVE.search(done.text.partition("nutsync: ")[2]), done.text
    assert world.main(root) == (world.start if way.guard == SERVER else world.before)
    if way.guard != SERVER:
        _leave(world, way)


def _leave(world: World, way: Way) -> None:
    """See that whoever was stopped gets out again, under the same hooks."""
    if way.leave and under_way(Git.discover(world.root)):
        assert run_git(world.root, *way.leave.split(), check=False).returncode == 0
    if git(world.root, "branch", "--show-current") not in ("main", "elsewhere"):
        git(world.root, "switch", "-q", "main")
    git(world.root, "restore", "--source=HEAD", "--staged", "--worktree", "--", ":/")
    assert under_way(Git.discover(world.root)) is None
    assert git(world.root, "status", "--porcelain", "--untracked-files=no") == ""
    assert world.main() == world.before


def trial(way: Way, change: Change) -> object:
    return pytest.param(way, change, id=f"{way.name}: {change.name}")


EVERY = [(way, change) for way in WAYS for change in CHANGES if way.carries(change)]


def _core() -> list[tuple[Way, Change]]:
    """Choose for every way one change of each outcome, and every change at least once."""
    chosen: list[tuple[Way, Change]] = []
    seen: set[str] = set()
    for way in WAYS:
        for stopped in (True, False):
            fitting = [c for c in CHANGES if way.carries(c) and (c.outcome == STOPPED) == stopped]
            chosen += [(way, c) for c in sorted(fitting, key=lambda c: c.name in seen)[:1]]
            seen |= {c.name for _, c in chosen[-1:]}
    update = next(way for way in WAYS if way.name == "update-ref")
    return chosen + [(update, change) for change in CHANGES if change.name not in seen]


CORE = _core()


@pytest.mark.parametrize("way, change", [trial(*one) for one in CORE])
def test_every_way_and_every_change_once(way: Way, change: Change, tmp_path: Path) -> None:
    try_out(way, change, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("way, change", [trial(*one) for one in EVERY if one not in CORE])
def test_every_way_with_every_change(way: Way, change: Change, tmp_path: Path) -> None:
    try_out(way, change, tmp_path)


def edit(name: str, folder: Path) -> World:
    """A world that stands where one of the edits begins."""
    world = World.copy(template(), folder)
    next(change for change in EDITS if change.name == name).build(world)
    world.stand(world.start)
    return world


def test_an_armed_server_does_not_delete_the_memory_branch(tmp_path: Path) -> None:
    world = edit("append to today", tmp_path)
    bare = armed_bare(world)
    git(world.root, "push", "-q", "--no-verify", bare, f"{world.start}:refs/heads/other")
    assert world.run("push", "--no-verify", "--delete", bare, "other").code == 0
    done = world.run("push", "--no-verify", "--delete", bare, "main")
    assert done.code != 0 and "main is not deleted here" in done.text
    assert world.main(Path(bare)) == world.start


@pytest.mark.parametrize(
    "commands",
    [
        ("gc --quiet",),
        ("pack-refs --all --prune",),
        ("branch -m main memory", "branch -m memory main"),
        ("stash push --quiet", "stash pop --quiet"),
        ("tag v1", "tag -d v1"),
        ("notes add -m x", "notes remove"),
        ("worktree add -q ../linked -b linked", "worktree remove ../linked"),
        ("switch -q -c aside", "switch -q main", "branch -D aside"),
    ],
    ids=lambda commands: commands[0],
)
def test_housekeeping_passes(commands: tuple[str, ...], tmp_path: Path) -> None:
    world = edit("change what is outside the cell", tmp_path)
    world.lay_out()
    before = world.main()
    for command in commands:
        done = world.run(*command.split())
        assert done.code == 0, done.text
        assert "nutsync" not in done.text
    assert world.main() == before


@pytest.mark.parametrize("escape", ESCAPES, ids=lambda escape: escape.name)
def test_what_no_hook_sees_is_found_later(escape: Escape, tmp_path: Path) -> None:
    """By `verify`, before it leaves by pre-push, by an armed server, and by every other device's sync."""
    world = edit("rewrite an entry of a frozen day", tmp_path)
    clock = FakeClock(NOW)
    assert verify(open_cell(world.root, clock=clock, environ={})).ok
    escape.go(world)
    assert world.main() != world.start and b"something else" in world.day(MAIN, YESTERDAY).render()
    report = verify(open_cell(world.root, clock=clock, environ={}))
    assert "frozen-altered" in {found.code for found, _ in report.found} and not report.ok
    bare = world.bare(world.start)
    pushed = world.run("push", str(bare), f"main:{MAIN}")
    assert pushed.code != 0 and pushed.last_hook == "pre-push" and "frozen-altered" in pushed.text
    git(world.root, "push", "-q", "--no-verify", str(bare), f"main:{MAIN}")
    other = World.copy(template(), tmp_path / "other")
    git(other.root, "remote", "add", "origin", str(bare))
    with pytest.raises(ErrIncoming, match=head(world.root, MAIN)[:12]):
        sync(open_cell(other.root, clock=clock, environ={}), pace=NO_WAIT)
    (tmp_path / "bare.git").rename(tmp_path / "open.git")
    refused = world.run("push", "--no-verify", armed_bare(world), f"main:{MAIN}")
    assert refused.code != 0 and "frozen-altered" in refused.text


def test_the_documents_say_what_is_tried() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert page(text) == text, "run: python -m tests.operations.hooks.table"


def test_every_shape_of_change_is_tried_both_ways() -> None:
    for way in WAYS:
        outcomes = {change.outcome for change in CHANGES if way.carries(change)}
        assert PASSES in outcomes and (STOPPED in outcomes or way.only == "drawn")
        assert way.shapes != (EDIT,) or len([c for c in CHANGES if way.carries(c)]) == len(EDITS)
