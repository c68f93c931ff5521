"""The entry grammar: how text and attributes stand in a day file (design §3.1).

A *block* is a line in column 0 with the indented and blank lines that follow it. An *entry* is a
block that is a bullet. Its attributes stand in one HTML comment at the end of its first line::

    - Billing moves to PostgreSQL 16 <!-- nut id=p0q8m1zc at=10:02:44.001+08:00 dev=desk -->
      Reason: logical replication.

Everything here works on bytes with LF line ends. Text is decoded as UTF-8; bytes that are no UTF-8
become lone surrogates (``surrogateescape``), so that nothing is ever lost on the way back.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from nutsync.core.errors import ErrEmptyText, ErrForbiddenCharacter, ErrRef, ErrTooLarge
from nutsync.core.moment import is_date
from nutsync.core.pattern import pattern

TEXT_LIMIT = 64 * 1024
"""The longest text of an entry, in bytes of UTF-8."""

ID_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford base32, lower case: no i, l, o, u."""

_ID = pattern(r"[0-9a-hjkmnp-tv-z]{8}")
_KEY = pattern(r"[a-z][a-z0-9_-]*")
# An escape of a character that needs none is no escape, so that a value has one spelling and grep
# finds it. core/layer_grep.py writes the same grammar for grep.
_ESCAPE = rb"%(?:[0189A-F][0-9A-F]|2[0-9AC]|3[B-F]|5[B-E]|60|7[B-F])"
_PLAIN = rb"[A-Za-z0-9._:+@/\x80-\xff-]*"
_PAIR = rb"[a-z][a-z0-9_-]*=" + _PLAIN + rb"(?:" + _ESCAPE + _PLAIN + rb")*"
_COMMENT = pattern(rb" <!-- nut((?: " + _PAIR + rb")+) -->[ \t\v\f\r]*$")
_STAMP = pattern(rb"(?m) <!-- nut id=[0-9a-hjkmnp-tv-z]{8}(?: (?!id=)" + _PAIR + rb")* -->[ \t\v\f\r]*$")
_BULLET = pattern(rb"[-*+](?:[ \t\v\f\r]|$)")
_SPECIAL = pattern(r"(\\*)(<!-- nut|&#13;)")
_PLAIN_VALUE = pattern(r"[A-Za-z0-9._:+@/-]*")
_NO_ATTRIBUTES: Mapping[str, str] = MappingProxyType({})

BIDI_CONTROLS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""The Bidi_Control property of Unicode (UAX #9): they can make text read as what it is not."""

_FORBIDDEN = pattern(f"[\x00{BIDI_CONTROLS}\ud800-\udfff]")


class Block:
    """One block of a day's body; equal to another with the same bytes.

    ``raw`` is whole lines and ends with a newline; trailing empty lines belong to it as layout.
    """

    __slots__ = ("_attributes", "_comment_at", "body", "raw")

    def __init__(self, raw: bytes) -> None:
        self.raw = raw if raw.endswith(b"\n") else raw + b"\n"
        #: The bytes that the freeze law compares: ``raw`` without trailing empty lines.
        self.body = self.raw.rstrip(b"\n") + b"\n"
        self._attributes: Mapping[str, str] | None = None
        self._comment_at: int | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Block) and self.raw == other.raw

    def __hash__(self) -> int:
        return hash(self.raw)

    def __repr__(self) -> str:
        return f"Block(id={self.id}, {len(self.raw)} bytes)"

    @property
    def first_line(self) -> bytes:
        return self.body.partition(b"\n")[0]

    @property
    def is_bullet(self) -> bool:
        return _BULLET.match(self.body) is not None

    @property
    def attributes(self) -> Mapping[str, str]:
        """The decoded attributes in their order; empty where there are none or one is malformed."""
        if self._attributes is None:
            self._attributes = self._read_comment()
        return self._attributes

    @property
    def id(self) -> str | None:
        """The id of a stamped entry, else None."""
        if b"<!-- nut" not in self.body:
            return None
        return self.attributes.get("id")

    @property
    def is_stamped(self) -> bool:
        return self.id is not None

    @property
    def text(self) -> str:
        """What was said: bullet marker, indentation, attributes and escapes taken off."""
        lines = self.body[:-1].decode("utf-8", "surrogateescape").split("\n")
        if not self.is_bullet:
            return "\n".join(lines)
        first = self.first_line
        if self.attributes:
            first = first[: self._comment_at]
        lines[0] = first[2:].decode("utf-8", "surrogateescape")
        lines[1:] = [line[2:] if line.startswith("  ") else line for line in lines[1:]]
        return _unescape("\n".join(lines))

    def _read_comment(self) -> Mapping[str, str]:
        first = self.first_line
        match = _COMMENT.search(first, 1) if self.is_bullet else None
        if match is None:
            return _NO_ATTRIBUTES
        attributes = _parse_attributes(match[1].decode("utf-8", "surrogateescape"))
        if attributes is None:
            return _NO_ATTRIBUTES
        self._comment_at = match.start()
        return attributes


