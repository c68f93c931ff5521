"""Paths about days: lists, years, one day, one entry, and what corrects and forgets them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Path, Query
from starlette.responses import Response

from nutsync.core.entry import Ref
from nutsync.core.errors import ErrRef, ErrUnknownRef, ErrUsage
from nutsync.core.index import Said
from nutsync.core.layer_queries import resolve_query
from nutsync.core.moment import require_date
from nutsync.frontends.http_api import models
from nutsync.frontends.http_api.answers import answer, wanted_tags
from nutsync.frontends.http_api.asking import Door, Entered, Session
from nutsync.frontends.http_api.description import refusals
from nutsync.frontends.http_api.rendering import render
from nutsync.frontends.http_api.routes_memory import Actor, Cursor, Date, Layer, Limit, Scope, kept_json
from nutsync.operations.conditions import day_tag, unchanged
from nutsync.operations.correct import correct
from nutsync.operations.forget import ForgetRequest, forget, preview
from nutsync.operations.listing import Listing, page_days, year, years
from nutsync.operations.seen import entry_json
from nutsync.operations.show import Shown, show
from nutsync.operations.walls import behind_wall, require_own_ground

router = APIRouter(tags=["days"])

IfMatch = Annotated[str | None, Header(description="ETags of the days that are to change; 409 if they did.")]
IfNoneMatch = Annotated[str | None, Header(description="The ETag that is known; 304 if it still holds.")]
At = Annotated[str | None, Query(description="A commit or a date: the day as it was then.")]


@router.get("/cells/{id}/days", responses={200: {"model": models.Days}, **refusals(403)})
def list_days(
    door: Entered,
    session: Session,
    layer: Layer = None,
    scope: Scope = None,
    actor: Actor = None,
    since: Date = None,
    until: Date = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """List days, newest first, with their indexes: a page at a time."""
    listing = Listing(
        actor=door.reader(actor),
        session=session,
        query=resolve_query(layer, scope),
        since=require_date(since) if since is not None else "",
        until=require_date(until) if until is not None else "9999",
        limit=limit,
        cursor=cursor,
    )
    page = page_days(door.cell, door.overview, listing)
    return answer({"days": page.items, "next": page.next})


@router.get("/cells/{id}/years", responses={200: {"model": models.Years}, **refusals(403)})
def list_years(door: Entered, actor: Actor = None, layer: Layer = None) -> Response:
    """Count entries by year, newest first."""
    listing = Listing(actor=door.reader(actor), query=resolve_query(layer, None))
    today = door.cell.clock.now().local_date()
    return answer({"today": today, "years": years(door.cell, door.overview, listing)})


@router.get("/cells/{id}/years/{which}", responses={200: {"model": models.Year}, **refusals(403)})
def show_year(
    door: Entered,
    which: Annotated[str, Path(pattern=r"^[0-9]{4}$")],
    actor: Actor = None,
    layer: Layer = None,
) -> Response:
    """Count the entries of each day of a year that has any."""
    listing = Listing(actor=door.reader(actor), query=resolve_query(layer, None))
    return answer({"year": which, "days": year(door.cell, door.overview, listing, which)})


@router.get("/cells/{id}/days/{date}", responses={200: {"model": models.Day}, 304: {}, **refusals(403, 404)})
def show_day(
    door: Entered,
    session: Session,
    date: str,
    actor: Actor = None,
    at: At = None,
    if_none_match: IfNoneMatch = None,
) -> Response:
    """Show a day. Its ETag is what `If-Match` takes when an entry of it is corrected or forgotten."""
    shown = show(door.cell, Ref(require_date(date)), actor=door.reader(actor), at=at, session=session)
    return _tagged(shown.as_json(), day_tag(shown), if_none_match)


@router.get(
    "/cells/{id}/days/{date}/{entry}", responses={200: {"model": models.Story}, 304: {}, **refusals(403, 404)}
)
def show_entry(
    door: Entered,
    session: Session,
    date: str,
    entry: str,
    actor: Actor = None,
    at: At = None,
    rendered: Annotated[bool, Query(description="Also as Markdown: a tree of harmless elements.")] = False,
    if_none_match: IfNoneMatch = None,
) -> Response:
    """Show one entry: by its id, or `~4` for the fourth unstamped block. The ETag is its day's."""
    reader = door.reader(actor)
    ref = Ref.parse(f"{require_date(date)}#{entry}")
    shown = show(door.cell, ref, actor=reader, at=at, session=session)
    document = _entry_document(shown)
    if rendered:
        document["rendered"] = render(str(document["text"]))
    day = show(door.cell, Ref(date), actor=reader, at=at, session=session)
    return _tagged(document, day_tag(day), if_none_match)


