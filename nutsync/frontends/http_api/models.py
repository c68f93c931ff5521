"""The shapes of requests, and of answers as the description at /openapi.json tells them.

What a request leaves out is None here and is refused, by its own name, by the rule that misses it: these
shapes know no defaults.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from nutsync.core.layer import LAYERS


class Request(BaseModel):
    """A body; fields that are not known are refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class NewMemory(Request):
    """Something to remember today."""

    layer: str | None = Field(default=None, description="about_me, agent_memory or consensus.")
    content: str | None = Field(default=None, description="The text; at most 64 KiB of UTF-8.")
    kind: str | None = Field(default=None, description="fact, preference, decision, …; never empty.")
    actor: str | None = None
    namespace: str | None = Field(default=None, description="Wanted by agent_memory, and only there.")
    session: str | None = None
    scope: str | None = Field(default=None, description="Not together with layer.")
    index: str | None = Field(default=None, description="Today's index, written by hand.")


class Correction(Request):
    """What holds instead of an entry."""

    ref: str | None = None
    content: str | None = None
    index: str | None = None


class Forgetting(Request):
    """What is to be forgotten, and why."""

    refs: list[str] | None = Field(default=None, max_length=1000)
    reason: str | None = Field(default=None, description="It lasts: without what was remembered.")
    replace: str | None = Field(default=None, description="What takes the place of the one entry.")
    index: str | None = None
    dry_run: bool = Field(default=False, description="Say exactly what would change; change nothing.")


class Error(BaseModel):
    code: str
    message: str
    hint: str


class Refusal(BaseModel):
    """Every refusal: the error's name is what programs compare."""

    error: Error


class Entry(BaseModel):
    """An entry as `nutsync show` gives it. ``layer`` is never derived by clients."""

    date: str
    ref: str
    id: str | None
    text: str
    layer: str = Field(json_schema_extra={"enum": list(LAYERS)})
    kind: str
    actor: str
    namespace: str
    session: str
    at: str
    device: str
    corrects: str
    corrected_by: list[str]


class Kept(Entry):
    """What was remembered. ``duplicate``: it was there already, and nothing was written."""

    path: str
    duplicate: bool
    commit: str | None
    warnings: list[str]


class Entries(BaseModel):
    """A page; ``next`` is the cursor of the one after it."""

    entries: list[Entry]
    next: str | None


class DayEntry(BaseModel):
    """An entry within its day."""

    ref: str
    id: str | None
    text: str
    layer: str
    kind: str
    actor: str
    namespace: str
    session: str
    at: str
    device: str
    corrects: str
    corrected_by: list[str]


class Story(Entry):
    """An entry with its day and what corrects it, newest first; ``rendered`` where it was asked for."""

    path: str
    index: str
    frozen: bool
    corrections: list[DayEntry]
    rendered: list[object] | None = None


class Day(BaseModel):
    date: str
    path: str
    index: str
    frozen: bool
    entries: list[DayEntry]


class DayLine(BaseModel):
    date: str
    path: str
    index: str
    frozen: bool
    entries: int
    layers: dict[str, int]


class Days(BaseModel):
    days: list[DayLine]
    next: str | None


class Years(BaseModel):
    today: str
    years: dict[str, int]


class Year(BaseModel):
    year: str
    days: dict[str, int]


class Stage(BaseModel):
    stage: str
    scanned: int | None
    hits: int


class Hit(BaseModel):
    date: str
    path: str
    index: str
    stage: str
    score: float
    entries: list[dict[str, object]]


class Recalled(BaseModel):
    terms: list[str]
    stages: list[Stage]
    not_asked: list[str]
    hits: list[Hit]
    more: bool


class ContextItem(BaseModel):
    date: str
    path: str
    index: str


class Context(BaseModel):
    today: str
    items: list[ContextItem]
    corrections: list[DayEntry]
    dropped: list[str]


class Forgotten(BaseModel):
    forgotten: list[str]
    days: list[str]
    commit: str | None
    replaced: list[str]
    corrections: list[str]
    reindexed: list[str]
    emptied: list[str]


class Record(BaseModel):
    commit: str
    op: str
    at: str
    actor: str
    device: str
    layer: str
    kind: str
    entries: list[str]
    reason: str
    signature: str
    late: bool


class Records(BaseModel):
    records: list[Record]


class SyncState(BaseModel):
    """What `nutsync status` says. Who is no admin and comes in by a token is told no numbers."""

    model_config = ConfigDict(extra="allow")
    result: str | None
    last_sync: str | None
    stale: bool
    remote: bool
    armed: bool


class Synced(BaseModel):
    """What `nutsync sync` says, with the same reserve."""

    model_config = ConfigDict(extra="allow")
    result: str


class LayerWords(BaseModel):
    layer: str
    words: dict[str, str]
    writable: bool


class About(BaseModel):
    """A cell, and who is asking."""

    id: str
    today: str
    zone: str | None
    actor: str
    admin: bool
    device: str
    layers: list[LayerWords]
    kinds: list[str]


class Cells(BaseModel):
    cells: list[str]


Counts = dict[str, int]
