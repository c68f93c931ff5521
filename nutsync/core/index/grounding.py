"""Whether a clause says only what the entries say (design §3.2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from nutsync.core.index import chinese, english, terms
from nutsync.core.index.ground import Ground, fold, grams, numeral, wide_runs
from nutsync.core.index.wide import stretches
from nutsync.core.pattern import pattern

Check = tuple[Callable[[Ground, str], bool], str]
"""A term, and how it is looked up."""
_ORDINARY_ENDINGS = pattern(
    r".{4,}(?:ed|ing|ly|ies)|.{3,}(?:able|ance|ence|ful|ible|ions?|ise|ism|ity|ive|ize|ments?|ness|ous|ship)"
)


@cache
def _wide_numbers() -> re.Pattern[str]:
    return re.compile(
        r"[零〇一二三四五六七八九十百千万亿两兩萬億]{2,}|[零〇一二三四五六七八九十两兩](?=[元块塊年月日号號点點岁歲])"
    )


@cache
def _wide_dates() -> re.Pattern[str]:
    return re.compile(r"(?:周|星期|礼拜|禮拜|週)([一二三四五六日天])")


@cache
def _titled() -> re.Pattern[str]:
    return re.compile(r"《([^》]{1,30})》|「([^」]{1,30})」|『([^』]{1,30})』")


@cache
def _honoured() -> re.Pattern[str]:
    listed = "|".join(chinese.HONORIFICS)
    return re.compile(rf"([{terms.HAN}]{{1,3}}|[{terms.KATAKANA}]+)(?:{listed})")


def invented(clause: str, ground: Ground) -> Iterator[str]:
    """Yield ``name``, ``number`` or ``date`` for each of these in ``clause`` that the texts lack.

    Only what is surely one of them: an ordinary word that the texts put differently passes.
    """
    for token in terms.clause_tokens(clause):
        raw = clause[token.start : token.end]
        if token.kind == terms.NUMBER:
            if not ground.has_number(raw):
                yield "date" if sum(raw.count(c) for c in "-/") == 2 else "number"
        elif token.kind == terms.IDENTIFIER:
            if fold(raw) not in english.LABELS and not ground.has_identifier(raw):
                yield "number" if raw[0].isdigit() else "name"
        elif token.kind in (terms.NAME, terms.WORD, terms.USUAL, terms.COMMON):
            kind = _invented_word(raw, token.kind, ground)
            if kind:
                yield kind
    if not clause.isascii():
        yield from _invented_wide(clause, ground)


def _invented_word(raw: str, kind: int, ground: Ground) -> str | None:
    key = fold(raw)
    if ground.has_word(key):
        return None
    capital = raw[:1].isupper()
    if key in english.WEEKDAYS and (capital or len(key) > 4):
        return None if english.WEEKDAYS[key] in ground.weekdays else "date"
    if key in english.MONTHS and (capital or len(key) > 5):
        return None if english.MONTHS[key] in ground.months else "date"
    if key in english.NUMBERS or _is_ordinary(key):
        return None
    if kind == terms.NAME:
        return "name"
    opens_like_a_name = kind in (terms.WORD, terms.USUAL) and capital and key.isalpha() and len(key) > 2
    return "name" if opens_like_a_name and not _ORDINARY_ENDINGS.fullmatch(key) else None


def _is_ordinary(key: str) -> bool:
    """Tell whether a word, capitalised or not, is listed as an ordinary one."""
    listed = english.EMPTY | english.LABELS
    return key in listed or key in english.OPENERS or key.removesuffix("s") in english.OPENERS


def _invented_wide(clause: str, ground: Ground) -> Iterator[str]:
    for match in _titled().finditer(clause):
        phrase = match.group(match.lastindex or 0)
        if not all(gram in ground.wide for run in wide_runs(phrase) for gram in grams(run)):
            yield "name"
    folded = fold(clause)
    for match in _honoured().finditer(folded):
        if not _has_name(match.group(1), ground):
            yield "name"
    for match in _wide_dates().finditer(folded):
        if "一二三四五六日".find(match.group(1).replace("天", "日")) + 1 not in ground.weekdays:
            yield "date"
    for match in _wide_numbers().finditer(folded):
        run = match.group()
        if (
            run not in chinese.NO_NUMBERS
            and numeral(run) not in ground.numbers
            and run[:3] not in ground.wide
        ):
            yield "number"
    for run in wide_runs(clause):
        yield from _invented_chinese_names(run, ground)


def _has_name(name: str, ground: Ground) -> bool:
    """Tell whether the name that ends these characters stands in the texts."""
    for start in range(len(name) - 1):
        if name[start] in chinese.SURNAMES:
            return name[start:] in ground.wide
    return name[-1] in ground.wide


def _invented_chinese_names(run: str, ground: Ground) -> Iterator[str]:
    for piece in stretches(run):
        if len(piece) not in (2, 3) or piece[0] not in chinese.SURNAMES:
            continue
        known = piece[:2] in ground.wide or piece[-2:] in ground.wide
        if not known and piece[:2] not in chinese.NO_NAMES:
            yield "name"


def foreign_words(clause: str, ground: Ground) -> int:
    """Return how many ordinary words of ``clause`` the texts lack in any form."""
    count = 0
    rest = _wide_dates().sub(" ", clause)
    for token in terms.scan(rest, phrases=False):
        raw = rest[token.start : token.end]
        if token.kind in (terms.NAME, terms.WORD):
            key = fold(raw)
            labels = key in english.EMPTY or key in english.LABELS
            count += not (labels or ground.has_word(key) or _has_other_form(key, ground))
        elif token.kind in (terms.HAN_PAIR, terms.KANA) and token.end - token.start >= 2:
            piece = fold(raw)
            known = any(piece[i : i + 2] in ground.wide for i in range(len(piece) - 1))
            count += not known and sum(c in ground.wide for c in piece) * 2 < len(piece)
    return count


def _has_other_form(key: str, ground: Ground) -> bool:
    """Tell whether the weekday, month or number that a word stands for is in the texts."""
    if key in english.WEEKDAYS:
        return english.WEEKDAYS[key] in ground.weekdays
    if key in english.MONTHS:
        return english.MONTHS[key] in ground.months
    return english.NUMBERS.get(key, "?") in ground.numbers


def is_strict(clause: str, ground: Ground) -> bool:
    """Tell whether every term of ``clause`` stands in the texts exactly so."""
    for start, end in terms.word_spans(clause):
        raw = clause[start:end]
        key = fold(raw)
        if key not in english.STOP and key not in english.LABELS and not ground.has_exactly(raw):
            return False
    return all(gram in ground.wide for run in wide_runs(clause) for gram in grams(run))


def reveals(clause: str, forgotten: Ground, kept: Ground) -> bool:
    """Tell whether ``clause`` holds a term that the forgotten texts have and the kept ones lack."""
    for start, end in terms.word_spans(clause):
        raw = clause[start:end]
        if forgotten.has_exactly(raw) and not kept.has_exactly(raw):
            return True
        if any(p in forgotten.parts and p not in kept.parts for p in fold(raw).split("'")):
            return True
    return any(
        gram in forgotten.wide and gram not in kept.wide for run in wide_runs(clause) for gram in grams(run)
    )


def tells(text: str, ground: Ground) -> bool:
    """Tell whether ``text`` repeats a word of the texts that says something: no connecting word."""
    for start, end in terms.word_spans(text):
        raw = text[start:end]
        key = fold(raw)
        if key not in english.STOP and key not in english.LABELS and ground.has_exactly(raw):
            return True
    return any(gram in ground.wide for run in wide_runs(text) for gram in grams(run))


def telling_checks(clause: str) -> tuple[Check, ...]:
    """Return, for each telling term of ``clause``, how to find out whether some texts have it.

    Taking a clause apart costs more than looking its terms up, and it is asked about many entries.
    """
    checks: list[Check] = []
    for token in terms.clause_tokens(clause):
        if token.weight <= 0:
            continue
        raw = clause[token.start : token.end]
        if token.kind == terms.NUMBER:
            checks.append((Ground.has_number, raw))
        elif token.kind == terms.IDENTIFIER:
            checks.append((Ground.has_identifier, raw))
        elif wide_runs(raw):
            checks.append((_has_wide, raw))
        else:
            checks.append((Ground.has_word, fold(raw)))
    return tuple(checks)


def overlap(checks: Sequence[Check], ground: Ground) -> tuple[bool, bool]:
    """Return whether the texts have all telling terms of a clause, and whether they have any."""
    found = sum(has(ground, term) for has, term in checks)
    return found == len(checks), found > 0


def _has_wide(ground: Ground, piece: str) -> bool:
    return has_wide(piece, ground)


def has_wide(piece: str, ground: Ground) -> bool:
    """Tell whether at least half of a Chinese or Japanese piece's pairs stand in the texts."""
    run = fold(piece)
    if len(run) < 2:
        return run in ground.wide
    pairs = [run[i : i + 2] for i in range(len(run) - 1)]
    return 2 * sum(pair in ground.wide for pair in pairs) >= len(pairs)
