"""Changes on condition: only if the day is still as the asker saw it (design §12)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from nutsync.core.entry import Ref
from nutsync.core.errors import ErrChanged, ErrUnknownRef
from nutsync.operations.cell import LOCK_SECONDS, Cell
from nutsync.operations.show import Shown, show
from nutsync.store.lock import clone_lock

ANY = "*"


def day_tag(shown: Shown) -> str:
    """Return a tag of a whole day as one actor sees it.

    It is made from nothing but what this actor sees: a tag of the whole file would confirm a guess of
    others' entries.
    """
    document = json.dumps(shown.as_json(), ensure_ascii=True, sort_keys=True)
    return hashlib.sha256(document.encode()).hexdigest()[:32]


@contextmanager
def unchanged(cell: Cell, refs: Sequence[Ref], actor: str, tags: Sequence[str]) -> Iterator[None]:
    """Hold the clone's lock while the days of ``refs`` are as ``tags`` say; without tags ask nothing.

    Raises :class:`ErrChanged` where a day is not, or is no longer there.
    """
    with clone_lock(cell.git.common_dir, timeout=LOCK_SECONDS, command="change"):
        if tags and ANY not in tags:
            for date in sorted({ref.date for ref in refs}):
                if _tag_now(cell, date, actor) not in tags:
                    raise ErrChanged(
                        f"{date} changed since it was read; nothing was changed now.",
                        hint="Read the day again and decide anew.",
                    )
        yield


def _tag_now(cell: Cell, date: str, actor: str) -> str | None:
    try:
        return day_tag(show(cell, Ref(date), actor=actor))
    except ErrUnknownRef:
        return None
