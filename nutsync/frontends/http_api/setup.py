"""What a server is started with: its cells, the names it answers to, its limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nutsync.operations.overview import Overview
from nutsync.store.clock import Clock

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})


@dataclass(frozen=True)
class Limits:
    """The most that one request may take; seconds are wall time."""

    body_bytes: int = 1024 * 1024
    query_bytes: int = 8 * 1024
    body_seconds: float = 20.0
    answer_seconds: float = 120.0
    page_items: int = 500


@dataclass(frozen=True)
class Served:
    """One cell that is served: the root of its repository, and what is remembered of its days."""

    root: Path
    overview: Overview

    @classmethod
    def at(cls, root: Path) -> Served:
        return cls(root, Overview(root))


@dataclass(frozen=True)
class Setup:
    """``hosts`` are the names, beside this machine's own, that requests may be meant for.

    ``token_needed`` says that also this machine's own requests need one. ``environ`` is what names the actor
    of requests without a token; ``clock`` is for tests.
    """

    cells: Mapping[str, Served]
    hosts: frozenset[str] = frozenset()
    token_needed: bool = False
    environ: Mapping[str, str] = field(default_factory=dict)
    clock: Clock | None = None
    limits: Limits = field(default_factory=Limits)
