"""Rule 7, outside the archive: a merge takes the newer side's file as it is."""

from __future__ import annotations

from collections.abc import Sequence

from nutsync.core.advance import read_device
from nutsync.core.ancestry import leading_sides
from nutsync.core.cell import CELL_PATH, device_of_path, purged_of_path
from nutsync.core.commit import Blob, Change
from nutsync.core.freeze.case import Case
from nutsync.core.freeze.paths import check_place


def judge_merged_settings(case: Case, path: str, new: Blob | None, olds: Sequence[Blob | None]) -> None:
    """Judge a merge's version of a file of the cell that is no memory; ``olds`` are the parents'."""
    name, purged = device_of_path(path), purged_of_path(path)
    if path == CELL_PATH or name is not None:
        leading = leading_sides(case.parents, name)
        allowed = [olds[side] for side in leading if olds[side] is not None]
        if new not in allowed and not (name and _is_renamed(case, name, new, olds)):
            case.out.add("merge-settings", f"{path} is not the newer side's.", path=path)
    elif purged is not None:
        if new is None or new not in olds:
            case.out.add("merge-settings", f"{path} is not what a parent has.", path=path)
    elif new not in olds:
        case.out.add("merge-settings", f"{path} is not what a parent has.", path=path)
        check_place(Change(path, None, new), case.out)


def _is_renamed(case: Case, name: str, new: Blob | None, olds: Sequence[Blob | None]) -> bool:
    """Tell whether this is a device of one side whose name another key holds on the other (design §8.5)."""
    if new is None or any(old is not None for old in olds):
        return False
    facts = read_device(new.content, name)
    return facts is not None and any(
        facts.key is not None and facts.key == device.key
        for parent in case.parents
        for device in parent.devices.values()
    )
