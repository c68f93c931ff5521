"""The description at /openapi.json: what is really answered, 400 by name where the framework says 422."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from nutsync import __version__
from nutsync.frontends.http_api import models

_ALWAYS = (400, 401, 413, 500, 503)


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the descriptions of refusals with these statuses, and those that any path may give."""
    return {status: {"model": models.Refusal} for status in (*statuses, *_ALWAYS)}


def describe(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI description, made once."""
    if app.openapi_schema is None:
        schema = get_openapi(
            title="nutsync",
            version=__version__,
            summary="Long-term memory for AI agents and their people.",
            description=(
                "Errors are `{error: {code, message, hint}}`; `code` is what programs compare. Without a "
                "token only this machine's own configured actor comes in; else send "
                "`Authorization: Bearer TOKEN`."
            ),
            routes=app.routes,
        )
        schema["components"].setdefault("securitySchemes", {})["token"] = {"type": "http", "scheme": "bearer"}
        schema["security"] = [{}, {"token": []}]
        for path in schema["paths"].values():
            for operation in path.values():
                operation["responses"].pop("422", None)
        for name in ("HTTPValidationError", "ValidationError"):
            schema["components"]["schemas"].pop(name, None)
        app.openapi_schema = schema
    return app.openapi_schema
