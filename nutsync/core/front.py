"""A day file's frontmatter: read tolerantly, changed one line at a time (design §3.1, §3.2).

The canonical form needs no YAML to read. Whatever else stands in a frontmatter is kept byte for
byte; where its ``index`` cannot be read here, ``problem`` says why, and a YAML reader further out
may still make sense of it for showing.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from nutsync.core.pattern import pattern

BOM = b"\xef\xbb\xbf"

_FENCE = pattern(rb"---[ \t]*\n")
_END = pattern(rb"(?m)^(?:---|\.\.\.)[ \t]*$\n?")
_KEY_LINE = pattern(r"(date|index)[ \t]*:(?:[ \t]+(.*))?")
_TOP_LINE = pattern(r"#|- |[ \t]|$|[^\s:][^:]*:(?:\s|$)")
_SINGLE = pattern(r"'([^']*(?:''[^']*)*)'[ \t]*(?:#.*)?")
_DOUBLE = pattern(r'"((?:[^"\\]|\\.)*)"[ \t]*(?:#.*)?')
_CANONICAL = pattern(rb"---\ndate: \d{4}-\d\d-\d\d\nindex: '[^'\n]*(?:''[^'\n]*)*'\n---\n")
_DOUBLE_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r",
    "e": "\x1b", " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0",
    "L": "\u2028", "P": "\u2029", "\t": "\t",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Front:
    """The frontmatter of a day file, as it stands.

    ``raw`` holds every byte from a byte-order mark to the closing fence, or only the mark where there
    is no frontmatter. ``index`` is decoded. ``problem`` names the first fault of form, if any.
    """

    present: bool
    raw: bytes
    date: str | None = None
    index: str | None = None
    problem: str | None = None
    canonical: bool = False


def split_front(content: bytes) -> tuple[Front, bytes]:
    """Split LF-ended ``content`` into its frontmatter and the rest; the two make it up again."""
    mark = BOM if content.startswith(BOM) else b""
    fence = _FENCE.match(content, len(mark))
    end = _END.search(content, fence.end()) if fence else None
    if fence is None or end is None:
        problem = "the frontmatter does not end" if fence else None
        return Front(False, mark, problem=problem), content[len(mark) :]
    raw = content[: end.end()]
    lines = content[fence.end() : end.start()].decode("utf-8", "surrogateescape").split("\n")[:-1]
    return _read(raw, lines), content[end.end() :]


def quote_index(index: str) -> str:
    """Return the index as it stands after ``index: ``: in single quotes, ``'`` doubled."""
    return "'" + index.replace("'", "''") + "'"


def index_problem(index: str) -> str | None:
    """Say what keeps ``index`` from being one quoted line (design §3.2), or return None."""
    if index.isprintable():  # so says Python of all that can be wrong, and of some spaces that are not
        return None
    for char in index:
        if char == "\t":
            return "the index holds a tab"
        if char in "\n\r\x85\u2028\u2029":
            return "the index holds a line break"
        if unicodedata.category(char) in ("Cc", "Cs") or char in "\ufeff\ufffe\uffff":
            return f"the index holds the character U+{ord(char):04X}"
    return None


def new_front(date: str, index: str) -> Front:
    """Return the canonical frontmatter of ``date``. Raises :class:`ValueError` for a malformed index."""
    problem = index_problem(index)
    if problem:
        raise ValueError(problem)
    raw = f"---\ndate: {date}\nindex: {quote_index(index)}\n---\n".encode()
    return Front(True, raw, date, index, None, canonical=True)


def front_with_index(front: Front, date: str, index: str) -> Front:
    """Return ``front`` with ``index``; every line that is neither date nor index stays as it is."""
    if not front.present or front.canonical:
        fresh = new_front(date, index)
        mark = BOM if front.raw.startswith(BOM) else b""
        return Front(True, mark + fresh.raw, date, index, None, canonical=not mark)
    problem = index_problem(index)
    if problem:
        raise ValueError(problem)
    mark = BOM if front.raw.startswith(BOM) else b""
    lines = front.raw[len(mark) :].decode("utf-8", "surrogateescape").split("\n")
    head, inner, foot = lines[0], lines[1:-2], lines[-2:]
    if front.raw[-1:] != b"\n":
        inner, foot = lines[1:-1], lines[-1:]
    kept = _replace_index(inner, f"index: {quote_index(index)}")
    if front.date is None:
        kept.insert(0, f"date: {date}")
    raw = mark + "\n".join([head, *kept, *foot]).encode("utf-8", "surrogateescape")
    return split_front(raw)[0]


def _read(raw: bytes, lines: list[str]) -> Front:
    date = index = problem = None
    seen: set[str] = set()
    for line in lines:
        match = _KEY_LINE.match(line)
        if match is None:
            if not problem and not _TOP_LINE.match(line):
                problem = "a line of the frontmatter is no key"
            continue
        key, value = match[1], (match[2] or "").strip()
        if key in seen:
            problem = problem or f"two {key} lines"
            continue
        seen.add(key)
        if key == "date":
            date = _plain(value)
        else:
            index, fault = _read_index(value)
            problem = problem or fault
    return Front(True, raw, date, index, problem, canonical=_CANONICAL.fullmatch(raw) is not None)


def _read_index(value: str) -> tuple[str | None, str | None]:
    single = _SINGLE.fullmatch(value)
    if single:
        index = single[1].replace("''", "'")
        return index, index_problem(index)
    double = _DOUBLE.fullmatch(value)
    if double:
        try:
            index = _undouble(double[1])
        except (KeyError, ValueError, OverflowError):
            return None, "the index holds an unknown escape"
        return index, index_problem(index)
    return None, "the index is not one line in quotes"


def _plain(value: str) -> str:
    for quoted in (_SINGLE, _DOUBLE):
        match = quoted.fullmatch(value)
        if match:
            return match[1]
    return value.partition(" #")[0].strip()


def _undouble(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        code = match[1]
        if code[0] in "xuU":
            return chr(int(code[1:], 16))
        return _DOUBLE_ESCAPES[code]

    return re.sub(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", one, text)


def _replace_index(lines: list[str], new: str) -> list[str]:
    """Put ``new`` in the place of the first index line and of the lines its value runs on to."""
    kept: list[str] = []
    placed = False
    at = 0
    while at < len(lines):
        match = _KEY_LINE.match(lines[at])
        if match is None or match[1] != "index":
            kept.append(lines[at])
            at += 1
            continue
        if not placed:
            kept.append(new)
            placed = True
        at = _end_of_value(lines, at, (match[2] or "").strip())
    if not placed:
        after = next((i + 1 for i, line in enumerate(kept) if line.startswith("date")), len(kept))
        kept.insert(after, new)
    return kept


def _end_of_value(lines: list[str], at: int, value: str) -> int:
    """Return the line after a value that may be folded, a block scalar or an open quotation."""
    end = at + 1
    quote = value[:1]
    open_quote = quote in ("'", '"') and not (_SINGLE if quote == "'" else _DOUBLE).fullmatch(value)
    if open_quote:
        for later in range(end, len(lines)):
            if lines[later].rstrip().endswith(quote):
                return later + 1
    while end < len(lines) and lines[end][:1] in (" ", "\t"):
        end += 1
    return end
