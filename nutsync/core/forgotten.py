"""F: what a version's history has forgotten (design §7, §8.5).

A stamped entry is forgotten for ever: its id never comes back. Unstamped words have no name of their
own, and the same words can be forgotten and, later, legitimately be written again. So their occurrences
are numbered through time: where F holds k forgotten occurrences of a text on a day, a version that has c
of them holds the numbers k+1 … k+c *by its own history's F*. When versions meet, numbers unite, and
the numbers 1 … K go, K being the greatest k of either history. A version that never heard of the forget holds
number 1, which goes; words written again hold number 2 and stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol


class Forgotten(Protocol):
    """What merging and judging ask of F."""

    def has(self, ref: str) -> bool:
        """Tell whether the stamped entry ``date#id`` was forgotten."""

    def count(self, date: str, body: bytes) -> int:
        """Return how many unstamped blocks with these bytes were forgotten on ``date``."""

    def unstamped(self, date: str) -> bool:
        """Tell whether any unstamped block was forgotten on ``date``."""


@dataclass(frozen=True)
class ForgottenSet:
    """F as plain values."""

    refs: frozenset[str] = frozenset()
    blocks: Mapping[tuple[str, bytes], int] = field(default_factory=lambda: MappingProxyType({}))

    def has(self, ref: str) -> bool:
        return ref in self.refs

    def count(self, date: str, body: bytes) -> int:
        return self.blocks.get((date, body), 0)

    def unstamped(self, date: str) -> bool:
        return any(day == date for day, _ in self.blocks)


@dataclass(frozen=True)
class ForgottenByAny:
    """The F of a version that several versions were merged into."""

    parts: tuple[Forgotten, ...]

    def has(self, ref: str) -> bool:
        return any(part.has(ref) for part in self.parts)

    def count(self, date: str, body: bytes) -> int:
        return max((part.count(date, body) for part in self.parts), default=0)

    def unstamped(self, date: str) -> bool:
        return any(part.unstamped(date) for part in self.parts)


NOTHING_FORGOTTEN = ForgottenSet()
