"""Merge the frontmatter of two versions of a day (design §8.5).

nutsync owns two lines of it, ``date`` and ``index``; whatever else stands there is the user's. Those
lines are merged key by key against the versions that both sides came from, in both sides' order:
what one side changed, added or removed is taken over. Where both changed one key apart from each
other, the value with the greatest bytes stays and the other is kept under it as a comment, since a
key that stands twice breaks other programs and a line that vanishes is a loss.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nutsync.core.front import BOM, Front, split_front
from nutsync.core.pattern import pattern
from nutsync.core.weave import weave

_LINE = pattern(rb"[^\n]*\n|[^\n]+")
_KEY = pattern(rb"([^\s:#-][^:\n]*):(?:\s|$)")
_CONTINUES = (b" ", b"\t", b"- ", b"-\n", b"\n")
_OWNED = (b"date", b"index")

_Item = tuple[bytes, bytes]
"""A key with the lines that say it; no key for a comment and the like; no lines for an owned key."""


def merge_front(ours: Front, theirs: Front, bases: Sequence[Front]) -> Front:
    """Return the frontmatter that both sides make, but for the value of its index line.

    ``bases`` are the versions of the merge bases. Date and index line are one of the sides' as they
    stand; the caller puts the merged index in its place. Commutative and idempotent.
    """
    first, second = sorted((ours, theirs), key=_preference)
    if not second.present or (first.canonical and second.canonical):
        return first
    items, others = _items(first), _items(second)
    known = {item for base in bases if base.present for item in _items(base)}
    shown = _texts(_survivors(set(items), set(others), known))
    shown.update((key, text) for key, text in _owned(first).items() if text)
    lines = _LINE.findall(first.raw.removeprefix(BOM))
    mark = BOM if first.raw.startswith(BOM) and second.raw.startswith(BOM) else b""
    inner = b"".join(shown[name] for name in weave(_names(items, shown), _names(others, shown)))
    return split_front(mark + lines[0] + inner + lines[-1].rstrip(b"\n") + b"\n")[0]


def _preference(front: Front) -> tuple[bool, bool, bool, bytes]:
    """Order fronts so that the one whose fences, date and index line are taken over comes first."""
    return not front.present, front.index is None, front.problem is not None, front.raw


def _grouped(front: Front) -> Iterable[_Item]:
    """Yield the lines between the fences, with the lines that a value runs on to, and their keys."""
    groups: list[bytes] = []
    for line in _LINE.findall(front.raw.removeprefix(BOM))[1:-1]:
        if groups and line.startswith(_CONTINUES):
            groups[-1] += line
        else:
            groups.append(line)
    for text in groups:
        match = _KEY.match(text)
        yield (match[1].strip() if match else b""), text


def _items(front: Front) -> list[_Item]:
    """Return the items of a frontmatter; a key that stands there again names nothing."""
    found: dict[_Item, None] = {}
    keys: set[bytes] = set()
    for key, text in _grouped(front):
        if key in _OWNED:
            found[(key, b"")] = None
        else:
            found[(b"" if key in keys else key, text)] = None
        keys.add(key)
    return list(found)


def _owned(front: Front) -> dict[bytes, bytes]:
    """Return the owned lines of ``front``, each key's first."""
    texts = dict.fromkeys(_OWNED, b"")
    for key, text in _grouped(front):
        if key in _OWNED:
            texts[key] = texts[key] or text
    return texts


def _survivors(ours: set[_Item], theirs: set[_Item], known: set[_Item]) -> set[_Item]:
    """Three-way by item: what both have, and what one has and no base had."""
    return (ours & theirs) | ((ours ^ theirs) - known)


def _texts(items: set[_Item]) -> dict[bytes, bytes]:
    """Return what to write for each key, or for each text without a key."""
    shown: dict[bytes, bytes] = {}
    for key, text in sorted(items, reverse=True):
        if not key:
            shown[text] = text
        elif key not in shown:
            shown[key] = text
        elif (b"", _commented(text)) not in items:
            shown[key] += _commented(text)
    return shown


def _names(items: Sequence[_Item], shown: dict[bytes, bytes]) -> list[bytes]:
    return [name for name in (key or text for key, text in items) if name in shown]


def _commented(text: bytes) -> bytes:
    return b"".join(b"# " + line for line in _LINE.findall(text) if line.strip())
