"""`nutsync serve` and `nutsync token` as they are started: addresses, many clients at once, broken lines."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

import nutsync
from nutsync.core.errors import ErrUsage
from nutsync.core.web_errors import ErrUnsafeAddress
from nutsync.frontends.cli.main import run_line
from nutsync.frontends.http_api.server import is_loopback, listen, make_setup, read_cells
from nutsync.operations.cell import open_cell
from nutsync.operations.founding import Founding, init
from tests.support.repos import git
from tests.support.serving import serving

CLIENTS = 16


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return init(tmp_path / "memory", Founding(actor="ana", device="desk"), environ={}).cell.root


def run(capsys: pytest.CaptureFixture[str], root: Path, *arguments: str) -> tuple[int, Any]:
    code = run_line(["-C", str(root), "--json", *arguments])
    out, err = capsys.readouterr()
    return code, json.loads(out or err.splitlines()[-1])


def test_sixteen_clients_write_at_once_and_nothing_is_lost(root: Path) -> None:
    with serving(root, "--quiet") as (url, _process), httpx.Client(base_url=url, timeout=120) as client:

        def write(number: int) -> int:
            body = {"layer": "about_me", "kind": "fact", "content": f"note {number} of client {number % 7}"}
            return client.post("/cells/main/memory", json=body).status_code

        with ThreadPoolExecutor(CLIENTS) as pool:
            statuses = list(pool.map(write, range(2 * CLIENTS)))
        entries = client.get("/cells/main/memory", params={"limit": 500}).json()["entries"]
    assert set(statuses) == {201}
    assert sorted(entry["text"] for entry in entries) == sorted(
        f"note {number} of client {number % 7}" for number in range(2 * CLIENTS)
    )
    assert len({entry["id"] for entry in entries}) == 2 * CLIENTS
    assert git(root, "status", "--porcelain") == ""
    assert len(git(root, "log", "--format=%H", "--grep=^append").split()) == 2 * CLIENTS


def test_no_answer_on_a_kept_connection_waits_for_the_clients_acknowledgement() -> None:
    async def no_delay() -> int:
        asked: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        class Server(asyncio.Protocol):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                served = transport.get_extra_info("socket")
                asked.set_result(served.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

        open_socket = listen("127.0.0.1", 0)
        server = await asyncio.get_running_loop().create_server(Server, sock=open_socket)
        async with server:
            _, writer = await asyncio.open_connection(*open_socket.getsockname())
            answer = await asked
            writer.close()
            return answer

    with ThreadPoolExecutor(1) as pool:  # a thread of its own: this one may have a loop already
        assert pool.submit(lambda: asyncio.run(no_delay())).result() != 0


def test_under_systemd_a_sync_may_write_the_bare_repository_too() -> None:
    unit = (Path(nutsync.__file__).parent.parent / "deploy" / "nutsync.service").read_text(encoding="utf-8")
    writable = next(line for line in unit.splitlines() if line.startswith("ReadWritePaths=")).split("=")[1]
    assert writable.split() == ["/srv/memory", "/srv/memory.git"]


def test_a_client_that_stops_half_way_leaves_nothing(root: Path) -> None:
    head = git(root, "rev-parse", "HEAD")
    with serving(root, "--quiet") as (url, _process):
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as line:
            line.sendall(
                b"POST /cells/main/memory HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                b'Content-Length: 200\r\n\r\n{"layer": "about_me", "kind": "fact", "cont'
            )
        assert httpx.get(f"{url}/cells/main/memory/counts").json()["about_me"] == 0
    assert git(root, "rev-parse", "HEAD") == head
    assert git(root, "status", "--porcelain") == ""


def test_a_request_under_way_is_finished_when_the_server_is_stopped(root: Path) -> None:
    with serving(root, "--quiet") as (url, process):
        answers: list[int] = []
        body = {"layer": "about_me", "kind": "fact", "content": "just before the end"}

        def send() -> None:
            answers.append(httpx.post(f"{url}/cells/main/memory", json=body, timeout=60).status_code)

        sending = threading.Thread(target=send)
        sending.start()
        while not answers and sending.is_alive():
            if git(root, "log", "--format=%s", "-1").startswith("append"):
                break
        process.terminate()
        sending.join()
    assert answers == [201]
    assert git(root, "status", "--porcelain") == ""


def test_tokens_are_added_listed_and_revoked_on_the_command_line(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, made = run(capsys, root, "token", "add", "ben", "--note", "the laptop")
    assert code == 0
    assert made["token"].startswith("nut_")
    code, listed = run(capsys, root, "token", "list")
    assert [(one["actor"], one["admin"], one["note"]) for one in listed["tokens"]] == [
        ("ben", False, "the laptop")
    ]
    assert made["token"] not in json.dumps(listed)
    assert run(capsys, root, "token", "revoke", made["id"])[0] == 0
    assert run(capsys, root, "token", "list")[1] == {"tokens": []}
    code, refusal = run(capsys, root, "token", "revoke", made["id"])
    assert (code, refusal["error"]["code"]) == (3, "ErrUnknownToken")


def test_people_are_shown_the_token_once_and_told_so(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_line(["-C", str(root), "token", "add", "ana", "--admin"]) == 0
    shown = capsys.readouterr().out
    secret = shown.split()[0]
    assert "only now" in shown
    assert "nutsync admin add ana" in shown
    assert run_line(["-C", str(root), "token", "list"]) == 0
    assert secret not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("host", "names", "needed"),
    [("0.0.0.0", (), False), ("::", (), False), ("192.168.1.7", (), False), ("memory.example", (), False),
     ("127.0.0.1", ("memory.example",), False), ("127.0.0.1", (), True)],
)  # fmt: skip
def test_serving_others_without_tokens_is_refused(
    root: Path, host: str, names: tuple[str, ...], needed: bool
) -> None:
    with pytest.raises(ErrUnsafeAddress):
        make_setup({"main": root}, host=host, names=names, token_needed=needed, environ={})


def test_with_tokens_others_are_served_and_everybody_needs_one(root: Path) -> None:
    from nutsync.operations.tokens import add_token

    add_token(open_cell(root, environ={}), "ben")
    assert make_setup({"main": root}, host="0.0.0.0", environ={}).token_needed
    assert make_setup({"main": root}, host="127.0.0.1", names=["Memory.Example"], environ={}).hosts == {
        "memory.example"
    }
    assert not make_setup({"main": root}, host="127.0.0.1", environ={}).token_needed


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("127.0.0.2", True), ("::1", True), ("localhost", True), ("0.0.0.0", False),
     ("::", False), ("10.0.0.1", False), ("example.org", False), ("", False)],
)  # fmt: skip
def test_only_this_machines_own_addresses_are_loopback(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


@pytest.mark.parametrize("named", [["team"], ["=x"], ["team="], ["a b=x"], ["x=1", "x=2"], ["../x=y"]])
def test_a_cell_is_named_by_an_id_and_a_folder(named: list[str]) -> None:
    with pytest.raises(ErrUsage):
        read_cells(named)


def test_a_port_in_use_is_said_by_name(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    taken = listen("127.0.0.1", 0)
    taken.listen()
    port = str(taken.getsockname()[1])
    code, refusal = run(capsys, root, "serve", "--port", port)
    taken.close()
    assert (code, refusal["error"]["code"]) == (2, "ErrUsage")


@pytest.mark.parametrize("options", [["--cell", "team"], ["--allow-host", "http://x"], ["--port", "70000"]])
def test_wrong_options_are_wrong_usage(
    root: Path, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    assert run(capsys, root, "serve", *options)[0] == 2


def test_a_folder_without_a_cell_is_said_at_the_start(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, refusal = run(capsys, root, "serve", "--cell", f"team={tmp_path / 'nothing'}")
    assert (code, refusal["error"]["code"]) == (4, "ErrNoCell")
