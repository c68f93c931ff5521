"""The path of recall: what was remembered, found from near to far."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from nutsync.core.errors import ErrUsage
from nutsync.core.layer_queries import resolve_query
from nutsync.core.moment import require_date
from nutsync.frontends.http_api import models
from nutsync.frontends.http_api.answers import answer
from nutsync.frontends.http_api.asking import Entered, Session, even_out
from nutsync.frontends.http_api.description import refusals
from nutsync.frontends.http_api.routes_memory import Actor, Date, Layer, Scope
from nutsync.operations.recall import recall as recall_question
from nutsync.operations.recalled import DEFAULT_LIMIT, DEFAULT_MAX_CHARS, Question, terms_query
from nutsync.operations.walls import without_sizes

router = APIRouter(tags=["recall"])

Words = Annotated[list[str] | None, Query(max_length=40)]


@router.get("/cells/{id}/recall", responses={200: {"model": models.Recalled}, **refusals(403)})
def recall(
    request: Request,
    door: Entered,
    session: Session,
    term: Words = None,
    others: Annotated[list[str] | None, Query(alias="and", max_length=40)] = None,
    every: Annotated[bool, Query(alias="all", description="A day must have all terms.")] = False,
    ask: Annotated[str | None, Query(max_length=2000, description="A question, instead of terms.")] = None,
    deep: Annotated[bool, Query(description="Ask every stage.")] = False,
    explain: bool = False,
    actor: Actor = None,
    layer: Layer = None,
    scope: Scope = None,
    since: Date = None,
    until: Date = None,
    limit: Annotated[int, Query(ge=1, le=500)] = DEFAULT_LIMIT,
    max_chars: Annotated[int, Query(ge=1, le=1_000_000)] = DEFAULT_MAX_CHARS,
) -> Response:
    """Find what was remembered: session, last 30 days, catalogs, indexes, bodies; stop where it is found."""
    if ask is not None and (term or others or every):
        raise ErrUsage("A question takes no terms beside it.")
    asked = resolve_query(layer, scope)
    question = Question(
        query=None if ask is not None else terms_query(term or [], every=every, others=others or []),
        ask=ask,
        reader=door.reader(actor),
        session=session,
        layer=asked.layer,
        scope=asked.scope,
        since=require_date(since) if since is not None else None,
        until=require_date(until) if until is not None else None,
        deep=deep,
        limit=limit,
    )
    found = recall_question(door.cell, question)
    if not found.hits:
        even_out(request, door.asker)
    document = found.as_json(explain=explain, max_chars=max_chars)
    return answer(without_sizes(door.asker, document))
