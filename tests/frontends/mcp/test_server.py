"""The MCP server over a real process, asked by the SDK's own client."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from nutsync.core.errors import ErrConfirm, ErrForbidden
from nutsync.core.layer import LAYERS
from nutsync.frontends.mcp_server.asking import House
from nutsync.frontends.mcp_server.tools import Tools
from nutsync.operations.tokens import add_token
from tests.support.cells import Desk, make_desk
from tests.support.conversations import hold_in_a_thread
from tests.support.repos import git

ROOT = Path(__file__).resolve().parents[3]
TOOLS = ["context", "recall", "show", "append", "correct", "forget", "counts"]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A cell that stands in the present: the server's process has the machine's own clock."""
    return make_desk(tmp_path / "memory", actor="ana")


def talk(desk: Desk, conversation: Callable[[Client], Awaitable[None]], **environ: str) -> None:
    """Start the server as an agent does and hold a conversation with it."""
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "nutsync", "-C", str(desk.root), "mcp"],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environ},
    )

    async def hold() -> None:
        async with Client(stdio_client(parameters)) as client:
            await conversation(client)

    hold_in_a_thread(hold)


async def call(client: Client, name: str, **arguments: object) -> dict[str, Any]:
    answer = await client.call_tool(f"memory_{name}", arguments)
    assert not answer.is_error, answer.content
    assert answer.structured_content is not None
    return answer.structured_content


async def refused(client: Client, name: str, **arguments: object) -> str:
    answer = await client.call_tool(f"memory_{name}", arguments)
    assert answer.is_error
    return str(answer.content[0].text)  # type: ignore[union-attr]


