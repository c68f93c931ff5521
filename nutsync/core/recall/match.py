"""Whether text holds what was asked for: one matcher for every stage and every front end.

A query is a row of groups; it is met where each group has a term that stands in the text. That
covers all forms of design §10: any of the terms is one group, all of them is a group a term, and
``A B --and C D`` is two groups. Matching sees text; what it is handed never holds attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from nutsync.core.entry import without_comments
from nutsync.core.errors import ErrUsage
from nutsync.core.pattern import pattern
from nutsync.core.recall.fold import fold
from nutsync.core.recall.needles import Content, Needles, needles_of, rare_strings

Search = Callable[[str], bool]
"""A compiled regular expression: tells whether it stands in a text."""

_MARGIN = pattern(rb"(?m)^(?:[-*+][ \t\v\f\r]|  )")
_ESCAPED = pattern(rb"\\<!-- nut|&#13;")
"""What an entry's text is written with and does not hold: bullets and indentation, escapes."""


class Term(NamedTuple):
    """One thing to look for: a literal, or a regular expression where ``search`` is given."""

    asked: str
    folded: str
    needles: Needles
    search: Search | None = None

    @classmethod
    def literal(cls, asked: str) -> Term:
        folded = fold(asked)
        if not folded.strip():
            raise ErrUsage("A search term is empty.", hint="Give one to three distinctive words.")
        return cls(asked, folded, needles_of(folded))

    @classmethod
    def pattern(cls, asked: str, search: Search) -> Term:
        if not asked:
            raise ErrUsage("A search term is empty.", hint="Give a regular expression.")
        return cls(asked, asked, Needles((), rare=False), search)

    @property
    def reads_alike(self) -> bool:
        """Whether a whole file, its margins taken off, holds the term where one of its entries does.

        Not what depends on where a text begins, nor on escapes.
        """
        if self.search is None:
            return not any(char in self.folded for char in "\n\r\\")
        return not any(mark in self.asked for mark in (r"\A", r"\Z", "(?<", r"\r", r"\\"))

    def stands_in(self, text: str, folded: str) -> bool:
        """Tell whether the term stands in ``text``; ``folded`` is ``fold(text)``."""
        return self.folded in folded if self.search is None else self.search(text)


class Query(NamedTuple):
    """What was asked for. Make one with :meth:`any_of`, :meth:`all_of` or :meth:`both`."""

    groups: tuple[tuple[Term, ...], ...]

    @classmethod
    def any_of(cls, terms: Iterable[Term]) -> Query:
        return cls.of([tuple(terms)])

    @classmethod
    def all_of(cls, terms: Iterable[Term]) -> Query:
        return cls.of([(term,) for term in terms])

    @classmethod
    def of(cls, groups: Sequence[Sequence[Term]]) -> Query:
        """Return the query that wants one term of each group. ErrUsage where there is none."""
        if not groups or not all(groups):
            raise ErrUsage("There is nothing to search for.", hint="Give one to three distinctive words.")
        return cls(tuple(tuple(dict.fromkeys(group)) for group in groups))

    @property
    def terms(self) -> tuple[Term, ...]:
        """Every term once, in the order asked."""
        return tuple(dict.fromkeys(term for group in self.groups for term in group))

    def found_in(self, text: str) -> tuple[Term, ...]:
        """Return the terms that stand in ``text``, whether or not they meet the query: why it matched."""
        folded = fold(text) if any(term.search is None for term in self.terms) else ""
        return tuple(term for term in self.terms if term.stands_in(text, folded))

    def met_by(self, found: Iterable[Term]) -> bool:
        """Tell whether ``found`` has a term of each group."""
        have = set(found)
        return all(not have.isdisjoint(group) for group in self.groups)

    def matches(self, text: str) -> bool:
        """Tell whether ``text`` alone meets the query."""
        return self.met_by(self.found_in(text))

    def may_match(self, data: bytes) -> bool:
        """Return False only where the text in ``data`` (UTF-8, a whole file) cannot meet the query."""
        return self._may_match(Content(data))

    def bound(self, data: bytes) -> int:
        """Return how many of the terms may stand in ``data``, at most; 0 where it cannot meet the query."""
        content = Content(data)
        if not self._may_match(content):
            return 0
        return 1 if len(self.terms) == 1 else sum(term.needles.may_be_in(content) for term in self.terms)

    def _may_match(self, content: Content) -> bool:
        for group in self.groups:
            for term in group:
                if term.needles.may_be_in(content):
                    break
            else:
                return False
        return True

    def fixed_strings(self) -> tuple[bytes, ...] | None:
        """Return byte strings of which a file must hold one, whatever the case of their ASCII letters.

        None where there are none that every matching file holds. For tools that search files by bytes.
        """
        groups = [group for group in self.groups if not _blunt(group)]
        if not groups:
            return None
        sharpest = max(groups, key=lambda group: min(len(n) for term in group for n in term.needles.any_of))
        rare = rare_strings() if any(term.needles.rare for term in sharpest) else ()
        return (*(needle for term in sharpest for needle in term.needles.any_of), *rare)

    def candidate_lines(self, data: bytes) -> Iterator[bytes]:
        """Return, in order, the lines of ``data`` that may meet the query; all others cannot."""
        content = Content(data)
        if not self._may_match(content):
            return
        sharpest = min(self.groups, key=_blunt)
        if _blunt(sharpest):
            starts = list(_all_line_starts(data))
        else:
            places = (place for term in sharpest for place in term.needles.places(content))
            starts = sorted({data.rfind(b"\n", 0, place) + 1 for place in places})
        for start in starts:
            end = data.find(b"\n", start)
            yield data[start : end if end >= 0 else len(data)].removesuffix(b"\r")

    def may_stand_in(self, content: bytes) -> tuple[Term, ...]:
        """Return the terms that may stand in the text of the day file ``content``; no others do.

        Empty where they cannot meet the query. Slower than :meth:`may_match` and sharper, since
        attributes do not count: for what that one lets through, before a whole day is parsed.
        """
        bare = without_comments(content)
        if bare is not content and not self.may_match(bare):
            return ()
        found = self.terms
        if all(term.reads_alike for term in found) and not _ESCAPED.search(bare):
            found = self.found_in(_MARGIN.sub(b"", bare).decode("utf-8", "surrogateescape"))
        return found if self.met_by(found) else ()


def _blunt(group: tuple[Term, ...]) -> bool:
    return not all(term.needles.any_of for term in group)


def _all_line_starts(data: bytes) -> Iterator[int]:
    start = 0
    while 0 <= start < len(data):
        yield start
        start = data.find(b"\n", start) + 1 or -1
