"""Which entry corrects which, and what holds now (design §6).

A correction is an entry of its own that names its target. A chain of corrections resolves to its
newest end; a replaced entry is known by the ``was`` of its replacement.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from nutsync.core.entry import Block, Ref

CORRECTS = b"corrects="
WAS = b" was="
WERE = "were"
"""The attribute with the earlier names of a replacement that was itself replaced, oldest first."""


class Corrections(NamedTuple):
    """Every correction known, by the ref that it corrects."""

    by_target: Mapping[str, tuple[tuple[Ref, Block], ...]] = MappingProxyType({})

    @classmethod
    def of(cls, entries: Iterable[tuple[Ref, Block]]) -> Corrections:
        """Collect the corrections among ``entries``; each target's come newest first."""
        found: dict[str, list[tuple[Ref, Block]]] = {}
        for ref, block in entries:
            target = block.attributes.get("corrects")
            if target:
                found.setdefault(target, []).append((ref, block))
        return cls({target: tuple(sorted(ones, key=_age, reverse=True)) for target, ones in found.items()})

    def of_ref(self, ref: Ref) -> tuple[tuple[Ref, Block], ...]:
        """Return the corrections of ``ref`` and, in turn, of those; newest first, each once."""
        seen: dict[Ref, Block] = {}
        waiting = [str(ref)]
        while waiting:
            for one, block in self.by_target.get(waiting.pop(), ()):
                if one not in seen and one != ref:
                    seen[one] = block
                    waiting.append(str(one))
        return tuple(sorted(seen.items(), key=_age, reverse=True))

    def newest(self, ref: Ref) -> tuple[Ref, Block] | None:
        """Return what holds now instead of ``ref``, or None where nothing corrects it."""
        chain = self.of_ref(ref)
        return chain[0] if chain else None


def _age(one: tuple[Ref, Block]) -> tuple[str, str, str]:
    ref, block = one
    return ref.date, block.attributes.get("at", ""), ref.id or ""


def successor(entries: Iterable[tuple[Ref, Block]], ref: Ref) -> tuple[Ref, Block] | None:
    """Return the entry of ``ref``'s day that replaced it (its ``was``), followed to the end, or None.

    Of two replacements made at the same time the one with the smaller id is taken; both stay.
    """
    return next(iter(successors(entries, ref)), None)


def successors(entries: Iterable[tuple[Ref, Block]], ref: Ref) -> tuple[tuple[Ref, Block], ...]:
    """Return every entry that stands where ``ref`` stood: two devices may have replaced it at the same time.

    Each is followed to its end; they are in the order of their ids.
    """
    by_was: dict[str, list[tuple[Ref, Block]]] = {}
    for own, block in sorted(entries, key=lambda one: one[0].id or ""):
        names = f"{block.attributes.get(WERE, '')}.{block.attributes.get('was', '')}"
        for name in filter(None, names.split(".")):
            by_was.setdefault(name, []).append((own, block))
    ends: dict[Ref, Block] = {}
    seen: set[str] = set()
    waiting = [ref.id] if ref.id else []
    while waiting:
        name = waiting.pop(0)
        for own, block in by_was.get(name, ()):
            if own.id in by_was and own.id not in seen:
                waiting.append(str(own.id))
            elif own.id not in by_was:
                ends.setdefault(own, block)
            seen.add(str(own.id))
    return tuple(sorted(ends.items(), key=lambda one: one[0].id or ""))