def split_blocks(body: bytes) -> tuple[bytes, tuple[Block, ...]]:
    """Split a day's body into what comes before the first block, and the blocks.

    What comes before holds blank lines only: indented lines at the very top make a block, so that
    no text is ever without one. ``body`` must have LF line ends. Joined again, the bytes are equal
    but for the last newline, which is supplied where it is missing.
    """
    lead_length = len(body) - len(body.lstrip(b"\n"))
    lead, rest = body[:lead_length], body[lead_length:]
    if not rest:
        return lead, ()
    starts = [0, *(m.start() for m in _BLOCK_START.finditer(rest, 1))]
    ends = [*starts[1:], len(rest)]
    return lead, tuple(Block(rest[s:e]) for s, e in zip(starts, ends, strict=True))


_BLOCK_START = pattern(rb"(?m)^[^ \t\n]")


def without_comments(content: bytes) -> bytes:
    """Return a day file's content without the attributes of its stamped entries.

    Where it has none, ``content`` itself. No text goes: what looks like attributes and is none stays.
    """
    return _STAMP.sub(_unless_text, content) if b" <!-- nut id=" in content else content


def _unless_text(match: re.Match[bytes]) -> bytes:
    start = match.string.rfind(b"\n", 0, match.start()) + 1
    return b"" if _BULLET.match(match.string, start) and match.start() > start else match[0]


def encode_entry(text: str, attributes: Mapping[str, str] | None = None) -> Block:
    """Return the entry that holds ``text`` and ``attributes`` and reads back equal.

    Raises :class:`ValueError` for a key that cannot stand in the comment. Whether the text may be
    remembered at all is :func:`check_text`'s question.
    """
    lines = _escape(text).split("\n")
    first = f"- {lines[0]}"
    if attributes:
        first += f" {render_comment(attributes)}"
    rest = [f"  {line}" if line or trailing else "" for line, trailing in _with_trailing(lines[1:])]
    return Block(("\n".join([first, *rest]) + "\n").encode("utf-8", "surrogateescape"))


def stamp(block: Block, attributes: Mapping[str, str]) -> Block:
    """Return the hand-written bullet ``block`` with ``attributes``; every other byte stays.

    Attributes it already has are kept unless ``attributes`` gives them anew.
    """
    merged = {**block.attributes, **attributes}
    first, _, rest = block.raw.partition(b"\n")
    if block.attributes:
        first = first[: block._comment_at]
    if len(first) < 2:
        first += b" "
    stamped = Block(first + b" " + render_comment(merged).encode() + b"\n" + rest)
    if stamped.text == block.text and dict(stamped.attributes) == merged:
        return stamped
    return encode_entry(block.text, merged)


def render_comment(attributes: Mapping[str, str]) -> str:
    """Return the HTML comment that carries ``attributes``."""
    for key in attributes:
        if not _KEY.fullmatch(key):
            raise ValueError(f"not an attribute key: {key!r}")
    pairs = "".join(f" {key}={encode_value(value)}" for key, value in attributes.items())
    return f"<!-- nut{pairs} -->"


def encode_value(value: str) -> str:
    """Percent-encode what is neither ``A-Za-z0-9._:+@/-`` nor a letter of another script."""
    if _PLAIN_VALUE.fullmatch(value):
        return value
    return "".join(
        c if _PLAIN_VALUE.fullmatch(c) or (ord(c) > 127 and c.isalpha()) else _percent(c) for c in value
    )


def decode_value(value: str) -> str:
    """Undo :func:`encode_value`."""
    if "%" not in value:
        return value
    raw = re.sub(
        rb"%([0-9A-F]{2})",
        lambda m: bytes([int(m[1], 16)]),
        value.encode("utf-8", "surrogateescape"),
    )
    return raw.decode("utf-8", "surrogateescape")


