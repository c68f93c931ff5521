"""What may be asked, by layer or scope, and for whom it is answered (design §4).

Apart from what may be written, since reading happens most and needs the least.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import NamedTuple

from nutsync.core.errors import ErrForbidden, ErrMemoryLayerScopeConflict, ErrUsage
from nutsync.core.layer import layer_of, layer_row
from nutsync.core.visibility import EVERYONE


class Query(NamedTuple):
    """A question's restriction by layer or by scope; with neither it lets everything through."""

    layer: str | None = None
    scope: str | None = None

    def matches(self, attributes: Mapping[str, str]) -> bool:
        """Tell whether an entry with these attributes is asked for."""
        if self.layer is not None:
            return layer_of(attributes) == self.layer
        return self.scope is None or attributes.get("scope", "") == self.scope


def resolve_query(layer: str | None, scope: str | None) -> Query:
    """Return the restriction that ``--layer`` or ``--scope`` makes.

    Raises :class:`ErrMemoryLayerScopeConflict` for both at once, :class:`ErrUnknownLayer` for a
    layer that is none and :class:`ErrUsage` for an empty scope: dropping such a condition would
    widen the question.
    """
    check_one_question(layer, scope)
    if layer is not None:
        layer_row(layer)
    if scope == "":
        raise ErrUsage("An empty scope asks for nothing.", hint="Leave it out to ask for every scope.")
    return Query(layer, scope)


def resolve_reader(given: str | None, own: str, *, bound: bool, everyone: bool) -> str:
    """Return the actor that a question is answered for.

    ``own`` is who is asking and serves where none is given. ``bound`` says that the asker cannot
    be anybody else (a token says who it is), ``everyone`` that :data:`EVERYONE` may be asked for
    (the command line). Raises :class:`ErrForbidden`.
    """
    actor = own if given is None else composed(given)
    if (bound and actor != own) or (actor == EVERYONE and not everyone):
        raise ErrForbidden(
            "That is another actor's memory.", hint="Ask as yourself; `*` is for the command line."
        )
    return actor


def composed(name: str) -> str:
    """Return ``name`` as names are stored, so that it is found however it was typed."""
    return unicodedata.normalize("NFC", name)


def check_one_question(layer: str | None, scope: str | None) -> None:
    """Refuse layer and scope together: they could ask for different things."""
    if layer is not None and scope is not None:
        raise ErrMemoryLayerScopeConflict("Layer and scope were both given.", hint="Give one of them.")
