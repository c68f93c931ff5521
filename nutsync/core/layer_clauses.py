"""Which entries are of a layer, as data, and what that reads as to Python and to SQL (design §4).

A layer's clauses are alternatives. They come from the table in :mod:`nutsync.core.layer`; those
of ``unknown`` are worked out as what every other row leaves over. How they read to ``grep``
stands in :mod:`nutsync.core.layer_grep`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product

from nutsync.core.layer import SCOPES, TABLE, layer_row


@dataclass(frozen=True)
class Clause:
    """One way to be of a layer: everything it states must hold.

    ``scope`` is a scope's name, or None for "any scope that no layer has, or none at all".
    ``present`` says of ``actor``, ``namespace`` and ``session`` whether they must be there
    (True) or must not (False); what it does not name does not matter.
    """

    scope: str | None
    present: tuple[tuple[str, bool], ...] = ()

    def matches(self, attributes: Mapping[str, str]) -> bool:
        """Tell whether an entry with these attributes meets the clause."""
        scope = attributes.get("scope", "")
        if scope != self.scope and (self.scope is not None or scope in SCOPES):
            return False
        return all(bool(attributes.get(name)) is wanted for name, wanted in self.present)

    def sql(self) -> str:
        """Return the clause as an SQL condition."""
        if self.scope is None:
            names = ", ".join(f"'{scope}'" for scope in SCOPES)
            parts = [f"COALESCE(scope, '') NOT IN ({names})"]
        else:
            parts = [f"scope = '{self.scope}'"]
        for name, wanted in self.present:
            parts.append(f"COALESCE({name}, '') {'<>' if wanted else '='} ''")
        return " AND ".join(parts)


def layer_clauses(layer: str) -> tuple[Clause, ...]:
    """Return the clauses of ``layer``: an entry is of it when one of them matches.

    Raises :class:`ErrUnknownLayer` for a name that is none.
    """
    row = layer_row(layer)
    if row.scope is None:
        return _left_over()
    return (Clause(row.scope, row.conditions),)


def layer_predicate(layer: str) -> Callable[[Mapping[str, str]], bool]:
    """Return the function that tells whether attributes are of ``layer``."""
    clauses = layer_clauses(layer)
    return lambda attributes: any(clause.matches(attributes) for clause in clauses)


def layer_where(
    layer: str, *, actor: str | None = None, namespace: str | None = None
) -> tuple[str, tuple[str, ...]]:
    """Return an SQL condition for ``layer`` and its parameters (``?`` marks).

    It is written for a table with the text columns ``scope``, ``actor``, ``namespace`` and
    ``session``, empty or NULL where an entry has none. With ``actor`` or ``namespace``, that
    column must equal the value.
    """
    alternatives = [f"({clause.sql()})" for clause in layer_clauses(layer)]
    where = alternatives[0] if len(alternatives) == 1 else f"({' OR '.join(alternatives)})"
    parameters: list[str] = []
    for name, value in (("actor", actor), ("namespace", namespace)):
        if value is not None:
            where += f" AND {name} = ?"
            parameters.append(value)
    return where, tuple(parameters)


def _left_over() -> tuple[Clause, ...]:
    """Return the clauses of what no row covers: a scope of no layer, or a row's condition broken."""
    clauses = [Clause(None)]
    for scope in SCOPES:
        rows = [row.conditions for row in TABLE if row.scope == scope]
        # To escape every row, break one condition of each.
        ways = (_together(broken) for broken in product(*rows))
        found = {way for way in ways if way is not None}
        shortest = [way for way in found if not any(other < way for other in found)]
        in_order = sorted(tuple(sorted(way)) for way in shortest)
        clauses.extend(Clause(scope, present) for present in in_order)
    return tuple(clauses)


def _together(broken: tuple[tuple[str, bool], ...]) -> frozenset[tuple[str, bool]] | None:
    """Return the opposites of ``broken`` as one set, or None where they contradict each other."""
    opposite = frozenset((name, not wanted) for name, wanted in broken)
    return opposite if len({name for name, _ in opposite}) == len(opposite) else None