def check_text(text: str) -> None:
    """Raise the named error of a text that cannot be remembered, else return.

    Refused: nothing but white space (:class:`ErrEmptyText`), NUL, bidirectional controls and lone
    surrogates (:class:`ErrForbiddenCharacter`), more than 64 KiB of UTF-8 (:class:`ErrTooLarge`).
    The joiners of emoji and of scripts (U+200C, U+200D) are text and pass.
    """
    if not text.strip():
        raise ErrEmptyText("There is no text to remember.", hint="Give some words.")
    found = _FORBIDDEN.search(text)
    if found:
        raise ErrForbiddenCharacter(
            f"The text holds {_name_of(found[0])} at character {found.start() + 1}. Nothing was written.",
            hint="Remove that character: it is invisible and can hide or break what is remembered.",
        )
    size = len(text.encode())
    if size > TEXT_LIMIT:
        raise ErrTooLarge(f"The text has {size:,} bytes; an entry holds {TEXT_LIMIT:,}. Nothing was written.")


class Ref(NamedTuple):
    """How people and programs point at memory (design §2).

    ``date`` alone is the whole day; with ``id`` a stamped entry; with ``nth`` the nth unstamped
    block of the day, counted from 1, valid against HEAD only.
    """

    date: str
    id: str | None = None
    nth: int | None = None

    @classmethod
    def parse(cls, text: str) -> Ref:
        """Read a ref; raises :class:`ErrRef` where ``text`` is none."""
        day, mark, name = text.strip().partition("#")
        if is_date(day):
            if not mark:
                return cls(day)
            if _ID.fullmatch(name.lower()):
                return cls(day, id=name.lower())
            if re.fullmatch(r"~[1-9][0-9]{0,8}", name) and name.isascii():
                return cls(day, nth=int(name[1:]))
        raise ErrRef(
            f"{text!r} is not a ref.",
            hint="Refs look like 2026-11-30#k3f9x2ab, 2026-11-30#~4, or 2026-11-30 for the whole day.",
        )

    def __str__(self) -> str:
        if self.id is not None:
            return f"{self.date}#{self.id}"
        if self.nth is not None:
            return f"{self.date}#~{self.nth}"
        return self.date


def is_id(text: str) -> bool:
    """Tell whether ``text`` is an entry id: eight characters of Crockford base32, lower case."""
    return _ID.fullmatch(text) is not None


def id_from_bytes(random: bytes) -> str:
    """Return the id that five random bytes make."""
    number = int.from_bytes(random[:5], "big")
    return "".join(ID_ALPHABET[(number >> shift) & 31] for shift in range(35, -1, -5))


def _parse_attributes(pairs: str) -> Mapping[str, str] | None:
    """Return the attributes of a comment, or None where an id is malformed.

    An empty value says nothing, and of several values of one key the first counts: what is added
    behind an attribute cannot change it.
    """
    found: dict[str, str] = {}
    for pair in pairs[1:].split(" "):
        key, _, value = pair.partition("=")
        if key == "id" and not _ID.fullmatch(value):
            return None
        if not found.get(key):
            found[key] = decode_value(value)
    return MappingProxyType(found)


# A text that holds the attribute mark, or the reference that stands for a carriage return, gets an
# odd number of backslashes before it; a carriage return itself gets an even one. So reading back is
# exact whatever backslashes the text has.


def _escape(text: str) -> str:
    text = _SPECIAL.sub(lambda m: m[1] * 2 + "\\" + m[2], text)
    return re.sub(r"(\\*)\r", lambda m: m[1] * 2 + "&#13;", text)


def _unescape(text: str) -> str:
    return _SPECIAL.sub(_unescape_one, text)


def _unescape_one(match: re.Match[str]) -> str:
    slashes, mark = match.groups()
    half = "\\" * (len(slashes) // 2)
    if len(slashes) % 2:
        return half + mark
    return half + "\r" if mark == "&#13;" else match[0]


def _with_trailing(lines: list[str]) -> Iterable[tuple[str, bool]]:
    """Pair each line with whether only empty lines follow it (those must not look like layout)."""
    last = max((i for i, line in enumerate(lines) if line), default=-1)
    return ((line, i > last) for i, line in enumerate(lines))


def _percent(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogateescape"))


def _name_of(char: str) -> str:
    return f"U+{ord(char):04X} {unicodedata.name(char, 'NUL' if char == chr(0) else 'a lone surrogate')}"
