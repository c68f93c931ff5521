"""`sync --watch`: which round follows on what, with a waiter that needs neither time nor files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from nutsync.core.errors import ErrAuth, ErrLocked, ErrNoRemote, NutsyncError
from nutsync.core.sync_plan import OFFLINE, Synced
from nutsync.core.watching import Rhythm, Round, Woken
from nutsync.operations.cell import Cell
from nutsync.operations.watch import watch
from tests.support.fleet import Fleet

TODAY = "2026-11-30"
RHYTHM = Rhythm(every=600, settle=2, by_hand=60)
TIME, CHANGED, ONLINE = Woken.TIME, Woken.CHANGED, Woken.ONLINE
Event = Woken | Callable[[], object]


class Script:
    """Wakes as it is told, then stops; what can be called happens in the world before the next waking."""

    def __init__(self, *events: Event) -> None:
        self.events = list(events)
        self.seconds = 0.0
        self.waits: list[float] = []

    def now(self) -> float:
        return self.seconds

    def wait(self, seconds: float) -> Woken:
        self.waits.append(seconds)
        while self.events and not isinstance(self.events[0], Woken):
            self.events.pop(0)()  # type: ignore[operator]
        woken = self.events.pop(0) if self.events else Woken.STOPPED
        assert isinstance(woken, Woken)
        if woken is TIME:
            self.seconds += seconds
        return woken


class Watched:
    """A device under watch, with what was told and how many syncs there were."""

    def __init__(self, fleet: Fleet, name: str = "desk") -> None:
        self.fleet = fleet
        self.name = name
        self.syncs = 0
        self.told: list[Round] = []
        self.instead: list[Synced | NutsyncError] = []

    def sync(self, _cell: Cell) -> Synced:
        self.syncs += 1
        if self.instead:
            given = self.instead.pop(0)
            if isinstance(given, NutsyncError):
                raise given
            return given
        return self.fleet.sync(self.name)

    def watch(self, script: Script) -> Watched:
        watch(
            lambda: self.fleet.reopen(self.name).cell,
            self.sync,
            script,
            self.told.append,
            rhythm=RHYTHM,
            chance=lambda: 0.0,
        )
        return self

    @property
    def results(self) -> list[object]:
        return [one.document["result"] for one in self.told if "result" in one.document]


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    fleet = Fleet(tmp_path)
    fleet.sync_all()
    return fleet


def test_it_syncs_at_once_and_then_every_so_many_minutes_and_says_nothing_of_it(fleet: Fleet) -> None:
    script = Script(TIME, TIME)
    watched = Watched(fleet).watch(script)
    assert (watched.syncs, watched.told) == (3, [])
    assert script.waits == [600, 600, 600]


def test_what_an_agent_remembers_leaves_as_soon_as_it_has_come_to_rest(fleet: Fleet) -> None:
    def say() -> None:
        fleet["desk"].append("from an agent")

    script = Script(say, CHANGED, CHANGED, TIME)
    watched = Watched(fleet).watch(script)
    assert watched.results == ["pushed"]
    assert script.waits[1:3] == [2, 2], "a change while it settles begins the wait anew"
    fleet.sync("lap")
    assert fleet["lap"].texts(TODAY) == ["from an agent"]


def test_what_a_person_writes_has_to_rest_for_longer(fleet: Fleet) -> None:
    def write() -> None:
        with fleet["desk"].path(TODAY).open("a") as file:
            file.write("- half a sen\n")

    fleet["desk"].append("the day's first")
    script = Script(write, CHANGED, TIME, CHANGED, TIME)
    watched = Watched(fleet).watch(script)
    assert script.waits[1:4] == [2, 58, 58]
    assert watched.results == ["pushed", "pushed"]


def test_what_a_sync_brought_in_is_no_reason_for_another(fleet: Fleet) -> None:
    fleet["lap"].append("from the lap")
    fleet.sync("lap")
    watched = Watched(fleet).watch(Script(CHANGED, TIME))
    assert (watched.results, watched.syncs) == (["fast-forwarded"], 1)


def test_offline_is_said_once_tried_again_with_growing_waits_and_its_end_is_said(fleet: Fleet) -> None:
    watched = Watched(fleet)
    watched.instead = [Synced(OFFLINE, waiting=1)] * 4
    script = Script(TIME, CHANGED, TIME, TIME, TIME)
    watched.watch(script)
    assert watched.results == ["offline", "up-to-date"]
    assert script.waits == [11.25, 22.5, 22.5, 45, 90, 600], "a change alone does not hurry a lost line"


def test_when_the_network_is_back_it_syncs_at_once(fleet: Fleet) -> None:
    watched = Watched(fleet)
    watched.instead = [Synced(OFFLINE, waiting=1)]
    script = Script(ONLINE, TIME)
    watched.watch(script)
    assert watched.results == ["offline", "up-to-date"]
    assert script.waits[1] == RHYTHM.settle


def test_a_round_that_fails_is_told_by_name_and_the_watch_goes_on(fleet: Fleet) -> None:
    watched = Watched(fleet)
    watched.instead = [ErrAuth("No key."), ErrAuth("No key.")]
    watched.watch(Script(TIME, TIME))
    assert watched.syncs == 3
    assert watched.told[0].words.startswith("No key. (ErrAuth) ")
    assert len(watched.told) == 2


def test_what_no_other_round_would_cure_ends_the_watch(fleet: Fleet) -> None:
    watched = Watched(fleet)
    watched.instead = [ErrNoRemote("none")]
    with pytest.raises(ErrNoRemote):
        watched.watch(Script(TIME))


def test_two_watches_of_one_clone_are_never_at_work_and_the_second_names_the_first(fleet: Fleet) -> None:
    caught: list[ErrLocked] = []

    def another() -> None:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(1) as threads:
            second = threads.submit(Watched(fleet).watch, Script())
            problem = second.exception()
        assert isinstance(problem, ErrLocked)
        caught.append(problem)

    Watched(fleet).watch(Script(another, TIME))
    assert "sync --watch" in caught[0].message
    Watched(fleet).watch(Script())
