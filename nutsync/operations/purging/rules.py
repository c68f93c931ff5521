"""Purge records: read from a commit, signed, checked, and turned into what the recipe needs (design §9)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from nutsync.core.audit import parse_message
from nutsync.core.cell import (
    DEVICES_DIR,
    PURGED_DIR,
    Device,
    PurgeRecord,
    day_path,
    device_of_path,
    purged_of_path,
)
from nutsync.core.errors import ErrCellFile, ErrIncoming
from nutsync.core.recipe1 import RECIPE, Purge, removed_words
from nutsync.store.repo.git import Git
from nutsync.store.repo.keys import PURGE_NAMESPACE, DeviceKey, Verdict, check_signature
from nutsync.store.repo.message import parse_commit
from nutsync.store.repo.objects import Objects

Records = Mapping[str, PurgeRecord]


def read_records(objects: Objects, commit: str | None) -> dict[str, PurgeRecord]:
    """Return the purge records that a commit's tree holds, by id. Raises :class:`ErrCellFile`."""
    folder = objects.entry(commit, PURGED_DIR) if commit else None
    found: dict[str, PurgeRecord] = {}
    for file, entry in objects.tree(folder.oid).items() if folder is not None and folder.is_tree else ():
        name = purged_of_path(f"{PURGED_DIR}/{file}")
        if name is not None and entry.mode.startswith("100"):
            found[name] = PurgeRecord.parse(objects.blob(entry.oid), name)
    return found


def same_records(objects: Objects, ours: str | None, theirs: str | None) -> bool:
    """Tell, without reading them, whether two commits record the same purges."""
    both = [objects.entry(commit, PURGED_DIR) if commit else None for commit in (ours, theirs)]
    return both[0] == both[1]


def sign_record(record: PurgeRecord, key: DeviceKey | None) -> PurgeRecord:
    """Return the record, signed where this device can sign."""
    if key is None:
        return record
    armour = key.sign(record.signed_payload(), PURGE_NAMESPACE)
    return record._replace(signature=armour.decode("ascii"))


def require_trusted(objects: Objects, commit: str, records: Iterable[PurgeRecord]) -> None:
    """Raise :class:`ErrIncoming` for a record that no enrolled device has made, or by an unknown recipe.

    ``commit`` holds the records and enrols the devices. A revoked device's older records stay good. A cell
    in which the device that is named has no key believes the name.
    """
    devices = _devices(objects, commit)
    for record in records:
        ref = f"{record.day}#{record.id}"
        if record.recipe != RECIPE:
            raise ErrIncoming(
                f"The purge of {ref} was made by recipe {record.recipe}, which this nutsync does not know.",
                hint="Update nutsync on this device, then sync again.",
            )
        device = devices.get(record.device)
        if device is None or not _is_signed_by(record, device):
            raise ErrIncoming(
                f"The record of the purge of {ref} is not signed by the device that it names. Nothing was "
                "taken over, nothing was sent; all entries are kept here.",
                hint="Ask who made it: a purge rewrites history, so it has to be somebody's.",
            )


def _is_signed_by(record: PurgeRecord, device: Device) -> bool:
    if device.key is None:
        return record.signature is None
    if record.signature is None:
        return False
    armour = record.signature.encode("utf-8", "replace")
    checked = check_signature(armour, record.signed_payload(), PURGE_NAMESPACE)
    return checked.verdict is Verdict.GOOD and checked.key == device.key


def _devices(objects: Objects, commit: str) -> dict[str, Device]:
    folder = objects.entry(commit, DEVICES_DIR)
    found: dict[str, Device] = {}
    for file, entry in objects.tree(folder.oid).items() if folder is not None and folder.is_tree else ():
        name = device_of_path(f"{DEVICES_DIR}/{file}")
        if name is None or not entry.mode.startswith("100"):
            continue
        try:
            found[name] = Device.parse(objects.blob(entry.oid), name)
        except ErrCellFile:
            continue
    return found


# --- What the recipe needs ----------------------------------------------------------------------------


def rules_of(git: Git, objects: Objects, records: Records, histories: Sequence[str]) -> list[Purge]:
    """Return the rules that the recipe follows for these records.

    What a block without an id said is looked up in the ``histories``: in the parent of the forget that
    minted its id (:func:`forgotten_words`). Where it cannot be found any more its words are empty.
    """
    rules = []
    for name, record in sorted(records.items()):
        words = None
        if record.unstamped:
            words = forgotten_words(git, objects, f"{record.day}#{name}", histories, records) or b""
        rules.append(Purge(name, record.day, frozenset(record.days), words))
    return rules


def forgotten_words(
    git: Git, objects: Objects, ref: str, histories: Sequence[str], purged: Collection[str] = ()
) -> bytes | None:
    """Return the block without an id that a forget took away under the minted ``ref``, or None.

    The forget names what it takes from a day in the order in which the blocks stood there, so the n-th minted
    id belongs to the n-th block that its parent has and it has not. In a history from which the block was
    purged there is none; blocks of ``purged`` ids may be gone from it already.
    """
    if not histories:
        return None
    date = ref.partition("#")[0]
    pattern = f"^Nutsync-Target: {ref} unstamped$"
    found = git.run("rev-list", f"--grep={pattern}", *histories, "--").text().split()
    for item in objects.read_many(found):
        commit = parse_commit(item.oid, item.content) if item is not None else None
        if commit is None or not commit.parents:
            continue
        targets = parse_message(commit.message).targets
        minted = [t.ref for t in targets if t.unstamped and t.ref.startswith(f"{date}#")]
        old = objects.file(commit.parents[0], day_path(date))
        gone = removed_words(old, objects.file(commit.oid, day_path(date)), date) if old is not None else []
        if len(gone) != len(minted):
            minted = [one for one in minted if one == ref or one.partition("#")[2] not in purged]
        if ref in minted and len(gone) == len(minted):
            return gone[minted.index(ref)]
    return None
