"""Keyboard, screen readers, contrast: the page for everybody."""

from __future__ import annotations

from typing import Any

import pytest

from tests.page.conftest import PHONE, WIDE, Site
from tests.page.test_page import VIEWS, expect

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")


def faults(page: Any) -> list[str]:
    found = axe.Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {node['html'][:160]} {node.get('failureSummary', '')[:200]}"
        for one in found
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en-GB", "zh-CN"])
def test_axe_finds_no_fault_in_any_view(open_page: Any, site: Site, scheme: str, language: str) -> None:
    page = open_page(color_scheme=scheme, language=language)
    found = []
    for view in (*VIEWS, "#/timeline/2026-10-01"):
        page.goto(f"{page.url.partition('#')[0]}{view}")
        page.wait_for_timeout(400)
        found += [f"{view} {one}" for one in faults(page)]
    page.goto(f"{page.url.partition('#')[0]}#/memory")
    page.locator(".chip.layer-about_me").click()
    page.get_by_text("Billing moves to **PostgreSQL 16**").click()
    story = page.locator("dialog.story")
    story.locator(".history button").click()
    story.locator(".history ol").wait_for()
    story.locator("button.danger").click()
    found += [f"story {one}" for one in faults(page)]
    assert found == []


def test_axe_finds_no_fault_on_a_phone(open_page: Any) -> None:
    page = open_page(viewport=PHONE)
    assert faults(page) == []


def focused(page: Any) -> str:
    text: str = page.evaluate(
        "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"
    )
    return text


def test_everything_is_reached_and_done_with_the_keyboard(open_page: Any) -> None:
    page = open_page()
    page.wait_for_selector(".group .entry")
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to content"
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.className").startswith("chip layer-about_me"):
            break
    page.keyboard.press("Enter")
    assert page.locator(".chip.layer-about_me").get_attribute("aria-pressed") == "true"
    assert page.evaluate("document.activeElement.className").startswith("chip layer-about_me")
    page.wait_for_selector(".windowed .entry")
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.className") == "open":
            break
    text = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    page.locator("dialog.story .facts-table").wait_for()
    assert page.evaluate("document.querySelector('dialog').contains(document.activeElement)")
    for _ in range(30):
        page.keyboard.press("Tab")
        assert page.evaluate(
            "document.activeElement === document.body "
            "|| document.querySelector('dialog').contains(document.activeElement)"
        )
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.textContent") == text


def test_the_year_is_walked_with_arrow_keys_and_is_one_stop_of_the_tab_key(open_page: Any) -> None:
    page = open_page("#/timeline/2026-10-01")
    page.wait_for_selector(".heat-map .heat")
    assert page.locator('.heat-map .heat[tabindex="0"]').count() == 1
    page.locator('.heat[data-date="2026-10-01"]').focus()
    page.keyboard.press("ArrowDown")
    assert focused(page).startswith("2026-10-02")
    page.keyboard.press("ArrowLeft")
    assert focused(page).startswith("2026-09-25")
    page.keyboard.press("End")
    assert focused(page).startswith("2026-12-31")
    page.keyboard.press("Home")
    assert focused(page).startswith("2026-01-01")
    assert page.locator('.heat-map .heat[tabindex="0"]').count() == 1
    page.locator('.heat[data-date="2026-10-02"]').focus()
    page.keyboard.press("Enter")
    page.get_by_text("Run the linter first").wait_for()


def test_the_focus_is_always_seen(open_page: Any) -> None:
    page = open_page()
    page.wait_for_selector(".group .entry")
    for _ in range(25):
        page.keyboard.press("Tab")
        width = page.evaluate("parseFloat(getComputedStyle(document.activeElement).outlineWidth)")
        assert width >= 2, focused(page)


def test_a_new_view_takes_the_focus_to_its_heading(open_page: Any) -> None:
    page = open_page()
    page.get_by_role("link", name="Timeline").click()
    expect(page.locator("#heading")).to_be_focused()
    assert focused(page) == "Timeline"


def test_letters_can_be_twice_as_large(open_page: Any) -> None:
    page = open_page(viewport={"width": WIDE["width"] // 2, "height": WIDE["height"] // 2})
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDE["width"] // 2
