"""Tokens of an entry, and how much each tells (design §3.2).

No stored statistics: rarity comes from a word's shape, from the lists in ``words`` and from what
the entry itself repeats.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from nutsync.core.index import words

HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\uff66-\uff9f"
_HIRAGANA = "\u3041-\u309f"
CJK_RANGE = HAN + KATAKANA + _HIRAGANA
_MARKS = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0dff\u0e31-\u0e4e\u0eb1-\u0ece"
    "\u1000-\u109f\u17b4-\u17d3"
)
"""Signs that belong to the letter before them."""
_LETTER = rf"(?:[^\W_{CJK_RANGE}]|[{_MARKS}])"

NUMBER, IDENTIFIER, NAME, QUOTED, WORD, COMMON, STOP, NEGATION, CJK, STATUS, BOX = range(11)

_WEIGHT = {
    NUMBER: 2.6,
    IDENTIFIER: 2.6,
    QUOTED: 2.4,
    NAME: 2.2,
    STATUS: 2.0,
    WORD: 1.2,
    COMMON: 0.4,
    STOP: 0.0,
    NEGATION: 0.0,
    BOX: 0.0,
}


class Token(NamedTuple):
    """One term of a text: where it stands, what it is, and how much it tells."""

    start: int
    end: int
    kind: int
    weight: float
    sentence: int


@cache
def _scanner() -> re.Pattern[str]:
    word = rf"{_LETTER}+(?:(?:://|[.'’_@:/+#&~-]|,(?=\d{{3}}(?!\d))|，(?=[０-９]{{3}}(?!\d))){_LETTER}+)*(?:\+\+|#(?!\w)|%)?"
    return re.compile(
        rf"(?P<word>{word})|(?P<han>[{HAN}]+)|(?P<kata>[{KATAKANA}]+)|(?P<hira>[{_HIRAGANA}]+)"
        r"|(?P<box>\[[ xX]\](?=\s))|(?P<end>[.!?…\n。！？；;]+)"
    )


@cache
def _quotes() -> re.Pattern[str]:
    inner = r"[^\n；;"
    return re.compile(
        rf'"({inner}"]{{2,40}})"|“({inner}”“]{{2,40}})”|`({inner}`]{{2,40}})`|《({inner}》]{{1,30}})》'
        rf"|「({inner}」]{{1,30}})」|『({inner}』]{{1,30}})』"
    )


@cache
def _han_stops() -> re.Pattern[str]:
    listed = sorted({*words.CHINESE_STOP_WORDS, *words.CHINESE_STOP_CHARACTERS}, key=lambda w: (-len(w), w))
    return re.compile("|".join(listed))


@cache
def _hira_stops() -> re.Pattern[str]:
    listed = sorted(set(words.JAPANESE_STOP_WORDS), key=lambda w: (-len(w), w))
    return re.compile("|".join(listed) + "|[をはがのにへともでやかねよなさわ]")


def key_of(text: str) -> str:
    """Return a word as the lists in ``words`` spell it."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).casefold().replace("’", "'")


def scan(text: str, *, phrases: bool = True) -> list[Token]:
    """Return the tokens of ``text`` in order; linear in its length.

    With ``phrases`` a quoted phrase is one token.
    """
    tokens: list[Token] = []
    seen: set[str] = set()
    sentence, fresh = 0, True
    for match in _scanner().finditer(text):
        group = match.lastgroup
        start, end = match.span()
        if group == "end":
            sentence, fresh = sentence + 1, True
            continue
        if group == "word":
            tokens.append(_word(text, start, end, sentence, fresh, seen))
        elif group == "han":
            _han(tokens, text, start, end, sentence)
        elif group == "box":
            tokens.append(Token(start, end, BOX, 0.0, sentence))
            continue
        elif group == "kata":
            tokens.append(Token(start, end, CJK, 1.6 if end - start > 1 else 0.3, sentence))
        else:
            _hiragana(tokens, text, start, end, sentence)
        fresh = False
    return _with_quoted(text, tokens) if phrases else tokens


def word_spans(text: str) -> list[tuple[int, int]]:
    """Return where the words of scripts that put spaces between words stand in ``text``."""
    return [m.span() for m in _scanner().finditer(text) if m.lastgroup == "word"]


def _word(text: str, start: int, end: int, sentence: int, fresh: bool, seen: set[str]) -> Token:
    """Return the token of one word of a script that puts spaces between words."""
    raw = text[start:end]
    key = key_of(raw)
    if key in seen:
        return Token(start, end, STOP, 0.0, sentence)
    seen.add(key)
    kind = _word_kind(raw, key, fresh)
    weight = _WEIGHT[kind]
    if kind == WORD:
        weight += 0.04 * min(end - start, 12)
        if end - start < 3:
            weight = 0.5
    elif kind == NAME and _vocative(text, start, end, fresh):
        weight = 0.5
    return Token(start, end, kind, weight, sentence)


