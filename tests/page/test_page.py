"""What people see and do on the page, in a real browser."""

from __future__ import annotations

import re
from typing import Any

import pytest

from nutsync.core.layer import LAYERS, layer_row
from tests.page.conftest import PHONE, Site
from tests.page.test_words import FORBIDDEN

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = sync_api.expect

VIEWS = ["#/memory", "#/timeline", "#/recall/PostgreSQL", "#/sync"]


def chips(page: Any) -> dict[str, str]:
    expect(page.locator(".chip .count").filter(has_text="…")).to_have_count(0)
    found = page.locator(".chip")
    return {
        one.locator("span").nth(0).inner_text(): one.locator(".count").inner_text() for one in found.all()
    }


def groups(page: Any) -> list[str]:
    page.wait_for_selector(".group")
    return [one.evaluate("e => e.firstChild.textContent") for one in page.locator(".group h2").all()]


@pytest.mark.parametrize("view", VIEWS)
def test_all_seven_chips_are_drawn_in_every_view_zeros_too(open_page: Any, view: str) -> None:
    found = chips(open_page(view))
    assert list(found) == [layer_row(layer).words["en"] for layer in LAYERS]
    assert list(found.values()) == ["0", "1", "3", "1", "0", "0", "0"]


def test_only_layers_that_hold_something_are_groups_and_consensus_is_apart(open_page: Any) -> None:
    page = open_page()
    assert groups(page) == ["Team consensus", "About me", "Agent memory"]
    assert page.locator(".group.layer-consensus .entry").count() == 1
    assert page.locator(".group.layer-about_me .entry").count() == 3


def test_a_chip_shows_one_layer_alone_and_lets_go_of_it_again(open_page: Any) -> None:
    page = open_page()
    groups(page)
    page.locator(".chip.layer-agent_memory").click()
    assert page.locator(".chip.layer-agent_memory").get_attribute("aria-pressed") == "true"
    page.wait_for_selector(".windowed .entry")
    assert page.locator(".group h2").all_inner_texts() == ["Agent memory"]
    page.locator(".chip.layer-agent_memory").click()
    assert len(groups(page)) == 3


def test_recall_shows_the_stages_it_went_through_and_the_correction_first(open_page: Any, site: Site) -> None:
    page = open_page("#/recall")
    page.get_by_label("One to three distinctive words").fill("PostgreSQL")
    page.get_by_role("button", name="Recall").click()
    page.wait_for_selector(".hit")
    stages = page.locator(".trail li strong").all_inner_texts()
    assert sorted(stages) == sorted(
        ["This session", "Last 30 days", "Yearly catalogs", "Index lines", "Full text"]
    )
    first = page.locator(".hit .found").filter(has_text="PostgreSQL 16").locator(".text").all_inner_texts()
    assert first == ["Billing moves to PostgreSQL 17", "Billing moves to **PostgreSQL 16**"]
    assert "PostgreSQL" in page.url


def test_nothing_found_is_said(open_page: Any) -> None:
    page = open_page("#/recall/quokka")
    page.wait_for_selector("text=Nothing was found.")


def test_an_entry_tells_its_whole_story(open_page: Any, site: Site) -> None:
    page = open_page()
    page.get_by_text("Billing moves to **PostgreSQL 16**").click()
    story = page.locator("dialog.story")
    story.get_by_role("button", name="Show the history").click()
    story.get_by_text("signature good").first.wait_for()
    text = story.inner_text()
    for told in ("What holds now", "Billing moves to PostgreSQL 17", "desk", "ana", "decision", "frozen"):
        assert told in text
    assert story.locator(".said strong").inner_text() == "PostgreSQL 16"
    assert "remembered by ana on desk" in text
    story.get_by_role("button", name="Billing moves to PostgreSQL 17").click()
    story.get_by_text("Corrects:").wait_for()
    page.keyboard.press("Escape")
    assert not story.is_visible()


def test_correcting_shows_what_will_happen_and_then_does_it(open_page: Any, site: Site) -> None:
    page = open_page()
    page.get_by_text("Prefers green tea").click()
    story = page.locator("dialog.story")
    story.get_by_role("button", name="Correct…").click()
    story.get_by_label("What holds instead?").fill("Prefers black tea")
    story.get_by_role("button", name="See what will happen").click()
    story.get_by_text("stays as it is").wait_for()
    assert chips(page)["About me"] == "3"
    story.get_by_role("button", name="Write the correction").click()
    story.get_by_text("The correction is written.").wait_for()
    page.keyboard.press("Escape")
    expect(page.locator(".chip.layer-about_me .count")).to_have_text("4")
    assert site.desk.texts("2026-10-01")[-1] == "Prefers green tea"


def test_forgetting_shows_what_will_happen_and_then_does_it(open_page: Any, site: Site) -> None:
    page = open_page()
    page.get_by_text("Billing moves to **PostgreSQL 16**").click()
    story = page.locator("dialog.story")
    story.get_by_role("button", name="Forget…").click()
    story.get_by_label("Why?").fill("asked by the client")
    story.get_by_role("button", name="See what will happen").click()
    story.locator(".consequences li").first.wait_for()
    told = story.locator(".consequences").inner_text()
    assert "1 entry is removed from 2026-10-01" in told
    assert site.refs["correction"] in told
    assert "history of the repository still holds the text" in told
    assert len(site.desk.texts("2026-10-01")) == 2
    story.get_by_role("button", name="Forget it").click()
    story.get_by_text("It is forgotten.").wait_for()
    assert site.desk.texts("2026-10-01") == ["Prefers green tea"]


