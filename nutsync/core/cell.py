"""The fixed paths of a cell, and the three small files that describe it (design §3, §4, §9).

Paths are relative to the repository's root and separated by ``/``. There is no setting that moves
them. Files are read tolerantly (any TOML, any order, unknown keys kept) and written canonically.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from nutsync.core.errors import ErrCellFile, ErrCellFormat, ErrName
from nutsync.core.moment import Moment, is_date, offset_text
from nutsync.core.names import check_actor, check_device
from nutsync.core.toml import read_toml, write_toml

CELL_DIR = ".agents/nutstore-sync"
CELL_PATH = f"{CELL_DIR}/cell.toml"
DEVICES_DIR = f"{CELL_DIR}/devices"
PURGED_DIR = f"{CELL_DIR}/purged"
MEMORY_DIR = f"{CELL_DIR}/memory"
IGNORE_PATH = f"{MEMORY_DIR}/.gitignore"
ARCHIVE_DIR = f"{MEMORY_DIR}/archive"
CATALOG_DIR = f"{MEMORY_DIR}/catalog"
SESSION_DIR = f"{MEMORY_DIR}/session"

IGNORE_CONTENT = b"/catalog/\n/session/\n.nutsync-tmp-*\n"
"""What ``memory/.gitignore`` says: what is derived, and what dies with its session, stays out of Git."""

ATTRIBUTES_PATH = ".gitattributes"
ATTRIBUTES_LINE = f"{ARCHIVE_DIR}/**/*.md text eol=lf merge=union"
"""The line that makes day files merge without markers, also where nutsync is unknown (design §7)."""

PURGED_INDEX = "(purged)"
"""What the index of a day is, in every version from before a purge that concerned it (design §9)."""

FORMAT = 1
"""The format of a cell that this program writes, and the newest that it reads."""

_T = TypeVar("_T")
_ARCHIVE_PREFIX = f"{ARCHIVE_DIR}/"
_DAY_PATH_LENGTH = len(_ARCHIVE_PREFIX) + len("2026/2026-11-30.md")


# --- Paths --------------------------------------------------------------------------------------


def day_path(date: str) -> str:
    """Return the path of the day file of ``date`` (YYYY-MM-DD)."""
    return f"{_ARCHIVE_PREFIX}{date[:4]}/{date}.md"


@lru_cache(maxsize=1024)
def date_of_path(path: str) -> str | None:
    """Return the date of the day file at ``path``; None unless it is exactly :func:`day_path` of a date."""
    if len(path) != _DAY_PATH_LENGTH or not path.startswith(_ARCHIVE_PREFIX):
        return None
    date = path[-13:-3]
    return date if path == day_path(date) and is_date(date) else None


def catalog_path(year: str) -> str:
    """Return the path of the catalog of ``year`` (YYYY)."""
    return f"{CATALOG_DIR}/{year}.tsv"


def device_path(device: str) -> str:
    """Return the path of the file that enrols ``device``."""
    return f"{DEVICES_DIR}/{device}.toml"


def device_of_path(path: str) -> str | None:
    """Return the device that the file at ``path`` enrols, or None where it is no such file."""
    return _stem_in(DEVICES_DIR, path)


def purge_path(entry_id: str) -> str:
    """Return the path of the record that the entry ``entry_id`` was purged."""
    return f"{PURGED_DIR}/{entry_id}.toml"


def purged_of_path(path: str) -> str | None:
    """Return the entry id whose purge the file at ``path`` records, or None where it is no such file."""
    return _stem_in(PURGED_DIR, path)


def is_cell_path(path: str) -> bool:
    """Tell whether ``path`` lies in the cell, whatever it is."""
    return path.startswith(f"{CELL_DIR}/")


def _stem_in(folder: str, path: str) -> str | None:
    if not path.startswith(f"{folder}/") or not path.endswith(".toml"):
        return None
    stem = path[len(folder) + 1 : -len(".toml")]
    return stem if stem and "/" not in stem else None


def _nothing() -> Mapping[str, object]:
    return MappingProxyType({})


# --- cell.toml ----------------------------------------------------------------------------------


class CellConfig(NamedTuple):
    """What ``cell.toml`` says. ``extra`` holds keys that this version does not know."""

    zone: str | None = None
    admins: tuple[str, ...] = ()
    format: int = FORMAT
    extra: Mapping[str, object] = _nothing()

    @classmethod
    def parse(cls, content: bytes) -> CellConfig:
        """Return what ``content`` says.

        Raises :class:`ErrCellFile` where it is no TOML or a value has the wrong form, and
        :class:`ErrCellFormat` where a newer nutsync wrote it.
        """
        table = _Table(content, CELL_PATH)
        version = table.take("format", int, FORMAT)
        if version > FORMAT:
            raise ErrCellFormat(f"{CELL_PATH} has format {version}; this nutsync knows up to {FORMAT}.")
        if version < 1:
            raise ErrCellFile(f"{CELL_PATH}: there is no format {version}.")
        zone = table.take("zone", str, "").strip()
        if not all(character.isalnum() or character in "/_+-" for character in zone):
            raise ErrCellFile(f"{CELL_PATH}: zone is not the name of a time zone, such as Asia/Shanghai.")
        admins = tuple(table.name(check_actor, "admins", admin) for admin in table.texts("admins"))
        return cls(zone or None, tuple(sorted(set(admins))), version, table.rest())

    def render(self) -> bytes:
        """Return the canonical file."""
        table: dict[str, object] = {"format": self.format}
        if self.zone:
            table["zone"] = self.zone
        return write_toml(table | {"admins": sorted(set(self.admins))} | dict(self.extra))


# --- devices/<device>.toml ------------------------------------------------------------------------


class Device(NamedTuple):
    """One enrolled clone.

    ``key`` is the public half of its signing key, ``ssh-ed25519 AAAA…`` without a comment, or None
    where it cannot sign. ``offset`` is its minutes east of UTC at ``enrolled``.
    """

    name: str
    actor: str
    key: str | None
    offset: int
    enrolled: Moment
    revoked: Moment | None = None
    extra: Mapping[str, object] = _nothing()

    @classmethod
    def parse(cls, content: bytes, name: str) -> Device:
        """Return the device that ``devices/<name>.toml`` enrols; raises :class:`ErrCellFile`."""
        path = device_path(name)
        table = _Table(content, path)
        if table.name(check_device, "name", table.take("name", str, name)) != name:
            raise ErrCellFile(f"{path}: it names another device than its file does.")
        actor = table.name(check_actor, "actor", table.take("actor", str))
        key = " ".join(table.take("key", str, "").split()[:2])
        offset = _offset_of(table.take("offset", str), path)
        return cls(
            name, actor, key or None, offset, table.moment("enrolled"), table.late("revoked"), table.rest()
        )

    def render(self) -> bytes:
        """Return the canonical file."""
        table: dict[str, object] = {"name": self.name, "actor": self.actor}
        if self.key:
            table["key"] = self.key
        table |= {"offset": offset_text(self.offset), "enrolled": _moment_text(self.enrolled)}
        if self.revoked:
            table["revoked"] = _moment_text(self.revoked)
        return write_toml(table | dict(self.extra))


# --- purged/<entry id>.toml -------------------------------------------------------------------------


class PurgeRecord(NamedTuple):
    """That an entry was purged: who asked, where, when and why, and how history was rewritten (design §9).

    ``days`` are the days whose index the recipe blanks, ``day`` (the entry's own) first. ``unstamped`` says
    that it never carried an id of its own: the forget that minted this one took it away. It holds no
    text, no hash and no commit id: each of them would confirm a guess of what was purged.
    """

    id: str
    day: str
    days: tuple[str, ...]
    actor: str
    device: str
    at: Moment
    reason: str
    recipe: int = 1
    unstamped: bool = False
    signature: str | None = None
    extra: Mapping[str, object] = _nothing()

    @classmethod
    def parse(cls, content: bytes, entry_id: str) -> PurgeRecord:
        """Return the record in ``purged/<entry_id>.toml``; raises :class:`ErrCellFile`."""
        path = purge_path(entry_id)
        table = _Table(content, path)
        if table.take("id", str, entry_id) != entry_id:
            raise ErrCellFile(f"{path}: it names another entry than its file does.")
        day = table.take("day", str)
        days = (day, *(other for other in table.texts("days") if other != day))
        if not all(map(is_date, days)):
            raise ErrCellFile(f"{path}: days are written YYYY-MM-DD.")
        recipe = table.take("recipe", int)
        if recipe < 1:
            raise ErrCellFile(f"{path}: there is no recipe {recipe}.")
        return cls(
            id=entry_id,
            day=day,
            days=days,
            actor=table.name(check_actor, "actor", table.take("actor", str)),
            device=table.name(check_device, "device", table.take("device", str)),
            at=table.moment("at"),
            reason=table.take("reason", str),
            recipe=recipe,
            unstamped=table.take("unstamped", bool, False),
            signature=table.take("signature", str, "") or None,
            extra=table.rest(),
        )

    def render(self) -> bytes:
        """Return the canonical file."""
        table: dict[str, object] = {
            "id": self.id,
            "day": self.day,
            "days": list(self.days),
            "actor": self.actor,
            "device": self.device,
            "at": _moment_text(self.at),
            "reason": self.reason,
            "recipe": self.recipe,
            **({"unstamped": True} if self.unstamped else {}),
            **self.extra,
        }
        return write_toml(table | ({"signature": self.signature} if self.signature else {}))

    def signed_payload(self) -> bytes:
        """Return the bytes that ``signature`` signs: the canonical file without it."""
        return self._replace(signature=None).render()


# --- Reading ------------------------------------------------------------------------------------


class _Table:
    """A TOML file whose keys are taken one by one; what is left is kept as unknown."""

    def __init__(self, content: bytes, path: str) -> None:
        self.path = path
        try:
            self._table = read_toml(content)
        except ValueError as error:
            raise ErrCellFile(f"{path} is not valid TOML in UTF-8.") from error

    def take(self, key: str, kind: type[_T], default: _T | None = None) -> _T:
        value = self._table.pop(key, default)
        if value is None:
            raise ErrCellFile(f"{self.path}: {key} is missing.")
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise ErrCellFile(f"{self.path}: {key} has the wrong form.")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        values = self.take(key, list, [])
        if not all(isinstance(value, str) for value in values):
            raise ErrCellFile(f"{self.path}: {key} must be a list of strings.")
        return tuple(values)

    def moment(self, key: str) -> Moment:
        value = self._table.pop(key, None)
        try:
            return Moment.of(value if isinstance(value, datetime) else datetime.fromisoformat(str(value)))
        except ValueError as error:
            raise ErrCellFile(f"{self.path}: {key} is not a time with an offset.") from error

    def late(self, key: str) -> Moment | None:
        return self.moment(key) if key in self._table else None

    def name(self, check: Callable[[str], str], key: str, value: str) -> str:
        try:
            return check(value)
        except ErrName as error:
            raise ErrCellFile(f"{self.path}: {key}: {error.message}") from error

    def rest(self) -> Mapping[str, object]:
        return MappingProxyType(self._table)


def _offset_of(text: str, path: str) -> int:
    hours, colon, minutes = text[1:].partition(":")
    if text[:1] not in ("+", "-") or not (colon and len(text) == 6 and (hours + minutes).isdecimal()):
        raise ErrCellFile(f"{path}: offset is not of the form +08:00.")
    return (int(hours) * 60 + int(minutes)) * (-1 if text[0] == "-" else 1)


def _moment_text(moment: Moment) -> str:
    return moment.local().isoformat(timespec="milliseconds")
