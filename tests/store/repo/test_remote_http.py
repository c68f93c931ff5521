"""Remotes over HTTP, on this machine: what works, what is refused, and that nobody is asked anything."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from nutsync.core.cell import day_path
from nutsync.core.errors import ErrAuth, ErrOffline, ErrRemote, ErrRemoteMissing
from nutsync.store.repo.git import Git
from nutsync.store.repo.refusals import Outcome
from nutsync.store.repo.remote import RefPush, fetch, list_remote, push
from nutsync.store.repo.talk import Patience
from tests.support.repos import commit_files, git, make_remote, make_repo

MAIN = "refs/heads/main"


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


class Quiet(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def answering(status: int, seen: list[str | None] | None = None) -> type[BaseHTTPRequestHandler]:
    class Answering(Quiet):
        def do_GET(self) -> None:
            if seen is not None:
                seen.append(self.headers["Authorization"])
            self.send_response(status)
            if status == 401:
                self.send_header("WWW-Authenticate", 'Basic realm="memory"')
            self.end_headers()
            self.wfile.write(b"<html>\n<p>no</p>\n</html>\n")

    return Answering


def backed_by(root: Path) -> type[BaseHTTPRequestHandler]:
    """Return a handler that lets ``git http-backend`` answer, as a host does."""

    class Backed(Quiet):
        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            env = {
                **os.environ,
                "GIT_PROJECT_ROOT": str(root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "REMOTE_USER": "ana",
                "REQUEST_METHOD": self.command,
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": self.headers.get("Content-Length", "0"),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            }
            body = self.rfile.read(int(env["CONTENT_LENGTH"] or 0))
            done = subprocess.run(
                ["git", "http-backend"], input=body, env=env, capture_output=True, check=False
            )
            head, _, content = done.stdout.partition(b"\r\n\r\n")
            fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
            self.send_response(int(fields.pop("Status", "200").split()[0]))
            for name, value in fields.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET  # noqa: N815

    return Backed


@pytest.fixture
def clone(tmp_path: Path) -> Git:
    root = make_repo(tmp_path / "clone")
    commit_files(root, {day_path("2026-11-30"): "one\n"})
    return Git.discover(root)


def at(clone: Git, address: str) -> Git:
    clone.set_config("remote.origin.url", f"{address}/memory.git")
    return clone


def test_memory_travels_over_http(clone: Git, tmp_path: Path) -> None:
    remote = make_remote(tmp_path / "srv" / "memory.git")
    with serving(backed_by(tmp_path / "srv")) as address:
        tip = git(clone.root, "rev-parse", "HEAD")
        assert push(at(clone, address), [RefPush(MAIN, tip)]).outcomes == {MAIN: Outcome.DONE}
        assert fetch(clone, "main").branch == list_remote(clone).branch("main") == tip
    assert git(remote, "rev-parse", MAIN) == tip


def test_a_hook_of_an_http_host_is_quoted(clone: Git, tmp_path: Path) -> None:
    remote = make_remote(tmp_path / "srv" / "memory.git")
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'a frozen day changed' >&2\nexit 1\n")
    hook.chmod(0o755)
    with serving(backed_by(tmp_path / "srv")) as address:
        pushed = push(at(clone, address), [RefPush(MAIN, git(clone.root, "rev-parse", "HEAD"))])
    assert pushed.outcomes == {MAIN: Outcome.DECLINED} and pushed.server == "a frozen day changed"


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, ErrAuth),
        (403, ErrAuth),
        (404, ErrRemoteMissing),
        (429, ErrOffline),
        (500, ErrOffline),
        (503, ErrOffline),
    ],
)
def test_each_refusal_of_a_host_has_its_name(clone: Git, status: int, error: type[ErrRemote]) -> None:
    tip = git(clone.root, "rev-parse", "HEAD")
    with serving(answering(status)) as address:
        at(clone, address)
        with pytest.raises(error):
            fetch(clone, "main")
        with pytest.raises(error):
            push(clone, [RefPush(MAIN, tip)])
        with pytest.raises(error):
            list_remote(clone)


def test_a_page_that_is_no_repository_is_a_remote_that_cannot_be_used(clone: Git) -> None:
    with serving(answering(200)) as address, pytest.raises(ErrRemoteMissing):
        fetch(at(clone, address), "main")


def test_nobody_is_asked_for_a_password(clone: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask = tmp_path / "ask"
    ask.write_text(f"#!/bin/sh\ntouch {tmp_path}/asked\necho secret\n")
    ask.chmod(0o755)
    monkeypatch.setenv("GIT_ASKPASS", str(ask))
    monkeypatch.setenv("SSH_ASKPASS", str(ask))
    clone.set_config("core.askPass", str(ask))
    with serving(answering(401)) as address, pytest.raises(ErrAuth):
        fetch(at(clone, address), "main")
    assert not (tmp_path / "asked").exists()


def test_a_credential_helper_is_used_and_what_it_knows_is_not_repeated(clone: Git) -> None:
    seen: list[str | None] = []
    clone.set_config("credential.helper", "!f() { echo username=ana; echo password=hunter2; }; f")
    with serving(answering(401, seen)) as address, pytest.raises(ErrAuth) as caught:
        fetch(at(clone, address), "main")
    assert any(value is not None and value.startswith("Basic ") for value in seen)
    assert "hunter2" not in caught.value.message + caught.value.hint


def test_a_password_in_the_address_is_not_repeated(clone: Git) -> None:
    with serving(answering(404)) as address, pytest.raises(ErrRemoteMissing) as caught:
        fetch(at(clone, address.replace("//", "//ana:hunter2@")), "main")
    assert "hunter2" not in caught.value.message + caught.value.hint


def test_a_host_that_never_finishes_its_answer_is_given_up(clone: Git) -> None:
    released = threading.Event()

    class Stalling(Quiet):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            released.wait(30)

    with serving(Stalling) as address:
        at(clone, address)
        with pytest.raises(ErrOffline, match="in time"):
            fetch(clone, "main", patience=Patience(idle=0.3, whole=20))
        released.set()
