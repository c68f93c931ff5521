"""Carry an ancestry forward over one commit (design §7)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from nutsync.core.ancestry import (
    UNBORN,
    Ancestry,
    Blur,
    CellFacts,
    DeviceFacts,
    Event,
    Gone,
    Past,
    count_in,
    join,
    removed_unstamped,
    today_of,
)
from nutsync.core.audit import Target
from nutsync.core.cell import (
    CELL_PATH,
    MEMORY_DIR,
    PURGED_DIR,
    CellConfig,
    Device,
    PurgeRecord,
    date_of_path,
    day_path,
    device_of_path,
    purged_of_path,
)
from nutsync.core.commit import Change, Commit
from nutsync.core.day import Day
from nutsync.core.entry import is_id
from nutsync.core.errors import NutsyncError

FORGETTING = frozenset({"forget", "purge", "repair"})
"""The operations that take blocks out of days by name."""


def advance(
    parents: Sequence[Ancestry], commit: Commit, past: Past, blurred: Collection[str] = ()
) -> Ancestry:
    """Return the ancestry of ``commit``, whose parents have the ancestries ``parents``.

    ``blurred`` are the dates for which :func:`nutsync.core.freeze.judge` found a blur in it. A commit that
    was not judged, or that broke the law, is carried forward like any other.
    """
    known = join(parents)
    if not known.born:
        if not _holds_cell(commit):
            return known
        known = known._replace(birth=commit.id)
    elif not commit.counts:
        return known
    today = today_of(commit.authored, parents or (known,), past.zone_offset)
    latest = commit.authored.millis if known.latest is None else max(commit.authored.millis, known.latest)
    moved = known.moved_to(latest, max(today, known.today))
    if not commit.touches_cell:
        return moved if len(commit.parents) > 1 else _with_forgotten(moved, commit, past)
    moved = _with_settings(moved, parents, commit)
    moved = _with_purges(moved, commit)
    if len(commit.parents) > 1:
        return _with_blurs(moved, parents, commit, past, blurred)
    moved = _with_forgotten(moved, commit, past)
    return _without_repaired(moved, commit, past)


def from_tree(commit: str, files: Mapping[str, bytes]) -> Ancestry:
    """Return what a commit's own tree says of its past, for a shallow clone that lacks the history.

    ``files`` are the cell's files by path; only ``cell.toml`` and the devices' are looked at. Nothing is
    known of dates and forgets, so only the rules that need the parents alone can be trusted with it.
    """
    content = files.get(CELL_PATH)
    if content is None:
        return UNBORN
    names = {name: path for path in files if (name := device_of_path(path)) is not None}
    read = {name: read_device(files[path], name) for name, path in names.items()}
    devices = {name: facts for name, facts in read.items() if facts is not None}
    cell = read_cell(content) or UNBORN.cell
    return UNBORN._replace(birth=commit, cell=cell, devices=MappingProxyType(devices))


def _holds_cell(commit: Commit) -> bool:
    return any(change.path == CELL_PATH and change.new for changes in commit.changes for change in changes)


# --- cell.toml, devices, purges -------------------------------------------------------------------


def read_cell(content: bytes) -> CellFacts | None:
    """Return what a ``cell.toml`` says, None where it cannot be understood."""
    try:
        config = CellConfig.parse(content)
    except NutsyncError:
        return None
    return CellFacts(config.zone, config.admins)


def read_device(content: bytes, name: str) -> DeviceFacts | None:
    """Return what a device's file says, None where it cannot be understood."""
    try:
        device = Device.parse(content, name)
    except NutsyncError:
        return None
    return DeviceFacts(device.actor, device.key, device.revoked is not None)


def read_purge(content: bytes, entry_id: str) -> PurgeRecord | None:
    """Return a purge record, None where it cannot be understood."""
    try:
        return PurgeRecord.parse(content, entry_id)
    except NutsyncError:
        return None


def _with_settings(known: Ancestry, parents: Sequence[Ancestry], commit: Commit) -> Ancestry:
    """Take over what the commit's own tree says in ``cell.toml`` and in the devices' files."""
    first = commit.changes[0] if commit.changes else ()
    settings = [change for change in first if not change.path.startswith(MEMORY_DIR)]
    if not settings and len(parents) < 2:
        return known
    cell, devices = known.cell, dict(known.devices)
    for path, _, new in settings:
        if new is not None and not new.is_file:
            continue
        name = device_of_path(path)
        if path == CELL_PATH and new is not None:
            cell = read_cell(new.content) or cell
        elif name is not None:
            facts = read_device(new.content, name) if new is not None else None
            if facts is not None:
                devices[name] = facts
            elif new is None:
                devices.pop(name, None)
    own = _own_edits(commit)
    cell = cell._replace(edits=_edits(parents, CELL_PATH) | own.get(CELL_PATH, frozenset()))
    for name, facts in devices.items():
        devices[name] = facts._replace(edits=_edits(parents, name) | own.get(name, frozenset()))
    founders = known.founders or (frozenset(devices) if known.birth == commit.id else frozenset())
    return known._replace(cell=cell, devices=MappingProxyType(devices), founders=founders)


def _own_edits(commit: Commit) -> Mapping[str, frozenset[str]]:
    """Return the settings in which the commit differs from all its parents."""
    sets = [{change.path for change in changes} for changes in commit.changes]
    common = set.intersection(*sets) if sets else set()
    return {(device_of_path(path) or path): frozenset({commit.id}) for path in common}


def _edits(parents: Sequence[Ancestry], name: str) -> frozenset[str]:
    found: frozenset[str] = frozenset()
    for parent in parents:
        facts = parent.cell if name == CELL_PATH else parent.devices.get(name)
        if facts is not None:
            found |= facts.edits
    return found


