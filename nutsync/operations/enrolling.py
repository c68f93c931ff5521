"""Enrolling this device: its name, its actor and the key it signs with (design §6, §8.5)."""

from __future__ import annotations

from nutsync.core.cell import Device, device_path
from nutsync.core.errors import ErrCellFile
from nutsync.core.moment import Moment
from nutsync.operations.record import Change, Recorder
from nutsync.store.repo.git import Git
from nutsync.store.repo.keys import make_key
from nutsync.store.repo.worktree import write_worktree
from nutsync.store.settings import Settings, write_settings


def enrol(recorder: Recorder, settings: Settings, now: Moment) -> tuple[Settings, bool]:
    """Enrol this device where it is not; a name that another key holds gets a suffix (design §8.5).

    Returns the settings as they are afterwards, and whether something was written.
    """
    mine = this_device(recorder.git, settings, now)
    name, number = settings.device, 1
    while True:
        content = recorder.committed(device_path(name))
        if content is None:
            break
        if _key_in(content, name) == mine.key:
            return settings._replace(device=name), False
        number += 1
        name = f"{settings.device}-{number}"
    settings = settings._replace(device=name)
    if name != mine.name:
        write_settings(recorder.git, actor=settings.actor, device=name, branch=settings.branch)
        recorder.device = name
    path, content = device_path(name), mine._replace(name=name).render()
    change = Change(recorder.audit("enrol"), {path: content}, now, about=name)
    recorder.check([change])
    write_worktree(recorder.git, path, content)
    recorder.commit([change])
    return settings, True


def this_device(git: Git, settings: Settings, now: Moment) -> Device:
    """Return this clone as a device, with its key, which is made where there is none."""
    key = make_key(git.common_dir)
    return Device(settings.device, settings.actor, key.public if key else None, now.offset, now)


def _key_in(content: bytes, name: str) -> str | None:
    try:
        return Device.parse(content, name).key
    except ErrCellFile:
        return ""  # nobody's: the name is taken all the same
