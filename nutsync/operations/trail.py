"""`log` and `blame`: the audit trail read from history (design §11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nutsync.core.audit import Audit, AuditRecord, parse_message
from nutsync.core.cell import CELL_DIR, DEVICES_DIR, Device, device_of_path, device_path
from nutsync.core.entry import Ref
from nutsync.core.errors import ErrCellFile
from nutsync.core.trail import TrailQuery, arrivals, is_late, newest_first
from nutsync.operations.cell import Cell
from nutsync.store.repo.history import list_commits
from nutsync.store.repo.keys import Verdict, check_signature
from nutsync.store.repo.message import Commit, parse_commit
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.refs import branch_ref, resolve_ref


def read_trail(cell: Cell, query: TrailQuery, *, limit: int | None = None) -> list[AuditRecord]:
    """Return the records that ``query`` asks for, newest first.

    Raises :class:`ErrGit` where a commit is missing.
    """
    tip = resolve_ref(cell.git, branch_ref(cell.branch))
    if tip is None:
        return []
    with Objects(cell.git) as objects:
        touching = frozenset(list_commits(cell.git, [tip], paths=[CELL_DIR]))
        ids = reversed(list(list_commits(cell.git, [tip])))
        commits = [parse_commit(found.oid, found.content) for found in objects.read_many(ids) if found]
        came = arrivals([(c.oid, c.parents, _at(c)) for c in commits])
        keys = _enrolled_keys(objects, tip)
        found = (one for one in _records(commits, touching, came, keys) if query.wants(one))
        return newest_first(found, limit)


def blame(cell: Cell, date: str, reader: str) -> list[AuditRecord]:
    """Return who wrote, corrected or removed what of the day ``date``, newest first."""
    return read_trail(cell, TrailQuery(reader=reader, entry=Ref(date)))


def _records(
    commits: list[Commit], touching: frozenset[str], came: Mapping[str, str], keys: dict[str, str]
) -> Iterator[AuditRecord]:
    """Yield the records of the commits that touch the cell or say what they did to it.

    A purge leaves commits that change nothing any more; who did what stays on record all the same.
    """
    for commit in commits:
        audit = parse_message(commit.message)
        if commit.oid not in touching and not (audit.op or audit.problem):
            continue
        if not audit.actor:
            audit = Audit(op=audit.op, actor="", device=audit.device, problem=audit.problem)
        late = is_late(audit, came.get(commit.oid, _at(commit)))
        yield AuditRecord(commit.oid, _at(commit), audit, _signature(commit, keys), late)


def _at(commit: Commit) -> str:
    return commit.author.moment.local().isoformat()


def _enrolled_keys(objects: Objects, tip: str) -> dict[str, str]:
    """Return the device of each enrolled key, as the newest commit has them."""
    found: dict[str, str] = {}
    entry = objects.entry(tip, DEVICES_DIR)
    for name in objects.tree(entry.oid) if entry is not None and entry.is_tree else ():
        device = device_of_path(f"{DEVICES_DIR}/{name}")
        content = objects.file(tip, device_path(device)) if device else None
        if device is None or content is None:
            continue
        try:
            key = Device.parse(content, device).key
        except ErrCellFile:
            continue
        if key:
            found[key] = device
    return found


def _signature(commit: Commit, keys: dict[str, str]) -> str:
    """Return one word: good, bad, unknown (a key of no enrolled device) or none."""
    if commit.signature is None:
        return "none"
    checked = check_signature(commit.signature, commit.payload)
    if checked.verdict is Verdict.BAD:
        return "bad"
    return "good" if checked.verdict is Verdict.GOOD and checked.key in keys else "unknown"
