"""Clauses: how an index line is cut apart and put together (design §3.2)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

from nutsync.core.cell import PURGED_INDEX

WIDE_SEPARATOR = "；"
SEPARATOR = "; "
PURGED = PURGED_INDEX
"""The index that a purge leaves until the day has a fresh one (design §9)."""


@cache
def _separators() -> re.Pattern[str]:
    return re.compile(r"；|; ")


@cache
def _unfit() -> re.Pattern[str]:
    """Match what an index must not hold: controls, line ends, hidden directions, lone surrogates."""
    return re.compile(
        "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\ufffe\uffff\ud800-\udfff]+"
    )


def split_clauses(index: str) -> tuple[str, ...]:
    """Return the clauses of an index, trimmed, without empty ones."""
    return tuple(filter(None, (clause.strip() for clause in _separators().split(index))))


def join_clauses(clauses: Sequence[str]) -> str:
    """Return the index made of ``clauses``; :func:`split_clauses` gives the same clauses back.

    Each clause is made fit first (:func:`clean_clause`); empty ones are left out.
    """
    index = ""
    for clause in map(clean_clause, clauses):
        if clause:
            index = add_clause(index, clause)
    return index


def add_clause(index: str, clause: str) -> str:
    """Return ``index`` with ``clause`` behind it; what stood there keeps every character."""
    if not index:
        return clause
    return f"{index}{WIDE_SEPARATOR if _wide(index[-1]) or _wide(clause[0]) else SEPARATOR}{clause}"


def clean_clause(text: str) -> str:
    """Return ``text`` as one clause: one line, single spaces, no separator inside or at an end."""
    clause = text if text.isascii() and text.isprintable() else _unfit().sub(" ", text)
    clause = " ".join(clause.replace("；", "，").split())
    if ";" in clause:
        clause = clause.replace("; ", ", ").strip("; ")
    return clause


def _wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in ("W", "F") and not unicodedata.category(
        character
    ).startswith("S")
