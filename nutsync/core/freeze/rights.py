"""Rule 9: rights, and the cell's own files (design §4).

Whoever signs is known by the key; whoever only says a name is believed where no admin has a key to sign
with, or where a purge took the signatures off.
"""

from __future__ import annotations

from collections.abc import Callable

from nutsync.core.advance import read_cell, read_device, read_purge
from nutsync.core.ancestry import Ancestry, DeviceFacts, ZoneOffset
from nutsync.core.cell import CELL_PATH, device_of_path, purged_of_path
from nutsync.core.commit import Change, Commit
from nutsync.core.freeze.findings import Findings


def signer_of(commit: Commit, known: Ancestry) -> str | None:
    """Return the enrolled device that signed ``commit``, or None."""
    return known.device_of(commit.signature.key) if commit.signature.state == "good" else None


def is_admin(commit: Commit, known: Ancestry) -> bool:
    """Tell whether an admin of the cell made ``commit``."""
    admins = known.cell.admins
    claimed = commit.audit.actor
    if claimed and claimed not in admins:
        return False
    return _is_one_of(commit, known, claimed, lambda name, facts: facts.actor in admins, claimed in admins)


def is_founder(commit: Commit, known: Ancestry) -> bool:
    """Tell whether the device that the birth enrolled made ``commit``."""
    claimed = commit.audit.device
    return _is_one_of(
        commit, known, claimed, lambda name, facts: name in known.founders, claimed in known.founders
    )


def _is_one_of(
    commit: Commit,
    known: Ancestry,
    claimed: str,
    wanted: Callable[[str, DeviceFacts], bool],
    claim_holds: bool,
) -> bool:
    signer = signer_of(commit, known)
    if signer is not None:
        return wanted(signer, known.devices[signer])
    signs = any(facts.key and wanted(name, facts) for name, facts in known.devices.items())
    return bool(claimed) and claim_holds and (not signs or commit.signature.state == "lost")


def judge_settings(
    change: Change, commit: Commit, known: Ancestry, zone_offset: ZoneOffset, out: Findings
) -> None:
    """Judge a change to a file of the cell that is no memory, in a commit with one parent.

    ``zone_offset`` knows the time zones: a cell that names none of them could not tell what today is.
    """
    name, purged = device_of_path(change.path), purged_of_path(change.path)
    if change.path == CELL_PATH:
        _judge_cell(change, commit, known, zone_offset, out)
    elif name is not None:
        _judge_device(change, name, commit, known, out)
    elif purged is not None:
        _judge_purge(change, purged, commit, out)


def _judge_cell(
    change: Change, commit: Commit, known: Ancestry, zone_offset: ZoneOffset, out: Findings
) -> None:
    path = change.path
    if change.new is None:
        out.add("cell-removed", f"{path} is gone.", path=path)
        return
    facts = read_cell(change.new.content)
    if facts is None:
        out.add("cell-malformed", f"{path} cannot be understood.", path=path)
        return
    has_admins = bool(known.cell.admins)
    if facts.admins != known.cell.admins:
        allowed = is_admin(commit, known) if has_admins else is_founder(commit, known)
        if not allowed:
            who = "an admin" if has_admins else "the founding device"
            out.add("rights-admins", f"The admins were changed by somebody who is not {who}.", path=path)
    if facts.zone != known.cell.zone and has_admins and not is_admin(commit, known):
        out.add("rights-zone", "The time zone was changed by somebody who is no admin.", path=path)
    if (
        facts.zone
        and facts.zone != known.cell.zone
        and zone_offset(facts.zone, commit.authored.millis) is None
    ):
        out.add("zone-unknown", f"{path} names {facts.zone}, which is no time zone.", path=path)


def _judge_device(change: Change, name: str, commit: Commit, known: Ancestry, out: Findings) -> None:
    path = change.path
    facts = read_device(change.new.content, name) if change.new is not None else None
    if change.new is not None and facts is None:
        out.add("cell-malformed", f"{path} cannot be understood.", path=path)
        return
    before = known.devices.get(name)
    if before is None and change.old is None and facts is not None:
        if facts.key is not None and not _signed_with(commit, facts.key):
            out.add("rights-device", f"{path} was made without a signature by its own key.", path=path)
        return
    own = before is not None and not before.revoked and _is_own(commit, name, before)
    if not own and not (known.cell.admins and is_admin(commit, known)):
        out.add("rights-device", f"{path} was changed by another device.", path=path)


def _is_own(commit: Commit, name: str, facts: DeviceFacts) -> bool:
    if facts.key is None:
        return commit.audit.device == name
    return _signed_with(commit, facts.key)


def _signed_with(commit: Commit, key: str) -> bool:
    state = commit.signature.state
    return state == "lost" or (state == "good" and commit.signature.key == key)


def _judge_purge(change: Change, entry_id: str, commit: Commit, out: Findings) -> None:
    path = change.path
    if change.old is not None:
        out.add("purge-record", f"{path} was changed or taken away.", path=path)
    elif change.new is not None and (
        commit.audit.op != "purge" or read_purge(change.new.content, entry_id) is None
    ):
        out.add("purge-record", f"{path} is no record of a purge.", path=path)
