"""A map from dates to values that shares what did not change (persistent).

The history of a cell is one long chain of nearly equal maps. Setting a date copies one year's months,
one month's days and the list of years, however much the map holds; joining two maps looks only
where they differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Generic, TypeVar, cast

V = TypeVar("V")

_Month = dict[str, V]
_Year = dict[str, _Month[V]]


class DateMap(Generic[V]):
    """Dates (YYYY-MM-DD) to values; never changes."""

    __slots__ = ("_years",)

    def __init__(self, values: Mapping[str, V] | None = None) -> None:
        self._years: dict[str, _Year[V]] = {}
        for date, value in (values or {}).items():
            self._years.setdefault(date[:4], {}).setdefault(date[:7], {})[date] = value

    def get(self, date: str) -> V | None:
        """Return the value of ``date``, or None."""
        year = self._years.get(date[:4])
        return None if year is None else year.get(date[:7], {}).get(date)

    def set(self, date: str, value: V) -> DateMap[V]:
        """Return the map in which ``date`` has ``value``."""
        year = self._years.get(date[:4], {})
        month = {**year.get(date[:7], {}), date: value}
        return self._with(date, month)

    def drop(self, date: str) -> DateMap[V]:
        """Return the map without ``date``."""
        month = self._years.get(date[:4], {}).get(date[:7], {})
        if date not in month:
            return self
        return self._with(date, {other: value for other, value in month.items() if other != date})

    def join(self, other: DateMap[V], both: Callable[[V, V], V]) -> DateMap[V]:
        """Return the map with the dates of either; ``both`` makes one value of two."""
        if self is other or not other._years:
            return self
        if not self._years:
            return other
        return self._made(cast("dict[str, _Year[V]]", _join(self._years, other._years, both, 2)))

    def items(self) -> Iterator[tuple[str, V]]:
        """Yield dates and values, by date."""
        for year in sorted(self._years):
            for month in sorted(self._years[year]):
                yield from sorted(self._years[year][month].items())

    def missing(self, other: DateMap[V]) -> Iterator[tuple[str, V, V | None]]:
        """Yield each date whose value ``other`` does not share, with both values."""
        for name, year in self._years.items():
            if year is other._years.get(name):
                continue
            for date, value in sorted((d, v) for month in year.values() for d, v in month.items()):
                theirs = other.get(date)
                if theirs is not value:
                    yield date, value, theirs

    def __bool__(self) -> bool:
        return any(month for year in self._years.values() for month in year.values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DateMap) and dict(self.items()) == dict(other.items())

    def __hash__(self) -> int:
        return hash(tuple(date for date, _ in self.items()))

    def _with(self, date: str, month: _Month[V]) -> DateMap[V]:
        year = {**self._years.get(date[:4], {}), date[:7]: month}
        return self._made({**self._years, date[:4]: year})

    def _made(self, years: dict[str, _Year[V]]) -> DateMap[V]:
        made: DateMap[V] = DateMap()
        made._years = years
        return made


def _join(
    ours: Mapping[str, object], theirs: Mapping[str, object], both: Callable[[V, V], V], depth: int
) -> object:
    joined = dict(ours)
    for key, value in theirs.items():
        mine = ours.get(key)
        if mine is None:
            joined[key] = value
        elif mine is not value:
            joined[key] = (
                _join(cast("dict[str, object]", mine), cast("dict[str, object]", value), both, depth - 1)
                if depth
                else both(cast("V", mine), cast("V", value))
            )
    return joined
