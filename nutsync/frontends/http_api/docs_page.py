"""The description of all paths as a page for people at /docs, made from /openapi.json.

It is plain HTML: the usual viewers are scripts of other sites, which the page's policy does not let in.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

router = APIRouter(include_in_schema=False)


@router.get("/docs")
def docs(request: Request) -> Response:
    """Show every path, its parameters, its body and its answers."""
    page = "\n".join(_page(request.app.openapi()))
    return Response(page.encode(), media_type="text/html; charset=utf-8")


def _page(description: dict[str, Any]) -> Iterator[str]:
    info = description["info"]
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1"><title>nutsync · HTTP</title>'
    yield '<link rel="icon" href="/assets/icon.svg"><link rel="stylesheet" href="/assets/style.css"></head>'
    yield f'<body><main id="app"><h1>{escape(info["title"])} {escape(info["version"])} · HTTP</h1>'
    yield f"<p>{escape(info['description'])}</p>"
    yield '<p>For programs: <a href="/openapi.json">/openapi.json</a>. The page: <a href="/">/</a>.</p>'
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            yield from _operation(method.upper(), path, operation, description)
    yield "</main></body></html>"


def _operation(
    method: str, path: str, operation: dict[str, Any], description: dict[str, Any]
) -> Iterator[str]:
    yield f"<section><h2><code>{method} {escape(path)}</code></h2>"
    yield f"<p>{escape(operation.get('description', ''))}</p>"
    rows = [
        (one["name"], one["in"] + (", required" if one.get("required") else ""), one.get("description", ""))
        for one in operation.get("parameters", ())
    ]
    rows += [(name, "body", field.get("description", "")) for name, field in _body(operation, description)]
    if rows:
        yield '<dl class="facts-table">'
        for name, where, words in rows:
            yield f"<dt><code>{escape(name)}</code> ({escape(where)})</dt><dd>{escape(words)}</dd>"
        yield "</dl>"
    yield f'<p class="quiet">Answers: {", ".join(sorted(operation["responses"]))}.</p></section>'


def _body(operation: dict[str, Any], description: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
    if not name:
        return []
    return list(description["components"]["schemas"][name].get("properties", {}).items())
