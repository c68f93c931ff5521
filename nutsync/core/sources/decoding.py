"""Bytes of a foreign file as lines of text; what had to be put right is noted, with its line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from nutsync.core.entry import BIDI_CONTROLS
from nutsync.core.pattern import pattern

_BIDI = pattern(f"[{BIDI_CONTROLS}]")
_CONTROL = pattern("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]")
_CONFLICT = pattern(r"(?:<{7}|>{7}|\|{7})(?: |$)")
_VISIBLE_NUL = "␀"


@dataclass
class Lines:
    """The lines of a file, each with its number, and notes as (line, code, message)."""

    lines: list[tuple[int, str]] = field(default_factory=list)
    notes: list[tuple[int, str, str]] = field(default_factory=list)

    def note(self, line: int, code: str, message: str) -> None:
        self.notes.append((line, code, message))


def is_binary(content: bytes) -> bool:
    """Tell whether ``content`` is no text at all: other bytes than text's stand everywhere in it.

    A few NULs are damage, not a format.
    """
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False
    sample = content[:65536]
    odd = sum(sample.count(bytes([n])) for n in (0, 1, 2, 3, 4, 5, 6, 14, 15, 16, 17, 18, 19, 20))
    return odd > 8 and odd * 20 > len(sample)


def decode_lines(content: bytes) -> Lines:
    """Return the lines of ``content``, without conflict markers; every oddity is noted."""
    result = Lines()
    if not content:
        result.note(1, "empty-file", "the file is empty")
        return result
    text = _decode(content, result)
    _note_line_ends(text, result)
    conflicted = "<<<<<<< " in text or ">>>>>>> " in text
    tabs = 0
    for number, raw in enumerate(re.split(r"\r\n|\n", text) if "\n" in text else text.split("\r"), 1):
        if conflicted and (_CONFLICT.match(raw) or raw == "======="):
            message = "a conflict that was never resolved; both sides are kept, the marker is not"
            result.note(number, "conflict-marker", message)
            continue
        tabs = tabs or (number if raw.startswith("\t") else 0)
        result.lines.append((number, _cleaned(raw, number, result)))
    if tabs:
        result.note(tabs, "tabs", "nested with tabs; they are kept")
    return result


def _decode(content: bytes, result: Lines) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        result.note(1, "encoding", "read as UTF-16")
        return content.decode("utf-16", "replace")
    if content.startswith(b"\xef\xbb\xbf"):
        result.note(1, "byte-order-mark", "a byte order mark was left out")
        content = content[3:]
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
    high = sum(byte > 127 for byte in content)
    if high * 4 > len(content):
        try:
            text = content.decode("gb18030")
        except UnicodeDecodeError:
            pass
        else:
            result.note(line, "encoding", "no UTF-8; read as GB 18030")
            return text
    result.note(line, "encoding", "bytes that are no UTF-8 were read as Western European")
    return _patched(content)


def _patched(content: bytes) -> str:
    """Return the text, every byte that is no UTF-8 read as Windows-1252 (or Latin-1 where that has none)."""
    text = content.decode("utf-8", "surrogateescape")

    def read(match: re.Match[str]) -> str:
        byte = bytes([ord(match[0]) - 0xDC00])
        try:
            return byte.decode("cp1252")
        except UnicodeDecodeError:
            return byte.decode("latin-1")

    return re.sub("[\udc80-\udcff]", read, text)


def _note_line_ends(text: str, result: Lines) -> None:
    if "\r" in text:
        line = text.count("\n", 0, text.index("\r")) + 1
        whole = text.count("\r\n")
        mixed = whole < text.count("\n") or whole < text.count("\r")
        result.note(line, "line-ends", "mixed line ends became LF" if mixed else "CRLF became LF")
    if not text.endswith(("\n", "\r")):
        result.note(text.count("\n") + 1, "no-final-newline", "the last line has no end")


def _cleaned(raw: str, number: int, result: Lines) -> str:
    if raw.isascii() and raw.isprintable():
        return raw
    if "\0" in raw:
        result.note(number, "nul", f"NUL stands here as {_VISIBLE_NUL}")
        raw = raw.replace("\0", _VISIBLE_NUL)
    if _BIDI.search(raw):
        result.note(number, "hidden-direction", "invisible marks of direction were left out")
        raw = _BIDI.sub("", raw)
    if _CONTROL.search(raw):
        result.note(number, "control", "control characters are kept")
    return raw
