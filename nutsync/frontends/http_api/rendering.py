"""Markdown of memory as a tree of harmless elements, for the page to build with text nodes.

markdown-it-py reads the text with HTML switched off, nh3 lets only harmless elements and addresses through,
and what is left becomes nested lists: ``["p", {}, "text", ["strong", {}, "more"]]``. No HTML ever reaches the
page, so nothing that was remembered can act there.
"""

from __future__ import annotations

from functools import cache
from html.parser import HTMLParser

import nh3
from markdown_it import MarkdownIt

Node = str | list["Node | dict[str, str]"]

ELEMENTS = frozenset(
    "p br hr h1 h2 h3 h4 h5 h6 ul ol li em strong s code pre blockquote a table thead tbody tr th td".split()
)
_VOID = frozenset({"br", "hr"})
_MOST = 64 * 1024


def render(text: str) -> list[Node]:
    """Return what ``text`` looks like: nodes that are texts, or ``[element, attributes, *nodes]``.

    Only links have attributes: an ``href`` with http, https or mailto.
    """
    if len(text) > _MOST:
        return [["p", {}, text]]
    html = nh3.clean(
        _markdown().render(text),
        tags=set(ELEMENTS),
        attributes={"a": {"href"}},
        url_schemes={"http", "https", "mailto"},
        link_rel=None,
    )
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.nodes


@cache
def _markdown() -> MarkdownIt:
    # Pictures would be asked for elsewhere, and so tell that somebody reads this.
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")


class _Reader(HTMLParser):
    """Reads clean HTML into nested lists."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.nodes: list[Node] = []
        self._open: list[list[Node | dict[str, str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node: list[Node | dict[str, str]] = [tag, {name: value or "" for name, value in attrs}]
        self._put(node)
        if tag not in _VOID:
            self._open.append(node)

    def handle_endtag(self, tag: str) -> None:
        if self._open and self._open[-1][0] == tag:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        self._put(data)

    def _put(self, node: Node) -> None:
        if self._open:
            self._open[-1].append(node)
        else:
            self.nodes.append(node)
