"""Who calls a tool, and the cell it is answered from: opened anew for every call."""

from __future__ import annotations

import functools
import threading
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from mcp.server.mcpserver.exceptions import ResourceError, ToolError

from nutsync.core.errors import NutsyncError
from nutsync.core.layer_queries import resolve_reader
from nutsync.operations.cell import Cell, open_cell
from nutsync.operations.tokens import Asker, identify
from nutsync.operations.waiting import take_up_what_waits
from nutsync.store.clock import Clock
from nutsync.store.report import write_report

_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")

_secret: ContextVar[str | None] = ContextVar("nutsync_mcp_secret", default=None)
_one_at_a_time = threading.Lock()


async def note_secret(ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
    """Keep the bearer token of a request, where it came over HTTP, for the tool it calls."""
    headers = getattr(ctx.request, "headers", {})
    scheme, _, secret = headers.get("authorization", "").partition(" ")
    _secret.set(secret.strip() if scheme.lower() == "bearer" else None)
    return await call_next(ctx)


@dataclass(frozen=True)
class Asking:
    """An open cell and who asks."""

    cell: Cell
    asker: Asker

    def reader(self, actor: str | None) -> str:
        """Return whom a question is answered for. Raises :class:`ErrForbidden`.

        Who came in by a token is that actor. Who started this process has the clone and may ask for any
        one actor, as on the command line.
        """
        return resolve_reader(actor or None, self.asker.actor, bound=self.asker.walled, everyone=False)

    def session(self, given: str | None) -> str:
        """Return the session: the one given, else the environment's, where this process has one user."""
        return given or ("" if self.asker.walled else self.cell.settings.session or "")


@dataclass
class House:
    """The cell that is served, and the forgets that wait for their second step."""

    root: Path
    environ: Mapping[str, str]
    clock: Clock | None = None
    waiting: dict[str, Any] = field(default_factory=dict)

    def ask(self) -> Asking:
        """Open the cell for who is calling now. Raises :class:`ErrToken` for a token that is none."""
        cell = open_cell(self.root, clock=self.clock, environ=self.environ)
        asker = identify(cell, _secret.get(), local=True)
        if asker.actor != cell.actor:
            cell = open_cell(self.root, clock=self.clock, environ=self.environ, actor=asker.actor)
        take_up_what_waits(cell)
        return Asking(cell, asker)


def by_name(
    raised: type[ToolError] | type[ResourceError],
) -> Callable[[Callable[_Given, _Answer]], Callable[_Given, _Answer]]:
    """Make a function answer every refusal by its name, and a bug without what memory held.

    Calls wait for each other: they are short, and the clone has one lock.
    """

    def decorate(function: Callable[_Given, _Answer]) -> Callable[_Given, _Answer]:
        @functools.wraps(function)
        def answer(*args: _Given.args, **kwargs: _Given.kwargs) -> _Answer:
            try:
                with _one_at_a_time:
                    return function(*args, **kwargs)
            except NutsyncError as error:
                raise raised(f"{error.code}: {error.message} {error.hint}".strip()) from None
            except Exception as error:
                path = write_report(error)
                words = f"ErrBug: {type(error).__name__}. A report without memory text is at {path}."
                raise raised(words) from None

        return answer

    return decorate
