"""The deterministic index builder (design §3.2): a clause per entry, telegraphic.

A clause holds the entry's most distinctive words in their own order, the connecting words cut, at
most a third of a long entry. It depends on nothing but the entry, so that every device builds the
same clause and a merge can tell a built clause from one that a person wrote.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from nutsync.core.index import terms
from nutsync.core.index.clauses import add_clause, clean_clause, join_clauses, split_clauses
from nutsync.core.index.terms import LETTERS, Token

if TYPE_CHECKING:
    from nutsync.core.entry import Block

OPEN = "[ ] "
"""Stands before what is still to be done."""
REPLACES = " ← "
"""Stands between a correction's new fact and the old subject."""

_LONG, _SHORT = 200, 80
"""In Latin letters: from the one a clause is at most a third, under the other it may be nearly all."""
_THIRD, _MORE = 1 / 3, 0.38
_KEPT = frozenset(("decision", "convention", "preference", "correction", "task"))
_FULLER = 1.25
"""What was settled or is still open keeps its object: these kinds get so much more, while short."""
_WHOLE = 24
"""Texts up to this length lose only the words that connect."""
_WORTH = 0.2
"""Tokens under this weight go in only where there is nothing else."""
_SUBJECT = 48
"""How many letters of what it corrects a correction's clause may have."""
_GLUE = frozenset(" ，、,-/.:：·&+'’_×→=")


class Said(NamedTuple):
    """What the index has to know of an entry.

    ``text`` is what was said, ``kind`` the entry's kind (empty for an unstamped block), ``old_text``
    the text of the entry that this one corrects, while that still exists. ``actor`` is whose it is:
    an index that somebody wrote may name them.
    """

    text: str
    kind: str = ""
    old_text: str | None = None
    actor: str = ""

    @classmethod
    def of(cls, block: Block, old_text: str | None = None) -> Said:
        """Return what a block says; ``old_text`` is the text of the entry that it corrects, if any."""
        attributes = block.attributes
        return cls(block.text, attributes.get("kind", ""), old_text, attributes.get("actor", ""))


def build_index(entries: Sequence[Said]) -> str:
    """Return the index of a day with these entries, in their order; equal clauses appear once."""
    return join_clauses(list(dict.fromkeys(filter(None, map(build_clause, entries)))))


@lru_cache(maxsize=256)  # a merge asks several times for those of one day
def build_clause(entry: Said) -> str:
    """Return the clause of one entry; empty only where its text holds nothing that can be shown."""
    clause = _condense(entry.text, entry.kind)
    if entry.old_text is not None:
        old = _condense(entry.old_text, "", _SUBJECT)
        if old and clause:
            return f"{clause}{REPLACES}{old}"
    return clause


def extend_index(current: str | None, entries: Sequence[Said], new: Sequence[Said]) -> str:
    """Return the day's index after ``new``, the last of ``entries``, came without clauses of their own.

    A hand-made index keeps every character and gets their clauses behind it; for a built one this is
    what building anew gives.
    """
    if not current or not current.strip():
        return build_index(entries)
    known = set(split_clauses(current))
    for clause in map(build_clause, new):
        if clause and clause not in known:
            known.add(clause)
            current = add_clause(current, clause)
    return current


def _condense(text: str, kind: str, most: int = sys.maxsize) -> str:
    tokens = terms.scan(text)
    if not any(token.weight >= _WORTH for token in tokens):
        tokens = [token._replace(weight=_WORTH) for token in terms.scan(text, stops=True)]
    if not tokens:
        return clean_clause(text)[:_WHOLE].rstrip("; ")
    mark = OPEN if kind == "task" and not any(token.kind == terms.BOX for token in tokens) else ""
    budget, room = _budget(text, kind, len(mark))
    chosen = _choose(text, tokens, min(budget, most), room)
    return clean_clause(mark + _emit(text, tokens, chosen))


def _letters(text: str) -> int:
    """Return how long a text is, a Chinese character counted as several letters."""
    if text.isascii():
        return len(text)
    return len(text) + int((LETTERS - 1) * sum(c >= "\u3400" for c in text))


def _budget(text: str, kind: str, mark: int) -> tuple[int, int]:
    """Return how many letters and how many characters a clause may have.

    A text of some words keeps nearly all, a long one a third.
    """
    size, letters = len(text), _letters(text)
    if letters >= _LONG:
        return letters // 3 - mark, size // 3 - mark
    if letters >= _SHORT:
        share = _THIRD + (_MORE - _THIRD) * (_LONG - letters) / (_LONG - _SHORT)
    else:
        share = _MORE + (1 - _MORE) * (_SHORT - letters) / _SHORT
    if kind in _KEPT:
        share *= _FULLER
    return max(int(letters * share), min(letters, _WHOLE)), size


