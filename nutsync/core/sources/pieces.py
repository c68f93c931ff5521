"""Cutting a Markdown file into entries: a section with its heading, a bullet with what hangs on it, a
paragraph. No line is lost: only bullet markers, empty bullets and the blank lines between entries go.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from nutsync.core.entry import TEXT_LIMIT
from nutsync.core.pattern import pattern

SOFT_LIMIT = 4_000
"""A section longer than this many characters becomes several entries, cut where its parts end."""

_HARD_LIMIT = TEXT_LIMIT * 7 // 8

_HEADING = pattern(r"#{1,6}(?:[ \t]|$)")
_ORG_HEADING = pattern(r"\*{1,6} ")
_BULLET = pattern(r"[-*+](?:[ \t]|$)")
_NUMBERED = pattern(r"\d{1,9}[.)](?:[ \t]|$)")
_RULE = pattern(r"(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}")
_FENCE = pattern(r"([ \t]*(?:[-*+][ \t]+)?)(`{3,}|~{3,})")
_OPEN_TASK = pattern(r"(?:\[ \]|(?:TODO|LATER|DOING|NOW|WAITING|IN-PROGRESS)\b|待办)")

Line = tuple[int, str]


@dataclass
class Piece:
    """A part of a file that becomes one entry: where it begins, its lines, and what its first line is."""

    lines: list[Line]
    is_heading: bool = False
    is_bullet: bool = False

    @property
    def line(self) -> int:
        return self.lines[0][0]

    @property
    def text(self) -> str:
        shown = [text for _, text in self.lines]
        if self.is_bullet:
            shown[0] = shown[0][1:].lstrip(" \t")
        while shown and not shown[-1].strip():
            shown.pop()
        while shown and not shown[0].strip():
            shown.pop(0)
        return "\n".join(shown)

    @property
    def is_open_task(self) -> bool:
        return self.is_bullet and _OPEN_TASK.match(self.text) is not None

    @property
    def size(self) -> int:
        return sum(len(text) + 1 for _, text in self.lines)


@dataclass
class Cut:
    """The pieces of a file, and notes as (line, code, message)."""

    pieces: list[Piece] = field(default_factory=list)
    notes: list[tuple[int, str, str]] = field(default_factory=list)


def cut(lead: Sequence[Line], lines: Sequence[Line], *, org: bool = False) -> Cut:
    """Cut a file into pieces: its frontmatter ``lead`` goes with the first of them.

    In a file with headings every section is a piece, else every bullet and every paragraph. With ``org``
    a heading is a line that begins with stars.
    """
    done = Cut()
    fenced, unclosed = _fenced(lines, done)
    units = list(_units(lines, fenced, done, org=org))
    carried = list(lead)
    for section in _sections(units):
        if len(section) == 1 and section[0].is_heading:
            carried += section[0].lines  # a heading with nothing under it goes with what comes next
            continue
        for piece in _packed(carried, section):
            done.pieces += _fitting(piece, done)
        carried = []
    if carried:
        done.pieces.append(Piece(carried))
    if unclosed is not None:
        _close_fence(done.pieces, *unclosed)
    done.pieces = [piece for piece in done.pieces if piece.text.strip()]
    return done


def _units(lines: Sequence[Line], fenced: Sequence[bool], done: Cut, *, org: bool) -> Iterator[Piece]:
    """Yield the smallest parts: a heading, a top-level item with what hangs on it, a paragraph."""
    current: Piece | None = None
    after_blank = False
    for (number, text), inside in zip(lines, fenced, strict=True):
        kind = "" if inside else _kind(text, org=org)
        if current is None or kind not in ("", "text") or (kind == "text" and _ends(current, after_blank)):
            if current is not None:
                yield from _said(current, done)
            current = Piece([(number, text)], kind == "heading", kind == "bullet")
        else:
            current.lines.append((number, text))
        after_blank = not inside and not text.strip()
    if current is not None:
        yield from _said(current, done)


def _kind(text: str, *, org: bool) -> str:
    """Return what a line outside a fence begins: heading, bullet, number, text, or "" for nothing new."""
    if not text.strip() or text[0].isspace() or _RULE.fullmatch(text.rstrip()):
        return ""
    if (_ORG_HEADING if org else _HEADING).match(text):
        return "heading"
    if _BULLET.match(text):
        return "bullet"
    return "number" if _NUMBERED.match(text) else "text"


def _ends(piece: Piece, after_blank: bool) -> bool:
    """Tell whether a line of text at the left edge ends ``piece``."""
    return after_blank or piece.is_heading


def _said(piece: Piece, done: Cut) -> Iterator[Piece]:
    """Yield a part; of one that is a bullet without words only what hangs on it."""
    if piece.is_bullet and not piece.lines[0][1][1:].strip():
        done.notes.append((piece.line, "empty-bullet", "a bullet without words was left out"))
        piece = Piece(piece.lines[1:])
    if any(text.strip() for _, text in piece.lines):
        yield piece


def _fenced(lines: Sequence[Line], done: Cut) -> tuple[list[bool], tuple[int, str] | None]:
    """Tell for every line whether it stands inside a code fence, and where one opens that never closes."""
    inside = [False] * len(lines)
    at, mark = 0, ""
    for place, (_, text) in enumerate(lines):
        match = _FENCE.match(text)
        if mark:
            inside[place] = True
            if match and match[2].startswith(mark) and not text[match.end() :].strip():
                mark = ""
        elif match and match[2] not in text[match.end() :]:
            at, mark = place, match[2]
    if not mark:
        return inside, None
    message = "a code fence is never closed; it is closed where its entry ends"
    done.notes.append((lines[at][0], "unclosed-fence", message))
    return [*inside[: at + 1], *[False] * (len(lines) - at - 1)], (lines[at][0], mark)


def _close_fence(pieces: Sequence[Piece], line: int, mark: str) -> None:
    for piece in pieces:
        opening = next((text for number, text in piece.lines if number == line), None)
        if opening is not None:
            indent = " " * (len(opening) - len(opening.lstrip(" \t-*+")))
            while not piece.lines[-1][1].strip():
                piece.lines.pop()
            piece.lines.append((piece.lines[-1][0], f"{indent}{mark}"))


def _sections(units: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Yield the parts of each section, its heading first; without a heading each part alone."""
    section: list[Piece] = []
    for unit in units:
        if unit.is_heading or not section:
            if section:
                yield section
            section = [unit]
            if not unit.is_heading:
                yield section
                section = []
        else:
            section.append(unit)
    if section:
        yield section


