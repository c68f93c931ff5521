"""The tools: each asks one operation and frames what it returns."""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from nutsync.core.append import said
from nutsync.core.entry import Ref
from nutsync.core.errors import ErrUsage
from nutsync.core.index import Said
from nutsync.core.kind import KINDS
from nutsync.core.layer import WRITABLE_LAYERS
from nutsync.core.moment import require_date
from nutsync.frontends.mcp_server import models, words
from nutsync.frontends.mcp_server.asking import Asking, House, by_name
from nutsync.frontends.mcp_server.forgetting import first_step, second_step

Actor = Annotated[str | None, Field(description=words.ACTOR)]
Session = Annotated[str | None, Field(description=words.SESSION)]
Date = Annotated[str | None, Field(description="YYYY-MM-DD, inclusive.")]
Reference = Annotated[str, Field(description="date#id, date#~n, or a date.")]
Index = Annotated[str | None, Field(description="Today's index, one line; left out, it is made.")]
Kind = Annotated[str, Field(description=words.KIND, json_schema_extra={"enum": [*KINDS]})]
Layer = Annotated[str, Field(description=words.LAYER, json_schema_extra={"enum": [*WRITABLE_LAYERS]})]


class Tools:
    """The seven tools on one cell."""

    def __init__(self, house: House) -> None:
        self.house = house

    @by_name(ToolError)
    def memory_context(
        self,
        days: Annotated[int, Field(ge=1, le=3660)] = 30,
        max_chars: Annotated[int, Field(ge=1, le=1_000_000)] = 20_000,
        actor: Actor = None,
    ) -> models.Context:
        from nutsync.operations.context import context

        asking = self.house.ask()
        found = context(asking.cell, reader=asking.reader(actor), days=days, max_chars=max_chars)
        return models.Context.model_validate(found.as_json())

    @by_name(ToolError)
    def memory_recall(
        self,
        terms: Annotated[list[str] | None, Field(description="One to three; any may match.")] = None,
        ask: Annotated[str | None, Field(description="A question, instead of terms.")] = None,
        actor: Actor = None,
        session: Session = None,
        limit: Annotated[int, Field(ge=1, le=500)] = 20,
        max_chars: Annotated[int, Field(ge=1, le=1_000_000)] = 20_000,
        since: Date = None,
        until: Date = None,
        deep: Annotated[bool, Field(description="Ask every stage, also where a near one found it.")] = False,
    ) -> models.Recalled:
        from nutsync.operations.recall import recall
        from nutsync.operations.recalled import Question, terms_query
        from nutsync.operations.walls import without_sizes

        asking = self.house.ask()
        if ask is not None and terms:
            raise ErrUsage("A question takes no terms beside it.")
        question = Question(
            query=None if ask is not None else terms_query(terms or []),
            ask=ask,
            reader=asking.reader(actor),
            session=asking.session(session),
            since=require_date(since) if since else None,
            until=require_date(until) if until else None,
            deep=deep,
            limit=limit,
        )
        document = recall(asking.cell, question).as_json(max_chars=max_chars)
        return models.Recalled.model_validate(without_sizes(asking.asker, document))

    @by_name(ToolError)
    def memory_show(
        self,
        ref: Reference,
        at: Annotated[str | None, Field(description="As it was in that commit or on that date.")] = None,
        actor: Actor = None,
        session: Session = None,
    ) -> models.Shown:
        from nutsync.operations.show import show

        asking = self.house.ask()
        reader = asking.reader(actor)
        shown = show(asking.cell, Ref.parse(ref), actor=reader, at=at, session=asking.session(session))
        return models.Shown.model_validate(shown.as_json())

    @by_name(ToolError)
    def memory_append(
        self,
        text: Annotated[str, Field(description="One thing, as a future reader needs it.")],
        kind: Kind = "",
        layer: Layer = "",
        actor: Actor = None,
        namespace: Annotated[str | None, Field(description=words.NAMESPACE)] = None,
        session: Session = None,
        index: Index = None,
    ) -> models.Remembered:
        from nutsync.core.layer_requests import WriteRequest
        from nutsync.operations.remember import Memo, remember

        asking = self.house.ask()
        request = WriteRequest(
            layer=layer,
            kind=kind,
            actor=actor,
            namespace=namespace,
            session=asking.session(session) or None,
            own_actor=asking.asker.actor,
            is_admin=_is_admin(asking, actor),
            bound=asking.asker.walled,
        )
        own_ground(asking, index, [Said(text, kind, None, asking.asker.actor)])
        document = remember(asking.cell, [Memo(text, request)], index=index)
        return _remembered(asking, document)

    @by_name(ToolError)
    def memory_correct(
        self,
        ref: Reference,
        text: Annotated[str, Field(description="What holds instead.")],
        index: Index = None,
        actor: Actor = None,
    ) -> models.Remembered:
        from nutsync.operations.correct import correct
        from nutsync.operations.walls import behind_wall

        asking = self.house.ask()
        target, asked_by = Ref.parse(ref), asking.reader(actor)
        own_ground(asking, index, [Said(text, "correction", _old_text(asking, target), asked_by)])
        with behind_wall(asking.asker, target):
            done = correct(
                asking.cell, target, text, index=index, actor=asked_by, is_admin=_is_admin(asking, asked_by)
            )
        document = {"entries": done.entries_json(), "commit": done.commit, "warnings": list(done.warnings)}
        return _remembered(asking, document)

    @by_name(ToolError)
    def memory_forget(
        self,
        refs: Annotated[list[str] | None, Field(description="First step: what is to go.")] = None,
        token: Annotated[str | None, Field(description="Second step: what the first one gave.")] = None,
        reason: Annotated[str | None, Field(description="Second step: the user's request.")] = None,
        actor: Actor = None,
    ) -> models.Forgetting:
        asking = self.house.ask()
        asked_by = asking.reader(actor)
        rights = _is_admin(asking, asked_by)
        if token is not None:
            return second_step(self.house, asking, token, reason or "", refs)
        return first_step(
            self.house, asking, [Ref.parse(ref) for ref in refs or []], asked_by, is_admin=rights
        )

    @by_name(ToolError)
    def memory_counts(self, actor: Actor = None, session: Session = None) -> models.Counts:
        from nutsync.operations.layers import counts

        asking = self.house.ask()
        found = counts(asking.cell, actor=asking.reader(actor), session=asking.session(session))
        return models.Counts.model_validate(found)


def _is_admin(asking: Asking, actor: str | None) -> bool:
    """Return whether a change is made with an admin's rights: the token's, else those of who is named."""
    if asking.asker.walled:
        return asking.asker.is_admin
    return (actor or asking.asker.actor) in asking.cell.config.admins


def own_ground(asking: Asking, index: str | None, new: list[Said]) -> None:
    """Refuse an index that names what only others' entries of today have."""
    from nutsync.operations.walls import require_own_ground

    today = asking.cell.clock.now().local_date()
    require_own_ground(asking.cell, asking.asker, today, index, new)


def _old_text(asking: Asking, ref: Ref) -> str | None:
    from nutsync.core.errors import NutsyncError
    from nutsync.operations.show import show

    try:
        shown = show(asking.cell, ref, actor=asking.asker.actor)
    except NutsyncError:
        return None
    return said([shown.entries[0][1]], {})[0].text


def _remembered(asking: Asking, document: dict[str, Any]) -> models.Remembered:
    from nutsync.operations.walls import own_warnings

    entries = document["entries"]
    warnings = own_warnings(asking.cell, asking.asker, entries[0]["date"], document["warnings"])
    return models.Remembered.model_validate({**document, "warnings": warnings})
