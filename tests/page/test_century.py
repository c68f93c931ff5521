"""A hundred years of days open at once: the page never holds more of them than are near what is seen."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from nutsync.core.cell import day_path
from tests.support.cells import make_desk
from tests.support.serving import serving

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = sync_api.expect
pytestmark = pytest.mark.long

DAYS = 36_500
LAST = date(2026, 11, 29)
MOST_NODES = 6_000
"""What the page may hold at once, however many days there are."""
MOST_WORK = 1.0
"""Seconds of the browser's main thread from an empty tab to a page that is there."""


def write_century(root: Path) -> None:
    """Write a file for each day, as nutsync writes them; nothing of it has to be committed to be read."""
    for back in range(DAYS):
        day = (LAST - timedelta(days=back)).isoformat()
        path = root / day_path(day)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"---\ndate: {day}\nindex: 'the plan of {day} for PostgreSQL'\n---\n## {day}\n"
            f"- the plan of {day} for PostgreSQL <!-- nut id={back:08d} at=09:00:00.000+08:00 dev=desk "
            "kind=fact scope=global actor=ana -->\n",
            encoding="utf-8",
        )


@pytest.fixture(scope="module")
def century(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    desk = make_desk(tmp_path_factory.mktemp("century") / "memory")
    write_century(desk.root)
    with serving(desk.root, "--quiet") as (url, _process):
        yield url


def work_of(page: Any, url: str, ready: str) -> float:
    """Return the seconds of the main thread that opening ``url`` takes until ``ready`` is there."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy() -> float:
        found = session.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in found if one["name"] == "TaskDuration"))

    before = busy()
    page.goto(url, timeout=120_000)
    page.wait_for_selector(ready, timeout=120_000)
    return busy() - before


def nodes_of(page: Any) -> int:
    return int(page.evaluate("document.getElementsByTagName('*').length"))


@pytest.mark.parametrize(
    ("view", "ready"), [("", ".group .entry"), ("#/timeline", ".windowed .day"), ("#/recall", "form")]
)
def test_each_view_opens_with_less_than_a_second_of_work(
    chromium: Any, century: str, view: str, ready: str
) -> None:
    context = chromium.new_context(locale="en-GB")
    try:
        page = context.new_page()
        assert work_of(page, f"{century}/{view}", ready) < MOST_WORK
        assert nodes_of(page) < MOST_NODES
        expect(page.locator(".chip.layer-about_me .count")).to_have_text(f"{DAYS:,}", timeout=60_000)
    finally:
        context.close()


def test_scrolling_far_brings_older_days_and_lets_go_of_newer_ones(chromium: Any, century: str) -> None:
    context = chromium.new_context(locale="en-GB", viewport={"width": 1100, "height": 900})
    try:
        page = context.new_page()
        page.goto(f"{century}/#/timeline", timeout=120_000)
        page.wait_for_selector(".windowed .day", timeout=120_000)
        pages = page.locator(".windowed .page")
        ends = time.monotonic() + 120
        while pages.count() < 15 and time.monotonic() < ends:
            page.mouse.wheel(0, 4_000)
            page.wait_for_function(
                "before => document.querySelectorAll('.windowed .page').length > before",
                arg=pages.count() - 1,
                timeout=60_000,
            )
        assert pages.count() >= 15
        page.wait_for_function("!document.querySelector('.windowed .page').hasChildNodes()", timeout=60_000)
        assert nodes_of(page) < MOST_NODES
        assert page.locator(".windowed .day").last.locator("time").inner_text() < "2025-12-01"
    finally:
        context.close()
