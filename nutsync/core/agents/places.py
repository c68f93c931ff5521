"""Where each agent reads what it is given: its project's files, or the user's own (design §12).

Looked up in what the tools themselves document. Paths are "/"-separated and relative to the project's
folder or to the user's home.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from nutsync.core.agents import patches
from nutsync.core.agents.patches import Json
from nutsync.core.agents.skill import NAME, instructions, render_skill

Edit = Callable[[str], str]


@dataclass(frozen=True)
class FileEdit:
    """One file: how what is ours goes in, and how it comes out. ``in_home`` tells which folder counts."""

    path: str
    put_in: Edit
    take_out: Edit
    what: str
    in_home: bool = False


@dataclass(frozen=True)
class Call:
    """How an agent calls nutsync: the words before every command, in the project and from anywhere else,
    and whose name the hooks bear."""

    words: Sequence[str]
    elsewhere: Sequence[str]
    agent: str

    def server(self, *, anywhere: bool = False) -> Json:
        words = self.elsewhere if anywhere else self.words
        return {"command": words[0], "args": [*words[1:], "mcp"]}

    def hook(self, event: str) -> str:
        return shlex.join([*self.words, "agent", "hook", event, "--for", self.agent])


@dataclass(frozen=True)
class Agent:
    """An agent by name: its edits for a project and for the user, and what to tell whoever installs it."""

    words: str
    edits: Callable[[Call, bool], list[FileEdit]]
    note: str = ""


def edits_for(name: str, words: Sequence[str], elsewhere: Sequence[str], *, user: bool) -> list[FileEdit]:
    """Return the edits that give an agent memory: for the user everywhere, or for one project.

    ``words`` call nutsync from within the project, ``elsewhere`` from anywhere.
    """
    return AGENTS[name].edits(Call(elsewhere if user else words, elsewhere, name), user)


def _claude_code(call: Call, user: bool) -> list[FileEdit]:
    servers = ".claude.json" if user else ".mcp.json"
    grouped = {
        "SessionStart": {"matcher": "startup|resume|clear|compact", **_grouped(call, "session-start")},
        "SessionEnd": _grouped(call, "session-end"),
    }
    return [
        _server(servers, ("mcpServers", NAME), {"type": "stdio", **call.server()}, user),
        _hooks(".claude/settings.json", grouped, user),
        _skill(".claude/skills", user),
    ]


def _codex(call: Call, user: bool) -> list[FileEdit]:
    server = call.server()
    lines = [f"command = {json.dumps(server['command'])}", f"args = {json.dumps(server['args'])}"]
    grouped = {
        "SessionStart": {"matcher": "startup|resume|clear", **_grouped(call, "session-start")},
        "Stop": _grouped(call, "session-end"),
    }
    return [
        FileEdit(
            ".codex/config.toml",
            lambda text: patches.with_toml_table(text, f"mcp_servers.{NAME}", lines, "config.toml"),
            patches.without_toml_table,
            "MCP server",
            user,
        ),
        _hooks(".codex/hooks.json", grouped, user),
        _skill(".agents/skills", user),
        _instructions("codex", ".codex/AGENTS.md" if user else "AGENTS.md", ".agents/skills", user),
    ]


def _cursor(call: Call, user: bool) -> list[FileEdit]:
    flat = {
        "sessionStart": {"command": call.hook("session-start")},
        "sessionEnd": {"command": call.hook("session-end")},
    }
    return [
        _server(".cursor/mcp.json", ("mcpServers", NAME), call.server(), user),
        _hooks(".cursor/hooks.json", flat, user, version=1),
        _skill(".cursor/skills", user),
    ]


def _openclaw(call: Call, user: bool) -> list[FileEdit]:
    workspace = ".openclaw/workspace/" if user else ""
    return [
        _server(".openclaw/openclaw.json", ("mcp", "servers", NAME), call.server(anywhere=True), True),
        _skill(f"{workspace}skills", user),
        _instructions("openclaw", f"{workspace}AGENTS.md", "skills", user),
    ]


AGENTS: Mapping[str, Agent] = MappingProxyType(
    {
        "claude-code": Agent("Claude Code", _claude_code, "Claude Code asks once whether to trust them."),
        "codex": Agent(
            "OpenAI Codex",
            _codex,
            "Codex reads a project's files once the project is trusted; older versions want "
            "`codex_hooks = true` under [features].",
        ),
        "cursor": Agent("Cursor", _cursor, "Restart Cursor, and enable the server in its settings."),
        "openclaw": Agent("OpenClaw", _openclaw, "`openclaw mcp reload` reads the server's entry."),
    }
)


def _grouped(call: Call, event: str) -> Json:
    return {"hooks": [{"type": "command", "command": call.hook(event), "timeout": 30}]}


def _server(path: str, keys: Sequence[str], value: Json, in_home: bool) -> FileEdit:
    return FileEdit(
        path,
        lambda text: patches.changed_json(text, lambda d: patches.put(d, keys, value), path),
        lambda text: patches.changed_json(text, lambda d: patches.take_out(d, keys), path),
        "MCP server",
        in_home,
    )


def _hooks(path: str, hooks: Mapping[str, Json], in_home: bool, version: int | None = None) -> FileEdit:
    def put_in(document: Json) -> None:
        if version is not None:
            document.setdefault("version", version)
        for event, hook in hooks.items():
            patches.put_hook(document, event, hook)

    def take_out(document: Json) -> None:
        patches.take_out_hooks(document)
        if version is not None and document == {"version": version}:
            del document["version"]

    return FileEdit(
        path,
        lambda text: patches.changed_json(text, put_in, path),
        lambda text: patches.changed_json(text, take_out, path),
        "hooks at a session's start and end",
        in_home,
    )


def _skill(folder: str, in_home: bool) -> FileEdit:
    return FileEdit(
        f"{folder}/{NAME}/SKILL.md", lambda text: render_skill(), lambda text: "", "the skill", in_home
    )


def _instructions(owner: str, path: str, skills: str, in_home: bool) -> FileEdit:
    body, marks = instructions(f"{skills}/{NAME}/SKILL.md"), patches.html_marks(owner)
    return FileEdit(
        path,
        lambda text: patches.with_block(text, body, marks),
        lambda text: patches.without_block(text, marks),
        "instructions",
        in_home,
    )
