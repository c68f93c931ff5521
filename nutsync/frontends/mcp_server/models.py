"""What the tools return; the shapes of entries are those of the HTTP interface."""

from __future__ import annotations

from pydantic import BaseModel, Field

from nutsync.frontends.http_api import models
from nutsync.frontends.mcp_server.words import DATA


class Framed(BaseModel):
    """An answer that holds remembered text."""

    note: str = Field(default=DATA, description="How to read what was remembered.")


class Context(models.Context, Framed):
    """The last days' indexes and the corrections in force; ``dropped`` days had no room."""


class Recalled(models.Recalled, Framed):
    """The stages asked, in order, and the days found, each with the entries that match."""


class Shown(models.Day, Framed):
    """A day, or one entry of it."""


class Placed(BaseModel):
    """Where an entry stands now; ``duplicate``: it stood there before, and nothing was written."""

    ref: str
    id: str | None
    date: str
    path: str
    layer: str
    kind: str
    actor: str
    duplicate: bool


class Remembered(BaseModel):
    """What was written, in which commit, and what could be better about a given index."""

    entries: list[Placed]
    commit: str | None
    warnings: list[str]


class WouldGo(BaseModel):
    ref: str
    text: str


class Forgetting(Framed):
    """First step: what would go, and a token. Second step: what went, and the commit."""

    done: bool
    token: str | None = Field(default=None, description="For the second step; it holds for ten minutes.")
    will_go: list[WouldGo] = []
    forgotten: list[str]
    days: list[str]
    corrections: list[str] = Field(description="Entries that correct those; they stay.")
    reindexed: list[str]
    commit: str | None = None


class Counts(BaseModel):
    """All seven layers."""

    environment: int
    consensus: int
    about_me: int
    agent_memory: int
    session: int
    working: int
    unknown: int
