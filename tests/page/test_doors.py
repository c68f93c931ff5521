"""Tokens, several actors, sync and long lists on the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.archive import Plan, build
from nutsync.operations.founding import Founding, init
from nutsync.operations.tokens import add_token
from tests.page.conftest import Site
from tests.page.test_page import chips
from tests.support.repos import git, make_remote
from tests.support.serving import serving


def test_who_needs_a_token_is_asked_for_it(open_page: Any, site: Site, chromium: Any) -> None:
    ben = add_token(site.desk.cell, "ben")[1]
    with serving(site.desk.root, "--quiet", "--require-token") as (url, _process):
        page = chromium.new_page(locale="en-GB")
        page.goto(url)
        page.get_by_label("Token").fill("nut_wrong")
        page.get_by_role("button", name="Come in").click()
        page.get_by_text("That token is not valid here.").wait_for()
        page.get_by_label("Token").fill(ben)
        page.get_by_role("button", name="Come in").click()
        page.get_by_text("ben ·").wait_for()
        assert list(chips(page).values()) == ["0", "1", "0", "0", "0", "0", "0"]
        assert "green tea" not in page.content()
        assert ben not in page.content()
        page.reload()
        page.get_by_text("ben ·").wait_for()
        page.get_by_role("button", name="Forget the token").click()
        page.get_by_label("Token").wait_for()
        page.close()


def test_sync_tells_how_far_it_is_and_what_came_of_it(open_page: Any, site: Site, tmp_path: Path) -> None:
    remote = make_remote(tmp_path / "remote.git")
    git(site.desk.root, "remote", "add", "origin", str(remote))
    page = open_page("#/sync")
    page.get_by_text("Never synced").wait_for()
    page.get_by_role("button", name="Sync now").click()
    page.get_by_text("Result: sent").wait_for()
    assert "0 entries" in page.locator(".facts-table").inner_text()
    assert git(remote, "rev-parse", "main") == git(site.desk.root, "rev-parse", "main")


@pytest.fixture
def long_site(tmp_path: Path) -> Any:
    cell = init(tmp_path / "long", Founding(actor="ana", device="desk"), environ={}).cell
    head = git(cell.root, "rev-parse", "HEAD").strip()
    build(cell.root, Plan(days_only=500, a_day=2, onto=head), branch=cell.branch)
    with serving(cell.root, "--quiet") as (url, _process):
        yield url


def test_a_long_list_keeps_few_elements_and_loses_no_day(open_page: Any, long_site: str) -> None:
    page = open_page("#/timeline", url=long_site)
    page.wait_for_selector(".day")
    first = page.locator(".day time").first.inner_text()
    most = 0
    for _ in range(200):
        most = max(most, page.locator(".day").count())
        if page.locator(".tail").count() == 0:
            break
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        page.wait_for_timeout(60)
    assert page.locator(".tail").count() == 0
    pages = page.evaluate("[...document.querySelectorAll('.page')].map(p => p.items.map(d => d.date))")
    dates = [date for one in pages for date in one]
    assert len(dates) == len(set(dates)) == 500
    assert dates == sorted(dates, reverse=True)
    page.wait_for_timeout(200)
    assert page.locator(".day").count() < 300
    page.evaluate("scrollTo(0, 0)")
    page.get_by_text(first, exact=True).first.wait_for()


def test_a_list_is_read_on_with_the_keyboard_alone(open_page: Any, long_site: str) -> None:
    page = open_page("#/timeline", url=long_site, viewport={"width": 800, "height": 400})
    page.wait_for_selector(".day")
    before = page.locator(".page").count()
    page.get_by_role("button", name="Show more").press("Enter")
    page.locator(".page").nth(before).wait_for(state="attached")
