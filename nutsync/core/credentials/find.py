"""Looking for credentials in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache

from nutsync.core.credentials.issued import RULES
from nutsync.core.credentials.named import MARKS, find_named
from nutsync.core.credentials.values import is_random

_RANDOM_LENGTH = 32


@dataclass(frozen=True, slots=True)
class Credential:
    """A likely credential: its kind and line (from 1). ``value`` is for comparing only, never for showing."""

    kind: str
    line: int
    value: str = field(repr=False)


def find_credential(text: str) -> Credential | None:
    """Return the first likely credential of ``text``, or None."""
    return next(find_credentials(text), None)


def find_credentials(text: str) -> Iterator[Credential]:
    """Yield the likely credentials of ``text``: those told by their shape, by their name, by their chance."""
    lowered = text.lower()
    for rule in RULES:
        if holds_any(lowered, rule.marks):
            for match in _compiled(rule.pattern).finditer(text):
                yield Credential(rule.kind, _line(text, match.start()), match[0])
    if holds_any(lowered, MARKS):
        for named in find_named(text, lowered):
            yield Credential(named.kind, _line(text, named.start), named.value)
    yield from _random(text)


def holds_any(text: str, marks: Iterable[str]) -> bool:
    """Tell whether one of ``marks`` stands in ``text``; most texts are asked for all of them."""
    for mark in marks:  # noqa: SIM110 (a generator takes twice as long)
        if mark in text:
            return True
    return False


def _random(text: str) -> Iterator[Credential]:
    """Yield words that only a generator of keys writes, where they are no part of an address or path."""
    if len(text) < _RANDOM_LENGTH or all(len(word) < _RANDOM_LENGTH for word in text.split()):
        return
    for match in _long_run().finditer(text):
        if is_random(match[0]):
            yield Credential("random key", _line(text, match.start()), match[0])


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


@cache
def _long_run() -> re.Pattern[str]:
    return re.compile(r"(?<![\w/.#?&=@%+-])[A-Za-z0-9+/]{32,200}={0,2}(?![\w/.@%-])", re.ASCII)


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
