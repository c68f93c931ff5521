"""The small TOML files of a cell: read tolerantly, written in one canonical way.

``cell.toml`` is read at nearly every command, and importing ``tomllib`` costs more than the rest of
reading it. So a file of plain lines, which is what nutsync writes, is read directly; anything else
goes to ``tomllib``. Both give the same answer for every file that the direct reader accepts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, time

from nutsync.core.pattern import pattern

_STRING = r'"[^"\\\x00-\x08\x0a-\x1f\x7f]*"'
_LIST = rf"\[((?:{_STRING}(?:, {_STRING})*)?)\]"
_LINE = pattern(rf"([A-Za-z0-9_-]+) = (?:({_STRING})|(0|[1-9][0-9]{{0,17}})|(true|false)|{_LIST})")
_ITEM = pattern(_STRING)
_BARE_KEY = pattern(r"[A-Za-z0-9_-]+")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_MUST_ESCAPE = pattern(r'["\\\x00-\x1f\x7f]')


def read_toml(content: bytes) -> dict[str, object]:
    """Return the table that ``content`` holds; a BOM is skipped.

    Raises ``ValueError`` where it is no UTF-8 or no TOML.
    """
    text = content.decode("utf-8-sig")
    plain = _read_plain(text)
    if plain is not None:
        return plain
    import tomllib

    return tomllib.loads(text)


def _read_plain(text: str) -> dict[str, object] | None:
    """Read lines of the canonical form, or return None where ``text`` needs a real parser."""
    table: dict[str, object] = {}
    for line in text.split("\n"):
        if not line:
            continue
        match = _LINE.fullmatch(line)
        if match is None or match[1] in table:
            return None
        key, string, number, truth, items = match.groups()
        if string is not None:
            table[key] = string[1:-1]
        elif number is not None:
            table[key] = int(number)
        elif truth is not None:
            table[key] = truth == "true"
        else:
            table[key] = [item[1:-1] for item in _ITEM.findall(items)]
    return table


def write_toml(table: Mapping[str, object]) -> bytes:
    """Return ``table`` as TOML, a line a key, in the given order.

    A string that holds newlines is written on lines of its own. Raises ``TypeError`` for a value that
    TOML does not know.
    """
    return "".join(f"{_key(key)} = {_value(value)}\n" for key, value in table.items()).encode()


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _string(key)


def _string(text: str) -> str:
    def escape(match: re.Match[str]) -> str:
        return _ESCAPES.get(match[0]) or f"\\u{ord(match[0]):04X}"

    return f'"{_MUST_ESCAPE.sub(escape, text)}"'


def _value(value: object) -> str:
    if isinstance(value, str):
        if value.endswith("\n") and _is_block(value):
            return f'"""\n{value}"""'
        return _string(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    raise TypeError(f"TOML has no form for {type(value).__name__}")


def _is_block(text: str) -> bool:
    """Tell whether ``text`` can stand between triple quotes without an escape."""
    return not _MUST_ESCAPE.search(text.replace("\n", ""))
