"""How answers leave: JSON, errors by name, tags of days."""

from __future__ import annotations

import json
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from nutsync.core.errors import ErrUnfit, ErrUsage, NutsyncError
from nutsync.core.web_errors import ErrBug, ErrMethod, ErrUnknownPath
from nutsync.frontends.http_api.asking import even_out


def answer(document: Any, status: int = 200, *, tag: str | None = None, **headers: str) -> Response:
    """Return ``document`` as JSON. ``tag`` becomes its ETag."""
    if tag is not None:
        headers["ETag"] = f'"{tag}"'
    return Response(to_json(document), status, headers, media_type="application/json")


def to_json(document: Any) -> bytes:
    """Return the document in UTF-8; bytes of memory that are no text become U+FFFD."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def error_document(error: NutsyncError) -> dict[str, dict[str, str]]:
    """Return the error as clients get it.

    What is wrong with the repository is said by name and in general words only: the message may hold paths
    of this machine.
    """
    if isinstance(error, ErrUnfit) or error.http_status >= 500:
        message = (type(error).__doc__ or "").split("\n", maxsplit=1)[0]
        return {"error": {"code": error.code, "message": message, "hint": type(error).default_hint}}
    return error.as_json()


def error_answer(error: NutsyncError) -> Response:
    """Return the answer that an error is, with the status that stands on its class."""
    headers = {"WWW-Authenticate": "Bearer"} if error.http_status == 401 else {}
    return answer(error_document(error), error.http_status, **headers)


def register_errors(app: FastAPI) -> None:
    """Let every refusal leave by name: ours, the model's, the router's."""

    @app.exception_handler(NutsyncError)
    async def named(request: Request, error: NutsyncError) -> Response:
        if error.http_status == 404:
            even_out(request)
        return error_answer(error)

    @app.exception_handler(RequestValidationError)
    async def at_odds(_request: Request, error: RequestValidationError) -> Response:
        return error_answer(_usage_of(error))

    @app.exception_handler(HTTPException)
    async def routed(_request: Request, error: HTTPException) -> Response:
        if error.status_code == 404:
            return error_answer(ErrUnknownPath("Nothing is served under that path."))
        if error.status_code == 405:
            allowed = dict(error.headers or {})
            refused = ErrMethod("That path does not take this method.")
            return answer(error_document(refused), 405, **allowed)
        if isinstance(error.__cause__, NutsyncError):  # raised while the body was read
            return error_answer(error.__cause__)
        return error_answer(ErrUsage("The request could not be read."))

    @app.exception_handler(Exception)
    async def broken(_request: Request, _error: Exception) -> Response:
        return error_answer(ErrBug(""))


def _usage_of(error: RequestValidationError) -> ErrUsage:
    """Name the first thing that does not fit the model, never its value."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first.get("loc", ()))
    if first.get("type") == "json_invalid":
        return ErrUsage("The body is no JSON.")
    return ErrUsage(f"The request does not fit: {place}: {first.get('msg', '')}.", hint="See /docs.")


def wanted_tags(header: str | None) -> list[str]:
    """Return the tags that an If-Match or If-None-Match names, without their quotes."""
    if header is None:
        return []
    return [part.strip().removeprefix("W/").strip('"') for part in header.split(",") if part.strip()]
