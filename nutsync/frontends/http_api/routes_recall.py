"""The path of recall: what was remembered, found from near to far."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from nutsync.core.errors import ErrUsage
from nutsync.core.layer_requests import resolve_query
from nutsync.core.moment import require_date
from nutsync.core.recall.match import Query as TermQuery
from nutsync.core.recall.match import Term
from nutsync.frontends.http_api import models
from nutsync.frontends.http_api.answers import answer
from nutsync.frontends.http_api.asking import Entered, Session
from nutsync.frontends.http_api.description import refusals
from nutsync.frontends.http_api.routes_memory import Actor, Date, Layer, Scope
from nutsync.operations.recall import DEFAULT_LIMIT, DEFAULT_MAX_CHARS, Question
from nutsync.operations.recall import recall as recall_terms
from nutsync.operations.walls import without_sizes

router = APIRouter(tags=["recall"])

Words = Annotated[list[str] | None, Query(max_length=40)]


@router.get("/cells/{id}/recall", responses={200: {"model": models.Recalled}, **refusals(403)})
def recall(
    door: Entered,
    session: Session,
    term: Words = None,
    others: Annotated[list[str] | None, Query(alias="and", max_length=40)] = None,
    every: Annotated[bool, Query(alias="all", description="A day must have all terms.")] = False,
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
    asked = resolve_query(layer, scope)
    question = Question(
        query=_query(term or [], every, others or []),
        reader=door.reader(actor),
        session=session,
        layer=asked.layer,
        scope=asked.scope,
        since=require_date(since) if since is not None else None,
        until=require_date(until) if until is not None else None,
        deep=deep,
        limit=limit,
    )
    document = recall_terms(door.cell, question).as_json(explain=explain, max_chars=max_chars)
    return answer(without_sizes(door.asker, document))


def _query(terms: list[str], every: bool, others: list[str]) -> TermQuery:
    if not any(term.strip() for term in terms):
        raise ErrUsage("There is nothing to search for.", hint="Give one to three distinctive words.")
    literals = [Term.literal(term) for term in terms]
    first = [(term,) for term in literals] if every else [tuple(literals)]
    both = [tuple(Term.literal(term) for term in others)] if others else []
    return TermQuery.of([*first, *both])