def _entry_document(shown: Shown) -> dict[str, object]:
    ref, block = shown.entries[0]
    day = shown.as_json()
    about = {key: day[key] for key in ("date", "path", "index", "frozen")}
    newer = [entry_json(one, by, shown.corrections) for one, by in shown.corrections.of_ref(ref)]
    return {**about, **entry_json(ref, block, shown.corrections), "corrections": newer}


def _tagged(document: dict[str, object], tag: str, known: str | None) -> Response:
    tags = wanted_tags(known)
    if tag in tags or "*" in tags:
        return Response(status_code=304, headers={"ETag": f'"{tag}"'})
    return answer(document, tag=tag)


@router.post(
    "/cells/{id}/correct",
    status_code=201,
    tags=["changes"],
    responses={201: {"model": models.Kept}, 200: {"model": models.Kept}, **refusals(403, 404, 409, 413)},
)
def correct_entry(door: Entered, body: models.Correction, if_match: IfMatch = None) -> Response:
    """Remember today what holds instead of an entry. The old day stays as it is."""
    if not body.ref:
        raise ErrRef("A correction needs the ref of what it corrects.")
    ref, text = Ref.parse(body.ref), body.content or ""
    asker = door.asker
    today = door.cell.clock.now().local_date()
    require_own_ground(door.cell, asker, today, body.index, _said(door, ref, text))
    with behind_wall(asker, ref), unchanged(door.cell, [ref], asker.actor, wanted_tags(if_match)):
        done = correct(door.cell, ref, text, index=body.index, actor=asker.actor, is_admin=asker.is_admin)
    document = {"entries": done.entries_json(), "commit": done.commit, "warnings": list(done.warnings)}
    kept = kept_json(door, document, "")
    return answer(kept, 200 if kept["duplicate"] else 201)


def _said(door: Door, ref: Ref, text: str) -> list[Said]:
    try:
        old = show(door.cell, ref, actor=door.asker.actor).entries[0][1].text
    except ErrUnknownRef:
        old = None
    return [Said(text, "correction", old, door.asker.actor)]


@router.post(
    "/cells/{id}/forget",
    tags=["changes"],
    responses={200: {"model": models.Forgotten}, **refusals(403, 404, 409)},
)
def forget_entries(door: Entered, body: models.Forgetting, if_match: IfMatch = None) -> Response:
    """Remove exactly the named entries, or what one sees of a day. The history still holds the text."""
    if not body.refs:
        raise ErrUsage("Name what is to be forgotten.")
    refs = [Ref.parse(ref) for ref in body.refs]
    asker = door.asker
    for date in {ref.date for ref in refs}:
        require_own_ground(door.cell, asker, date, body.index)
    request = ForgetRequest(
        refs=refs,
        reason=body.reason or "",
        actor=asker.actor,
        replacement=body.replace,
        index=body.index,
        is_admin=asker.is_admin,
        walled=asker.walled,
    )
    with unchanged(door.cell, refs, asker.actor, wanted_tags(if_match)):
        done = preview(door.cell, request) if body.dry_run else forget(door.cell, request)
    return answer(done.as_json())