def test_a_reason_that_tells_is_refused_in_words(open_page: Any) -> None:
    page = open_page()
    page.get_by_text("Billing moves to **PostgreSQL 16**").click()
    story = page.locator("dialog.story")
    story.get_by_role("button", name="Forget…").click()
    story.get_by_label("Why?").fill("not PostgreSQL 16 any more")
    story.get_by_role("button", name="See what will happen").click()
    story.get_by_text("reasons last").wait_for()


def test_a_day_that_changed_meanwhile_is_not_changed_again(open_page: Any, site: Site) -> None:
    from nutsync.operations.forget import ForgetRequest, forget
    from tests.page.conftest import _ref

    page = open_page()
    page.get_by_text("Prefers green tea").click()
    story = page.locator("dialog.story")
    story.get_by_role("button", name="Forget…").click()
    story.get_by_label("Why?").fill("asked")
    forget(site.desk.cell, ForgetRequest(refs=[_ref(site.refs["billing"])], reason="meanwhile", actor="ana"))
    story.get_by_role("button", name="See what will happen").click()
    story.get_by_text("The day changed since you opened it").wait_for()
    assert site.desk.texts("2026-10-01") == ["Prefers green tea"]


def test_something_is_remembered_on_the_page(open_page: Any, site: Site) -> None:
    page = open_page()
    page.get_by_text("Remember something").click()
    page.get_by_label("What should be remembered?").fill("Has a dog called Rex")
    page.get_by_label("Kind").select_option("fact")
    page.get_by_role("button", name="Remember", exact=True).click()
    page.get_by_text("Remembered.").wait_for()
    page.get_by_text("Has a dog called Rex").wait_for()
    assert chips(page)["About me"] == "4"


def test_the_timeline_maps_the_year_and_opens_days(open_page: Any) -> None:
    page = open_page("#/timeline/2026")
    page.wait_for_selector(".heat-map .heat")
    assert page.locator(".heat-map .heat").count() == 365
    assert (
        page.locator('.heat[data-date="2026-10-01"]').get_attribute("aria-label") == "2026-10-01: 2 entries"
    )
    page.locator(".day summary").filter(has_text="2026-10-01").click()
    page.wait_for_selector(".day .entry")
    page.locator('.heat[data-date="2026-10-03"]').click()
    page.get_by_text("Four spaces, no tabs").wait_for()
    assert page.url.endswith("#/timeline/2026-10-03")


def test_sync_says_that_there_is_no_remote_and_names_the_devices(open_page: Any) -> None:
    page = open_page("#/sync")
    page.get_by_text("everything is on this machine alone").wait_for()
    assert "desk" in page.locator(".devices").inner_text()
    assert page.get_by_role("button", name="Sync now").is_disabled()


def test_held_edits_are_named_with_what_takes_them_over(open_page: Any, site: Site) -> None:
    path = site.desk.path("2026-10-01")
    path.write_text(path.read_text().replace("green", "white"))
    page = open_page("#/sync")
    page.locator(".held li").wait_for()
    assert "nutsync" in page.locator(".held code").inner_text()


def test_the_language_is_switched_and_kept(open_page: Any) -> None:
    page = open_page()
    page.get_by_role("button", name="切换到中文").click()
    assert list(chips(page)) == [layer_row(layer).words["zh"] for layer in LAYERS]
    assert page.evaluate("document.documentElement.lang") == "zh-CN"
    page.reload()
    page.wait_for_selector("#chips .count")
    assert groups(page) == ["部门共识", "关于我", "角色记忆"]
    page.get_by_role("button", name="Switch to English").click()
    assert groups(page) == ["Team consensus", "About me", "Agent memory"]


def test_a_browser_that_speaks_chinese_gets_chinese(open_page: Any) -> None:
    assert "关于我" in chips(open_page(language="zh-CN"))


@pytest.mark.parametrize("language", ["en-GB", "zh-CN"])
def test_forbidden_words_are_seen_in_no_view(open_page: Any, language: str) -> None:
    page = open_page(language=language)
    for view in (*VIEWS, "#/timeline/2026-10-02"):
        page.goto(f"{page.url.partition('#')[0]}{view}")
        page.wait_for_timeout(300)
        told = page.locator("body").inner_text() + page.evaluate(
            "[...document.querySelectorAll('*')].flatMap(e => ['aria-label','title','placeholder','alt']"
            ".map(a => e.getAttribute(a) ?? '')).join(' ')"
        )
        assert FORBIDDEN.search(told) is None, view
    page.goto(f"{page.url.partition('#')[0]}#/memory")
    page.get_by_text("Run the linter first").click()
    page.locator("dialog.story .facts-table").wait_for()
    told = page.locator("dialog.story").inner_text()
    assert FORBIDDEN.search(told) is None
    assert "coder" not in told


def test_a_phone_needs_no_scrolling_sideways(open_page: Any) -> None:
    page = open_page(viewport=PHONE, has_touch=True, is_mobile=True)
    for view in VIEWS:
        page.goto(f"{page.url.partition('#')[0]}{view}")
        page.wait_for_timeout(300)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], view
    page.goto(f"{page.url.partition('#')[0]}#/memory")
    page.get_by_text("Prefers green tea").tap()
    page.locator("dialog.story .facts-table").wait_for()
    assert page.evaluate("document.querySelector('dialog').scrollWidth") <= PHONE["width"]


def test_dark_mode_is_dark(open_page: Any) -> None:
    def paper(page: Any) -> int:
        rgb = re.findall(r"\d+", page.evaluate("getComputedStyle(document.body).backgroundColor"))
        return sum(map(int, rgb[:3]))

    assert paper(open_page(color_scheme="dark")) < 150 < 600 < paper(open_page(color_scheme="light"))