def _with_purges(known: Ancestry, commit: Commit) -> Ancestry:
    for changes in commit.changes:
        for change in changes:
            if change.new is None or not change.new.is_file or not change.path.startswith(PURGED_DIR):
                continue
            entry_id = purged_of_path(change.path)
            record = read_purge(change.new.content, entry_id) if entry_id else None
            if entry_id is None or record is None:
                continue
            gone = known.gone_on(record.day)
            wordless = gone.wordless | ({entry_id} if record.unstamped else set())
            known = known._replace(
                purged=known.purged | {entry_id},
                gone=known.gone.set(record.day, gone._replace(ids=gone.ids | {entry_id}, wordless=wordless)),
            )
    return known


# --- What a commit with one parent takes away -------------------------------------------------------


def named_on(targets: Sequence[Target], date: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the ids that a forget names on ``date``: of stamped entries, and minted for unstamped blocks."""
    stamped: set[str] = set()
    minted: set[str] = set()
    for target in targets:
        day, _, name = target.ref.partition("#")
        if day == date and is_id(name):
            (minted if target.unstamped else stamped).add(name)
    return frozenset(stamped), frozenset(minted)


def _with_forgotten(known: Ancestry, commit: Commit, past: Past) -> Ancestry:
    gone = known.gone
    forgets = commit.audit.op in FORGETTING
    for date in {target.ref.partition("#")[0] for target in commit.audit.targets} if forgets else ():
        # A purge took what this commit forgot out of all versions, the one before it included.
        emptied = frozenset[str]().union(*named_on(commit.audit.targets, date)) & past.purged
        if emptied:
            before = gone.get(date) or Gone()
            gone = gone.set(date, before._replace(ids=before.ids | emptied))
    for change in commit.changes[0] if commit.changes else ():
        if change.old is None or (change.new is not None and not forgets):
            continue
        changed = date_of_path(change.path)
        if changed is not None:
            before = gone.get(changed) or Gone()
            gone = gone.set(changed, _taken(before, changed, change, commit, past))
    return known if gone is known.gone else known._replace(gone=gone)


def _taken(before: Gone, date: str, change: Change, commit: Commit, past: Past) -> Gone:
    """Add what one changed day lost: the file, the entries named and gone, unstamped blocks, numbered.

    A message alone forgets nothing: it may be pasted, squashed from elsewhere or forged, and an entry that
    lives on another branch would be lost where the two meet.
    """
    if change.new is None:
        before = before._replace(emptied=True)
    if commit.audit.op not in FORGETTING or change.old is None:
        return before
    new = change.new.content if change.new else None
    removed = removed_unstamped(date, change.old.content, new)
    stamped, minted = named_on(commit.audit.targets, date)
    lost = stamped & (set(Day.parse(change.old.content, date).ids) - set(Day.parse(new or b"", date).ids))
    named = lost | (minted if len(minted) <= len(removed) else frozenset())
    if named:
        before = before._replace(ids=before.ids | named)
    if not removed:
        return before
    last: dict[bytes, int] = {}
    numbers = []
    for body in removed:
        number = 1 + (last[body] if body in last else count_in(before.events, date, body, past))
        last[body] = number
        numbers.append(number)
    return before._replace(events=before.events | {Event(commit.id, tuple(numbers))})


# --- Blurs ----------------------------------------------------------------------------------------


def _without_repaired(known: Ancestry, commit: Commit, past: Past) -> Ancestry:
    """Drop the blurs of the days that this commit left as the law wants them."""
    if not known.blurs:
        return known
    blurs = known.blurs
    for change in commit.changes[0] if commit.changes else ():
        date = date_of_path(change.path)
        if date is not None and blurs.get(date) and not _is_blurred(date, change, known, past):
            blurs = blurs.drop(date)
    return known if blurs is known.blurs else known._replace(blurs=blurs)


def _with_blurs(
    known: Ancestry, parents: Sequence[Ancestry], commit: Commit, past: Past, blurred: Collection[str]
) -> Ancestry:
    """Add the blurs that this merge made, and drop those that one of its sides had repaired already."""
    blurs = known.blurs
    if blurs:
        changed = [{change.path: change for change in changes} for changes in commit.changes]
        for date, waiting in list(blurs.items()):
            left = _still_waiting(date, waiting, known, parents, changed, past)
            blurs = blurs.set(date, left) if left else blurs.drop(date)
    for date in blurred:
        sides = tuple(parent.gone_on(date).events for parent in parents)
        blurs = blurs.set(date, (blurs.get(date) or frozenset()) | {Blur(commit.id, sides)})
    return known if blurs is known.blurs else known._replace(blurs=blurs)


def _still_waiting(
    date: str,
    waiting: frozenset[Blur],
    known: Ancestry,
    parents: Sequence[Ancestry],
    changed: Sequence[Mapping[str, Change]],
    past: Past,
) -> frozenset[Blur]:
    path = day_path(date)
    for parent, changes in zip(parents, changed, strict=True):
        if path not in changes:
            waiting &= parent.blurs.get(date) or frozenset()
    change = next((changes[path] for changes in changed if path in changes), None)
    if change is None or not waiting:
        return waiting
    return waiting if _is_blurred(date, change, known, past) else frozenset()


def _is_blurred(date: str, change: Change, known: Ancestry, past: Past) -> bool:
    # Loads with the first blur: nearly no history has one, and every append advances its ancestry.
    from nutsync.core.repair import still_blurred

    return still_blurred(date, _day(change, date), known, past)


def _day(change: Change, date: str) -> Day | None:
    return Day.parse(change.new.content, date) if change.new is not None else None
