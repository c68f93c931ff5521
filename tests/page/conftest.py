"""The page in a real browser, on a cell with a little of everything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from nutsync.operations.admins import add_admin
from nutsync.operations.cell import open_cell
from nutsync.operations.correct import correct
from nutsync.operations.tokens import add_token
from tests.support.browser import browser as open_browser
from tests.support.cells import Desk, make_desk
from tests.support.serving import serving

WIDE = {"width": 1100, "height": 900}
PHONE = {"width": 360, "height": 740}


@dataclass
class Site:
    """A served cell: where it is, and the entries that tests look for, by name."""

    url: str
    desk: Desk
    refs: dict[str, str] = field(default_factory=dict)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    with open_browser() as opened:
        yield opened


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A cell with entries of three layers and a correction, all of days that are over."""
    desk = make_desk(tmp_path / "memory", "2026-10-01T09:00:00+08:00")
    refs = {}

    def put(name: str, text: str, **attributes: str) -> None:
        refs[name] = str(desk.append(text, **attributes).placed[0].ref)

    put("billing", "Billing moves to **PostgreSQL 16**", kind="decision")
    put("tea", "Prefers green tea", kind="preference")
    desk.clock.advance(days=1)
    put("linter", "Run the linter first", scope="agent", namespace="coder", kind="skill")
    done = correct(desk.cell, _ref(refs["billing"]), "Billing moves to PostgreSQL 17", actor="ana")
    refs["correction"] = str(done.placed[0].ref)
    desk.clock.advance(days=1)
    add_admin(desk.cell, "ana")
    desk.cell = open_cell(desk.root, clock=desk.clock, environ={})
    put("spaces", "Four spaces, no tabs", actor="", kind="convention")
    with serving(desk.root, "--quiet") as (url, _process):
        yield Site(url, desk, refs)


def _ref(text: str) -> Any:
    from nutsync.core.entry import Ref

    return Ref.parse(text)


@dataclass
class Watched:
    """A page, with everything that went wrong in it."""

    page: Any
    troubles: list[str]
    asked: list[str]


@pytest.fixture
def open_page(chromium: Any, site: Site) -> Iterator[Any]:
    """Open the page; at the end nothing may have gone wrong in it, nor anybody else been asked."""
    contexts: list[Any] = []
    watched: list[Watched] = []

    def open_it(where: str = "", *, url: str | None = None, language: str = "en-GB", **context: Any) -> Any:
        made = chromium.new_context(**{"locale": language, "viewport": WIDE, **context})
        contexts.append(made)
        made.set_default_timeout(20_000)
        page = made.new_page()
        one = Watched(page, [], [])
        watched.append(one)
        page.on("pageerror", lambda error: one.troubles.append(str(error)))
        page.on("console", lambda said: one.troubles.append(said.text) if _is_trouble(said) else None)
        page.on("dialog", lambda dialog: one.troubles.append(f"dialog {dialog.message}"))
        page.on("request", lambda request: one.asked.append(request.url))
        page.goto(f"{url or site.url}/{where}")
        page.wait_for_selector("#chips .count")
        return page

    yield open_it
    for one in watched:
        assert one.troubles == []
        assert [url for url in one.asked if not url.startswith(("http://127.0.0.1:", "data:"))] == []
    for made in contexts:
        made.close()


def _is_trouble(said: Any) -> bool:
    """A refusal by the server is logged by the browser, too, and is no trouble of the page."""
    return said.type == "error" and "Failed to load resource" not in said.text


@pytest.fixture
def secret(site: Site) -> str:
    return add_token(site.desk.cell, "ben")[1]
