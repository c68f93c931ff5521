"""Fresh random ids. A hash of text would confirm a guess of it, so ids say nothing (design §3.1)."""

from __future__ import annotations

import os

from nutsync.core.entry import id_from_bytes


def mint_id() -> str:
    """Return a new entry id from the system's random source."""
    return id_from_bytes(os.urandom(5))
