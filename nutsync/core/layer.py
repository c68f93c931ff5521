"""The one table of layers, and everything that is read off it (design §4).

An entry's layer is never stored: :func:`layer_of` decides it from four attributes, ``scope``,
``actor``, ``namespace`` and ``session``. For all four, an empty value says the same as none.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from nutsync.core.errors import ErrUnknownLayer

FIELDS = ("actor", "namespace", "session")
"""The attributes beside ``scope`` that a layer can ask for."""


class Need(Enum):
    """What a layer asks of one attribute; the value is the word the documentation prints."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    NONE = "none"
    """An entry that has it is not of this layer."""
    IGNORED = "ignored"


class Writer(Enum):
    """Who writes a layer; the value is the phrase the documentation prints."""

    SENSOR = "the host sensor only"
    ADMINS = "admins"
    SELF = "anyone, for themselves"
    RUNTIME = "the runtime only"
    NOBODY = "nobody"


class Row(NamedTuple):
    """One layer. ``scope`` is None for the layer of what no other row covers."""

    name: str
    scope: str | None
    actor: Need
    namespace: Need
    session: Need
    writer: Writer
    words: Mapping[str, str]
    namespace_giver: str = ""

    @property
    def conditions(self) -> tuple[tuple[str, bool], ...]:
        """What an entry of this scope must have (True) or must not have (False) to be of this layer."""
        needs = (self.actor, self.namespace, self.session)
        return tuple(
            (name, _WANTED[need]) for name, need in zip(FIELDS, needs, strict=True) if need in _WANTED
        )


_WANTED = {Need.REQUIRED: True, Need.NONE: False}

UNKNOWN = "unknown"

TABLE: tuple[Row, ...] = (
    Row(
        "environment",
        "host",
        actor=Need.NONE,
        namespace=Need.NONE,
        session=Need.IGNORED,
        writer=Writer.SENSOR,
        words={"en": "Environment", "zh": "环境信息"},
    ),
    Row(
        "consensus",
        "global",
        actor=Need.NONE,
        namespace=Need.NONE,
        session=Need.IGNORED,
        writer=Writer.ADMINS,
        words={"en": "Team consensus", "zh": "部门共识"},
    ),
    Row(
        "about_me",
        "global",
        actor=Need.REQUIRED,
        namespace=Need.NONE,
        session=Need.IGNORED,
        writer=Writer.SELF,
        words={"en": "About me", "zh": "关于我"},
    ),
    Row(
        "agent_memory",
        "agent",
        actor=Need.REQUIRED,
        namespace=Need.REQUIRED,
        session=Need.IGNORED,
        writer=Writer.SELF,
        words={"en": "Agent memory", "zh": "角色记忆"},
        namespace_giver="the caller",
    ),
    Row(
        "session",
        "session",
        actor=Need.OPTIONAL,
        namespace=Need.OPTIONAL,
        session=Need.REQUIRED,
        writer=Writer.RUNTIME,
        words={"en": "This session", "zh": "会话记忆"},
        namespace_giver="the runtime",
    ),
    Row(
        "working",
        "working",
        actor=Need.OPTIONAL,
        namespace=Need.OPTIONAL,
        session=Need.OPTIONAL,
        writer=Writer.RUNTIME,
        words={"en": "Scratch", "zh": "工作缓存"},
        namespace_giver="the runtime",
    ),
    Row(
        UNKNOWN,
        None,
        actor=Need.OPTIONAL,
        namespace=Need.OPTIONAL,
        session=Need.OPTIONAL,
        writer=Writer.NOBODY,
        words={"en": "Unrecognised", "zh": "未识别"},
    ),
)

LAYERS: tuple[str, ...] = tuple(row.name for row in TABLE)
"""All seven, in the order in which they are always shown."""

WRITABLE_LAYERS: tuple[str, ...] = tuple(
    row.name for row in TABLE if row.writer in (Writer.ADMINS, Writer.SELF)
)
"""The layers that people and agents write."""

SCOPES: tuple[str, ...] = tuple(dict.fromkeys(row.scope for row in TABLE if row.scope))
"""Every scope that some layer has."""

_BY_NAME = {row.name: row for row in TABLE}
_BY_SCOPE = {scope: [(row.name, row.conditions) for row in TABLE if row.scope == scope] for scope in SCOPES}


def layer_of(attributes: Mapping[str, str]) -> str:
    """Return the layer of an entry with these attributes.

    This is the only place where that is decided. What no row of the table covers is
    ``unknown``; nothing is guessed.
    """
    for layer, conditions in _BY_SCOPE.get(attributes.get("scope", ""), ()):
        for name, wanted in conditions:
            if bool(attributes.get(name)) is not wanted:
                break
        else:
            return layer
    return UNKNOWN


def layer_row(layer: str) -> Row:
    """Return the table's row for ``layer``; raise :class:`ErrUnknownLayer` where there is none."""
    row = _BY_NAME.get(layer)
    if row is None:
        raise ErrUnknownLayer(f"There is no layer {layer!r}.", hint=f"The layers are {', '.join(LAYERS)}.")
    return row


class Target(NamedTuple):
    """Where a layer's entries are written: the scope, and what has to be given with it."""

    scope: str
    actor: Need
    namespace: Need
    namespace_giver: str
    session: Need
    writer: Writer


def layer_target(layer: str) -> Target:
    """Return which scope ``layer`` is written under, whether it wants an actor, who names the namespace.

    Raises :class:`ErrUnknownLayer`. The scope of ``unknown`` is empty: nobody writes it.
    """
    row = layer_row(layer)
    return Target(row.scope or "", row.actor, row.namespace, row.namespace_giver, row.session, row.writer)


def user_word(layer: str, language: str = "en") -> str:
    """Return what people call ``layer`` in ``language`` ("en" or "zh"; anything else is English)."""
    words = layer_row(layer).words
    return words.get(language.replace("_", "-").split("-")[0].lower(), words["en"])
