"""Who sees an entry and who may change it: the one place for every front end (design §4).

An actor sees the shared layers, hand-written entries of nobody, and its own. What belongs to a
session is seen in that session alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from nutsync.core.kind import is_session_bound
from nutsync.core.layer import LAYERS, Writer, layer_of, layer_row

EVERYONE = "*"
"""The actor that sees everyone's entries; front ends other than the command line refuse it."""

_Item = TypeVar("_Item")


def visible(attributes: Mapping[str, str], actor: str, session: str = "") -> bool:
    """Tell whether ``actor`` sees an entry with these attributes, in the session ``session``.

    ``actor`` may be :data:`EVERYONE`. An empty actor sees only what is shared. An empty session
    is none: entries of a session are then not seen.
    """
    if attributes.get("session", "") not in ("", session) and lives_in_session(attributes):
        return False
    return actor == EVERYONE or _owner(attributes) in ("", actor)


def lives_in_session(attributes: Mapping[str, str]) -> bool:
    """Tell whether an entry belongs to a session's own file and not to the archive."""
    row = layer_row(layer_of(attributes))
    return row.writer is Writer.RUNTIME or is_session_bound(attributes.get("kind", ""))


def may_change(attributes: Mapping[str, str], actor: str, *, is_admin: bool) -> bool:
    """Tell whether ``actor`` may correct, forget or clear an entry with these attributes.

    Consensus only admins; an actor's entries that actor or an admin. What is nobody's, such as a
    hand-written line, is everyone's to change: otherwise a cell without admins could never
    forget it.
    """
    if is_admin:
        return True
    if layer_row(layer_of(attributes)).writer is Writer.ADMINS:
        return False
    return _owner(attributes) in ("", actor)


def visible_index(
    index: str | None,
    entries: Sequence[_Item],
    sees: Callable[[_Item], bool],
    build: Callable[[Sequence[_Item]], str],
) -> str | None:
    """Return the index of a day for somebody who sees the entries that ``sees`` lets through.

    A day's index covers everyone's entries. Where all are seen it is returned as it is; where
    some are not it is made anew from the others by ``build``, and is None where none is seen.
    """
    seen = [entry for entry in entries if sees(entry)]
    if len(seen) == len(entries):
        return index
    return build(seen) if seen else None


def count_layers(entries: Iterable[Mapping[str, str]]) -> dict[str, int]:
    """Return how many of ``entries`` (attributes) are of each layer; all seven, in order, zeros too."""
    counts = dict.fromkeys(LAYERS, 0)
    for attributes in entries:
        counts[layer_of(attributes)] += 1
    return counts


def _owner(attributes: Mapping[str, str]) -> str:
    """Return the actor whose entry it is, empty for nobody's. No entry of a shared layer has an actor."""
    return attributes.get("actor", "")