def _packed(carried: Sequence[Line], section: Sequence[Piece]) -> Iterator[Piece]:
    """Yield a section as one piece, or as several where it is long."""
    if len(section) == 1 and not carried:
        yield section[0]
        return
    current = Piece(list(carried))
    least = len(carried) + (len(section[0].lines) if section[0].is_heading else 0)
    for unit in section:
        if len(current.lines) > least and current.size + unit.size > SOFT_LIMIT:
            yield current
            current, least = Piece([]), 0
        current.lines += unit.lines
    yield current


def _fitting(piece: Piece, done: Cut) -> Iterator[Piece]:
    """Yield a piece in parts that an entry can hold."""
    if len(piece.text.encode("utf-8", "surrogatepass")) <= _HARD_LIMIT:
        yield piece
        return
    done.notes.append((piece.line, "long", "longer than one entry may be; it became several"))
    part = Piece([], piece.is_heading, piece.is_bullet)
    size = 0
    for number, text in piece.lines:
        for start in range(0, max(1, len(text)), _HARD_LIMIT // 4):
            run = text[start : start + _HARD_LIMIT // 4]
            cost = len(run.encode("utf-8", "surrogatepass")) + 1
            if part.lines and size + cost > _HARD_LIMIT:
                yield part
                part, size = Piece([]), 0
            part.lines.append((number, run))
            size += cost
    yield part
