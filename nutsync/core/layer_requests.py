"""What may be written and cleared by layer, and every refusal by its name (design §4).

The order of the checks is part of the contract: first whether the words fit together, then
what the layer wants, then the kind, and rights last. Absent (None) is not empty (``""``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from nutsync.core.errors import (
    ErrForbidden,
    ErrLayerActorRequired,
    ErrLayerAdminRequired,
    ErrLayerNamespaceForbidden,
    ErrLayerNamespaceRequired,
    ErrLayerNotWritable,
    ErrLayerShared,
    ErrSessionRequired,
)
from nutsync.core.kind import DECLARATIVE, is_session_bound, require_formation, require_kind
from nutsync.core.layer import TABLE, WRITABLE_LAYERS, Need, Row, Writer, layer_of, layer_row
from nutsync.core.layer_queries import check_one_question, composed
from nutsync.core.names import check_actor, check_namespace, check_session
from nutsync.core.visibility import EVERYONE, may_change

DEFAULT_LAYER = "about_me"
DEFAULT_KIND = "fact"

_HANDS = (Writer.ADMINS, Writer.SELF)
_SHARED = ", ".join(row.name for row in TABLE if row.actor is Need.NONE)


@dataclass(frozen=True, kw_only=True)
class WriteRequest:
    """What somebody wants to write, as it was said.

    ``actor`` is the one given with the request; ``own_actor`` is who is asking (configured, or
    the token's), and serves where a layer wants an actor and none was given. ``writer`` is the
    door the request came through. ``bound`` says that the asker cannot write for anybody else.
    """

    layer: str | None
    kind: str | None
    actor: str | None = None
    namespace: str | None = None
    session: str | None = None
    scope: str | None = None
    formation: str | None = None
    own_actor: str | None = None
    is_admin: bool = False
    writer: Writer = Writer.SELF
    bound: bool = False


class Placement(NamedTuple):
    """Where a new entry goes: its layer, its layer's attributes, and whether it outlives its session."""

    layer: str
    attributes: Mapping[str, str]
    durable: bool


def command_line_defaults(layer: str | None, kind: str | None) -> tuple[str, str]:
    """Return the layer and the kind that the command line writes with; only what is absent is filled in."""
    return (DEFAULT_LAYER if layer is None else layer, DEFAULT_KIND if kind is None else kind)


def resolve_write(request: WriteRequest) -> Placement:
    """Return where the entry goes, or raise the named error of the first rule it breaks.

    The attributes are kind, scope, actor, namespace, session and formation, only those that say
    something, in this order. A name that none may bear is :class:`ErrName`.
    """
    check_one_question(request.layer, request.scope)
    row = layer_row(request.layer or "")
    _check_writer(row, request.writer)
    actor = _writing_actor(row, request)
    _check_namespace(row, request.namespace, required=True)
    kind = require_kind(request.kind)
    formation = require_formation(request.formation)
    _check_session(row, kind, request.session)
    if row.writer is Writer.ADMINS and not request.is_admin:
        raise ErrLayerAdminRequired("Only an admin writes the consensus.")
    if request.bound and actor and composed(actor) != request.own_actor:
        raise ErrForbidden("That would be another actor's memory.", hint="Write as yourself.")
    attributes = {
        "kind": kind,
        "scope": row.scope or "",
        "actor": check_actor(actor) if actor else "",
        "namespace": check_namespace(request.namespace) if request.namespace else "",
        "session": check_session(request.session) if request.session else "",
        "formation": "" if formation == DECLARATIVE else formation,
    }
    durable = row.writer is not Writer.RUNTIME and not is_session_bound(kind)
    said = {name: value for name, value in attributes.items() if value}
    return Placement(row.name, MappingProxyType(said), durable)


def resolve_correction(target: Mapping[str, str], actor: str, *, is_admin: bool) -> Placement:
    """Return where a correction of the entry with the attributes ``target`` goes.

    It inherits what makes the target's layer, so that whoever saw the mistake sees the
    correction. Raises :class:`ErrLayerNotWritable` for the sensor's entries, and what
    :func:`check_change` raises.
    """
    layer = layer_of(target)
    if layer_row(layer).writer is Writer.SENSOR:
        raise ErrLayerNotWritable(
            f"The layer {layer} is written by the host sensor only.", hint="Run `nutsync sense`."
        )
    check_change(target, actor, is_admin=is_admin)
    inherited = {name: target[name] for name in ("scope", "actor", "namespace") if target.get(name)}
    if layer == "session":
        inherited["session"] = target["session"]
    attributes = MappingProxyType({"kind": "correction", **inherited})
    return Placement(layer, attributes, layer_row(layer).writer is not Writer.RUNTIME)


def check_change(target: Mapping[str, str], actor: str, *, is_admin: bool) -> None:
    """Refuse a change (correct, forget, clear) of somebody else's entry.

    Raises :class:`ErrLayerAdminRequired` for consensus and :class:`ErrForbidden` for the rest.
    """
    if may_change(target, actor, is_admin=is_admin):
        return
    if layer_row(layer_of(target)).writer is Writer.ADMINS:
        raise ErrLayerAdminRequired("Only an admin changes the consensus.")
    raise ErrForbidden("That entry belongs to another actor.", hint="Its actor or an admin can change it.")


@dataclass(frozen=True, kw_only=True)
class ClearLayerRequest:
    """A request to forget all entries of one layer, of one actor, and perhaps of one namespace.

    ``own_actor`` is who asks. The fields are only ever given by name: layer, actor and namespace
    are all texts, and swapping two of them would clear something else.
    """

    layer: str
    actor: str | None = None
    namespace: str | None = None
    reason: str | None = None
    own_actor: str | None = None
    is_admin: bool = False


class Clearing(NamedTuple):
    """What a clear takes: entries of this layer, and of this actor and namespace where they are set."""

    layer: str
    actor: str | None
    namespace: str | None
    reason: str

    def matches(self, attributes: Mapping[str, str]) -> bool:
        """Tell whether an entry with these attributes goes."""
        return (
            layer_of(attributes) == self.layer
            and self.actor in (None, attributes.get("actor", ""))
            and self.namespace in (None, attributes.get("namespace", ""))
        )


def resolve_clear(request: ClearLayerRequest) -> Clearing:
    """Return what the request takes, or raise the named error of the first rule it breaks.

    The actor has to be given; a layer that people do not write is not cleared by hand either. A
    namespace that is given but empty is refused, since it would clear every namespace.
    """
    row = layer_row(request.layer)
    given, namespace = composed(request.actor or ""), composed(request.namespace or "")
    _check_writer(row, Writer.SELF)
    _check_shared(row, given)
    if row.actor is Need.REQUIRED and given in ("", EVERYONE):
        raise ErrLayerActorRequired(f"Clearing {row.name} needs the actor whose entries are to go.")
    _check_namespace(row, request.namespace, required=request.namespace is not None)
    owned = {"scope": row.scope or "", "actor": given}
    if row.namespace is Need.REQUIRED:
        owned["namespace"] = namespace or "any"
    check_change(owned, request.own_actor or "", is_admin=request.is_admin)
    reason = request.reason or f"{request.own_actor or 'an admin'} cleared {row.name}"
    actor = given if row.actor is Need.REQUIRED else None
    return Clearing(row.name, actor, namespace or None, reason)


def _check_writer(row: Row, writer: Writer) -> None:
    """Refuse a layer that is not written through the door the request came through."""
    if row.writer is writer or (row.writer in _HANDS and writer in _HANDS):
        return
    if writer in _HANDS:
        hint = f"The layers to write are {', '.join(WRITABLE_LAYERS)}."
        raise ErrLayerNotWritable(f"The layer {row.name} is written by {row.writer.value}.", hint=hint)
    mine = [other.name for other in TABLE if other.writer is writer]
    raise ErrLayerNotWritable(
        f"The layer {row.name} is not written that way.", hint=f"Here it is one of {', '.join(mine)}."
    )


def _check_shared(row: Row, actor: str | None) -> None:
    if row.actor is Need.NONE and actor:
        raise ErrLayerShared(
            f"The layer {row.name} is shared; it takes no actor.", hint="Leave the actor out."
        )


def _writing_actor(row: Row, request: WriteRequest) -> str | None:
    """Return the actor of the new entry, None where its layer has none."""
    _check_shared(row, request.actor)
    if row.actor is Need.NONE:
        return None
    actor = request.own_actor if request.actor is None else request.actor
    if row.actor is Need.REQUIRED and not actor:
        raise ErrLayerActorRequired(
            f"The layer {row.name} belongs to one actor, and none was given.",
            hint=f"Give an actor. Shared layers are {_SHARED}.",
        )
    return actor


def _check_namespace(row: Row, namespace: str | None, *, required: bool) -> None:
    if row.namespace is Need.NONE and namespace:
        raise ErrLayerNamespaceForbidden(f"The layer {row.name} has no namespace.", hint="Leave it out.")
    if row.namespace is Need.REQUIRED and required and not namespace:
        raise ErrLayerNamespaceRequired(
            f"The layer {row.name} needs a namespace.", hint="Name the agent or the role it belongs to."
        )


def _check_session(row: Row, kind: str, session: str | None) -> None:
    if session:
        return
    if row.session is Need.REQUIRED:
        raise ErrSessionRequired(f"The layer {row.name} needs a session.")
    if is_session_bound(kind) and row.writer is not Writer.RUNTIME:
        raise ErrSessionRequired(
            f"The kind {kind} ends with its session, and no session was given.",
            hint="Give a session, or a kind that lasts.",
        )
