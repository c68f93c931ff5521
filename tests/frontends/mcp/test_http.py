"""The MCP server over HTTP: this machine alone, and tokens that say who asks."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from nutsync.operations.tokens import add_token
from tests.support.cells import Desk, make_desk
from tests.support.conversations import hold_in_a_thread

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return make_desk(tmp_path / "memory", actor="ana")


@pytest.fixture
def url(desk: Desk) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "nutsync", "-C", str(desk.root), "mcp", "--http", "--port", str(port)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
    )
    try:
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, process.stderr
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.communicate(timeout=30)


def test_a_token_says_who_asks_and_a_strange_host_is_refused(desk: Desk, url: str) -> None:
    _, secret = add_token(desk.cell, "ben")

    async def conversation() -> None:
        async with Client(streamable_http_client(url)) as ana:
            await ana.call_tool("memory_append", {"text": "hers", "kind": "fact", "layer": "about_me"})
            assert (await ana.call_tool("memory_counts", {})).structured_content["about_me"] == 1
        headers = {"Authorization": f"Bearer {secret}"}
        async with (
            httpx.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(url, http_client=http)) as ben,
        ):
            assert (await ben.call_tool("memory_counts", {})).structured_content["about_me"] == 0
        wrong = {"Authorization": "Bearer made-up"}
        async with (
            httpx.AsyncClient(headers=wrong) as http,
            Client(streamable_http_client(url, http_client=http)) as nobody,
        ):
            answer = await nobody.call_tool("memory_counts", {})
            assert answer.is_error
            assert "ErrToken: " in answer.content[0].text

    hold_in_a_thread(conversation)
    hello = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    strange = httpx.post(url, json=hello, headers={"Host": "memory.example", "Accept": "application/json"})
    assert strange.status_code in (403, 421)
