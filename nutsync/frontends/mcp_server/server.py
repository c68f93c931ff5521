"""The server: its tools with their hints, its resources, and how it is run."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError
from mcp.server.mcpserver.tools import Tool
from mcp_types import ToolAnnotations

from nutsync import __version__
from nutsync.core.entry import Ref
from nutsync.core.moment import require_date
from nutsync.frontends.mcp_server import words
from nutsync.frontends.mcp_server.asking import House, by_name, note_secret
from nutsync.frontends.mcp_server.tools import Tools
from nutsync.store.clock import Clock

_READING = {"read_only_hint": True, "destructive_hint": False, "idempotent_hint": True}
_GROWING = {"read_only_hint": False, "destructive_hint": False, "idempotent_hint": True}
_REMOVING = {"read_only_hint": False, "destructive_hint": True, "idempotent_hint": False}


def make_server(root: Path, environ: Mapping[str, str], *, clock: Clock | None = None) -> MCPServer[Any]:
    """Return a server for the cell at ``root``."""
    house = House(root, environ, clock)
    tools = Tools(house)
    server: MCPServer[Any] = MCPServer(
        "nutsync",
        title="Long-term memory",
        instructions=words.INSTRUCTIONS,
        version=__version__,
        log_level="WARNING",
        tools=[
            _tool(tools.memory_context, "What a session starts with", words.CONTEXT, _READING),
            _tool(tools.memory_recall, "Find what was remembered", words.RECALL, _READING),
            _tool(tools.memory_show, "Show an entry or a day", words.SHOW, _READING),
            _tool(tools.memory_append, "Remember", words.APPEND, _GROWING, ("text", "kind", "layer")),
            _tool(tools.memory_correct, "Say what holds instead", words.CORRECT, _GROWING),
            _tool(tools.memory_forget, "Forget, in two steps", words.FORGET, _REMOVING),
            _tool(tools.memory_counts, "Count by layer", words.COUNTS, _READING),
        ],
        middleware=[note_secret],
    )
    _add_resources(server, house)
    return server


def run_stdio(root: Path, environ: Mapping[str, str]) -> None:
    """Serve on standard input and output until the client hangs up."""
    make_server(root, environ).run()


def run_http(root: Path, environ: Mapping[str, str], port: int) -> None:
    """Serve over HTTP to this machine alone; host and origin of every request are checked."""
    make_server(root, environ).run("streamable-http", host="127.0.0.1", port=port)


def _tool(function: Callable[..., Any], title: str, description: str, hints: Mapping[str, bool],
          required: tuple[str, ...] = ()) -> Tool:  # fmt: skip
    """Return a tool. ``required`` is what its description asks for.

    What is missing all the same reaches the rule that misses it, and is refused by its own name.
    """
    annotations = ToolAnnotations(title=title, open_world_hint=False, **hints)
    tool = Tool.from_function(function, title=title, description=description, annotations=annotations)
    if required:
        tool.parameters["required"] = list(required)
    return tool


def _add_resources(server: MCPServer[Any], house: House) -> None:
    @server.resource(
        "memory://context", title="The last 30 days", description=words.CONTEXT, mime_type="application/json"
    )
    @by_name(ResourceError)
    def memory_context() -> str:
        from nutsync.operations.context import context

        asking = house.ask()
        return _framed(context(asking.cell, reader=asking.reader(None)).as_json())

    @server.resource(
        "memory://day/{date}", title="A day", description=words.SHOW, mime_type="application/json"
    )
    @by_name(ResourceError)
    def memory_day(date: str) -> str:
        from nutsync.operations.show import show

        asking = house.ask()
        return _framed(show(asking.cell, Ref(require_date(date)), actor=asking.reader(None)).as_json())


def _framed(document: dict[str, object]) -> str:
    return json.dumps({"note": words.DATA, **document}, ensure_ascii=False)
