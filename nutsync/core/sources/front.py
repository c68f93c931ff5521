"""The frontmatter of foreign Markdown files, read well enough to find dates, kinds and tags.

Its lines are kept as text whatever they hold; what is read here only adds to that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from nutsync.core.pattern import pattern

_PAIR = pattern(r"([A-Za-z_][\w -]{0,40}):(?:\s+(.*)|$)")
_PROPERTY = pattern(r"([A-Za-z_][\w-]{0,40}):: ?(.*)")
_LIST_ITEM = pattern(r"\s*- (.+)")

Line = tuple[int, str]


def split_front(lines: Sequence[Line]) -> tuple[list[Line], list[Line], Mapping[str, str]]:
    """Return the frontmatter's lines without its rules, the body's lines, and its fields.

    Fields have lower-case names; a list's items are joined by commas. Logseq's page properties
    (``key:: value`` at the very top) count too.
    """
    if lines and lines[0][1].rstrip() == "---":
        for place in range(1, len(lines)):
            if lines[place][1].rstrip() in ("---", "..."):
                inner = list(lines[1:place])
                if all(_is_field(text) for _, text in inner):
                    return inner, list(lines[place + 1 :]), _fields(inner)
                break
    count = 0
    while count < len(lines) and _PROPERTY.match(lines[count][1]):
        count += 1
    if count:
        found = {m[1].lower(): m[2].strip() for _, text in lines[:count] if (m := _PROPERTY.match(text))}
        return list(lines[:count]), list(lines[count:]), MappingProxyType(found)
    return [], list(lines), MappingProxyType({})


def tags_of(front: Mapping[str, str]) -> str:
    """Return the tags as one word list, joined by commas."""
    words = re.split(r"[,\s]+", front.get("tags", "") or front.get("tag", ""))
    return ",".join(dict.fromkeys(word.strip("#\"'[]") for word in words if word.strip("#\"'[]")))


def _is_field(text: str) -> bool:
    return (
        not text.strip()
        or text[0].isspace()
        or text.lstrip().startswith(("#", "- "))
        or _PAIR.match(text) is not None
    )


def _fields(lines: Sequence[Line]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    name = ""
    for _, text in lines:
        pair = _PAIR.match(text)
        item = _LIST_ITEM.match(text)
        if pair and not text[0].isspace():
            name = pair[1].strip().lower()
            found[name] = _plain(pair[2] or "")
        elif item and name:
            found[name] = ", ".join(filter(None, (found[name], _plain(item[1]))))
        elif text[:1].isspace() and (nested := _PAIR.match(text.strip())):
            found.setdefault(nested[1].strip().lower(), _plain(nested[2] or ""))
    return MappingProxyType(found)


def _plain(value: str) -> str:
    value = value.strip()
    if value.startswith("[") and value.endswith("]"):
        return ", ".join(_plain(part) for part in value[1:-1].split(",") if part.strip())
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value
