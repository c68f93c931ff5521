"""The page for people: fixed files of this package, and the table of words that they speak.

There is no build step: what stands in ``frontends/web`` is what the browser gets. All layers' names come from
the one table in core.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from fastapi import APIRouter
from starlette.responses import Response

from nutsync.core.layer import TABLE
from nutsync.core.web_errors import ErrUnknownPath

router = APIRouter(include_in_schema=False)

_FOLDER = Path(__file__).resolve().parent.parent / "web"
_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
LANGUAGES = ("en", "zh")


@router.get("/")
def index() -> Response:
    return _file("index.html")


@router.get("/assets/words.json")
def words_file() -> Response:
    return Response(json.dumps(words(), ensure_ascii=False).encode(), media_type="application/json")


@router.get("/assets/{name}")
def asset(name: str) -> Response:
    return _file(name)


@cache
def words() -> dict[str, dict[str, str]]:
    """Return every word of the page by key: for each language its text."""
    table: dict[str, dict[str, str]] = json.loads((_FOLDER / "words.json").read_text(encoding="utf-8"))
    layers = {f"layer.{row.name}": dict(row.words) for row in TABLE}
    return {**table, **layers}


@cache
def files() -> dict[str, Path]:
    """Return the files that are served, by name: nothing else can be asked for."""
    return {path.name: path for path in sorted(_FOLDER.iterdir()) if path.suffix in _KINDS}


def _file(name: str) -> Response:
    path = files().get(name)
    if path is None:
        raise ErrUnknownPath("Nothing is served under that path.")
    # The page is small and may be newer than yesterday's: the browser asks each time.
    headers = {"Cache-Control": "no-cache"}
    return Response(path.read_bytes(), media_type=_KINDS[path.suffix], headers=headers)
