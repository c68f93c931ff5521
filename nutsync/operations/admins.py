"""Who the admins are: changed by an admin, the first one named by the founding device (design §4)."""

from __future__ import annotations

from dataclasses import dataclass

from nutsync.core.cell import CELL_PATH, CellConfig
from nutsync.core.errors import ErrChanged, ErrConfirm, ErrLayerAdminRequired, ErrUsage
from nutsync.core.names import check_actor
from nutsync.operations.cell import Cell
from nutsync.operations.record import Change, Recorder
from nutsync.store.files import read_if_there


@dataclass(frozen=True)
class Admins:
    """The admins as they are now; ``commit`` is None where nothing had to change."""

    names: tuple[str, ...]
    commit: str | None = None

    def as_json(self) -> dict[str, object]:
        """Return the document of `admin` (design §11)."""
        return {"admins": list(self.names), "commit": self.commit}


def list_admins(cell: Cell) -> Admins:
    """Return the admins that stand in ``cell.toml``."""
    return Admins(cell.config.admins)


def add_admin(cell: Cell, name: str) -> Admins:
    """Make the actor ``name`` an admin.

    Raises :class:`ErrName`, :class:`ErrLayerAdminRequired` for somebody who is none, and
    :class:`ErrFreezeLaw` where the first is not named by the founding device.
    """
    actor = check_actor(name)
    with cell.writing("admin") as recorder:
        config = _config(cell, recorder)
        if actor in config.admins:
            return Admins(config.admins)
        return _write(cell, recorder, config._replace(admins=tuple(sorted({*config.admins, actor}))), actor)


def remove_admin(cell: Cell, name: str, *, yes: bool) -> Admins:
    """Make the actor ``name`` an admin no longer.

    Raises :class:`ErrUsage` where it is none, :class:`ErrLayerAdminRequired` for somebody who is
    none, and :class:`ErrConfirm` for the last one without ``yes``.
    """
    actor = check_actor(name)
    with cell.writing("admin") as recorder:
        config = _config(cell, recorder)
        if actor not in config.admins:
            raise ErrUsage(f"{actor} is no admin of this cell.")
        left = tuple(admin for admin in config.admins if admin != actor)
        if not left and not yes:
            raise ErrConfirm(
                f"{actor} is the last admin. Without one nobody writes or forgets consensus, and the founding"
                " device may name the next.",
                hint="Repeat the command with --yes.",
            )
        return _write(cell, recorder, config._replace(admins=left), actor)


def _config(cell: Cell, recorder: Recorder) -> CellConfig:
    """Return what HEAD's ``cell.toml`` says, for somebody who may change it."""
    committed = recorder.committed(CELL_PATH) or b""
    if read_if_there(cell.root / CELL_PATH) != committed:
        raise ErrChanged(
            f"{CELL_PATH} has changes that are not committed; nothing was changed.",
            hint="Commit them or take them back, then repeat.",
        )
    config = CellConfig.parse(committed)
    if config.admins and cell.actor not in config.admins:
        raise ErrLayerAdminRequired("Only an admin changes who is one.")
    return config


def _write(cell: Cell, recorder: Recorder, config: CellConfig, about: str) -> Admins:
    content = config.render()
    change = Change(recorder.audit("admin"), {CELL_PATH: content}, cell.clock.now(), about=about)
    recorder.check([change])
    return Admins(config.admins, recorder.commit([change], {CELL_PATH: content}))
