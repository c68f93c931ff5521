"""What has to be known of a commit's past in order to judge it (design §7).

An :class:`Ancestry` belongs to one commit and sums up that commit and everything before it. It is a fold:
:func:`nutsync.core.advance.advance` makes a commit's from its parents', at a cost that does not grow with
the history, and it can be kept as a checkpoint (:mod:`nutsync.core.checkpoint`). It holds no memory text
and no hash of any: where a rule needs words that were forgotten, it names the commit that forgot them, and
:class:`Past` looks there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from types import MappingProxyType
from typing import NamedTuple

from nutsync.core.datemap import DateMap
from nutsync.core.day import Day
from nutsync.core.moment import SKEW_MS, Moment


class Versions(NamedTuple):
    """A day's file around one commit: in each of its parents, and in the commit itself."""

    parents: tuple[bytes | None, ...]
    own: bytes | None


class Event(NamedTuple):
    """A commit that took unstamped blocks from a day, and the number of each (:mod:`nutsync.core.forgotten`).

    The n-th number belongs to the n-th block of :func:`removed_unstamped`.
    """

    commit: str
    numbers: tuple[int, ...]


class Gone(NamedTuple):
    """What was forgotten of one day: ids (minted ones included), unstamped blocks, or the file itself.

    ``wordless`` are the minted ids of unstamped blocks that were purged: no event tells of these any more.
    """

    ids: frozenset[str] = frozenset()
    events: frozenset[Event] = frozenset()
    emptied: bool = False
    wordless: frozenset[str] = frozenset()

    def join(self, other: Gone) -> Gone:
        return Gone(
            self.ids | other.ids,
            self.events | other.events,
            self.emptied or other.emptied,
            self.wordless | other.wordless,
        )


class Blur(NamedTuple):
    """A merge that left a day blurred, and what each of its parents had forgotten of that day's blocks."""

    merge: str
    sides: tuple[frozenset[Event], ...]


class CellFacts(NamedTuple):
    """What ``cell.toml`` says at a commit; ``edits`` are the commits that wrote it so far."""

    zone: str | None = None
    admins: tuple[str, ...] = ()
    edits: frozenset[str] = frozenset()


class DeviceFacts(NamedTuple):
    """What ``devices/<name>.toml`` says at a commit. A key counts until it is revoked."""

    actor: str
    key: str | None
    revoked: bool = False
    edits: frozenset[str] = frozenset()


class Ancestry(NamedTuple):
    """The past of a commit, itself included.

    ``birth`` is empty until a commit holds ``cell.toml``; before, nothing counts. ``latest`` is the latest
    author date (milliseconds) of a commit that touches the cell, ``today`` the latest day such a commit took
    for today. ``blurs`` are those no commit has repaired. ``cell`` and ``devices`` are the files of this
    commit's own tree; ``founders`` are the devices that the birth enrolled.
    """

    birth: str = ""
    latest: int | None = None
    today: str = ""
    gone: DateMap[Gone] = DateMap()
    blurs: DateMap[frozenset[Blur]] = DateMap()
    purged: frozenset[str] = frozenset()
    cell: CellFacts = CellFacts()
    devices: Mapping[str, DeviceFacts] = MappingProxyType({})
    founders: frozenset[str] = frozenset()

    @property
    def born(self) -> bool:
        return bool(self.birth)

    def moved_to(self, latest: int, today: str) -> Ancestry:
        """Return the ancestry with another ``latest`` and ``today``: all that most commits change."""
        return Ancestry(
            self.birth,
            latest,
            today,
            self.gone,
            self.blurs,
            self.purged,
            self.cell,
            self.devices,
            self.founders,
        )

    def gone_on(self, date: str) -> Gone:
        """Return what was forgotten of ``date``."""
        return self.gone.get(date) or _NOTHING_GONE

    def device_of(self, key: str | None) -> str | None:
        """Return the enrolled device whose key this is, None where it is nobody's or revoked."""
        if key is None:
            return None
        return next((name for name, d in self.devices.items() if d.key == key and not d.revoked), None)


_NOTHING_GONE = Gone()
UNBORN = Ancestry()
"""The past of a commit before there was a cell."""


def join(ancestries: Sequence[Ancestry]) -> Ancestry:
    """Return what the parents of a commit know together; tree facts are the first one's."""
    if not ancestries:
        return UNBORN
    return reduce(_join, ancestries)


def _join(ours: Ancestry, theirs: Ancestry) -> Ancestry:
    if ours is theirs or not theirs.born:
        return ours
    if not ours.born:
        return theirs
    return Ancestry(
        birth=ours.birth,
        latest=max((ms for ms in (ours.latest, theirs.latest) if ms is not None), default=None),
        today=max(ours.today, theirs.today),
        gone=ours.gone.join(theirs.gone, Gone.join),
        blurs=ours.blurs.join(theirs.blurs, frozenset.union),
        purged=ours.purged | theirs.purged,
        cell=ours.cell,
        devices=ours.devices,
        founders=ours.founders,
    )


