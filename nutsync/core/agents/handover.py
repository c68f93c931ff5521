"""What an agent hands over at the end of a session, found in what its tool says then.

A fenced block marked `nutsync`, or plain text that was handed over as such: a bullet, a paragraph or a JSON
object a thing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

_BLOCK = re.compile(r"^(`{3,}|~{3,})[ \t]*nutsync[ \t]*\n(.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL)
_KNOWN = ("kind", "layer", "namespace")


@dataclass(frozen=True, slots=True)
class Handed:
    """One thing to remember, and how, as far as the agent said; None is left to the defaults."""

    text: str
    kind: str | None = None
    layer: str | None = None
    namespace: str | None = None


@dataclass(frozen=True, slots=True)
class SessionEnd:
    """What an agent's tool says when a session ends."""

    session: str
    message: str = ""
    transcript: str = ""


def read_session_end(content: str) -> SessionEnd | None:
    """Return what a tool says on a hook's standard input; None where it is not a tool's JSON."""
    try:
        document = json.loads(content)
    except ValueError:
        return None
    if not isinstance(document, dict):
        return None

    def word(*names: str) -> str:
        return next((document[name] for name in names if isinstance(document.get(name), str)), "")

    return SessionEnd(
        word("session_id", "conversation_id"),
        word("last_assistant_message", "message", "text"),
        word("transcript_path"),
    )


def last_message(transcript: str) -> str:
    """Return the text of the last message of the agent's own in a transcript of JSON lines."""
    last = ""
    for line in transcript.split("\n"):
        if '"assistant"' not in line:
            continue
        try:
            row = json.loads(line)
        except ValueError:
            continue
        text = _said(row) if isinstance(row, dict) else ""
        last = text or last
    return last


def handed_over(message: str) -> list[Handed]:
    """Return what the fenced blocks of a message hand over."""
    return [one for block in _BLOCK.finditer(message) for one in read_things(block[2])]


def read_things(text: str) -> list[Handed]:
    """Return the things of a text: JSON objects, bullets with what hangs on them, paragraphs."""
    return [one for part in _parts(text) if (one := _thing(part)) is not None]


def _said(row: dict[str, object]) -> str:
    message = row.get("message") if row.get("type") == "assistant" else row
    if not isinstance(message, dict) or message.get("role", "assistant") != "assistant":
        return ""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [one.get("text") for one in content if isinstance(one, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _parts(text: str) -> Iterator[str]:
    part: list[str] = []
    for line in [*text.split("\n"), ""]:
        begins = not line.strip() or line.startswith(("- ", "* ", "+ ", "{"))
        if begins and part:
            yield "\n".join(part)
            part = []
        if line.strip():
            part.append(line)


def _thing(part: str) -> Handed | None:
    if part.startswith("{"):
        try:
            row = json.loads(part)
        except ValueError:
            return Handed(part)
        text = row.get("text") if isinstance(row, dict) else None
        if not isinstance(text, str) or not text.strip():
            return None
        return Handed(text, *(row[key] if isinstance(row.get(key), str) else None for key in _KNOWN))
    if part[:2] in ("- ", "* ", "+ "):
        first, *rest = part[2:].split("\n")
        part = "\n".join([first, *(line.removeprefix("  ") for line in rest)])
    return Handed(part.strip()) if part.strip() else None
