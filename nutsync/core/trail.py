"""The audit trail as questions are asked of it: who, what, when, on which device, why (design §11)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from nutsync.core.audit import Audit, AuditRecord
from nutsync.core.entry import Ref
from nutsync.core.layer import TABLE, Need
from nutsync.core.visibility import EVERYONE

_SHARED = frozenset(row.name for row in TABLE if row.actor is Need.NONE)
_GROWTH = frozenset({"append", "correct", "sense"})


@dataclass(frozen=True, kw_only=True)
class TrailQuery:
    """What a record must be to be told. None is «any»; dates are local dates of the commits, inclusive."""

    reader: str
    device: str | None = None
    op: str | None = None
    layer: str | None = None
    entry: Ref | None = None
    since: str | None = None
    until: str | None = None

    def wants(self, record: AuditRecord) -> bool:
        """Tell whether ``record`` is asked for and may be seen by the reader."""
        audit, day = record.audit, record.at[:10]
        return (
            sees_record(audit, self.reader)
            and self.device in (None, audit.device)
            and self.op in (None, audit.op)
            and (self.layer is None or self.layer in audit.layers)
            and (self.entry is None or touches(audit, self.entry))
            and (self.since is None or day >= self.since)
            and (self.until is None or day <= self.until)
        )


def sees_record(audit: Audit, reader: str) -> bool:
    """Tell whether ``reader`` may see that this change was made.

    Changes of shared layers and of the cell itself are everyone's; the others their actor's.
    """
    if reader in (EVERYONE, audit.actor) or not audit.actor:
        return True
    if audit.op in _GROWTH or audit.op in ("forget", "purge"):
        return bool(audit.layers) and set(audit.layers) <= _SHARED
    return True


def touches(audit: Audit, entry: Ref) -> bool:
    """Tell whether a change wrote, corrected or removed ``entry``; a date means the whole day."""
    named = [*audit.entries, *audit.target_refs()]
    if entry.id is None and entry.nth is None:
        return any(ref.partition("#")[0] == entry.date for ref in named)
    return str(entry) in named or (audit.op == "import" and entry.date in named)


def arrivals(commits: Sequence[tuple[str, Sequence[str], str]]) -> Mapping[str, str]:
    """Return when each commit came to this history: the local time of the merge that brought it.

    ``commits`` are (id, parents, local ISO time), children before parents; the first is the tip.
    A commit of the first-parent line came when it was made.
    """
    mainline: set[str] = set()
    came: dict[str, str] = {}
    if commits:
        mainline.add(commits[0][0])
    for oid, parents, at in commits:
        if oid in mainline:
            came[oid] = at
            mainline.update(parents[:1])
            brought = parents[1:]
        else:
            brought = parents
        for parent in brought:
            if parent not in mainline:
                came[parent] = min(came.get(parent, came[oid]), came[oid], key=_sortable)
    return came


def is_late(audit: Audit, came: str) -> bool:
    """Tell whether an entry reached this history after its day was over."""
    return audit.op in _GROWTH and any(ref.partition("#")[0] < came[:10] for ref in audit.entries)


def _sortable(at: str) -> str:
    from datetime import datetime

    return str(datetime.fromisoformat(at).timestamp()).rjust(24, "0")


def newest_first(records: Iterable[AuditRecord], limit: int | None) -> list[AuditRecord]:
    """Return at most ``limit`` of ``records``, which come newest first."""
    taken: list[AuditRecord] = []
    for record in records:
        if limit is not None and len(taken) >= limit:
            break
        taken.append(record)
    return taken