def _word_kind(raw: str, key: str, fresh: bool) -> int:
    if raw.isalpha():
        base = key
    else:
        if any(c.isdigit() for c in raw):
            return NUMBER if not any(c.isalpha() for c in raw) else IDENTIFIER
        if key in words.ENGLISH_NEGATION:
            return NEGATION
        base, apostrophe, _ = key.partition("'")
        if not apostrophe and any(c in "._@:/+#" for c in raw):
            return IDENTIFIER
    if base in words.ENGLISH_NEGATION:
        return NEGATION
    if base in words.ENGLISH_STATUS:
        return STATUS
    if base in words.ENGLISH_STOP and not (raw.isupper() and len(raw) > 1 and not fresh):
        return STOP
    if base in words.ENGLISH_COMMON:
        return COMMON
    if raw[1:] != raw[1:].lower():
        return IDENTIFIER
    if not fresh and raw[:1].isupper():
        return NAME
    return WORD


def _vocative(text: str, start: int, end: int, fresh: bool) -> bool:
    """Tell whether a name is only called out (``Wow, Ana, …``; ``Thanks, Ana!``)."""
    before = text[start - 2 : start] if start > 1 else ""
    after = text[end : end + 1]
    return before == ", " and after in ",.!?;:"


def han_pieces(run: str) -> list[str]:
    """Return the stretches of a run of Han characters that no connecting word interrupts."""
    return [piece for piece in _han_stops().split(run) if piece]


def _han(tokens: list[Token], text: str, start: int, end: int, sentence: int) -> None:
    """Cut one run of Han characters at the words that connect, and weigh the pieces."""
    position = start
    for stop in _han_stops().finditer(text, start, end):
        if stop.start() > position:
            _han_pieces(tokens, text, position, stop.start(), sentence)
        position = stop.end()
    if end > position:
        _han_pieces(tokens, text, position, end, sentence)


def _han_pieces(tokens: list[Token], text: str, start: int, end: int, sentence: int) -> None:
    """Cut a stretch without connecting words into pieces of at most four characters."""
    while end - start > 5:
        cut = start + 2
        while cut < start + 4 and text[cut] not in words.CHINESE_COMMON_CHARACTERS:
            cut += 1
        tokens.append(_han_token(text, start, cut, sentence))
        start = cut
    tokens.append(_han_token(text, start, end, sentence))


def _han_token(text: str, start: int, end: int, sentence: int) -> Token:
    piece = text[start:end]
    if piece in words.CHINESE_NEGATION:
        return Token(start, end, NEGATION, 0.0, sentence)
    if any(status in piece for status in words.CHINESE_STATUS):
        return Token(start, end, STATUS, 2.0, sentence)
    common = words.CHINESE_COMMON_CHARACTERS
    rare = sum(1 for c in piece if c not in common)
    size = end - start
    weight = 0.3 + 1.6 * rare / size + 0.1 * min(size, 4)
    return Token(start, end, CJK, weight if size > 1 or rare else 0.2, sentence)


def _hiragana(tokens: list[Token], text: str, start: int, end: int, sentence: int) -> None:
    """Keep only the long pieces of a hiragana run; the short ones are endings and particles."""
    position = start
    for stop in (*_hira_stops().finditer(text, start, end), None):
        edge = end if stop is None else stop.start()
        if edge - position >= 3:
            tokens.append(Token(position, edge, CJK, 0.9, sentence))
        position = end if stop is None else stop.end()


def _with_quoted(text: str, tokens: list[Token]) -> list[Token]:
    """Make each quoted phrase one token: titles and the user's own words are searched whole."""
    if not any(c in text for c in '"“`《「『'):
        return tokens
    spans = [m.span(m.lastindex or 0) for m in _quotes().finditer(text)]
    result: list[Token] = []
    position = 0
    for start, end in spans:
        while position < len(tokens) and tokens[position].end <= start:
            result.append(tokens[position])
            position += 1
        inside = position
        while inside < len(tokens) and tokens[inside].end <= end:
            inside += 1
        if inside > position and tokens[position].start >= start:
            first, last = tokens[position], tokens[inside - 1]
            result.append(Token(first.start, last.end, QUOTED, _WEIGHT[QUOTED], first.sentence))
            position = inside
    return result + tokens[position:]
