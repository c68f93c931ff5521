"""Day files of the worktree, read so that also a hand's frontmatter is understood.

The canonical form is read without YAML. What is not canonical goes through python-frontmatter, which
is loaded only then; it never writes a day (design §3.1).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from nutsync.core.cell import day_path
from nutsync.core.day import Day
from nutsync.store.files import read_if_there


def read_day(root: Path, date: str) -> Day | None:
    """Return the worktree's day, or None where it has no file. Raises :class:`ErrUnreadable`."""
    content = read_if_there(root / day_path(date))
    return None if content is None else parse_day(content, date)


def parse_day(content: bytes, date: str) -> Day:
    """Read a day file of any shape; an index that only YAML can read is found too.

    ``front.problem`` stays as it is: such an index is readable, not well formed.
    """
    day = Day.parse(content, date)
    if not day.front.present or day.front.canonical or day.front.index is not None:
        return day
    index = _index_by_yaml(day.front.raw)
    return day if index is None else replace(day, front=replace(day.front, index=index))


def _index_by_yaml(raw: bytes) -> str | None:
    import frontmatter
    from yaml import YAMLError

    try:
        fields, _ = frontmatter.parse(raw.decode("utf-8-sig"))
    except (YAMLError, UnicodeDecodeError, ValueError, TypeError):
        return None
    index = fields.get("index") if isinstance(fields, dict) else None
    if index is None or isinstance(index, (dict, list)):
        return None
    return " ".join(str(index).split())
