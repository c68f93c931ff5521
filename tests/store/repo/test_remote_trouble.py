"""Remotes that are gone, silent, forbidden or in need of ssh: named, given up in time, never asked about."""

from __future__ import annotations

import os
import select
import shutil
import signal
import socket
import time
from pathlib import Path

import pytest

from nutsync.core.cell import day_path
from nutsync.core.errors import (
    ErrNoRemote,
    ErrOffline,
    ErrRemoteMissing,
    ErrTransport,
)
from nutsync.store.repo import talk
from nutsync.store.repo.git import Git
from nutsync.store.repo.remote import (
    RefPush,
    fetch,
    list_remote,
    push,
)
from nutsync.store.repo.talk import Patience
from tests.support.repos import commit_files, git, make_clone, make_remote, make_repo

MAIN = "refs/heads/main"
DAY = day_path("2026-11-30")


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return make_remote(tmp_path / "remote.git")


@pytest.fixture
def desk(tmp_path: Path, remote: Path) -> Git:
    return Git.discover(make_clone(remote, tmp_path / "desk"))


def commit(clone: Git, content: str) -> str:
    return commit_files(clone.root, {DAY: content})


def hook(repository: Path, name: str, script: str) -> None:
    path = repository / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.mark.parametrize("form", ["{}", "file://{}"])
def test_a_remote_that_is_not_there_is_named(desk: Git, tmp_path: Path, form: str) -> None:
    git(desk.root, "remote", "set-url", "origin", form.format(tmp_path / "gone"))
    with pytest.raises(ErrRemoteMissing):
        fetch(Git.discover(desk.root), "main")
    with pytest.raises(ErrRemoteMissing):
        push(Git.discover(desk.root), [RefPush(MAIN, commit(desk, "one\n"))])


def test_a_clone_without_a_remote_says_so(tmp_path: Path) -> None:
    clone = Git.discover(make_repo(tmp_path / "alone"))
    with pytest.raises(ErrNoRemote):
        fetch(clone, "main")


def test_a_machine_that_does_not_answer_is_offline(desk: Git) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        desk.set_config("remote.origin.url", f"http://127.0.0.1:{port}/x")  # bound, but nobody listens
        with pytest.raises(ErrOffline):
            fetch(desk, "main")
        with pytest.raises(ErrOffline):
            push(desk, [RefPush(MAIN, commit(desk, "one\n"))])


def test_a_remote_that_falls_silent_is_given_up(desk: Git) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        desk.set_config("remote.origin.url", f"git://127.0.0.1:{silent.getsockname()[1]}/x")
        with pytest.raises(ErrOffline, match="in time"):
            fetch(desk, "main", patience=Patience(idle=0.3, whole=20))
        with pytest.raises(ErrOffline, match="in time"):
            list_remote(desk, patience=Patience(idle=20, whole=0.3))


def test_a_forbidden_transport_is_refused_before_git_starts(desk: Git, tmp_path: Path) -> None:
    git(desk.root, "config", "remote.origin.url", f"ext::touch {tmp_path}/pwned")
    git(desk.root, "config", "protocol.ext.allow", "always")
    with pytest.raises(ErrTransport):
        fetch(Git.discover(desk.root), "main")
    assert not (tmp_path / "pwned").exists()


def test_an_address_that_settings_rewrite_to_a_forbidden_transport_is_refused(
    desk: Git, tmp_path: Path
) -> None:
    git(desk.root, "config", "remote.origin.url", "https://example.invalid/x")
    git(desk.root, "config", f"url.ext::touch {tmp_path}/pwned #.insteadOf", "https://example.invalid/")
    git(desk.root, "config", "protocol.ext.allow", "always")
    with pytest.raises(ErrTransport):
        fetch(Git.discover(desk.root), "main")
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize("name", ["--upload-pack=touch pwned", "-n"])
def test_a_remote_that_looks_like_an_option_is_none(desk: Git, name: str) -> None:
    with pytest.raises((ErrNoRemote, ErrTransport)):
        fetch(desk, "main", name)


def test_ssh_is_asked_to_ask_nothing(desk: Git, remote: Path, tmp_path: Path) -> None:
    """The stand-in for ssh notes its options and runs what it was asked to, on this machine."""
    ssh = tmp_path / "bin" / "ssh"
    ssh.parent.mkdir()
    ssh.write_text(
        f'#!/bin/sh\necho "$@" > {tmp_path}/asked\n'
        'case "$1" in -G) exit 0;; esac\nfor last; do :; done\nexec sh -c "$last"\n'
    )
    ssh.chmod(0o755)
    desk.set_config("core.sshCommand", str(ssh))
    desk.set_config("remote.origin.url", f"ana@example.invalid:{remote}")
    tip = commit(desk, "one\n")
    assert push(desk, [RefPush(MAIN, tip)]).done
    assert "-oBatchMode=yes" in (tmp_path / "asked").read_text()
    assert fetch(desk, "main").branch == tip


def ends(pid: int) -> bool:
    """Tell whether a process has ended, or does within a few seconds."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([process], [], [], 10)[0])
    finally:
        os.close(process)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux can watch another's process")
def test_an_ssh_that_hangs_is_ended_with_the_fetch(desk: Git, tmp_path: Path) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text(f'#!/bin/sh\ncase "$1" in -G) exit 0;; esac\necho $$ > {tmp_path}/pid\nexec sleep 600\n')
    ssh.chmod(0o755)
    desk.set_config("core.sshCommand", str(ssh))
    desk.set_config("remote.origin.url", "ana@example.invalid:x")
    with pytest.raises(ErrOffline, match="in time"):
        fetch(desk, "main", patience=Patience(idle=1.0, whole=20))
    assert ends(int((tmp_path / "pid").read_text()))


@pytest.mark.skipif(not shutil.which("setsid"), reason="setsid is not installed")
def test_a_child_that_holds_the_pipes_does_not_hold_the_sync(
    desk: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A credential helper may leave a daemon behind that inherits Git's pipes."""
    monkeypatch.setattr(talk, "_AFTERMATH", 0.1)
    hook(desk.git_dir, "pre-push", f"setsid sleep 20 & echo $! > {tmp_path}/daemon")
    begun = time.monotonic()
    assert push(desk, [RefPush(MAIN, commit(desk, "one\n"))]).done
    assert time.monotonic() - begun < 15
    os.kill(int((tmp_path / "daemon").read_text()), signal.SIGKILL)
