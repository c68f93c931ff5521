"""An ancestry as plain values that JSON can hold, and back (design §7).

It holds dates, ids of entries and commits, numbers, and what the cell's own files say; no memory text and no
hash of any. A checkpoint of another version, or a damaged one, reads as none: it is made anew from history.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Any

from nutsync.core.ancestry import Ancestry, Blur, CellFacts, DeviceFacts, Event, Gone
from nutsync.core.datemap import DateMap

VERSION = 3


def to_plain(ancestry: Ancestry) -> dict[str, Any]:
    """Return ``ancestry`` as dicts, lists, strings and numbers."""
    return {
        "version": VERSION,
        "birth": ancestry.birth,
        "latest": ancestry.latest,
        "today": ancestry.today,
        "gone": {
            date: [sorted(gone.ids), _plain_events(gone.events), gone.emptied, sorted(gone.wordless)]
            for date, gone in ancestry.gone.items()
        },
        "blurs": {
            date: [
                [blur.merge, [_plain_events(side) for side in blur.sides]]
                for blur in sorted(blurs, key=_by_merge)
            ]
            for date, blurs in ancestry.blurs.items()
        },
        "purged": sorted(ancestry.purged),
        "cell": [ancestry.cell.zone, list(ancestry.cell.admins), sorted(ancestry.cell.edits)],
        "devices": {
            name: [facts.actor, facts.key, facts.revoked, sorted(facts.edits)]
            for name, facts in sorted(ancestry.devices.items())
        },
        "founders": sorted(ancestry.founders),
    }


def from_plain(plain: object) -> Ancestry | None:
    """Return the ancestry that :func:`to_plain` gave ``plain`` for, None where it is none of this version."""
    if not isinstance(plain, dict) or plain.get("version") != VERSION:
        return None
    try:
        return _read(plain)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _read(plain: dict[str, Any]) -> Ancestry:
    zone, admins, edits = plain["cell"]
    return Ancestry(
        birth=plain["birth"],
        latest=plain["latest"],
        today=plain["today"],
        gone=DateMap(
            {
                date: Gone(frozenset(ids), _events(events), emptied, frozenset(wordless))
                for date, (ids, events, emptied, wordless) in plain["gone"].items()
            }
        ),
        blurs=DateMap(
            {
                date: frozenset(Blur(merge, tuple(map(_events, sides))) for merge, sides in blurs)
                for date, blurs in plain["blurs"].items()
            }
        ),
        purged=frozenset(plain["purged"]),
        cell=CellFacts(zone, tuple(admins), frozenset(edits)),
        devices=MappingProxyType(
            {
                name: DeviceFacts(actor, key, revoked, frozenset(edits))
                for name, (actor, key, revoked, edits) in plain["devices"].items()
            }
        ),
        founders=frozenset(plain["founders"]),
    )


def _by_merge(blur: Blur) -> str:
    return blur.merge


def _plain_events(events: Iterable[Event]) -> list[list[Any]]:
    return [[event.commit, list(event.numbers)] for event in sorted(events)]


def _events(plain: Iterable[Any]) -> frozenset[Event]:
    return frozenset(Event(commit, tuple(numbers)) for commit, numbers in plain)
