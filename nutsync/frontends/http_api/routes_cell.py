"""Paths about a cell as a whole: which there are, who asks, its audit, its sync."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from nutsync.core.entry import Ref
from nutsync.core.errors import NutsyncError
from nutsync.core.kind import KINDS
from nutsync.core.layer import TABLE, WRITABLE_LAYERS, layer_row
from nutsync.core.moment import require_date
from nutsync.core.progress import Progress
from nutsync.core.trail import TrailQuery
from nutsync.core.web_errors import ErrToken
from nutsync.frontends.http_api import models
from nutsync.frontends.http_api.answers import answer
from nutsync.frontends.http_api.asking import Entered, bearer, enter, is_local
from nutsync.frontends.http_api.description import refusals
from nutsync.frontends.http_api.events import event_stream
from nutsync.frontends.http_api.routes_memory import Actor, Date, Layer
from nutsync.frontends.http_api.setup import Setup
from nutsync.operations.status import read_status
from nutsync.operations.sync import sync
from nutsync.operations.trail import read_trail
from nutsync.operations.walls import own_sync

router = APIRouter(tags=["cell"])


@router.get("/cells", responses={200: {"model": models.Cells}, **refusals()})
def list_cells(request: Request) -> Response:
    """List the cells that who asks may open."""
    setup: Setup = request.app.state.setup
    found = []
    for name in setup.cells:
        try:
            enter(setup, request, name)
        except NutsyncError as refused:
            if isinstance(refused, ErrToken):
                continue
        found.append(name)
    if not found and (bearer(request.headers) is not None or setup.token_needed or not is_local(request)):
        raise ErrToken("A token is needed here.")
    return answer({"cells": found})


@router.get("/cells/{id}", responses={200: {"model": models.About}, **refusals()})
def about(door: Entered) -> Response:
    """Say who is asking, what today is here, and what the layers are called."""
    layers = [
        {"layer": row.name, "words": dict(row.words), "writable": row.name in WRITABLE_LAYERS}
        for row in TABLE
    ]
    return answer(
        {
            "id": door.name,
            "today": door.cell.clock.now().local_date(),
            "zone": door.cell.config.zone,
            "actor": door.asker.actor,
            "admin": door.asker.is_admin,
            "device": door.cell.device,
            "layers": layers,
            "kinds": list(KINDS),
        }
    )


@router.get("/cells/{id}/sync", tags=["sync"], responses={200: {"model": models.SyncState}, **refusals()})
def show_sync(door: Entered) -> Response:
    """Say when the last sync was, what waits here, what is held, which devices were seen when."""
    return answer(own_sync(door.asker, read_status(door.cell).as_json()))


@router.post(
    "/cells/{id}/sync",
    tags=["sync"],
    responses={
        200: {"model": models.Synced, "content": {"text/event-stream": {}}},
        **refusals(409, 502),
    },
)
async def sync_now(request: Request, door: Entered) -> Response:
    """Make this clone and its remote equal.

    With `Accept: text/event-stream` the answer is a stream of server-sent events: `progress` lines while it
    goes on, then `done` with the document, or `error`. It goes on to its end also where nobody listens.
    """

    def run(progress: Progress | None) -> dict[str, object]:
        return own_sync(door.asker, sync(door.cell, progress=progress).as_json())

    if "text/event-stream" in request.headers.get("accept", ""):
        return event_stream(run)
    return answer(await run_in_threadpool(run, None))


@router.get("/cells/{id}/audit", responses={200: {"model": models.Records}, **refusals(403)})
def audit(
    door: Entered,
    actor: Actor = None,
    device: str | None = None,
    op: str | None = None,
    layer: Layer = None,
    entry: Annotated[str | None, Query(description="Only what touched that ref.")] = None,
    since: Date = None,
    until: Date = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> Response:
    """Who changed what, when, on which device, and why; newest first."""
    query = TrailQuery(
        reader=door.reader(actor),
        device=device,
        op=op,
        layer=layer_row(layer).name if layer is not None else None,
        entry=Ref.parse(entry) if entry is not None else None,
        since=require_date(since) if since is not None else None,
        until=require_date(until) if until is not None else None,
    )
    records = [record.as_json() for record in read_trail(door.cell, query, limit=limit)]
    return answer({"records": records})
