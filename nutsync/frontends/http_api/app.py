"""The application: paths, errors and doors put together."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from starlette.types import ASGIApp

from nutsync import __version__
from nutsync.frontends.http_api import docs_page, page, routes_cell, routes_days, routes_memory, routes_recall
from nutsync.frontends.http_api.answers import register_errors
from nutsync.frontends.http_api.description import describe
from nutsync.frontends.http_api.doors import Doors
from nutsync.frontends.http_api.setup import Setup


def make_app(setup: Setup) -> ASGIApp:
    """Return the ASGI application that serves ``setup``."""
    return Doors(make_inner_app(setup), setup)


def make_inner_app(setup: Setup) -> FastAPI:
    """Return the application behind the doors."""
    app = FastAPI(title="nutsync", version=__version__, docs_url=None, redoc_url=None)
    app.state.setup = setup
    for room in (routes_memory, routes_recall, routes_days, routes_cell, page, docs_page):
        app.include_router(room.router)
    register_errors(app)

    def openapi() -> dict[str, Any]:
        return describe(app)

    app.openapi = openapi  # type: ignore[method-assign]
    return app
