"""The one table of kinds: how long an entry lives follows from its kind alone (design §4).

Formation, how an entry came to be, is a second axis and says nothing about how long it lives:
"no tabs" may come from one episode and hold for ever; a plan may be declared by hand and mean
nothing tomorrow.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from nutsync.core.errors import ErrKindRequired, ErrUnknownKind, ErrUsage

DURABLE = "durable"
SESSION_BOUND = "session-bound"

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "fact": DURABLE,
        "preference": DURABLE,
        "decision": DURABLE,
        "convention": DURABLE,
        "correction": DURABLE,
        "skill": DURABLE,
        "event": DURABLE,
        "task": DURABLE,
        "plan": SESSION_BOUND,
        "observation": SESSION_BOUND,
        "turn": SESSION_BOUND,
        "scratch": SESSION_BOUND,
    }
)
"""Every kind and its durability."""

DECLARATIVE = "declarative"
SENSED = "sensed"
IMPORTED = "imported"

FORMATIONS: tuple[str, ...] = (DECLARATIVE, "episodic", "procedural", SENSED, IMPORTED)
"""Every formation; ``declarative`` is what an entry without one has."""


def require_kind(kind: str | None) -> str:
    """Return ``kind`` if it is one; raise :class:`ErrKindRequired` or :class:`ErrUnknownKind`."""
    if not kind:
        raise ErrKindRequired("An entry needs a kind.", hint=f"The kinds are {', '.join(KINDS)}.")
    if kind not in KINDS:
        raise ErrUnknownKind(f"There is no kind {kind!r}.", hint=f"The kinds are {', '.join(KINDS)}.")
    return kind


def require_formation(formation: str | None) -> str:
    """Return ``formation``, ``declarative`` for none; raise :class:`ErrUsage` where there is no such one."""
    if not formation:
        return DECLARATIVE
    if formation not in FORMATIONS:
        raise ErrUsage(
            f"There is no formation {formation!r}.", hint=f"The formations are {', '.join(FORMATIONS)}."
        )
    return formation


def is_session_bound(kind: str) -> bool:
    """Tell whether entries of this kind end with their session. A kind we do not know is durable."""
    return KINDS.get(kind) == SESSION_BOUND
