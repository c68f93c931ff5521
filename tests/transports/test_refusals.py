"""A remote that refuses says why by name: keys, passwords, rights. Nobody is asked, and nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from nutsync.core.errors import ErrAuth, ErrRemote, NutsyncError
from tests.support.certificates import make_certificate
from tests.support.fleet import Fleet
from tests.support.repos import git
from tests.support.servers import git_daemon
from tests.transports.conftest import (
    HttpServer,
    Server,
    SshServer,
    make_server,
    reach,
    require_all_there,
)


@pytest.fixture
def ssh(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> SshServer:
    made = make_server("ssh", fleet, monkeypatch)
    assert isinstance(made, SshServer)
    return made


@pytest.fixture
def http(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> HttpServer:
    made = make_server("http", fleet, monkeypatch)
    assert isinstance(made, HttpServer)
    return made


@pytest.fixture
def asker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that notes that somebody would have been asked; return where it notes it."""
    program = tmp_path / "ask"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/asked\necho yes\n")
    program.chmod(0o755)
    for name in ("GIT_ASKPASS", "SSH_ASKPASS"):
        monkeypatch.setenv(name, str(program))
    monkeypatch.setenv("SSH_ASKPASS_REQUIRE", "force")
    monkeypatch.setenv("DISPLAY", ":0")
    return tmp_path / "asked"


def refused(fleet: Fleet, server: Server, error: type[NutsyncError]) -> NutsyncError:
    """Let the desk remember something and sync; return the named error. Nothing of it is lost."""
    reach(fleet, server.address(server.port))
    fleet["desk"].append("while it refuses")
    with pytest.raises(error) as caught:
        fleet.sync("desk")
    assert fleet["desk"].texts("2026-11-30") == ["common ground", "while it refuses"]
    assert git(fleet["desk"].root, "status", "--porcelain") == ""
    assert caught.value.exit_code == 5
    assert "nothing is lost here" in caught.value.message
    assert caught.value.hint
    return caught.value


def test_an_unknown_host_key_is_named_and_trusted_by_nobody(
    fleet: Fleet, ssh: SshServer, asker: Path
) -> None:
    ssh.ssh.trust()
    with ssh.serving():
        assert "host key is unknown or has changed" in refused(fleet, ssh, ErrAuth).message
        assert (ssh.ssh.folder / "known_hosts").read_text() == ""
        assert not asker.exists()
        ssh.ssh.trust("host")
        require_all_there(fleet, "common ground", "while it refuses")


def test_a_changed_host_key_is_named(fleet: Fleet, ssh: SshServer, asker: Path) -> None:
    with ssh.ssh.serving("other_host"):
        assert "host key is unknown or has changed" in refused(fleet, ssh, ErrAuth).message
    assert not asker.exists()
    with ssh.serving():
        require_all_there(fleet, "common ground", "while it refuses")


def test_a_refused_key_is_named_and_nobody_is_asked_for_a_password(
    fleet: Fleet, ssh: SshServer, asker: Path
) -> None:
    ssh.ssh.use_key("stranger")
    with ssh.serving():
        assert "wants credentials" in refused(fleet, ssh, ErrAuth).message
        assert not asker.exists()
        ssh.ssh.use_key("known")
        require_all_there(fleet, "common ground", "while it refuses")


def test_a_password_is_wanted_named_and_never_asked_for(fleet: Fleet, http: HttpServer, asker: Path) -> None:
    http.web.password = "hunter2"
    with http.serving():
        problem = refused(fleet, http, ErrAuth)
        assert "wants credentials" in problem.message
        assert not asker.exists()
        helper = "!f() { echo username=ana; echo password=hunter2; }; f"
        for name in fleet.desks:
            git(fleet[name].root, "config", "credential.helper", helper)
        require_all_there(fleet, "common ground", "while it refuses")


def test_a_wrong_password_is_named_and_not_repeated(fleet: Fleet, http: HttpServer) -> None:
    http.web.password = "hunter2"
    with http.serving():
        helper = "!f() { echo username=ana; echo password=swordfish; }; f"
        git(fleet["desk"].root, "config", "credential.helper", helper)
        problem = refused(fleet, http, ErrAuth)
    assert "swordfish" not in problem.message + problem.hint


def test_a_certificate_that_nobody_trusts_is_named_and_nothing_is_sent(
    fleet: Fleet, http: HttpServer, tmp_path: Path
) -> None:
    http.web.certificate = make_certificate(tmp_path / "certificate.pem")
    with http.serving():
        assert "certificate is not trusted" in refused(fleet, http, ErrAuth).message
        assert http.web.asked == []
        for name in fleet.desks:
            git(fleet[name].root, "config", "http.sslCAInfo", str(http.web.certificate))
        require_all_there(fleet, "common ground", "while it refuses")


def test_whoever_may_only_read_is_told_so_and_still_receives(fleet: Fleet, http: HttpServer) -> None:
    fleet["lap"].append("from the lap")
    fleet.sync("lap")
    http.web.read_only = True
    with http.serving():
        reach(fleet, http.address(http.port))
        fleet["desk"].clock.advance(seconds=30)
        fleet["desk"].append("from the desk")
        with pytest.raises(ErrAuth, match="does not let this user"):
            fleet.sync("desk")
        assert fleet["desk"].texts("2026-11-30") == ["common ground", "from the lap", "from the desk"]
        http.web.read_only = False
        require_all_there(fleet, "common ground", "from the lap", "from the desk")


def test_a_daemon_that_takes_no_pushes_is_named(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    server = make_server("git", fleet, monkeypatch)
    with git_daemon(fleet.folder, writable=False, port=server.port):
        assert "refused" in refused(fleet, server, ErrRemote).message
    with server.serving():
        require_all_there(fleet, "common ground", "while it refuses")
