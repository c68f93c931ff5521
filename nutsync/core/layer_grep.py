"""A layer's clauses as an extended regular expression for ``grep`` and ``git grep`` (design §4).

The expression judges one line, the first of an entry, exactly as :mod:`nutsync.core.entry` reads
it: attributes in any order, values percent-encoded, a later value of a key without effect, and
text that only looks like attributes taken for text. It is meant for the C locale
(``LC_ALL=C grep -a``), where every byte is a character.

Extended regular expressions cannot say "not", so ``unknown``, which is what no other layer
covers, is an expression for ``grep -v``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nutsync.core.layer import LAYERS, layer_row
from nutsync.core.layer_clauses import Clause, layer_clauses

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_KEY_CHARS = _LETTERS | frozenset("0123456789_-")
_KEY_CHAR = "[a-z0-9_-]"
_VALUE_CHAR = (
    """([^] !"#$%&'()*,;<=>?[\\^`{|}~[:cntrl:]]"""
    "|%([0189A-F][0-9A-F]|2[0-9AC]|3[B-F]|5[B-E]|60|7[B-F]))"
)
_ID = "id=[0-9a-hjkmnp-tv-z]{8}"
# Not ".*": to `git grep` a dot is not NUL, which hand-written lines can hold.
_ANYTHING = "[^<]*(<[^<]*)*"
_BEFORE = f"^[*+-]([[:space:]]{_ANYTHING})? <!-- nut"
_AFTER = " -->[[:space:]]*$"
_NO_BULLET = "^([^*+-]|$)|^[*+-][^[:space:]]"


@dataclass(frozen=True)
class GrepPattern:
    """An expression for ``grep -E``; ``inverted`` says that it wants ``-v`` as well."""

    expression: str
    inverted: bool = False

    def arguments(self) -> tuple[str, ...]:
        """Return the options for ``grep`` or ``git grep``, to be run with ``LC_ALL=C``."""
        return ("-a", "-E", *(("-v",) if self.inverted else ()), "-e", self.expression)


def layer_grep(layer: str) -> GrepPattern:
    """Return the pattern of the first lines of ``layer``'s entries.

    Raises :class:`ErrUnknownLayer` for a name that is none.
    """
    if layer_row(layer).scope is not None:
        return GrepPattern(_lines(layer_clauses(layer)))
    known = [clause for name in LAYERS if name != layer for clause in layer_clauses(name)]
    return GrepPattern(f"{_NO_BULLET}|{_lines(known)}", inverted=True)


def _lines(clauses: Iterable[Clause]) -> str:
    return f"{_BEFORE}{_any(_attributes(clause) for clause in clauses)}{_AFTER}"


def _attributes(clause: Clause) -> str:
    """Return what stands between ``<!-- nut`` and ``-->``, in any order."""
    forbidden = frozenset(name for name, wanted in clause.present if not wanted)
    required = [(name, f" {name}={_VALUE_CHAR}+") for name, wanted in clause.present if wanted]
    return _in_any_order([("scope", f" scope={clause.scope}"), *required], forbidden)


def _in_any_order(wanted: list[tuple[str, str]], forbidden: frozenset[str]) -> str:
    """Return an expression for attributes that have all of ``wanted`` and none of ``forbidden``.

    Of several scopes the first counts, so none may stand before the wanted one.
    """
    before = forbidden | {name for name, _ in wanted if name == "scope"}
    gap = f"( {_other_pair(before)})*"
    if not wanted:
        return gap
    rests = [[other for other in wanted if other != one] for one in wanted]
    return gap + _any(
        one[1] + _in_any_order(rest, forbidden) for one, rest in zip(wanted, rests, strict=True)
    )


def _other_pair(names: frozenset[str]) -> str:
    """Return an expression for one attribute that says nothing about ``names``.

    An empty value says nothing, whatever its key. An id has to be one.
    """
    pairs = [f"{_other_key(sorted({*names, 'id'}))}={_VALUE_CHAR}*", _ID]
    if names:
        pairs.append(f"{_any(sorted(names))}=")
    return _any(pairs)


def _other_key(words: list[str], first: bool = True) -> str:
    """Return an expression for every attribute key that is none of ``words``.

    Letter by letter: a letter with which no word goes on, or one of theirs and then something
    else, or the end where no word ends.
    """
    heads = {word[0] for word in words if word}
    letters = (_LETTERS if first else _KEY_CHARS) - heads
    ways = [f"{_one_of(letters)}{_KEY_CHAR}*"]
    for head in sorted(heads):
        ways.append(head + _other_key([word[1:] for word in words if word.startswith(head)], first=False))
    may_end = not first and "" not in words
    return f"({'|'.join(ways)}){'?' if may_end else ''}"


def _one_of(chars: Iterable[str]) -> str:
    """Return a bracket expression for ``chars``, runs as ranges, the hyphen last."""
    rest = sorted(set(chars) - {"-"})
    runs: list[list[str]] = []
    for char in rest:
        if runs and ord(char) == ord(runs[-1][-1]) + 1:
            runs[-1].append(char)
        else:
            runs.append([char])
    inside = "".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else "".join(run) for run in runs)
    return f"[{inside}{'-' if '-' in set(chars) else ''}]"


def _any(ways: Iterable[str]) -> str:
    return f"({'|'.join(ways)})"
