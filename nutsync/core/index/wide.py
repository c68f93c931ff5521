"""Pieces of Chinese and Japanese, which put no spaces between words (design §3.2).

Words that connect cut a run apart; the rest is offered as overlapping pairs of characters, weighed
by how rare the characters are: the lists of the commonest ones, then the national standards, which
set the characters of daily use apart from the rest.
"""

from __future__ import annotations

import re
from functools import cache

from nutsync.core.index import chinese, terms
from nutsync.core.index.terms import Token


@cache
def _stops() -> re.Pattern[str]:
    listed = sorted({*chinese.STOP_WORDS, *chinese.STOP_CHARACTERS}, key=lambda w: (-len(w), w))
    return re.compile("|".join(listed))


@cache
def _cuts() -> re.Pattern[str]:
    return re.compile(
        f"(?P<date>(?:周|週|星期|礼拜|禮拜)[一二三四五六日天末])|(?P<status>{'|'.join(chinese.STATUS)})|(?P<number>[{chinese.NUMERALS}]{{2,}})"
        f"|(?P<stop>{_stops().pattern})|(?P<negation>[{''.join(sorted(chinese.NEGATION))}])"
    )


@cache
def _hiragana_cuts() -> re.Pattern[str]:
    listed = sorted(set(chinese.JAPANESE_STOP_WORDS), key=lambda w: (-len(w), w))
    return re.compile("|".join(listed) + "|[をはがのにへともでやかねよなさわ]")


def stretches(run: str) -> list[str]:
    """Return the stretches of a run that no connecting word interrupts."""
    return [piece for piece in _stops().split(run) if piece]


def add_han(tokens: list[Token], text: str, start: int, end: int, sentence: int) -> None:
    """Add the tokens of one run of Han characters."""
    position = start
    for cut in _cuts().finditer(text, start, end):
        _add_pairs(tokens, text, position, cut.start(), sentence)
        position = cut.end()
        if cut.lastgroup in ("date", "status"):
            tokens.append(Token(cut.start(), position, terms.STATUS, 2.0, sentence))
        elif cut.lastgroup == "number":
            size = position - cut.start()
            tokens.append(Token(cut.start(), position, terms.HAN_PAIR, 0.4 * size, sentence))
        elif cut.lastgroup == "negation":
            tokens.append(Token(cut.start(), position, terms.NEGATION, 0.0, sentence))
    _add_pairs(tokens, text, position, end, sentence)


def _add_pairs(tokens: list[Token], text: str, start: int, end: int, sentence: int) -> None:
    """Add the overlapping pairs of a stretch, or its only character."""
    if end - start == 1:
        tokens.append(Token(start, end, terms.HAN_PAIR, 0.4 * rarity(text[start]), sentence))
    elif end > start:
        before = rarity(text[start])
        for first in range(start, end - 1):
            after = rarity(text[first + 1])
            tokens.append(Token(first, first + 2, terms.HAN_PAIR, 0.5 * (before + after), sentence))
            before = after


@cache
def rarity(character: str) -> float:
    """Return how much a Han character tells, from 0.15 for the commonest to 1.6."""
    if character in chinese.COMMONEST:
        return 0.15
    if character in chinese.COMMON or character in chinese.NUMERALS:
        return 0.5
    for standard, last_of_daily_use in (("gb2312", 0xD7), ("big5", 0xC6)):
        try:
            return 1.0 if character.encode(standard)[0] <= last_of_daily_use else 1.4
        except UnicodeEncodeError:
            continue
    return 1.6


def add_hiragana(tokens: list[Token], text: str, start: int, end: int, sentence: int) -> None:
    """Add only the long pieces of a hiragana run; the short ones are endings and particles."""
    position = start
    for cut in (*_hiragana_cuts().finditer(text, start, end), None):
        edge = end if cut is None else cut.start()
        if edge - position >= 3:
            tokens.append(Token(position, edge, terms.KANA, 0.5, sentence))
        position = end if cut is None else cut.end()
