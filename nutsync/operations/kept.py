"""Ancestries that were worked out before: read back, kept, and begun anew in a shallow clone (design §7)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from nutsync.core.advance import read_cell, read_device
from nutsync.core.ancestry import Ancestry, CellFacts, DeviceFacts
from nutsync.core.cell import CELL_PATH, DEVICES_DIR, device_of_path
from nutsync.core.checkpoint import from_plain
from nutsync.store import checkpoints
from nutsync.store.files import read_if_there
from nutsync.store.repo.git import Git
from nutsync.store.repo.history import list_commits
from nutsync.store.repo.objects import Objects


def nearest_kept(git: Git, commit: str) -> dict[str, Ancestry]:
    """Return ancestries that were kept of commits before ``commit``, by commit; none where none was."""
    wanted = set(checkpoints.known_commits(git.private_dir))
    if not wanted:
        return {}
    before = [one for one in list_commits(git, [commit]) if one in wanted]
    found = ((one, checkpoints.read(git.private_dir, one, from_plain)) for one in before)
    return {one: ancestry for one, ancestry in found if ancestry is not None}


def shallow_commits(git: Git) -> frozenset[str]:
    """Return the commits whose parents a shallow clone lacks; none in a whole one."""
    content = read_if_there(git.common_dir / "shallow") or b""
    return frozenset(content.decode("ascii", "replace").split())


def planted(objects: Objects, commit: str) -> Ancestry:
    """Return what a shallow clone can know of a commit without parents: what its own tree says.

    So the rules that need the parents alone still hold there.
    """
    content = objects.file(commit, CELL_PATH)
    if content is None:
        return Ancestry()
    devices = MappingProxyType(_devices(objects, commit))
    return Ancestry(birth=commit, cell=read_cell(content) or CellFacts(), devices=devices)


def _devices(objects: Objects, commit: str) -> Mapping[str, DeviceFacts]:
    folder = objects.entry(commit, DEVICES_DIR)
    found: dict[str, DeviceFacts] = {}
    for name, entry in objects.tree(folder.oid).items() if folder is not None and folder.is_tree else ():
        device = device_of_path(f"{DEVICES_DIR}/{name}")
        facts = read_device(objects.blob(entry.oid), device) if device and not entry.is_tree else None
        if device is not None and facts is not None:
            found[device] = facts
    return found