def _leads(tokens: list[Token]) -> dict[int, int]:
    """Return, for a token, the negation or checkbox before it that its meaning hangs on.

    A negation belongs to the telling words that soon follow, a checkbox to the best word of its line.
    """
    leads: dict[int, int] = {}
    for position, token in enumerate(tokens):
        if token.kind == terms.NEGATION:
            for after in range(position + 1, min(position + 5, len(tokens))):
                if tokens[after].sentence == token.sentence and tokens[after].weight >= _WORTH:
                    leads[after] = position
        elif token.kind == terms.BOX:
            line = [p for p in range(position + 1, len(tokens)) if tokens[p].sentence == token.sentence]
            if line:
                leads[max(line, key=lambda p: (tokens[p].weight, -p))] = position
    return leads


def _ranked(tokens: list[Token]) -> list[int]:
    """Return the positions of the tokens worth keeping, in the order in which they are taken.

    First come names, numbers, dates, quoted phrases and identifiers, then the best word of each
    sentence, so that no topic is left out, then the words that tell most for their length.
    """
    first: list[tuple[float, int]] = []
    others: list[tuple[float, int]] = []
    for position, token in enumerate(tokens):
        if token.weight >= _WORTH:
            group = first if token.kind in terms.FIRST else others
            group.append((-_value(token), position))
    first.sort()
    others.sort()
    spoken = {tokens[position].sentence for _, position in first}
    leading, rest = [], []
    for _, position in others:
        token = tokens[position]
        if token.sentence in spoken or token.kind == terms.COMMON:
            rest.append(position)
        else:
            leading.append(position)
        spoken.add(token.sentence)
    return [position for _, position in first] + leading + rest


def _value(token: Token) -> float:
    """Return what a token tells for the room it takes."""
    if token.kind in terms.FIRST:
        return token.weight
    size = token.end - token.start
    return token.weight / (size * (LETTERS if token.kind == terms.HAN_PAIR else 1) + 1)


def _choose(text: str, tokens: list[Token], budget: int, room: int) -> list[int]:
    """Return the positions of the tokens that go into the clause, in order.

    The clause keeps within ``budget`` letters and ``room`` characters. A space counts as much as the
    text's characters do on average. ``covered`` marks what is in the clause already, shifted by one.
    """
    leads = _leads(tokens)
    ranked = _ranked(tokens)
    covered = bytearray(len(text) + 2)
    chosen: set[int] = set()
    average = _letters(text) / max(1, len(text))
    left = budget + average
    room += 1
    for position in ranked:
        token = tokens[position]
        fresh, gaps = _added(token, covered)
        lead = leads.get(position)
        if lead is not None and lead not in chosen:
            more = _added(tokens[lead], covered)
            fresh, gaps = fresh + more[0], gaps + more[1]
        letters = fresh * (LETTERS if token.kind == terms.HAN_PAIR else 1) + gaps * average
        if letters > left or fresh + gaps > room:
            continue
        left -= letters
        room -= fresh + gaps
        for taken in (position,) if lead is None else (lead, position):
            chosen.add(taken)
            start, end = tokens[taken].start, tokens[taken].end
            covered[start + 1 : end + 1] = b"\1" * (end - start)
    if not chosen and ranked:
        chosen.add(min(ranked, key=lambda p: (tokens[p].end - tokens[p].start, p)))
    return sorted(chosen)


def _added(token: Token, covered: bytearray) -> tuple[int, int]:
    """Return how many characters a token adds, and how many spaces."""
    start, end = token.start, token.end
    fresh = covered.count(0, start + 1, end + 1)
    return fresh, 1 if fresh and not covered[start] and not covered[end + 1] else 0


def _emit(text: str, tokens: list[Token], chosen: list[int]) -> str:
    """Join the chosen tokens in their own order; pairs that overlap become one piece."""
    parts: list[str] = []
    end = -1
    for position in chosen:
        token = tokens[position]
        if token.end <= end:
            continue
        if parts:
            parts.append(_gap(text, end, token.start))
        parts.append(text[max(end, token.start) : token.end])
        end = token.end
    return "".join(parts)


def _gap(text: str, end: int, start: int) -> str:
    """Return what goes between two kept pieces: what stood there if it is one character, else a space."""
    if start <= end:
        return ""
    between = text[end:start]
    if len(between) == 1 and (between in _GLUE or "\u3041" <= between <= "\u9fff"):
        return between
    return " "
