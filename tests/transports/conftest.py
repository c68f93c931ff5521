"""Two devices around a remote that each transport reaches in its own way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest

from tests.support.fleet import Fleet, same
from tests.support.proxy import Line, proxied
from tests.support.repos import git, is_sound
from tests.support.servers import Ssh, Web, free_port, git_daemon, git_over_http

TODAY = "2026-11-30"


class Server(Protocol):
    """A server of one kind: serves on the same port as often as it is asked to."""

    name: str
    port: int

    def serving(self) -> AbstractContextManager[object]: ...

    def address(self, port: int) -> str: ...


@dataclass
class GitServer:
    root: Path
    port: int
    name: str = "git"

    @contextmanager
    def serving(self) -> Iterator[object]:
        with git_daemon(self.root, port=self.port):
            yield

    def address(self, port: int) -> str:
        return f"git://127.0.0.1:{port}/remote.git"


@dataclass
class HttpServer:
    web: Web
    port: int
    name: str = "http"

    @contextmanager
    def serving(self) -> Iterator[object]:
        with git_over_http(self.web, self.port):
            yield

    def address(self, port: int) -> str:
        scheme = "http" if self.web.certificate is None else "https"
        return f"{scheme}://127.0.0.1:{port}/remote.git"


@dataclass
class SshServer:
    ssh: Ssh
    root: Path
    name: str = "ssh"

    @property
    def port(self) -> int:
        return self.ssh.port

    @contextmanager
    def serving(self) -> Iterator[object]:
        with self.ssh.serving():
            yield

    def address(self, port: int) -> str:
        return f"ssh://127.0.0.1:{port}{self.root}/remote.git"


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    """Two devices that hold the same, around ``fleet/remote.git``."""
    fleet = Fleet(tmp_path / "fleet")
    fleet["desk"].append("common ground")
    fleet.sync_all()
    return fleet


def make_server(kind: str, fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> Server:
    """Return a server of that kind over the fleet's remote, not running yet."""
    if kind == "git":
        return GitServer(fleet.folder, free_port())
    if kind == "http":
        git(fleet.remote, "config", "http.receivepack", "true")
        return HttpServer(Web(fleet.folder), free_port())
    server = SshServer(Ssh(fleet.folder.parent / "ssh"), fleet.folder)
    monkeypatch.setenv("GIT_SSH_COMMAND", server.ssh.command)
    return server


@pytest.fixture(params=["ssh", "http", "git"])
def server(request: pytest.FixtureRequest, fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> Server:
    """Each kind of server in turn."""
    return make_server(request.param, fleet, monkeypatch)


def reach(fleet: Fleet, address: str) -> None:
    """Let both devices reach the remote by that address."""
    for name, desk in list(fleet.desks.items()):
        git(desk.root, "remote", "set-url", "origin", address)
        fleet.reopen(name)


@contextmanager
def on_a_line(fleet: Fleet, server: Server) -> Iterator[Line]:
    """Let both devices reach the server over a line that can be cut."""
    with server.serving(), proxied(server.port) as line:
        reach(fleet, server.address(line.port))
        yield line


def require_all_there(fleet: Fleet, *texts: str) -> None:
    """Check that after a sync of all devices each holds just these texts, in sound repositories."""
    fleet.sync_all()
    assert same(fleet.archives())
    for desk in fleet.desks.values():
        assert sorted(desk.texts(TODAY)) == sorted(texts)
        assert git(desk.root, "status", "--porcelain") == ""
        assert is_sound(desk.root)
    assert is_sound(fleet.remote)
