"""Tokens of an entry, and how much each tells (design §3.2).

No stored statistics: rarity comes from a word's shape, from the lists in ``english`` and
``chinese``, and from what the entry itself repeats. Words of scripts that put spaces between words
are tokens; Chinese and Japanese, which do not, are taken apart into overlapping pairs of characters
(``wide``).
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import NamedTuple

from nutsync.core.index import english

HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\uff66-\uff9f"
HIRAGANA = "\u3041-\u309f"
CJK_RANGE = HAN + KATAKANA + HIRAGANA
_MARKS = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0dff\u0e31-\u0e4e\u0eb1-\u0ece"
    "\u1000-\u109f\u17b4-\u17d3"
)
"""Signs that belong to the letter before them."""
_LETTER = rf"(?:[^\W_{CJK_RANGE}]|[{_MARKS}])"

NUMBER, IDENTIFIER, QUOTED, NAME, STATUS, WORD, USUAL, COMMON, HAN_PAIR, KANA, STOP, NEGATION, BOX = range(13)

FIRST = frozenset((NUMBER, IDENTIFIER, QUOTED, NAME, STATUS))
"""What a clause keeps before anything else."""

_WEIGHT = {
    NUMBER: 2.6,
    IDENTIFIER: 2.6,
    QUOTED: 2.4,
    NAME: 2.2,
    STATUS: 2.0,
    WORD: 1.2,
    USUAL: 0.55,
    COMMON: 0.4,
    STOP: 0.0,
    NEGATION: 0.0,
}
LONGEST = 40
"""Words longer than this are cut into parts."""
LETTERS = 4.2
"""How many Latin letters one Chinese character is worth."""
LENGTHY = 1.0
"""The most that an address or a hash weighs: it takes the room of several names."""
CALLED = 0.3
"""The weight of a name that is only called out (``Thanks, Ana!``)."""


class Token(NamedTuple):
    """One term of a text: where it stands, what it is, and how much it tells."""

    start: int
    end: int
    kind: int
    weight: float
    sentence: int


@cache
def _scanner() -> re.Pattern[str]:
    joint = r"(?:://|[.'’_@:/+#&~-]|,(?=\d{3}(?!\d))|，(?=[０-９]{3}(?!\d)))"
    word = rf"{_LETTER}+(?:{joint}{_LETTER}+)*(?:\+\+|#(?!\w)|%)?"
    return re.compile(
        rf"(?P<word>{word})|(?P<han>[{HAN}]+)|(?P<katakana>[{KATAKANA}]+)|(?P<hiragana>[{HIRAGANA}]+)"
        r"|(?P<box>\[[ xX]\](?=\s))|(?P<end>[.!?…\n。！？；;]+)"
    )


@cache
def _letters() -> re.Pattern[str]:
    return re.compile(rf"{_LETTER}+")


@cache
def _quotes() -> re.Pattern[str]:
    inner = r"[^\n；;"
    return re.compile(
        rf'"({inner}"]{{2,40}})"|“({inner}”“]{{2,40}})”|`({inner}`]{{2,40}})`|《({inner}》]{{1,30}})》'
        rf"|「({inner}」]{{1,30}})」|『({inner}』]{{1,30}})』"
    )


def key_of(word: str) -> str:
    """Return a word as the lists spell it."""
    if word.isascii():
        return word.lower()
    return unicodedata.normalize("NFKC", word).casefold().replace("’", "'")


def scan(text: str, *, phrases: bool = True, stops: bool = False) -> list[Token]:
    """Return the tokens of ``text`` in order; linear in its length.

    With ``phrases`` a quoted phrase is one token, with ``stops`` the words that connect are tokens too.
    """
    tokens: list[Token] = []
    seen: set[str] = set()
    sentence, fresh, taken = 0, True, 0
    kinds = _lexicon()
    for match in _scanner().finditer(text):
        group = match.lastgroup
        start, end = max(match.start(), taken), match.end()
        if group == "word":
            raw = match.group()
            if not stops and kinds.get(raw) == STOP:
                fresh = False
                continue
            key = key_of(raw)
            kind = STOP if key in seen else _word_kind(raw, key, fresh)
            if end - start > LONGEST:
                weight = min(_WEIGHT[kind], LENGTHY)
                tokens += [Token(*part, kind, weight, sentence) for part in _parts(text, start, end)]
            elif kind != STOP or stops:
                seen.add(key)
                if phrases and kind == NUMBER:
                    end = taken = _with_unit(text, end)
                tokens.append(_word(text, start, end, kind, sentence))
            fresh = False
        elif group == "end":
            if not (tokens and _abbreviated(text, tokens[-1], start, end)):
                sentence, fresh = sentence + 1, True
        elif group == "box":
            tokens.append(Token(start, end, BOX, 0.0, sentence))
        elif start < end:
            _add_wide(tokens, text, start, end, group, sentence)
            fresh = False
    return _with_quoted(text, tokens) if phrases else tokens


@lru_cache(maxsize=64)
def clause_tokens(clause: str) -> tuple[Token, ...]:
    """Return the tokens of a clause, each word by itself; one clause is looked at from several sides."""
    return tuple(scan(clause, phrases=False))


@cache
def _units() -> re.Pattern[str]:
    counted = "元块塊年月日号號点點时時分秒岁歲个個名人次件台本米斤克吨度页頁章版层層楼円"
    return re.compile(f"[ ]?(?:[百千万萬亿]?[{counted}]|[百千万萬亿])")


def _with_unit(text: str, end: int) -> int:
    """Return where a number ends with the character that says what it counts (``12,800 元``)."""
    match = _units().match(text, end)
    return match.end() if match else end


def _parts(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Cut a word too long to keep, such as an address or a script without spaces, into parts."""
    return [
        (at, min(at + LONGEST // 2, match.end()))
        for match in _letters().finditer(text, start, end)
        for at in range(match.start(), match.end(), LONGEST // 2)
    ]


def _abbreviated(text: str, last: Token, start: int, end: int) -> bool:
    """Tell whether a full stop only ends an initial or a title (``W. Howe``, ``Mr. Creed``)."""
    if end - start > 1 or text[start] != "." or last.end != start or last.end - last.start > 3:
        return False
    word = text[last.start : last.end]
    return word[0].isupper() and word[1:] == word[1:].lower() and text[end : end + 1] == " "


def word_spans(text: str) -> list[tuple[int, int]]:
    """Return where the words of scripts that put spaces between words stand in ``text``."""
    return [m.span() for m in _scanner().finditer(text) if m.lastgroup == "word"]


def _add_wide(
    tokens: list[Token], text: str, start: int, end: int, script: str | None, sentence: int
) -> None:
    """Add the tokens of one run of Chinese or Japanese; its lists load with the first such run."""
    from nutsync.core.index import wide

    if script == "han":
        wide.add_han(tokens, text, start, end, sentence)
    elif script == "hiragana":
        wide.add_hiragana(tokens, text, start, end, sentence)
    else:
        tokens.append(Token(start, end, KANA, _WEIGHT[WORD] if end - start > 1 else 0.1, sentence))


def _word(text: str, start: int, end: int, kind: int, sentence: int) -> Token:
    """Return the token of one word of a script that puts spaces between words."""
    if kind == NAME and _called(text, start, end):
        return Token(start, end, COMMON, CALLED, sentence)
    if kind == WORD and end - start < 3 and text[start].isascii():
        kind = COMMON
    weight = min(_WEIGHT[kind], LENGTHY) if end - start > LONGEST // 2 else _WEIGHT[kind]
    return Token(start, end, kind, weight, sentence)


@cache
def _lexicon() -> dict[str, int]:
    """Return what the lists make of the words in them."""
    kinds: dict[str, int] = {}
    for listed, kind in (
        (english.USUAL, USUAL),
        (english.COMMON, COMMON),
        (english.OTHER_STOP, STOP),
        (english.STOP, STOP),
        (english.NEGATION, NEGATION),
        (english.STATUS, STATUS),
    ):
        kinds.update(dict.fromkeys(listed, kind))
    return kinds


@lru_cache(maxsize=1 << 14)
def _word_kind(raw: str, key: str, fresh: bool) -> int:
    """Return what one word is; ``fresh`` where it opens a sentence."""
    kinds = _lexicon()
    kind = kinds.get(key)
    if kind is None:
        base = key
        if not raw.isalpha():
            if any(c.isdigit() for c in raw):
                return IDENTIFIER if any(c.isalpha() for c in raw) else NUMBER
            base, apostrophe, _ = key.partition("'")
            if not apostrophe and any(c in "._@:/+#" for c in raw):
                return IDENTIFIER
        kind = kinds.get(base)
        if kind is None:
            return _unlisted(raw, base, fresh)
    if kind == STOP and not fresh and len(raw) > 1 and raw.isupper():
        return IDENTIFIER
    return kind


def _unlisted(raw: str, base: str, fresh: bool) -> int:
    if not raw.islower():
        if raw[1:] != raw[1:].lower():
            return IDENTIFIER
        if raw[0].isupper() and (not fresh or base in english.WEEKDAYS or base in english.MONTHS):
            return NAME
    return _inflected(base)


def _inflected(word: str) -> int:
    """Return what a word is by the listed word that it is a form of."""
    if word.endswith("ly") and len(word) > 4:
        return USUAL
    for ending, bases in _ENDINGS:
        if word.endswith(ending):
            root = word[: -len(ending)]
            for base in (root + end for end in bases):
                if _lexicon().get(base) in (USUAL, COMMON):
                    return _lexicon()[base]
            if root[-1:] == root[-2:-1] and root[:-1] in english.USUAL:
                return USUAL
    return WORD


_ENDINGS = (
    ("ies", ("y",)),
    ("es", ("", "e")),
    ("s", ("",)),
    ("ing", ("", "e")),
    ("ied", ("y",)),
    ("ed", ("", "e")),
)


def _called(text: str, start: int, end: int) -> bool:
    """Tell whether a name is only called out (``Wow, Ana, …``; ``Thanks, Ana!``)."""
    return text[max(0, start - 2) : start] == ", " and text[end : end + 1] in tuple(",.!?;:")


def _with_quoted(text: str, tokens: list[Token]) -> list[Token]:
    """Make each quoted phrase one token: titles and the user's own words are searched whole."""
    if not any(c in text for c in '"“`《「『'):
        return tokens
    result: list[Token] = []
    position = 0
    for match in _quotes().finditer(text):
        start, end = match.span(match.lastindex or 0)
        while position < len(tokens) and tokens[position].start < start:
            result.append(tokens[position])
            position += 1
        inside = position
        while inside < len(tokens) and tokens[inside].end <= end:
            inside += 1
        if inside > position:
            phrase = text[start:end]
            start += len(phrase) - len(phrase.lstrip())
            end -= len(phrase) - len(phrase.rstrip())
            result.append(Token(start, end, QUOTED, _WEIGHT[QUOTED], tokens[position].sentence))
            position = inside
    return result + tokens[position:]
