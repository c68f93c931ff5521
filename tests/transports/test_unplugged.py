"""A cable that is pulled: two network namespaces with a wire between them, where this system lets us.

That takes root and Linux; elsewhere these tests are skipped and say so.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from nutsync.core.watching import came_back
from nutsync.operations.sync import sync
from nutsync.store.repo import remote
from nutsync.store.repo.talk import Patience
from nutsync.store.watcher import surroundings
from tests.support.fleet import NO_WAIT, Fleet
from tests.support.needs import need_git_program
from tests.transports.conftest import reach, require_all_there
from tests.transports.test_travel import EVERYTHING, remember

SERVER, CLIENT = "192.0.2.1", "192.0.2.2"


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


class Wire:
    """A wire between two namespaces: one for the server, one for the devices."""

    def __init__(self) -> None:
        tag = f"nut{os.getpid() % 100_000}"
        self.server, self.client = f"{tag}s", f"{tag}c"
        self.cable = f"{tag}v"

    def lay(self) -> None:
        for name in (self.server, self.client):
            ip("netns", "add", name)
            ip("-n", name, "link", "set", "lo", "up")
        ends = ("netns", self.client, "type", "veth", "peer", "name", "eth0", "netns", self.server)
        ip("link", "add", "eth0", *ends)
        for name, address in ((self.server, SERVER), (self.client, CLIENT)):
            ip("-n", name, "address", "add", f"{address}/24", "dev", "eth0")
            ip("-n", name, "link", "set", "eth0", "up")
        ip("-n", self.client, "route", "add", "default", "via", SERVER)

    def take_up(self) -> None:
        for name in (self.client, self.server):
            with suppress(OSError, subprocess.CalledProcessError):
                ip("netns", "del", name)

    def pull(self) -> None:
        ip("-n", self.client, "link", "set", "eth0", "down")

    def plug(self) -> None:
        ip("-n", self.client, "link", "set", "eth0", "up")
        ip("-n", self.client, "route", "replace", "default", "via", SERVER)

    def on_the_devices(self, action: Callable[[], int]) -> int:
        """Carry an action out in a process of its own on the devices' side; return its exit code."""
        child = os.fork()
        if child == 0:
            code = 99
            try:
                handle = os.open(f"/run/netns/{self.client}", os.O_RDONLY)
                _enter(handle)
                code = action()
            finally:
                os._exit(code)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _enter(handle: int) -> None:
    """Go over into a network namespace (`os.setns` came with Python 3.12)."""
    import ctypes

    if ctypes.CDLL(None, use_errno=True).setns(handle, 0x40000000):
        raise OSError(ctypes.get_errno(), "setns")


@pytest.fixture
def wire(fleet: Fleet) -> Iterator[Wire]:
    if shutil.which("ip") is None:
        pytest.skip("ip is not installed: no cable can be pulled")
    daemon = need_git_program("git-daemon")
    made = Wire()
    try:
        try:
            made.lay()
        except (OSError, subprocess.CalledProcessError):
            pytest.skip("network namespaces cannot be made here (that takes root and Linux)")
        command = ["ip", "netns", "exec", made.server, daemon, "--export-all", "--enable=receive-pack"]
        process = subprocess.Popen(
            [*command, f"--base-path={fleet.folder}", "--reuseaddr", str(fleet.folder)]
        )
        try:
            assert made.on_the_devices(listens) == 0
            yield made
        finally:
            process.terminate()
            process.wait(timeout=30)
    finally:
        made.take_up()


def listens() -> int:
    """Return 0 once the server answers, within a deadline."""
    import threading

    for _ in range(600):
        with suppress(OSError), socket.create_connection((SERVER, 9418), timeout=1):
            return 0
        threading.Event().wait(0.05)
    return 1


RESULTS = ("up-to-date", "pushed", "fast-forwarded", "merged", "offline", "contended")


def test_a_pulled_cable_is_offline_and_once_it_is_back_everything_travels(
    fleet: Fleet, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(fleet)
    reach(fleet, f"git://{SERVER}/remote.git")

    def try_it() -> int:
        return RESULTS.index(sync(fleet["desk"].cell, pace=NO_WAIT).result)

    wire.pull()
    monkeypatch.setattr(remote, "Patience", lambda: Patience(idle=2.0, whole=60))
    assert RESULTS[wire.on_the_devices(try_it)] == "offline"
    assert sorted(fleet["desk"].texts("2026-11-30")) == sorted(set(EVERYTHING) - {"from the lap"})
    monkeypatch.setattr(remote, "Patience", Patience)
    wire.plug()
    assert RESULTS[wire.on_the_devices(try_it)] == "pushed"
    reach(fleet, str(fleet.remote))
    require_all_there(fleet, *EVERYTHING)


def test_a_watch_notices_that_the_cable_is_back(wire: Wire) -> None:
    def look() -> int:
        there = surroundings()
        wire.pull()
        gone = surroundings()
        wire.plug()
        back = surroundings()
        seen = (CLIENT in there.addresses, CLIENT in gone.addresses, CLIENT in back.addresses)
        known = (came_back(there, gone), came_back(gone, back), came_back(back, surroundings()))
        return 0 if seen == (True, False, True) and known == (False, True, False) else 1

    assert wire.on_the_devices(look) == 0