def leading_sides(parents: Sequence[Ancestry], device: str | None = None) -> list[int]:
    """Return which parents of a merge hold the newest ``cell.toml``, or file of ``device``.

    A side leads unless another one has seen everything that it has seen written to that file, and more.
    Where several lead, both sides wrote it.
    """
    edits = [_edits_of(parent, device) for parent in parents]
    return [at for at, own in enumerate(edits) if not any(own < other for other in edits)]


def _edits_of(ancestry: Ancestry, device: str | None) -> frozenset[str]:
    facts = ancestry.cell if device is None else ancestry.devices.get(device)
    return facts.edits if facts is not None else frozenset()


# --- Time (design §5) -----------------------------------------------------------------------------


ZoneOffset = Callable[[str, int], "int | None"]
"""Give a zone's minutes east of UTC at an instant in milliseconds; None for an unknown zone."""


def instant(authored: Moment, ancestry: Ancestry) -> Moment:
    """Return a commit's instant: its author date, but no earlier than its ancestors' latest less SKEW.

    ``ancestry`` is what its parents know together. The writer and every judge use this function.
    """
    if ancestry.latest is None:
        return authored
    return Moment(max(authored.millis, ancestry.latest - SKEW_MS), authored.offset)


def today_of(authored: Moment, parents: Sequence[Ancestry], zone_offset: ZoneOffset) -> str:
    """Return the local date of a commit with these parents.

    It is the date of its instant in its own offset; or, where the first parent's ``cell.toml`` names a
    zone, in that zone, and then never earlier than an ancestor's.
    """
    known = parents[0] if len(parents) == 1 else join(parents)
    at = instant(authored, known)
    zone = parents[0].cell.zone if parents else None
    offset = zone_offset(zone, at.millis) if zone else None
    if offset is None:
        return at.local_date()
    return max(Moment(at.millis, offset).local_date(), known.today)


# --- What was forgotten ---------------------------------------------------------------------------


class Past:
    """Looks up what an :class:`Ancestry` only names. Answers are kept for as long as this value is.

    ``versions(commit, date)`` gives a day around a commit of the history, ``zone_offset`` knows time zones.
    ``purged`` are the ids whose purge the history under judgement records anywhere, also later on: nothing
    in a history that was rewritten holds them.
    """

    def __init__(self, versions: Callable[[str, str], Versions], zone_offset: ZoneOffset) -> None:
        self.versions = versions
        self.zone_offset = zone_offset
        self.purged: frozenset[str] = frozenset()
        self._removed: dict[tuple[str, str], tuple[bytes, ...]] = {}

    def removed(self, commit: str, date: str) -> tuple[bytes, ...]:
        """Return the unstamped blocks that ``commit`` took from ``date``."""
        found = self._removed.get((commit, date))
        if found is None:
            versions = self.versions(commit, date)
            old = versions.parents[0] if versions.parents else None
            found = self._removed[commit, date] = removed_unstamped(date, old, versions.own)
        return found


def removed_unstamped(date: str, old: bytes | None, new: bytes | None) -> tuple[bytes, ...]:
    """Return the unstamped blocks that ``new`` has fewer of, in the order in which ``old`` holds them."""
    if old is None:
        return ()
    kept = Counter(_unstamped(date, new)) if new is not None else Counter[bytes]()
    had = _unstamped(date, old)
    going = Counter(had) - kept
    removed = []
    for body in had:
        if going[body] > 0:
            going[body] -= 1
            removed.append(body)
    return tuple(removed)


def _unstamped(date: str, content: bytes) -> list[bytes]:
    return [block.body for block in Day.parse(content, date).blocks if not block.is_stamped]


class ForgottenBefore:
    """F of an ancestry, as :class:`nutsync.core.forgotten.Forgotten` asks for it."""

    def __init__(self, ancestry: Ancestry, past: Past) -> None:
        self._gone = ancestry.gone
        self._past = past

    def has(self, ref: str) -> bool:
        date, _, name = ref.partition("#")
        gone = self._gone.get(date)
        return gone is not None and name in gone.ids

    def count(self, date: str, body: bytes) -> int:
        gone = self._gone.get(date)
        return 0 if gone is None else count_in(gone.events, date, body, self._past)

    def unstamped(self, date: str) -> bool:
        gone = self._gone.get(date)
        return gone is not None and bool(gone.events)


class ForgottenEvents:
    """F of one side of a merge on one day: its own unstamped blocks, and the refs that ``known`` has."""

    def __init__(self, events: frozenset[Event], known: ForgottenBefore, past: Past) -> None:
        self._events = events
        self._past = past
        self.has = known.has

    def count(self, date: str, body: bytes) -> int:
        return count_in(self._events, date, body, self._past)

    def unstamped(self, date: str) -> bool:
        return bool(self._events)


def count_in(events: frozenset[Event], date: str, body: bytes, past: Past) -> int:
    """Return the greatest number among the forgotten occurrences of ``body``."""
    return max(
        (
            number
            for event in events
            for gone, number in zip(past.removed(event.commit, date), event.numbers, strict=False)
            if gone == body
        ),
        default=0,
    )
