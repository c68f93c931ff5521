"""What versions of one day have in common at their beginning, found without taking them apart.

Days grow at their end. Two versions of a day, and the merge of both, nearly always share everything but
their last entries; whoever merges or judges thousands of days looks at these alone. Where anything is
unusual the answer is None, and the whole days have to be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from nutsync.core.freeze.form import sound_start
from nutsync.core.pattern import pattern

_STAMP = pattern(
    rb"<!-- nut id=([0-9a-z]{8}) at=(\d\d:\d\d:\d\d\.\d{3})([+-]\d\d:\d\d) dev=([A-Za-z0-9._-]+) "
)
_BLOCK = pattern(rb"(?m)^[^ \t\n]")
_ENTRY = pattern(rb"(?m)^- [^\n]*" + _STAMP.pattern + rb"[^ \n>]*=[^\n]*-->$")
_OWN = pattern(
    rb"(?m)^- [^\n]*<!-- nut id=([0-9a-hjkmnp-tv-z]{8}) at=[0-9:.+-]+ dev=[A-Za-z0-9._-]+ kind=[a-z]+"
    rb" scope=(?:global|agent) actor=[^ \n>]+"
    rb"(?: (?:namespace|session|corrects|formation|about|was)=[^ \n>]+)* -->$"
)
_MARK = b"<!-- nut"
_CONTINUES = (b" ", b"\t", b"\n", b"\r")

Key = tuple[bytes, bytes, bytes]
"""What stamped entries are sorted by, where all carry one offset: ``at``, ``dev``, ``id``."""


class Tails(NamedTuple):
    """Each version is its own sound, canonical frontmatter, then ``common``, then its tail.

    ``common`` is whole blocks, and a tail is whole blocks or nothing. In every version the stamped entries
    are in their canonical order and no id stands twice.
    """

    fronts: tuple[bytes, ...]
    common: bytes
    tails: tuple[bytes, ...]

    @property
    def only_entries(self) -> bool:
        """Whether the tails hold stamped entries and nothing else."""
        return all(len(_BLOCK.findall(tail)) == len(_ENTRY.findall(tail)) for tail in self.tails)


def own_ids(part: bytes) -> list[bytes] | None:
    """Return the ids of entries as nutsync writes them, each some actor's own, where there is nothing else.

    So nearly every append looks. None: only taking it apart tells what there is.
    """
    found = _OWN.findall(part)
    plain = len(found) == len(_BLOCK.findall(part)) == part.count(_MARK)
    return found if plain and len(set(found)) == len(found) else None


def split_tails(date: str, versions: Sequence[bytes]) -> Tails | None:
    """Return what the versions of ``date`` have in common, and the tails; None: only a closer look tells."""
    starts = [sound_start(version, date) for version in versions]
    if min(starts) < 0 or any(b"\r" in version or version[-1:] != b"\n" for version in versions):
        return None
    bodies = [version[start:] for version, start in zip(versions, starts, strict=True)]
    cut = _last_boundary(bodies, _common_length(min(bodies), max(bodies)))
    common = bodies[0][:cut]
    known = _stamps(common)
    tails = [body[cut:] for body in bodies]
    if known is None or not all(_continues_well(known, tail) for tail in tails):
        return None
    fronts = (version[:start] for version, start in zip(versions, starts, strict=True))
    return Tails(tuple(fronts), common, tuple(tails))


def _common_length(low: bytes, high: bytes) -> int:
    """Return how many bytes two values begin with alike, by halving."""
    at, end = 0, min(len(low), len(high))
    if low[:end] == high[:end]:
        return end
    while at < end - 1:
        middle = (at + end) // 2
        if low[at:middle] == high[at:middle]:
            at = middle
        else:
            end = middle
    return at


def _last_boundary(bodies: Sequence[bytes], length: int) -> int:
    """Return the last place up to ``length`` where in every body one block ends and the next begins."""
    cut = length
    while cut > 0:
        if all(body[cut - 1 : cut] == b"\n" and body[cut : cut + 1] not in _CONTINUES for body in bodies):
            return cut
        cut = bodies[0].rfind(b"\n", 0, cut - 1) + 1
    return 0


def _stamps(part: bytes) -> list[tuple[bytes, bytes, bytes, bytes]] | None:
    """Return id, time, offset and device of each stamped entry; None where a stamp is not nutsync's own."""
    found = _STAMP.findall(part)
    return found if len(found) == part.count(_MARK) else None


def _continues_well(known: list[tuple[bytes, bytes, bytes, bytes]], tail: bytes) -> bool:
    more = _stamps(tail)
    if more is None:
        return False
    every = known + more
    if len({offset for _, _, offset, _ in every}) > 1 or len({name for name, _, _, _ in every}) < len(every):
        return False
    keys: list[Key] = [(at, device, name) for name, at, _, device in every]
    return all(before < after for before, after in pairwise(keys))
