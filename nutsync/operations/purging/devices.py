"""Which devices have followed a purge, told from the history alone (design §9)."""

from __future__ import annotations

from dataclasses import dataclass

from nutsync.core.audit import parse_message
from nutsync.core.cell import PurgeRecord, device_path, purge_path
from nutsync.operations.cell import Cell
from nutsync.operations.devices import devices_at
from nutsync.operations.guard import signature_of
from nutsync.operations.purged_past import PurgedPast
from nutsync.operations.purging import state
from nutsync.operations.purging.rules import read_records
from nutsync.store.repo.git import Git
from nutsync.store.repo.message import Commit, parse_commit
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.refs import branch_ref, resolve_ref
from nutsync.store.repo.rewrite import purged_ids


@dataclass(frozen=True)
class PurgeState:
    """One purge: its record, and which devices have done it and which are still to."""

    record: PurgeRecord
    done: tuple[str, ...]
    pending: tuple[str, ...]
    revoked: tuple[str, ...] = ()
    unsent: bool = False

    def as_json(self) -> dict[str, object]:
        """Return the document that ``purges`` gives for one purge."""
        record = self.record
        return {
            "ref": f"{record.day}#{record.id}",
            "id": record.id,
            "days": list(record.days),
            "actor": record.actor,
            "device": record.device,
            "at": record.at.local().isoformat(timespec="seconds"),
            "reason": record.reason,
            "recipe": record.recipe,
            "unstamped": record.unstamped,
            "done": list(self.done),
            "pending": list(self.pending),
            "revoked": list(self.revoked),
            "sent": not self.unsent,
        }


def list_purges(cell: Cell) -> list[PurgeState]:
    """Return every purge that the memory branch records, oldest first, with the devices enrolled then.

    A device that was enrolled later never had the text: its clone began with the rewritten history.
    """
    tip = resolve_ref(cell.git, branch_ref(cell.branch))
    if tip is None:
        return []
    under = state.read(cell.git)
    with Objects(cell.git) as objects:
        records = read_records(objects, tip)
        followed = followers(cell.git, objects, tip) if records else {}
        now = devices_at(objects, tip)
        found = []
        for name, record in sorted(records.items(), key=lambda one: (one[1].at, one[0])):
            then = devices_before(cell.git, objects, tip, name)
            done = {record.device, *(device for device, ids in followed.items() if name in ids)} & set(then)
            unsent = under is not None and under.step == state.SEND and name in under.ids
            if unsent:
                done = set()
            waiting = [device for device in then if device not in done]
            gone = [one for one in waiting if one not in now or now[one].revoked is not None]
            pending = [device for device in waiting if device not in gone]
            found.append(PurgeState(record, tuple(sorted(done)), tuple(pending), tuple(gone), unsent))
    return found


def followers(git: Git, objects: Objects, tip: str) -> dict[str, frozenset[str]]:
    """Return the purges that each device says, with its own key, that it has made or followed.

    Where two devices purge the same entry at once, one record stands, and both have done it.

    A device without a key is believed by its name; so is a commit whose signature a later purge took off.
    """
    found: dict[str, frozenset[str]] = {}
    past = PurgedPast(git, objects)
    past.expect(tip)
    words = ("rev-list", "--extended-regexp", "--grep=^Nutsync-(Followed: |Op: purge$)", tip, "--")
    for item in objects.read_many(git.run(*words).text().split()):
        if item is None:
            continue
        commit = parse_commit(item.oid, item.content)
        audit = parse_message(commit.message)
        if _is_said_by(objects, past, commit, audit.device):
            made = {target.ref.partition("#")[2] for target in audit.targets if audit.op == "purge"}
            found[audit.device] = found.get(audit.device, frozenset()) | made | set(audit.followed)
    return found


def _is_said_by(objects: Objects, past: PurgedPast, commit: Commit, device: str) -> bool:
    """Tell whether ``device`` itself made the commit, as far as its key can show that."""
    enrolled = devices_at(objects, commit.oid).get(device)
    if enrolled is None or enrolled.revoked is not None:
        return False
    if enrolled.key is None:
        return True
    if commit.signature is None:
        return past.has_lost_signature(commit, (), purged_ids(objects, commit.oid))
    signature = signature_of(commit)
    return signature.state == "good" and signature.key == enrolled.key


def devices_before(git: Git, objects: Objects, tip: str, entry_id: str) -> list[str]:
    """Return the devices that may hold what was purged.

    These are the ones enrolled and not revoked when the purge was recorded, and those that were enrolled
    elsewhere at that time: their clone began with a history that knew nothing of it.
    """
    path = purge_path(entry_id)
    words = ("rev-list", "--full-history", "--topo-order", "--reverse", tip, "--", path)
    commits = git.run(*words).text().split()
    made = next((one for one in commits if objects.entry(one, path) is not None), tip)
    then = {name for name, device in devices_at(objects, made).items() if device.revoked is None}
    later = {name for name in devices_at(objects, tip) if name not in then} - devices_at(objects, made).keys()
    return sorted(then | {name for name in later if not _is_enrolled_after(git, made, tip, name)})


def _is_enrolled_after(git: Git, made: str, tip: str, name: str) -> bool:
    """Tell whether every commit that enrols a device knows of the purge that ``made`` records."""
    words = ("rev-list", "--full-history", tip, f"^{made}", "--", device_path(name))
    since = set(git.run(*words).text().split())
    knowing = git.run("rev-list", "--ancestry-path", f"{made}..{tip}").text().split()
    return since <= set(knowing)
