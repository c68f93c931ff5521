"""Rows for what an agent waits for: the MCP server's start, and what a session begins with."""

from __future__ import annotations

import json
from collections.abc import Callable

from bench.paired import Command, Row
from bench.workshop import Workshop

_EMPTY = "from mcp.server.mcpserver import MCPServer; MCPServer('empty').run()"
_CLIENT = {"name": "bench", "version": "1"}
_HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": _CLIENT}
_TALK = (
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _HELLO},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
)


def start_of_the_server(shop: Workshop) -> Row:
    """From the start of the process to its end, with a client that asks for the tools and hangs up."""
    cell = shop.armed()
    talk = "".join(json.dumps(message) + "\n" for message in _TALK).encode()
    return shop.compare(
        "mcp, start and list of tools",
        Command([shop.nutsync("mcp")], cell, stdin=talk),
        "an empty server of the same SDK",
        Command([[shop.tools.python, "-c", _EMPTY]], cell, stdin=talk),
        "≤ 1.2",
    )


ROWS: list[Callable[[Workshop], Row | list[Row]]] = [start_of_the_server]
