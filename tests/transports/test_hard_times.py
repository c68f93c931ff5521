"""A full disk at the remote, and a line that is slow but alive."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from nutsync.core.errors import ErrRemoteDeclined
from nutsync.store.repo import remote
from nutsync.store.repo.talk import Patience
from tests.support.fleet import Fleet
from tests.support.proxy import PIECE
from tests.support.repos import head, is_sound, make_clone
from tests.transports.conftest import TODAY, make_server, on_a_line, reach, require_all_there
from tests.transports.test_travel import EVERYTHING, NOISE, noise, remember


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own with little room, where this system lets us have one."""
    place = tmp_path / "small"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("a small disk cannot be mounted here (that takes root and Linux)")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("kind", ["file", "git", "http"])
def test_a_full_disk_at_the_remote_is_named_and_the_next_sync_sends(
    fleet: Fleet, small_disk: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = make_clone(fleet.remote, small_disk / "remote.git", "--bare")
    ballast = small_disk / "ballast"
    fleet.remote = there
    fleet.folder = small_disk
    remember(fleet)
    with pytest.raises(OSError, match="No space"), ballast.open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 1024)
    with ballast.open("r+b") as file:
        file.truncate(max(0, ballast.stat().st_size - 60_000))
    server = None if kind == "file" else make_server(kind, fleet, monkeypatch)
    with server.serving() if server else open_file() as _:
        reach(fleet, server.address(server.port) if server else str(there))
        before = head(there, "refs/heads/main")
        with pytest.raises(ErrRemoteDeclined) as caught:
            fleet.sync("desk")
        assert "No space left on device" in caught.value.message
        assert "nothing is lost here" in caught.value.message
        assert sorted(fleet["desk"].texts(TODAY)) == sorted(["common ground", *NOISE])
        assert head(there, "refs/heads/main") == before and is_sound(there)
        ballast.unlink()
        require_all_there(fleet, *EVERYTHING)


class open_file:  # noqa: N801
    """A remote that is a folder needs no server."""

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


@pytest.mark.long
def test_a_slow_line_is_waited_for_as_long_as_it_moves(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole takes longer than a silence may. Git passes on 64 KiB at a time: so long it is silent."""
    more = [noise(number) for number in range(20, 32)]
    fleet["desk"].append(*more)
    fleet.sync("desk")
    fleet["lap"].append("from the lap")
    monkeypatch.setattr(remote, "Patience", lambda: Patience(idle=8.0, whole=600))
    with on_a_line(fleet, make_server("git", fleet, monkeypatch)) as line:
        line.pause = 0.15
        line.down = 0
        assert fleet.sync("lap").result == "merged"
        assert line.down / PIECE * line.pause > 8.0, "it did take longer"
        line.mend()
        require_all_there(fleet, "common ground", "from the lap", *more)
