"""Forgetting in two steps: look first, then go through with the user's own words.

A token stands for exactly what the first step showed, for who asked, for ten minutes, once. It is kept
in this process alone.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nutsync.core.entry import Ref
from nutsync.core.errors import ErrChanged, ErrConfirm, ErrUsage
from nutsync.frontends.mcp_server import models
from nutsync.frontends.mcp_server.asking import Asking, House

if TYPE_CHECKING:
    from nutsync.operations.forget import ForgetRequest, Forgotten

MINUTES = 10
_NOT_YET = "asked by the user"


@dataclass(frozen=True)
class Waiting:
    """A first step: who took it, what it named and showed, and until when it holds (milliseconds)."""

    request: ForgetRequest
    asker: str
    shown: tuple[tuple[str, str], ...]
    until: int


def first_step(
    house: House, asking: Asking, refs: Sequence[Ref], actor: str, *, is_admin: bool
) -> models.Forgetting:
    """Return what would go, with a token; nothing is changed. Raises what :func:`preview` raises."""
    from nutsync.operations.forget import ForgetRequest, preview

    if not refs:
        raise ErrUsage("Name what is to be forgotten.", hint="memory_recall and memory_show give refs.")
    request = ForgetRequest(
        refs=refs, reason=_NOT_YET, actor=actor, is_admin=is_admin, walled=asking.asker.walled,
        reason_is_ours=True,
    )  # fmt: skip
    found = preview(asking.cell, request)
    now = asking.cell.clock.now().millis
    for token in [token for token, waiting in house.waiting.items() if waiting.until < now]:
        del house.waiting[token]
    token = secrets.token_urlsafe(12)
    house.waiting[token] = Waiting(request, asking.asker.actor, _shown(found), now + MINUTES * 60_000)
    going = [models.WouldGo(ref=ref, text=text) for ref, text in _shown(found)]
    return _answer(found, done=False, token=token, will_go=going)


def second_step(
    house: House, asking: Asking, token: str, reason: str, refs: Sequence[str] | None
) -> models.Forgetting:
    """Forget what the first step showed.

    Raises :class:`ErrConfirm` for a token that is none, :class:`ErrChanged` where something else would go
    now, and what :func:`forget` raises; a refused reason leaves the token good.
    """
    from nutsync.operations.forget import forget, preview

    waiting: Waiting | None = house.waiting.get(token)
    now = asking.cell.clock.now().millis
    if waiting is None or waiting.asker != asking.asker.actor or waiting.until < now:
        raise ErrConfirm(
            "That token is none, or no longer one; nothing was changed.",
            hint="Call memory_forget with refs to get one, and show the user what will go.",
        )
    if refs is not None and [str(Ref.parse(ref)) for ref in refs] != [str(r) for r in waiting.request.refs]:
        raise ErrConfirm("The token belongs to other refs; nothing was changed.", hint="Leave the refs out.")
    if not reason.strip():
        raise ErrUsage("Give the user's own request as the reason; nothing was changed.")
    if _shown(preview(asking.cell, waiting.request)) != waiting.shown:
        raise ErrChanged("What would go is no longer what was shown; nothing was changed.")
    done = forget(asking.cell, replace(waiting.request, reason=reason, reason_is_ours=False))
    del house.waiting[token]
    return _answer(done, done=True)


def _shown(found: Forgotten) -> tuple[tuple[str, str], ...]:
    """Return refs and texts of what goes; a block without a stamp under the ref it has now."""
    committed = [(str(one.ref), one.block.text) for one in found.plan.gone]
    return (*committed, *((str(ref), block.text) for ref, block in found.unwritten))


def _answer(found: Forgotten, *, done: bool, token: str | None = None,
            will_go: list[models.WouldGo] | None = None) -> models.Forgetting:  # fmt: skip
    document = found.as_json()
    return models.Forgetting.model_validate(
        {
            "done": done,
            "token": token,
            "will_go": will_go or [],
            "forgotten": document["forgotten"] if done else [],
            "days": document["days"],
            "corrections": document["corrections"],
            "reindexed": document["reindexed"],
            "commit": found.commit,
        }
    )
