"""Changing files that belong to somebody else: what is ours goes in and out, the rest stays.

Every function takes a file's text (empty where there is none) and returns the new text. Done twice it
changes nothing more, and taking out what was put in leaves the file as it was.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nutsync.core.errors import ErrUsage

Json = dict[str, Any]
Marks = tuple[str, str]


def html_marks(owner: str) -> Marks:
    """Return the marks that stand around a block of ``owner`` in Markdown."""
    return f"<!-- nutsync:{owner}:begin -->", f"<!-- nutsync:{owner}:end -->"


def with_block(text: str, body: str, marks: Marks) -> str:
    """Return ``text`` with ``body`` between our marks: in its old place, or at the end."""
    opening, closing = marks
    block = f"{opening}\n{body.rstrip()}\n{closing}\n"
    bare = without_block(text, marks)
    found = _block(marks).search(text)
    if found:
        return text[: found.start()] + block + text[found.end() :]
    if not bare:
        return block
    return f"{bare}{'' if bare.endswith(chr(10)) else chr(10)}\n{block}"


def without_block(text: str, marks: Marks) -> str:
    """Return ``text`` without our block and the empty line that was put before it."""
    found = _block(marks).search(text)
    if not found:
        return text
    before, after = text[: found.start()], text[found.end() :]
    if before.endswith("\n\n") and not after:
        before = before[:-1]
    return before + after


def _block(marks: Marks) -> re.Pattern[str]:
    opening, closing = map(re.escape, marks)
    return re.compile(rf"^{opening}\n.*?^{closing}(?:\n|$)", re.MULTILINE | re.DOTALL)


def changed_json(text: str, change: Callable[[Json], None], name: str) -> str:
    """Return a JSON file with ``change`` made, in its own indentation; empty where nothing is left.

    Raises :class:`ErrUsage` where it is no JSON object that could be written back whole.
    """
    try:
        document = json.loads(text) if text.strip() else {}
    except ValueError as problem:
        raise ErrUsage(
            f"{name} is no plain JSON, so nothing was changed in it.",
            hint="Comments would be lost. Add the entry that --dry-run shows by hand.",
        ) from problem
    if not isinstance(document, dict):
        raise ErrUsage(f"{name} is no JSON object, so nothing was changed in it.")
    before = json.dumps(document)
    change(document)
    if json.dumps(document) == before:
        return text
    if not document:
        return ""
    indent = re.search(r"\n([ \t]+)\"", text)
    width: int | str = "\t" if indent and "\t" in indent[1] else len(indent[1]) if indent else 2
    return json.dumps(document, indent=width, ensure_ascii=False) + "\n"


def put(document: Json, keys: Sequence[str], value: object) -> None:
    """Set ``value`` below nested objects, which are made where they are missing."""
    for key in keys[:-1]:
        below = document.setdefault(key, {})
        if not isinstance(below, dict):
            raise ErrUsage(f"{key} is no object there, so nothing was changed.")
        document = below
    document[keys[-1]] = value


def take_out(document: Json, keys: Sequence[str]) -> None:
    """Remove what stands below nested objects, and objects that are empty then."""
    if not keys or not isinstance(document, dict) or keys[0] not in document:
        return
    if len(keys) == 1:
        del document[keys[0]]
        return
    below = document[keys[0]]
    if isinstance(below, dict):
        take_out(below, keys[1:])
        if not below:
            del document[keys[0]]


def put_hook(document: Json, event: str, hook: Mapping[str, Any]) -> None:
    """Put ``hook`` at the end of an event's hooks, in the place of one of ours."""
    hooks = document.setdefault("hooks", {})
    if not isinstance(hooks, dict) or not isinstance(hooks.setdefault(event, []), list):
        raise ErrUsage(f"The hooks for {event} are no list there, so nothing was changed.")
    there = hooks[event]
    mine = [place for place, one in enumerate(there) if _is_ours(one)]
    if mine:
        there[mine[0]] = dict(hook)
        for place in reversed(mine[1:]):
            del there[place]
    else:
        there.append(dict(hook))


def take_out_hooks(document: Json) -> None:
    """Remove our hooks from every event, and events and lists that are empty then."""
    hooks = document.get("hooks")
    if not isinstance(hooks, dict):
        return
    for event in list(hooks):
        if isinstance(hooks[event], list):
            mine = [one for one in hooks[event] if _is_ours(one)]
            if mine:
                hooks[event] = [one for one in hooks[event] if not _is_ours(one)]
                if not hooks[event]:
                    del hooks[event]
    if not hooks:
        del document["hooks"]


def _is_ours(hook: object) -> bool:
    if not isinstance(hook, dict):
        return False
    commands = [hook.get("command"), *(one.get("command") for one in _inner(hook))]
    return any(isinstance(one, str) and "nutsync" in one and " agent hook " in one for one in commands)


def _inner(hook: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    inner = hook.get("hooks")
    return [one for one in inner if isinstance(one, dict)] if isinstance(inner, list) else []


def with_toml_table(text: str, header: str, lines: Sequence[str], name: str) -> str:
    """Return a TOML file with a table of ours at its end; one of that name that is not ours is kept.

    Raises :class:`ErrUsage` where the file is no TOML.
    """
    bare = without_block(text, _TOML)
    if _table(bare, header, name):
        return text
    result = with_block(text, "\n".join([f"[{header}]", *lines]), _TOML)
    _table(result, header, name)
    return result


def without_toml_table(text: str) -> str:
    """Return a TOML file without our table."""
    return without_block(text, _TOML)


_TOML = ("# nutsync:begin", "# nutsync:end")


def _table(text: str, header: str, name: str) -> bool:
    try:
        table: Any = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise ErrUsage(f"{name} is no TOML, so nothing was changed in it.") from problem
    for key in header.split("."):
        table = table.get(key) if isinstance(table, dict) else None
    return table is not None
