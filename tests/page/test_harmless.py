"""Whatever was remembered is shown and does nothing: markup, scripts, links, pictures."""

from __future__ import annotations

from typing import Any

import pytest

from nutsync.frontends.http_api.rendering import ELEMENTS, render
from tests.page.conftest import Site

ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '<a href="javascript:alert(1)">click</a>',
    "[click](javascript:alert(1)) [data](data:text/html,<script>alert(1)</script>)",
    "![beacon](http://evil.example/beacon.png)",
    "</span></button><svg onload=alert(1)>",
    '"><iframe src="http://evil.example"></iframe>',
    "`</code><script>alert(1)</script>`",
    "<style>body{display:none}</style><base href=http://evil.example/>",
    "| a | b |\n  |---|---|\n  | <img src=x onerror=alert(1)> | ok |",
]


def test_remembered_markup_is_shown_as_text_and_does_nothing(open_page: Any, site: Site) -> None:
    for attack in ATTACKS:
        site.desk.append(attack)
    page = open_page()
    page.locator(".chip.layer-about_me").click()
    page.wait_for_selector(".windowed .entry")
    shown = [text.strip() for text in page.locator(".windowed .text").all_text_contents()]
    for attack in ATTACKS:
        assert attack in shown
    for number in range(len(ATTACKS)):
        page.locator(".windowed .entry .open").nth(number).click()
        page.locator("dialog.story .facts-table").wait_for()
        page.keyboard.press("Escape")
    page.goto(f"{page.url.partition('#')[0]}#/recall/alert")
    page.wait_for_selector(".hit")
    page.goto(f"{page.url.partition('#')[0]}#/timeline")
    page.wait_for_selector(".day")
    bad = "script:not([src]), iframe, object, embed, base, style, img, svg, [onerror], [onload], [onclick]"
    assert page.locator(bad).count() == 0
    assert page.evaluate("[...document.links].every(a => /^https?:|^mailto:/.test(a.href))")
    assert page.locator("body").is_visible()


def nodes(tree: Any) -> list[Any]:
    found = []
    for node in tree:
        if isinstance(node, list):
            found.append(node)
            found += nodes(node[2:])
    return found


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_tree_of_a_text_holds_known_elements_and_harmless_links_alone(attack: str) -> None:
    for name, attributes, *_ in nodes(render(attack)):
        assert name in ELEMENTS
        assert set(attributes) <= {"href"}
        assert attributes.get("href", "https:").startswith(("http:", "https:", "mailto:"))


def test_markdown_becomes_elements() -> None:
    assert render("a **b** `c`") == [["p", {}, "a ", ["strong", {}, "b"], " ", ["code", {}, "c"]], "\n"]
    assert render("[docs](https://example.org/x)") == [
        ["p", {}, ["a", {"href": "https://example.org/x"}, "docs"]],
        "\n",
    ]
    assert render("1 < 2 & 3") == [["p", {}, "1 < 2 & 3"], "\n"]
    assert render("x" * 70_000) == [["p", {}, "x" * 70_000]]


def test_a_link_shows_where_it_leads(open_page: Any, site: Site) -> None:
    site.desk.append("see [the docs](https://evil.example/login)")
    page = open_page()
    page.get_by_text("see [the docs]").click()
    link = page.locator("dialog.story .said a")
    assert "https://evil.example/login" in link.inner_text()
    assert "noopener" in (link.get_attribute("rel") or "")
