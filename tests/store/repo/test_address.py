"""Which addresses are allowed, and that reaching them never asks a question."""

from __future__ import annotations

from pathlib import Path

import pytest

from nutsync.core.errors import ErrTransport
from nutsync.store.repo.address import (
    Transport,
    check_address,
    network_environment,
    redact,
    remote_address,
)
from nutsync.store.repo.git import Git
from tests.support.repos import git, make_repo


@pytest.mark.parametrize(
    ("address", "transport"),
    [
        ("https://example.com/ana/memory.git", Transport.HTTPS),
        ("HTTPS://example.com/x", Transport.HTTPS),
        ("ssh://git@example.com:2222/x", Transport.SSH),
        ("git@example.com:ana/memory.git", Transport.SSH),
        ("host:x", Transport.SSH),
        ("git://example.com/x", Transport.GIT),
        ("file:///srv/x", Transport.FILE),
        ("/srv/x", Transport.FILE),
        ("../x", Transport.FILE),
        ("./odd:name", Transport.FILE),
        ("记忆", Transport.FILE),
        ("http://127.0.0.1:8080/x", Transport.HTTP),
        ("http://[::1]/x", Transport.HTTP),
        ("http://ana:pw@localhost/x", Transport.HTTP),
    ],
)
def test_an_allowed_address_says_how_it_is_reached(address: str, transport: Transport) -> None:
    assert check_address(address) is transport


@pytest.mark.parametrize(
    "address",
    [
        "",
        " https://example.com/x",
        "https://example.com/x\n",
        "ext::sh -c touch% pwned",
        "fd::17",
        "https::https://example.com",
        "ftp://example.com/x",
        "http://example.com/x",
        "http://127.0.0.1.example.com/x",
        "http://127.0.0.1@example.com/x",
        "http://example.com?@127.0.0.1/x",
        "-upload-pack=x",
        "--upload-pack=x",
        "ssh://-oProxyCommand=x/y",
        "ssh://ana@-oProxyCommand=x/y",
        "-oProxyCommand=x:y",
        "ana@-oProxyCommand=x:y",
        "transport-x://y",
    ],
)
def test_any_other_address_is_refused(address: str) -> None:
    with pytest.raises(ErrTransport):
        check_address(address)


def test_a_refusal_does_not_repeat_a_password() -> None:
    with pytest.raises(ErrTransport) as caught:
        check_address("ftp://ana:hunter2@example.com/x")
    assert "hunter2" not in str(caught.value)
    assert redact("see https://ana:hunter2@example.com/x.") == "see https://example.com/x."


@pytest.fixture
def clone(tmp_path: Path) -> Git:
    return Git.discover(make_repo(tmp_path / "clone"))


def test_each_address_of_a_remote_is_checked(clone: Git) -> None:
    assert remote_address(clone, "origin") is None
    git(clone.root, "remote", "add", "origin", "https://example.com/x")
    assert remote_address(Git.discover(clone.root), "origin") == "https://example.com/x"
    git(clone.root, "config", "remote.origin.pushurl", "ext::sh")
    with pytest.raises(ErrTransport):
        remote_address(Git.discover(clone.root), "origin")


def test_no_door_to_a_prompt_is_left_open(clone: Git) -> None:
    env = network_environment(Transport.HTTPS, clone, {"GIT_ASKPASS": "/usr/bin/ask"})
    assert env["GIT_ASKPASS"] == env["SSH_ASKPASS"] == ""
    assert env["GIT_TERMINAL_PROMPT"] == "0" and env["GCM_INTERACTIVE"] == "never"


def test_git_itself_is_told_which_transports_are_allowed(clone: Git) -> None:
    allowed = network_environment(Transport.HTTPS, clone, {})["GIT_ALLOW_PROTOCOL"]
    assert set(allowed.split(":")) == {"https", "ssh", "git", "file"}
    assert "http" in network_environment(Transport.HTTP, clone, {})["GIT_ALLOW_PROTOCOL"].split(":")


def test_a_stricter_rule_of_the_user_stays(clone: Git) -> None:
    env = network_environment(Transport.HTTPS, clone, {"GIT_ALLOW_PROTOCOL": "https:ext"})
    assert env["GIT_ALLOW_PROTOCOL"] == "https"


def test_ssh_asks_nothing_and_keeps_the_users_own_command(clone: Git) -> None:
    plain = network_environment(Transport.SSH, clone, {})["GIT_SSH_COMMAND"]
    assert plain.startswith("ssh -oBatchMode=yes -oConnectTimeout=")
    clone.set_config("core.sshCommand", "ssh -i ~/.ssh/memory")
    assert network_environment(Transport.SSH, clone, {})["GIT_SSH_COMMAND"].startswith(
        "ssh -i ~/.ssh/memory -oBatchMode=yes"
    )
    said = {"GIT_SSH_COMMAND": "'/opt/my ssh/ssh' -v"}
    assert network_environment(Transport.SSH, clone, said)["GIT_SSH_COMMAND"].startswith(
        "'/opt/my ssh/ssh' -v -oBatchMode"
    )


@pytest.mark.parametrize(
    "said", [{"GIT_SSH_COMMAND": "plink -batch"}, {"GIT_SSH": "/opt/tortoise"}, {"GIT_SSH_COMMAND": "'"}]
)
def test_an_ssh_program_of_another_make_is_left_alone(clone: Git, said: dict[str, str]) -> None:
    assert "GIT_SSH_COMMAND" not in network_environment(Transport.SSH, clone, said)


def test_the_users_own_patience_with_slow_lines_stays(clone: Git) -> None:
    assert "GIT_HTTP_LOW_SPEED_TIME" in network_environment(Transport.HTTPS, clone, {})
    assert "GIT_HTTP_LOW_SPEED_TIME" not in network_environment(
        Transport.HTTPS, clone, {"GIT_HTTP_LOW_SPEED_TIME": "9"}
    )
    clone.set_config("http.lowSpeedTime", "9")
    assert "GIT_HTTP_LOW_SPEED_TIME" not in network_environment(Transport.HTTPS, clone, {})