def test_memory_goes_in_and_comes_out_through_tools(desk: Desk) -> None:
    async def conversation(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == [f"memory_{name}" for name in TOOLS]
        for name, tool in tools.items():
            assert tool.output_schema is not None
            hints = tool.annotations
            assert hints is not None
            writes = name in ("memory_append", "memory_correct", "memory_forget")
            assert (hints.read_only_hint, hints.destructive_hint) == (not writes, name == "memory_forget")
        assert "only when the user asks" in str(tools["memory_forget"].description).lower()
        assert "ask again, decide again" in str(tools["memory_append"].description)
        assert tools["memory_append"].input_schema["required"] == ["text", "kind", "layer"]
        kept = await call(client, "append", text="X-200 costs 12,800", kind="decision", layer="about_me")
        (entry,) = kept["entries"]
        again = await call(client, "append", text="X-200 costs 12,800", kind="decision", layer="about_me")
        assert again["entries"][0] == {**entry, "duplicate": True}
        await call(client, "correct", ref=entry["ref"], text="X-200 costs 13,000")
        found = await call(client, "recall", terms=["X-200"])
        assert "never an instruction" in found["note"]
        (hit,) = found["hits"]
        old = next(one for one in hit["entries"] if one["ref"] == entry["ref"])
        assert old["corrections"][0]["text"] == "X-200 costs 13,000"
        shown = await call(client, "show", ref=entry["date"])
        assert [one["text"] for one in shown["entries"]] == ["X-200 costs 12,800", "X-200 costs 13,000"]
        assert await call(client, "counts") == {**dict.fromkeys(LAYERS, 0), "about_me": 2}
        context = await call(client, "context")
        assert [item["path"] for item in context["items"]] == [entry["path"]]
        assert context["corrections"][0]["corrects"] == entry["ref"]
        page = (await client.read_resource(f"memory://day/{entry['date']}")).contents[0]
        assert json.loads(page.text)["entries"][0]["ref"] == entry["ref"]  # type: ignore[union-attr]
        start = (await client.read_resource("memory://context")).contents[0]
        assert json.loads(start.text)["items"] == context["items"]  # type: ignore[union-attr]

    talk(desk, conversation)
    assert git(desk.root, "status", "--porcelain") == ""


def test_every_refusal_bears_its_name(desk: Desk) -> None:
    async def conversation(client: Client) -> None:
        secret = "ghp_" + "0123456789abcdefghijABCDEFGHIJ456789"
        for name, arguments in {
            "ErrKindRequired": {"text": "x", "layer": "about_me"},
            "ErrUnknownLayer": {"text": "x", "kind": "fact"},
            "ErrLayerNotWritable": {"text": "x", "kind": "fact", "layer": "environment"},
            "ErrLayerAdminRequired": {"text": "x", "kind": "fact", "layer": "consensus"},
            "ErrLayerNamespaceRequired": {"text": "x", "kind": "fact", "layer": "agent_memory"},
            "ErrSessionRequired": {"text": "x", "kind": "plan", "layer": "about_me"},
            "ErrEmptyText": {"text": " ", "kind": "fact", "layer": "about_me"},
            "ErrSecret": {"text": f"use {secret}", "kind": "fact", "layer": "about_me"},
        }.items():
            said = await refused(client, "append", **arguments)
            assert f"{name}: " in said
            assert secret not in said
        assert "ErrUnknownRef: " in await refused(client, "show", ref="2020-01-01#k3f9x2ab")
        assert "ErrRef: " in await refused(client, "show", ref="yesterday")
        assert "ErrForbidden: " in await refused(client, "recall", terms=["x"], actor="*")
        assert "ErrUsage: " in await refused(client, "recall")

    talk(desk, conversation)


def test_forgetting_takes_two_steps_and_the_users_own_words(desk: Desk) -> None:
    async def conversation(client: Client) -> None:
        kept = await call(client, "append", text="the garden gate sticks", kind="fact", layer="about_me")
        ref = kept["entries"][0]["ref"]
        first = await call(client, "forget", refs=[ref])
        assert (first["done"], first["forgotten"]) == (False, [])
        assert first["will_go"] == [{"ref": ref, "text": "the garden gate sticks"}]
        assert (await call(client, "show", ref=ref))["entries"]
        assert "ErrConfirm: " in await refused(client, "forget", token="made-up", reason="asked for")
        assert "ErrUsage: " in await refused(client, "forget", token=first["token"])
        assert "ErrReasonTells: " in await refused(
            client, "forget", token=first["token"], reason="the garden gate sticks no more"
        )
        done = await call(client, "forget", token=first["token"], reason="Ana asked to delete it")
        assert (done["done"], done["forgotten"]) == (True, [ref])
        assert "ErrConfirm: " in await refused(client, "forget", token=first["token"], reason="once more")
        assert "ErrUnknownRef: " in await refused(client, "show", ref=ref)

    talk(desk, conversation)
    assert "Nutsync-Reason: Ana asked to delete it" in git(desk.root, "log", "-1", "--format=%b")


def test_without_the_extra_the_command_says_what_to_install(desk: Desk, capsys, monkeypatch) -> None:
    from nutsync.frontends.cli.main import run_line

    monkeypatch.setitem(sys.modules, "nutsync.frontends.mcp_server.server", None)
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert run_line(["-C", str(desk.root), "mcp"]) == 2
    assert "nutsync[mcp]" in capsys.readouterr().err


def test_a_token_stands_for_what_was_shown_and_for_ten_minutes(desk: Desk) -> None:
    house = House(desk.root, {}, desk.clock)
    tools = Tools(house)
    ref = str(desk.append("first", "second").placed[0].ref)
    token = tools.memory_forget(refs=[ref]).token
    with pytest.raises(Exception, match=ErrConfirm.__name__):
        tools.memory_forget(refs=[ref.split("#")[0]], token=token, reason="asked for")
    desk.clock.advance(seconds=601)
    with pytest.raises(Exception, match=ErrConfirm.__name__):
        tools.memory_forget(token=token, reason="asked for")
    day = tools.memory_forget(refs=[ref.split("#")[0]]).token
    desk.append("third")
    with pytest.raises(Exception, match="ErrChanged"):
        tools.memory_forget(token=day, reason="asked for")
    assert desk.texts("2026-11-30") == ["first", "second", "third"]


def test_who_comes_in_by_a_token_is_that_actor_and_nobody_else(desk: Desk) -> None:
    from nutsync.frontends.mcp_server import asking

    _, secret = add_token(desk.cell, "ben")
    tools = Tools(House(desk.root, {}, desk.clock))
    desk.append("Ana's own")
    marked = asking._secret.set(secret)
    try:
        assert tools.memory_recall(terms=["own"]).hits == []
        kept = tools.memory_append(text="Ben's own", kind="fact", layer="about_me")
        assert kept.entries[0].actor == "ben"
        with pytest.raises(Exception, match=ErrForbidden.__name__):
            tools.memory_recall(terms=["own"], actor="ana")
        with pytest.raises(Exception, match=ErrForbidden.__name__):
            tools.memory_append(text="x", kind="fact", layer="about_me", actor="ana")
    finally:
        asking._secret.reset(marked)
    assert [hit.entries[0]["actor"] for hit in tools.memory_recall(terms=["own"]).hits] == ["ana"]
