"""Memory travels over ssh, HTTP, git:// and files, and what breaks on the way loses nothing."""

from __future__ import annotations

import pytest

from nutsync.core.errors import ErrRemoteMissing
from nutsync.store.repo import remote
from nutsync.store.repo.talk import Patience
from tests.support.fleet import Fleet
from tests.support.proxy import Line
from tests.support.repos import git, head
from tests.transports.conftest import Server, on_a_line, reach, require_all_there

CUTS = [
    pytest.param(40_000, id="in the middle"),
    *(pytest.param(after, id=f"after {after} bytes", marks=pytest.mark.long) for after in (0, 250, 1500)),
]
LONG = 30_000
"""Characters of a text that no compression makes small: four of them do not fit into a handshake."""


def noise(number: int) -> str:
    """Return a long text without a pattern, the same at every call."""
    from random import Random

    alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    return "".join(Random(number).choices(alphabet, k=LONG))


NOISE = [noise(number) for number in range(4)]
EVERYTHING = ("common ground", *NOISE, "from the lap")


def remember(fleet: Fleet) -> None:
    """Let the desk hold much that is new, and the lap a little."""
    fleet["desk"].append(*NOISE)
    fleet["lap"].clock.advance(seconds=30)
    fleet["lap"].append("from the lap")


def test_both_sides_meet(fleet: Fleet, server: Server) -> None:
    remember(fleet)
    with server.serving():
        reach(fleet, server.address(server.port))
        assert fleet.sync("desk").result == "pushed"
        assert fleet.sync("lap").result == "merged"
        require_all_there(fleet, *EVERYTHING)


@pytest.mark.parametrize("form", ["{}", "file://{}"])
def test_both_sides_meet_over_files(fleet: Fleet, form: str) -> None:
    remember(fleet)
    reach(fleet, form.format(fleet.remote))
    require_all_there(fleet, *EVERYTHING)


def test_a_disk_that_is_not_mounted_is_named_and_the_next_sync_sends(fleet: Fleet) -> None:
    remember(fleet)
    away = fleet.remote.rename(fleet.folder / "unmounted")
    with pytest.raises(ErrRemoteMissing):
        fleet.sync("desk")
    away.rename(fleet.remote)
    require_all_there(fleet, *EVERYTHING)


def test_a_server_that_is_gone_is_offline_and_the_next_sync_sends_what_waited(
    fleet: Fleet, server: Server
) -> None:
    remember(fleet)
    reach(fleet, server.address(server.port))
    done = fleet.sync("desk")
    assert (done.result, done.exit_code, done.waiting) == ("offline", 5, 4)
    assert "could not be reached" in done.notices[0]
    with server.serving():
        require_all_there(fleet, *EVERYTHING)


def require_offline(fleet: Fleet, name: str, line: Line) -> None:
    """Sync a device over a line that breaks: it says offline, keeps all, and the line did break."""
    before = sorted(fleet[name].texts("2026-11-30"))
    done = fleet.sync(name)
    assert done.result == "offline"
    assert "could not be reached" in done.notices[0]
    assert sorted(fleet[name].texts("2026-11-30")) == before
    assert git(fleet[name].root, "status", "--porcelain") == ""
    line.mend()


@pytest.mark.parametrize("after", CUTS)
def test_a_line_that_is_cut_while_pushing_loses_nothing(fleet: Fleet, server: Server, after: int) -> None:
    remember(fleet)
    there = head(fleet.remote, "refs/heads/main")
    with on_a_line(fleet, server) as line:
        line.cut_up = after
        require_offline(fleet, "desk", line)
        assert head(fleet.remote, "refs/heads/main") == there, "half a push changes nothing"
        require_all_there(fleet, *EVERYTHING)


@pytest.mark.parametrize("after", CUTS)
def test_a_line_that_is_cut_while_fetching_loses_nothing(fleet: Fleet, server: Server, after: int) -> None:
    remember(fleet)
    fleet.sync("desk")
    with on_a_line(fleet, server) as line:
        line.cut_down = after
        require_offline(fleet, "lap", line)
        require_all_there(fleet, *EVERYTHING)


def test_a_push_that_arrived_but_whose_answer_was_lost_is_not_sent_twice(
    fleet: Fleet, server: Server
) -> None:
    """The remote took everything; the line broke before it could say so."""
    remember(fleet)
    with on_a_line(fleet, server) as line:
        fleet.sync("lap")
        line.up = line.down = 0
        fleet.sync("desk")
        whole = line.down
        fleet["desk"].append("one more", noise(9))
        line.up = line.down = 0
        line.cut_down = max(1, whole // 2)
        fleet.sync("desk")
        line.mend()
        require_all_there(fleet, *EVERYTHING, "one more", noise(9))


def test_a_server_that_falls_silent_is_given_up_in_time(
    fleet: Fleet, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(fleet)
    fleet.sync("desk")
    monkeypatch.setattr(remote, "Patience", lambda: Patience(idle=1.5, whole=60))
    with on_a_line(fleet, server) as line:
        line.deaf_after = 10_000
        done = fleet.sync("lap")
        assert (done.result, done.waiting) == ("offline", 1)
        assert "did not answer in time" in done.notices[0]
        line.mend()
        monkeypatch.setattr(remote, "Patience", Patience)
        require_all_there(fleet, *EVERYTHING)
