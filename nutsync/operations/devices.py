"""The devices of a cell: listed, and revoked by an admin or by the device itself (design §4, §11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nutsync.core.cell import CELL_PATH, DEVICES_DIR, CellConfig, Device, device_of_path, device_path
from nutsync.core.errors import ErrCellFile, ErrChanged, ErrConfirm, ErrLayerAdminRequired, ErrUsage
from nutsync.core.names import check_device
from nutsync.operations.cell import Cell
from nutsync.operations.record import Change
from nutsync.store.files import read_if_there
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.refs import branch_ref, resolve_ref


@dataclass(frozen=True)
class Devices:
    """The devices by name, revoked ones too; ``here`` is this clone's, ``commit`` what was written."""

    devices: Mapping[str, Device]
    here: str
    commit: str | None = None

    def as_json(self) -> dict[str, object]:
        """Return the document of `device` (design §11)."""
        return {"devices": [self._row(one) for _, one in sorted(self.devices.items())], "commit": self.commit}

    def _row(self, device: Device) -> dict[str, object]:
        return {
            "device": device.name,
            "actor": device.actor,
            "key": device.key,
            "enrolled": device.enrolled.local().isoformat(),
            "revoked": device.revoked.local().isoformat() if device.revoked else None,
            "here": device.name == self.here,
        }


def list_devices(cell: Cell) -> Devices:
    """Return every device that was ever enrolled, as the memory branch has it now."""
    tip = resolve_ref(cell.git, branch_ref(cell.branch))
    with Objects(cell.git) as objects:
        return Devices(devices_at(objects, tip) if tip else {}, cell.device)


def revoke_device(cell: Cell, name: str, *, yes: bool) -> Devices:
    """Let no later signature of a device's key count; what it signed before stays good.

    Raises :class:`ErrUsage` where no such device is enrolled, :class:`ErrLayerAdminRequired` for somebody
    who may not, and :class:`ErrConfirm` for this very clone without ``yes``. A device that is revoked already
    stays so, and nothing is written.
    """
    path = device_path(check_device(name))
    with cell.writing("device") as recorder:
        known = devices_at(recorder.objects, recorder.tip) if recorder.tip else {}
        device = known.get(name)
        if device is None:
            raise ErrUsage(
                f"No device {name} is enrolled here.", hint="`nutsync device list` names those that are."
            )
        if device.revoked is not None:
            return Devices(known, cell.device)
        admins = CellConfig.parse(recorder.committed(CELL_PATH) or b"").admins
        if name != cell.device and cell.actor not in admins:
            raise ErrLayerAdminRequired(
                "Only an admin revokes another device.",
                hint="Ask an admin; `nutsync admin add` on the founding device names the first.",
            )
        if name == cell.device and not yes:
            raise ErrConfirm(
                f"{name} is this very clone: nothing that it signs from now on would count.",
                hint="Repeat the command with --yes.",
            )
        if read_if_there(cell.root / path) != recorder.committed(path):
            raise ErrChanged(
                f"{path} has changes that are not committed; nothing was changed.",
                hint="Commit them or take them back, then repeat.",
            )
        now = cell.clock.now()
        revoked = device._replace(revoked=now)
        change = Change(recorder.audit("revoke"), {path: revoked.render()}, now, about=name)
        recorder.check([change])
        commit = recorder.commit([change], {path: revoked.render()})
        return Devices({**known, name: revoked}, cell.device, commit)


def devices_at(objects: Objects, commit: str) -> dict[str, Device]:
    """Return the devices that a commit's tree enrols, by name; a file that nobody understands enrols none."""
    folder = objects.entry(commit, DEVICES_DIR)
    found: dict[str, Device] = {}
    for file, entry in objects.tree(folder.oid).items() if folder is not None and folder.is_tree else ():
        name = device_of_path(f"{DEVICES_DIR}/{file}")
        if name is not None and entry.mode.startswith("100"):
            try:
                found[name] = Device.parse(objects.blob(entry.oid), name)
            except ErrCellFile:
                continue
    return found
