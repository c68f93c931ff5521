"""A forget, a purge and the following of one may be killed at any step: nothing else is lost, and what was
begun is completed, or was not begun."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from nutsync.core.entry import Ref
from nutsync.operations.status import read_status
from tests.support.cells import Desk
from tests.support.copies import Copies
from tests.support.faults import killed_at
from tests.support.fleet import Fleet, archive
from tests.support.purges import MONDAY, drop, faults, forget_only, is_clean, ref_of
from tests.support.repos import git, head, is_sound
from tests.support.search import collect_garbage, places_of

NOW = "2026-12-01T10:00:00+08:00"
TUESDAY = "2026-12-01"
WORDS = "4711"

Prepared = tuple[Path, Ref]
Action = Callable[[Copies, Ref], object]


def prepare(folder: Path, *, purged: bool) -> Prepared:
    """Two devices hold what is to go; the lap has an entry of its own that was not sent."""
    fleet = Fleet(folder)
    fleet["desk"].append("above")
    ref = ref_of(fleet["desk"])
    fleet["desk"].append("below")
    git(fleet["desk"].root, "tag", "v1")
    fleet.sync_all()
    fleet["lap"].clock.advance(seconds=60)
    fleet["lap"].append("of the lap")
    if purged:
        fleet["desk"].clock.advance(days=1)
        assert drop(fleet["desk"], ref).result == "done"
    return folder, ref


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return prepare(tmp_path_factory.mktemp("whole"), purged=False)


@pytest.fixture(scope="module")
def purged(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return prepare(tmp_path_factory.mktemp("purged"), purged=True)


def sweep(
    prepared: Prepared, folder: Path, action: Action, check: Callable[[Copies, Ref], None], steps: range
) -> None:
    """Kill an action at each of these steps, in a fresh copy each time, until it gets to its end."""
    source, ref = prepared
    reached = 0
    for step in steps:
        copies = Copies(source, folder / f"killed-{step}", ("desk", "lap"), NOW)
        killed = killed_at(step, lambda copies=copies: action(copies, ref))  # type: ignore[misc]
        check(copies, ref)
        copies.remove()
        if not killed:
            break
        reached = step
    else:
        raise AssertionError("it never came to its end")
    assert reached >= steps.start


def require_tidy(desk: Desk) -> None:
    assert is_sound(desk.root) and is_clean(desk.root)
    assert faults(desk) == []
    left = [str(p) for p in desk.root.rglob("*") if ".nutsync-tmp" in p.name or p.name.endswith(".lock")]
    assert left == []


def require_all_gone(copies: Copies, *names: str) -> None:
    """After these devices have synced: the text is nowhere, everything else is everywhere, in one history."""
    for name in names:
        copies.sync(name)
    collect_garbage(copies.remote)
    assert archive(copies.roots["desk"]) == archive(copies.roots["lap"])
    assert {head(root) for root in copies.roots.values()} == {git(copies.remote, "rev-parse", "main")}
    for name, root in copies.roots.items():
        assert copies.open(name).texts(MONDAY) == ["above", "below", "of the lap"]
        assert places_of(root, WORDS) == [], name
        assert is_clean(root)
    assert places_of(copies.remote, WORDS) == []
    require_tidy(copies.open("lap"))


# --- Forget -----------------------------------------------------------------------------------------------


def forget_it(copies: Copies, ref: Ref) -> object:
    return forget_only(copies.open("desk"), ref)


def check_forget(copies: Copies, ref: Ref) -> None:
    desk = copies.open("desk")
    desk.append("the next command")
    texts = desk.texts(MONDAY)
    assert [text for text in texts if WORDS not in text] == ["above", "below"]
    assert desk.texts(TUESDAY) == ["the next command"]
    committed = git(desk.root, "show", f"HEAD:{desk.path(MONDAY).relative_to(desk.root).as_posix()}")
    assert committed + "\n" == desk.path(MONDAY).read_text(encoding="utf-8")
    assert ("Nutsync-Op: forget" in git(desk.root, "log", "--format=%B")) == (WORDS not in committed)
    if WORDS in committed:
        forget_it(copies, ref)
    copies.sync("desk")
    assert copies.open("desk").texts(MONDAY) == ["above", "below"]
    require_tidy(copies.open("desk"))


def test_a_forget_that_is_killed_at_some_steps_is_there_or_not_begun(whole: Prepared, tmp_path: Path) -> None:
    sweep(whole, tmp_path, forget_it, check_forget, range(3, 1000, 9))


@pytest.mark.long
def test_a_forget_that_is_killed_at_any_step_is_there_or_not_begun(whole: Prepared, tmp_path: Path) -> None:
    sweep(whole, tmp_path, forget_it, check_forget, range(1, 1000))


# --- Purge ------------------------------------------------------------------------------------------------


def purge_it(copies: Copies, ref: Ref) -> object:
    return drop(copies.open("desk"), ref)


def check_purge(copies: Copies, ref: Ref) -> None:
    copies.sync("desk")
    desk = copies.open("desk")
    assert [text for text in desk.texts(MONDAY) if WORDS not in text] == ["above", "below"]
    said = git(desk.root, "log", "--format=%B")
    if "Nutsync-Op: forget" in said:
        assert f"Nutsync-Op: purge\nNutsync-Target: {ref}" in said
        assert places_of(desk.root, WORDS) == []
        assert not read_status(desk.cell).purging
    else:
        assert purge_it(copies, ref).result == "done"  # type: ignore[attr-defined]
    require_all_gone(copies, "lap", "desk", "lap")
    assert git(copies.roots["desk"], "rev-parse", "v1^{commit}") in git(
        copies.roots["desk"], "rev-list", "main"
    )


def test_a_purge_that_is_killed_at_some_steps_is_completed_or_not_begun(
    whole: Prepared, tmp_path: Path
) -> None:
    sweep(whole, tmp_path, purge_it, check_purge, range(31, 1000, 97))


@pytest.mark.long
def test_a_purge_that_is_killed_at_any_step_is_completed_or_not_begun(
    whole: Prepared, tmp_path: Path
) -> None:
    sweep(whole, tmp_path, purge_it, check_purge, range(1, 1000))


# --- Following ----------------------------------------------------------------------------------------------


def follow_it(copies: Copies, _ref: Ref) -> object:
    return copies.sync("lap")


def check_follow(copies: Copies, _ref: Ref) -> None:
    copies.sync("lap")
    assert copies.open("lap").texts(MONDAY) == ["above", "below", "of the lap"]
    assert places_of(copies.roots["lap"], WORDS) == []
    require_all_gone(copies, "desk", "lap", "desk")


def test_following_a_purge_that_is_killed_at_some_steps_is_completed_by_the_next_sync(
    purged: Prepared, tmp_path: Path
) -> None:
    sweep(purged, tmp_path, follow_it, check_follow, range(17, 1000, 71))


@pytest.mark.long
def test_following_a_purge_that_is_killed_at_any_step_is_completed_by_the_next_sync(
    purged: Prepared, tmp_path: Path
) -> None:
    sweep(purged, tmp_path, follow_it, check_follow, range(1, 1000))
