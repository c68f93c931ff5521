"""Rule 5: form. Vetoes only what a commit makes worse; inherited faults are for ``verify`` to list."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from nutsync.core.day import Day
from nutsync.core.pattern import pattern

_CANONICAL = pattern(rb"---\ndate: (\d{4}-\d\d-\d\d)\nindex: '([^'\n]*(?:''[^'\n]*)*)'\n---\n")
_UNFIT = pattern(rb"[\x00-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8\xa9]|\xef\xbb\xbf|\xef\xbf[\xbe\xbf]")
_MARKER = pattern(rb"(?m)^(?:<{7}|>{7}|\|{7})(?: |$)")


def body_start(content: bytes) -> int:
    """Return where the body begins after a canonical frontmatter, -1 where there is another or none."""
    match = _CANONICAL.match(content)
    return match.end() if match else -1


def sound_start(content: bytes, date: str) -> int:
    """Return where the body begins if the frontmatter is canonical and has no fault, else -1."""
    match = _CANONICAL.match(content)
    if match is None or match[1] != date.encode() or _UNFIT.search(match[2]):
        return -1
    if not match[2].isascii():
        try:
            match[2].decode()
        except UnicodeDecodeError:
            return -1
    return match.end()


def sound_index(content: bytes, date: str) -> str | None:
    """Return the index of a file whose frontmatter is canonical and has no fault, else None."""
    if sound_start(content, date) < 0:
        return None
    match = _CANONICAL.match(content)
    return match[2].decode().replace("''", "'") if match else None


def grown_by(old: bytes, new: bytes, date: str) -> bytes | None:
    """Return what ``new`` has after everything that ``old`` has, found without taking either apart.

    The frontmatters may differ; the new one must be sound. None where only a closer look can tell.
    """
    start, old_start = sound_start(new, date), body_start(old)
    if start < 0 or old_start < 0:
        return None
    body = old[old_start:]
    if not new.startswith(body, start) or (body and not body.endswith(b"\n")):
        return None
    grown = new[start + len(body) :]
    if grown[:1] in (b" ", b"\t", b"\n", b"\r") or b"\r" in grown or (grown and not grown.endswith(b"\n")):
        return None
    return grown


def count_markers(content: bytes) -> int:
    """Count the lines that look like a conflict that was never resolved."""
    if b"<<<<<<<" not in content and b">>>>>>>" not in content and b"|||||||" not in content:
        return 0
    return len(_MARKER.findall(content))


class Form(NamedTuple):
    """The faults of one version of a day: messages by code, and what can only be counted."""

    faults: dict[str, str]
    markers: int = 0
    doubled: frozenset[str] = frozenset()


SOUND = Form({})


def form_of(day: Day) -> Form:
    """Return the faults of a day."""
    faults: dict[str, str] = {}
    front = day.front
    if not front.present:
        faults["form-front"] = front.problem or "there is no frontmatter"
    else:
        if front.problem and not front.problem.startswith("the index"):
            faults["form-front"] = front.problem
        elif front.problem or front.index is None:
            faults["form-index"] = front.problem or "there is no index"
        if front.date != day.date:
            faults["form-date"] = "the date in the frontmatter is not that of the file name"
    times = Counter(day.ids)
    markers = sum(count_markers(part.raw) for part in day.parts)
    return Form(faults, markers, frozenset(name for name, n in times.items() if n > 1))


def worsened(new: Form, olds: list[Form]) -> list[tuple[str, str]]:
    """Return, with their codes, the faults that ``new`` has and none of the old versions had."""
    found = [
        (code, message) for code, message in new.faults.items() if not any(code in old.faults for old in olds)
    ]
    if new.markers > sum(old.markers for old in olds):
        found.append(("form-markers", "there are conflict markers"))
    fresh = new.doubled.difference(*(old.doubled for old in olds))
    found.extend(("form-ids", f"the id {name} stands there more than once") for name in sorted(fresh))
    return found
