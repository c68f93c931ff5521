"""The deterministic index builder (design §3.2): a clause per entry, telegraphic.

A clause holds the entry's most distinctive words in their own order, the connecting words cut, at
most a third of a long entry. It depends on nothing but the entry, so that every device builds the
same clause and a merge can tell a built clause from one that a person wrote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nutsync.core.index import terms
from nutsync.core.index.clauses import clean_clause, join_clauses
from nutsync.core.index.terms import Token

REPLACES = " ← "
"""Stands between a correction's new fact and the old subject."""

_LONG = 160
_WIDE = 5.0
"""How many Latin letters more one Chinese character is worth."""
_THRESHOLD = 0.7
_GLUE = frozenset(" ，、,-/.:：·&+'’_×→=")


@dataclass(frozen=True, slots=True)
class Said:
    """What the index has to know of an entry.

    ``text`` is what was said, ``kind`` the entry's kind (empty for an unstamped block), and
    ``old_text`` the text of the entry that this one corrects, while that still exists.
    """

    text: str
    kind: str = ""
    old_text: str | None = None


def build_index(entries: Sequence[Said]) -> str:
    """Return the index of a day with these entries, in their order; equal clauses appear once."""
    return join_clauses(list(dict.fromkeys(filter(None, map(build_clause, entries)))))


def build_clause(entry: Said) -> str:
    """Return the clause of one entry; empty only where its text holds nothing that can be shown."""
    clause = _condense(entry.text, entry.kind)
    if entry.old_text is not None:
        old = _condense(entry.old_text, "")
        if old and clause:
            return f"{clause}{REPLACES}{old}"
    return clause


def _condense(text: str, kind: str) -> str:
    tokens = terms.scan(text)
    budget = _budget(text, tokens)
    chosen = _choose(tokens, budget)
    if not chosen:
        return clean_clause(text)[: max(budget, 24)].rstrip("; ")
    clause = _emit(text, tokens, chosen)
    if kind == "task" and not clause.startswith("["):
        clause = f"[ ] {clause}"
    return clause


def _budget(text: str, tokens: list[Token]) -> int:
    """Return how many characters the clause may have: nearly all of a short text, a third of a long one."""
    size = len(text)
    wide = sum(t.end - t.start for t in tokens if t.kind == terms.CJK and text[t.start] >= "\u3400")
    length = size + _WIDE * wide
    if length >= _LONG:
        return size // 3
    return max(int(size * (1 / 3 + 0.5 * (_LONG - length) / _LONG)), min(size, 12))


def _leads(tokens: list[Token]) -> dict[int, int]:
    """Return, for a token, the negation or checkbox before it that its meaning hangs on.

    A negation belongs to the next telling word, a checkbox to the best word of its line.
    """
    leads: dict[int, int] = {}
    lead: int | None = None
    for position, token in enumerate(tokens):
        if token.kind == terms.BOX:
            line = [p for p in range(position + 1, len(tokens)) if tokens[p].sentence == token.sentence]
            if line:
                leads[max(line, key=lambda p: (tokens[p].weight, -p))] = position
        elif token.kind == terms.NEGATION:
            lead = position
        elif lead is not None:
            if token.sentence != tokens[lead].sentence or position - lead > 3:
                lead = None
            elif token.weight >= _THRESHOLD:
                leads.setdefault(position, lead)
                lead = None
    return leads


def _ranked(tokens: list[Token]) -> list[int]:
    """Return the positions of the tokens worth keeping, the most distinctive first."""
    for floor in (_THRESHOLD, 0.1, 0.0):
        worth = [p for p, t in enumerate(tokens) if t.weight >= floor and t.kind != terms.BOX]
        if worth:
            return sorted(worth, key=lambda p: (-tokens[p].weight, p))
    return []


def _choose(tokens: list[Token], budget: int) -> list[int]:
    """Return the positions of the tokens that go into the clause, in order, within the budget."""
    ranked = _ranked(tokens)
    leads = _leads(tokens)
    chosen: set[int] = set()
    left = budget + 1
    for position in ranked:
        cost = _cost(tokens, position, leads.get(position), chosen)
        if cost <= left:
            left -= cost
            chosen.add(position)
            if position in leads:
                chosen.add(leads[position])
    if not chosen and ranked:
        chosen.add(min(ranked, key=lambda p: (tokens[p].end - tokens[p].start, p)))
    return sorted(chosen)


def _cost(tokens: list[Token], position: int, lead: int | None, chosen: set[int]) -> int:
    token = tokens[position]
    cost = token.end - token.start
    if lead is not None:
        return cost + tokens[lead].end - tokens[lead].start + 2
    follows = position - 1 in chosen and tokens[position - 1].end == token.start
    return cost if follows else cost + 1


def _emit(text: str, tokens: list[Token], chosen: list[int]) -> str:
    """Join the chosen tokens in their own order."""
    parts: list[str] = []
    end = -1
    for position in chosen:
        token = tokens[position]
        if parts:
            parts.append(_gap(text, end, token.start))
        parts.append(text[token.start : token.end])
        end = token.end
    return "".join(parts)


def _gap(text: str, end: int, start: int) -> str:
    """Return what goes between two kept pieces: what stood there if it is one character, else a space."""
    if start == end:
        return ""
    between = text[end:start]
    if len(between) == 1 and (between in _GLUE or "\u3041" <= between <= "\u9fff"):
        return between
    return " "
