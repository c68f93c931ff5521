"""A server for tests, in this process: a cell, its clock, and clients that come in by different doors."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
from starlette.testclient import TestClient

from nutsync.frontends.http_api.app import make_app
from nutsync.frontends.http_api.setup import Limits, Served, Setup
from nutsync.operations.admins import add_admin
from nutsync.operations.cell import open_cell
from nutsync.operations.tokens import add_token
from tests.support.cells import Desk, make_desk

BASE = "http://127.0.0.1:8765"
HERE = "/cells/main"


@dataclass
class House:
    """One served cell. ``client()`` is this machine's own user, ``client("ben")`` comes in by a token."""

    desk: Desk
    setup: Setup
    secrets: dict[str, str] = field(default_factory=dict)

    def client(self, actor: str | None = None, *, admin: bool = False, peer: str = "127.0.0.1") -> TestClient:
        headers = {}
        if actor is not None:
            headers["Authorization"] = f"Bearer {self.secret(actor, admin=admin)}"
        app = make_app(self.setup)
        return TestClient(app, base_url=BASE, headers=headers, client=(peer, 50_000))

    def secret(self, actor: str, *, admin: bool = False) -> str:
        key = f"{actor} {admin}"
        if key not in self.secrets:
            self.secrets[key] = add_token(self.desk.cell, actor, admin=admin)[1]
        return self.secrets[key]

    def limited(self, **limits: Any) -> House:
        """The same house with other limits."""
        return House(self.desk, replace(self.setup, limits=Limits(**limits)), self.secrets)

    def admins(self, *names: str) -> None:
        """Make these actors admins, on the device that founded the cell."""
        for name in names:
            add_admin(self.desk.cell, name)
            self.desk.cell = open_cell(self.desk.root, clock=self.desk.clock, environ={})


def make_house(folder: Path, **asked: Any) -> House:
    """Serve a new cell of Ana's under the id ``main``."""
    desk = make_desk(folder / "memory", **asked)
    return House(desk, Setup({"main": Served.at(desk.root)}, clock=desk.clock))


def remember(client: httpx.Client, content: str, **more: Any) -> dict[str, Any]:
    """Remember a fact about whoever the client is and return the entry."""
    body = {"layer": "about_me", "kind": "fact", "content": content, **more}
    response = client.post(f"{HERE}/memory", json={key: value for key, value in body.items() if value})
    assert response.status_code in (200, 201), response.text
    entry: dict[str, Any] = response.json()
    return entry


def refused(response: httpx.Response) -> tuple[int, str]:
    """Return the status and the error's name, and see to the document's form."""
    document = json.loads(response.content)
    assert set(document) == {"error"}
    assert set(document["error"]) == {"code", "message", "hint"}
    return response.status_code, document["error"]["code"]
