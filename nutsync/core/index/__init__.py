"""The index of a day: build it, check it, complete it, merge it (design §3.2, §8.5).

Building loads with this package, the rest where it is first asked for: an append needs only the one.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nutsync.core.index.build import Said, build_clause, build_index, extend_index
from nutsync.core.index.clauses import join_clauses, split_clauses

if TYPE_CHECKING:
    from nutsync.core.index.check import IndexFinding, check_index
    from nutsync.core.index.complete import IndexResult, complete_index, refuse_invented
    from nutsync.core.index.merge import index_without, merge_index, tells

__all__ = [
    "IndexFinding",
    "IndexResult",
    "Said",
    "build_clause",
    "build_index",
    "check_index",
    "complete_index",
    "extend_index",
    "index_without",
    "join_clauses",
    "merge_index",
    "refuse_invented",
    "split_clauses",
    "tells",
]

_ROOMS = {
    "IndexFinding": "check",
    "check_index": "check",
    "IndexResult": "complete",
    "complete_index": "complete",
    "refuse_invented": "complete",
    "index_without": "merge",
    "merge_index": "merge",
    "tells": "merge",
}


def __getattr__(name: str) -> Any:
    room = _ROOMS.get(name)
    if room is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{room}"), name)
