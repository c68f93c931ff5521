"""Who asks, and of which cell: what every path under `/cells/{id}` stands on."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, get_args, get_origin

from fastapi import Depends, Request
from fastapi.routing import APIRoute
from starlette.requests import HTTPConnection

from nutsync.core.errors import ErrNoCell, ErrUsage
from nutsync.core.layer_queries import resolve_reader
from nutsync.core.names import check_session
from nutsync.core.web_errors import ErrToken, ErrUnknownCell
from nutsync.frontends.http_api.setup import Served, Setup
from nutsync.operations.cell import Cell, open_cell
from nutsync.operations.overview import Overview
from nutsync.operations.tokens import Asker, identify

_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")


@dataclass(frozen=True)
class Door:
    """An open cell and who came in. Everything in it is made anew for each request, but the overview."""

    name: str
    cell: Cell
    asker: Asker
    overview: Overview

    def reader(self, actor: str | None) -> str:
        """Return whom a question is answered for: who asks, and nobody else (:class:`ErrForbidden`)."""
        return resolve_reader(actor, self.asker.actor, bound=True, everyone=False)


def open_door(request: Request, id: str) -> Door:
    """Open the cell that the path names, for who asks.

    Raises :class:`ErrToken`, and :class:`ErrUnknownCell` where nobody needs a token to be told so.
    """
    setup: Setup = request.app.state.setup
    _refuse_unknown_parameters(request)
    return enter(setup, request, id)


def enter(setup: Setup, connection: HTTPConnection, name: str) -> Door:
    """Open the cell ``name``; it looks the same to strangers whether it is there or not."""
    secret = bearer(connection.headers)
    local = not setup.token_needed and is_local(connection)
    served = setup.cells.get(name)
    if served is None:
        if secret is not None or not local:
            raise ErrToken("That is no token of this cell." if secret else "A token is needed here.")
        raise ErrUnknownCell("No cell of that name is served here.", hint="`GET /cells` lists them.")
    cell = open_served(setup, served)
    asker = identify(cell, secret, local=local)
    connection.state.asker = asker
    if asker.actor != cell.actor:
        cell = open_served(setup, served, asker.actor)
    return Door(name, cell, asker, served.overview)


def open_served(setup: Setup, served: Served, actor: str | None = None) -> Cell:
    """Open the cell as the next command would, so that nothing of another request is left in it."""
    cell = open_cell(served.root, clock=setup.clock, environ=setup.environ, actor=actor)
    if cell.root.resolve() != served.root:
        raise ErrNoCell("The cell is no longer where it was.")
    return cell


def bearer(headers: Mapping[str, str]) -> str | None:
    """Return the secret of an Authorization header, empty where the header is none of ours."""
    header = headers.get("authorization")
    if header is None:
        return None
    scheme, _, secret = header.partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""


def is_local(connection: HTTPConnection) -> bool:
    """Tell whether a request was made on this machine and came through no proxy."""
    if any(name in connection.headers for name in _FORWARDED) or connection.client is None:
        return False
    try:
        address = ipaddress.ip_address(connection.client.host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def even_out(connection: HTTPConnection, asker: Asker | None = None) -> None:
    """Let an answer that found nothing leave at the next tick, where others ask here, too.

    How long a search took could else tell whether others' memory was looked into.
    """
    asker = asker or getattr(connection.state, "asker", None)
    connection.state.even_out = asker is not None and asker.walled


def own_session(session: str | None = None) -> str:
    """Return the session that a question names, empty for none. Raises :class:`ErrName`."""
    return check_session(session) if session else ""


def _refuse_unknown_parameters(request: Request) -> None:
    """Refuse a query that says something no path reads: dropping a condition would widen the question."""
    route = request.scope.get("route")
    if not isinstance(route, APIRoute):
        return
    known = {field.alias: _is_list(field.field_info.annotation) for field in _query_fields(route)}
    for name in request.query_params:
        if name not in known:
            raise ErrUsage(
                f"There is no parameter {name[:40]!r} here.", hint=f"Known are: {', '.join(known) or 'none'}."
            )
        if len(request.query_params.getlist(name)) > 1 and not known[name]:
            raise ErrUsage(f"The parameter {name!r} was given more than once.")


def _query_fields(route: APIRoute) -> list[Any]:
    fields: list[Any] = []
    waiting = [route.dependant]
    while waiting:
        one = waiting.pop()
        fields += one.query_params
        waiting += one.dependencies
    return fields


def _is_list(annotation: object) -> bool:
    return any(get_origin(one) is list for one in (annotation, *get_args(annotation)))


Entered = Annotated[Door, Depends(open_door)]
Session = Annotated[str, Depends(own_session)]
