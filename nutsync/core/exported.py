"""Memory in forms that leave the cell: rows that `import jsonl` takes back whole, a page of Markdown, a page
of HTML that needs nothing beside itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from nutsync.core.entry import Block, Ref
from nutsync.core.layer import layer_of, user_word


@dataclass(frozen=True, slots=True)
class ExportedDay:
    """A day as one actor sees it."""

    date: str
    index: str
    entries: Sequence[tuple[Ref, Block]]


_NAMES = {"dev": "device"}
_LEFT_OUT = frozenset(("scope",))


def to_jsonl(days: Iterable[ExportedDay]) -> Iterator[str]:
    """Yield a line for the index of each day and a line for each of its blocks, with every attribute."""
    for day in days:
        if day.index:
            yield json.dumps({"date": day.date, "index": day.index}, ensure_ascii=False)
        for ref, block in day.entries:
            yield json.dumps(_row(ref, block), ensure_ascii=False)


def _row(ref: Ref, block: Block) -> dict[str, object]:
    text = block.text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    row: dict[str, object] = {"date": ref.date, "text": text, "layer": layer_of(block.attributes)}
    row |= {
        _NAMES.get(key, key): value
        for key, value in block.attributes.items()
        if key not in _LEFT_OUT and key not in row
    }
    return row if ref.id else {**row, "unstamped": True}


def to_markdown(days: Iterable[ExportedDay]) -> Iterator[str]:
    """Yield the lines of one Markdown page: a heading for each day, its index quoted, its blocks."""
    for day in days:
        yield f"## {day.date}"
        yield ""
        if day.index:
            yield f"> {day.index}"
            yield ""
        for _, block in day.entries:
            lines = block.text.split("\n")
            yield f"- {lines[0]}" if block.is_bullet else lines[0]
            for line in lines[1:]:
                yield f"  {line}" if block.is_bullet and line else line
        yield ""


def to_html(days: Sequence[ExportedDay], title: str) -> Iterator[str]:
    """Yield one self-contained page: no script, no other file, all text as text."""
    count = sum(len(day.entries) for day in days)
    yield "<!doctype html>"
    yield f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield f"<style>{_STYLE}</style></head><body>"
    yield f"<h1>{escape(title)}</h1><p>{len(days):,} days, {count:,} entries.</p>"
    year = ""
    for day in days:
        if day.date[:4] != year:
            if year:
                yield "</details>"
            year = day.date[:4]
            yield f'<details open id="y{year}"><summary>{year}</summary>'
        yield f'<section id="d{day.date}"><h2>{day.date}</h2>'
        if day.index:
            yield f'<p class="index">{escape(_shown(day.index))}</p>'
        yield "<ul>"
        for ref, block in day.entries:
            yield _item(ref, block)
        yield "</ul></section>"
    if year:
        yield "</details>"
    yield "</body></html>"


def _item(ref: Ref, block: Block) -> str:
    attributes = block.attributes
    told = [
        user_word(layer_of(attributes)) if ref.id else "",
        attributes.get("kind", ""),
        attributes.get("actor", ""),
        attributes.get("at", "")[:8],
        attributes.get("dev", ""),
        f"corrects {attributes['corrects']}" if attributes.get("corrects") else "",
    ]
    small = escape(" · ".join(_shown(part) for part in told if part))
    return f'<li id="{escape(str(ref))}"><pre>{escape(_shown(block.text))}</pre><small>{small}</small></li>'


def _shown(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;"
    "color:#222;background:#fff}h2{font-size:1.05rem;margin:1.5rem 0 .3rem}summary{font-size:1.3rem;"
    "cursor:pointer}.index{color:#555;margin:.2rem 0}pre{font:inherit;white-space:pre-wrap;"
    "overflow-wrap:anywhere;margin:0}small{color:#666}ul{padding-left:1.2rem}li{margin:.4rem 0}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}.index,small{color:#aaa}}"
)
