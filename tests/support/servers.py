"""Real servers of Git on this machine: sshd, the smart HTTP backend and Git's own daemon."""

from __future__ import annotations

import base64
import os
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.support.needs import need_git_program, need_program

_DEADLINE = 30.0


def free_port() -> int:
    """Return a port on which nobody listened a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _running(command: list[str], port: int, env: dict[str, str] | None = None) -> Iterator[None]:
    """Run a server until the block ends; begin when it listens."""
    process = subprocess.Popen(
        command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    try:
        last = time.monotonic() + _DEADLINE
        while not _listens(port):
            if process.poll() is not None or time.monotonic() > last:
                process.kill()
                raise AssertionError((process.communicate()[1] or b"").decode(errors="replace"))
            threading.Event().wait(0.02)
        yield
    finally:
        process.kill()
        process.communicate(timeout=_DEADLINE)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


# --- git:// --------------------------------------------------------------------------------------------


@contextmanager
def git_daemon(root: Path, *, writable: bool = True, port: int = 0) -> Iterator[int]:
    """Serve the repositories below ``root`` over ``git://``; yield the port."""
    port = port or free_port()
    command = [
        *(need_git_program("git-daemon"), "--listen=127.0.0.1", f"--port={port}", "--reuseaddr"),
        *("--export-all", f"--base-path={root}", *(("--enable=receive-pack",) if writable else ())),
        str(root),
    ]
    with _running(command, port):
        yield port


# --- ssh -----------------------------------------------------------------------------------------------

_SSHD = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/{host_key}
PidFile none
AuthorizedKeysFile {folder}/authorized_keys
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PubkeyAuthentication yes
PermitRootLogin yes
PrintMotd no
"""

_SSH = """\
Host *
  IdentityFile {folder}/{key}
  IdentitiesOnly yes
  IdentityAgent none
  UserKnownHostsFile {folder}/known_hosts
  GlobalKnownHostsFile none
  StrictHostKeyChecking ask
  HostKeyAlias nutsync-test
"""


@dataclass
class Ssh:
    """An ssh server's files: its host key, who may come in, and a client's settings."""

    folder: Path
    port: int = field(default_factory=free_port)

    def __post_init__(self) -> None:
        self.sshd = need_program("sshd")
        need_program("ssh")
        self.folder.mkdir(parents=True)
        for name in ("host", "other_host", "known", "stranger"):
            command = [
                "ssh-keygen",
                "-q",
                "-t",
                "ed25519",
                "-N",
                "",
                "-C",
                name,
                "-f",
                str(self.folder / name),
            ]
            subprocess.run(command, check=True)
        (self.folder / "authorized_keys").write_text((self.folder / "known.pub").read_text())
        self.trust("host")
        self.use_key("known")

    def trust(self, *hosts: str) -> None:
        """Let the client know these host keys and no others."""
        keys = [" ".join((self.folder / f"{host}.pub").read_text().split()[:2]) for host in hosts]
        (self.folder / "known_hosts").write_text("".join(f"nutsync-test {key}\n" for key in keys))

    def use_key(self, key: str) -> None:
        """Let the client come in with that key."""
        (self.folder / "ssh_config").write_text(_SSH.format(folder=self.folder, key=key))

    @property
    def command(self) -> str:
        """What `GIT_SSH_COMMAND` has to be: the client's own settings and nobody else's."""
        return f"ssh -F {self.folder}/ssh_config"

    @contextmanager
    def serving(self, host_key: str = "host") -> Iterator[int]:
        """Run sshd as a plain process; yield the port."""
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(exist_ok=True)  # where sshd keeps its unprivileged half in
        config = self.folder / "sshd_config"
        config.write_text(_SSHD.format(port=self.port, folder=self.folder, host_key=host_key))
        with _running([self.sshd, "-D", "-e", "-f", str(config)], self.port):
            yield self.port


# --- http ----------------------------------------------------------------------------------------------


@dataclass
class Web:
    """How the HTTP server treats who comes: the password it wants, whether it takes pushes.

    With a certificate (its key is in the same file) it speaks HTTPS.
    """

    root: Path
    password: str | None = None
    read_only: bool = False
    certificate: Path | None = None
    asked: list[str] = field(default_factory=list)


@contextmanager
def git_over_http(web: Web, port: int = 0) -> Iterator[int]:
    """Serve the repositories below ``web.root`` by `git http-backend`, as hosts do; yield the port."""
    need_git_program("git-http-backend")
    handler = type("Handler", (_Backed,), {"web": web})
    server = _Server(("127.0.0.1", port), handler)
    if web.certificate is not None:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(web.certificate)
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """Say nothing of clients that hang up: that is what they do in these tests."""


class _Backed(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    web: Web

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self.web.asked.append(f"{self.command} {self.path}")
        body = self._body()
        if self._is_stranger():
            self._answer(401, {"WWW-Authenticate": 'Basic realm="memory"'})
        elif self.web.read_only and "git-receive-pack" in self.path:
            self._answer(403, {}, b"you may read only\n")
        else:
            self._run_backend(body)

    do_POST = do_GET  # noqa: N815

    def _is_stranger(self) -> bool:
        wanted = self.web.password
        if wanted is None:
            return False
        given = self.headers.get("Authorization", "").removeprefix("Basic ")
        return base64.b64decode(given).decode() != f"ana:{wanted}"

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0] or b"0", 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _run_backend(self, body: bytes) -> None:
        path, _, query = self.path.partition("?")
        env = {
            **os.environ,
            "GIT_PROJECT_ROOT": str(self.web.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REMOTE_USER": "ana",
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
        }
        done = subprocess.run(["git", "http-backend"], input=body, env=env, capture_output=True, check=False)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        fields = dict(row.split(": ", 1) for row in head.decode().split("\r\n") if row)
        self._answer(int(fields.pop("Status", "200").split()[0]), fields, content)

    def _answer(self, status: int, fields: dict[str, str], content: bytes = b"") -> None:
        self.send_response(status)
        for name, value in {**fields, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)
