"""What the bytes of a file must hold before a term can stand in its text.

Folding thousands of files takes far longer than reading them, and nearly all of them cannot
match. So each term gives a few byte strings of which a file must hold one (its *needles*).
They only rule out: whoever is let through is decoded, folded and compared for real.

The needles of a term are the ways in which a short run of it can be written: each character of
the run in every raw form that folds to it. ASCII letters have hundreds of rare forms (ﬁ, ②, 𝐚);
those are looked for together, by one pattern that no term changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple
from unicodedata import decomposition, normalize

from nutsync.core.recall.fold import fold

_MOST = 12
"""More needles than this cost more than decoding the file."""


# Blocks that hold characters which fold to Chinese or Japanese ones; ideographs themselves are
# in the table of `hanzi`, and Hangul syllables are computed.
_EAST_ASIAN = (
    *((0x2E80, 0x2FDF), (0x3000, 0x33FF), (0xF900, 0xFAFF), (0xFE30, 0xFE4F), (0xFF61, 0xFF9F)),
    *((0x1F200, 0x1F2FF), (0x2F800, 0x2FA1F)),
)
_LETTERS = (
    *((0x80, 0x2E7F), (0x3130, 0x318F), (0x3200, 0x33FF), (0xA640, 0xABFF), (0xFB00, 0xFFEF)),
    *((0x10000, 0x16FDF), (0x1BC00, 0x1F1FF)),
)

# The ranges of every character beyond ASCII whose folded form holds an ASCII letter or digit, as hexadecimal
# numbers; wide ones: one character too many only costs the decoding of a file.
_RARE_NEAR = (
    "aa b2-b3 b9-ba bc-be df 130 132-133 13f-140 149 17f 1c4-1cc 1f0-1f3 2b0 2b2-2b3 2b7-2b8 2e0-2e4"
    " 1d2c-1d6a 1d78 1d9c 1da0 1dbb 1e96-1e9e 2070-209f 20a8 2100-218f 2460-24ff 2c7c-2c7d 3250-325f"
    " 32b1-33ff a7f1-a7f4 fb00-fb06 ff10-ff19 ff21-ff3a ff41-ff5a"
)
_RARE_BEYOND = "10780-107bf 1ccd6-1ccf9 1d400-1d7ff 1f100-1f1ff 1fbf0-1fbf9"
_BEYOND = b"\xf0"
"""With this byte begins every character beyond the first 65,536."""


@lru_cache(maxsize=1)
def rare_forms() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns of the rare forms of ASCII letters and digits.

    Those beyond the first 65,536 characters have a pattern of their own: a set that holds both kinds is
    slow to look through.
    """
    near, beyond = (
        "".join(f"{chr(first)}-{chr(last)}" for first, last in _ranges(hexes))
        for hexes in (_RARE_NEAR, _RARE_BEYOND)
    )
    return re.compile(f"[{near}]"), re.compile(f"[{beyond}]")


@lru_cache(maxsize=1)
def rare_strings() -> tuple[bytes, ...]:
    """Return byte strings of which every text with a rare form holds one."""
    near = {chr(code).encode() for first, last in _ranges(_RARE_NEAR) for code in range(first, last + 1)}
    beyond = {
        chr(code).encode()[:3] for first, last in _ranges(_RARE_BEYOND) for code in range(first, last + 1)
    }
    return tuple(sorted(near | beyond))


def _ranges(hexes: str) -> Iterator[tuple[int, int]]:
    for part in hexes.split():
        first, _, last = part.partition("-")
        yield int(first, 16), int(last or first, 16)


class Content:
    """The bytes of a file or a catalog, made ready once for every needle of a query."""

    __slots__ = ("_rare", "data", "lowered")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.lowered = data.lower()
        self._rare: bool | None = None

    @property
    def has_rare(self) -> bool:
        """Whether a rare form of an ASCII letter or digit stands in it."""
        if self._rare is None:
            self._rare = not self.data.isascii() and self._look_for_rare()
        return self._rare

    def _look_for_rare(self) -> bool:
        text = self.data.decode("utf-8", "replace")
        near, beyond = rare_forms()
        return near.search(text) is not None or (_BEYOND in self.data and beyond.search(text) is not None)

    def rare_places(self) -> list[int]:
        """Return the offsets of all rare forms, in no order."""
        if not self.has_rare:
            return []
        text = self.data.decode("utf-8", "surrogateescape")
        places = []
        for pattern in rare_forms():
            place = seen = 0
            for match in pattern.finditer(text):
                place += len(text[seen : match.start()].encode("utf-8", "surrogateescape"))
                seen = match.start()
                places.append(place)
        return places


class Needles(NamedTuple):
    """A necessary condition on bytes. ``any_of`` empty: every file may hold the term."""

    any_of: tuple[bytes, ...]
    rare: bool
    """Whether the rare forms of ASCII letters can make the term as well."""

    def may_be_in(self, content: Content) -> bool:
        """Tell whether ``content`` may hold the term."""
        if not self.any_of:
            return True
        lowered = content.lowered
        for needle in self.any_of:
            if needle in lowered:
                return True
        return self.rare and content.has_rare

    def count(self, content: Content) -> int:
        """Return about how often the term stands in ``content``: without the rare forms."""
        return sum(content.lowered.count(needle) for needle in self.any_of)

    def places(self, content: Content) -> Iterator[int]:
        """Yield where in ``content`` the term may stand, in no order."""
        for needle in self.any_of:
            place = content.lowered.find(needle)
            while place >= 0:
                yield place
                place = content.lowered.find(needle, place + 1)
        if self.rare:
            yield from content.rare_places()


@lru_cache(maxsize=256)
def needles_of(folded: str) -> Needles:
    """Return the needles of a folded term."""
    word = max(re.findall("[a-z0-9]+", folded), key=len, default="")
    run = _cheapest(_spellings(folded)) if len(word) < 3 else None
    if run:
        return Needles(tuple(sorted(_lower(run))), rare=False)
    return Needles((word.encode(),) if word else (), rare=bool(word))


def _lower(needles: Iterable[str]) -> set[bytes]:
    return {needle.encode("utf-8", "surrogatepass").lower() for needle in needles}


def _cheapest(spelled: Sequence[frozenset[str] | None]) -> frozenset[str]:
    """Return the raw forms of the run of one or two characters that is written in the fewest ways."""
    best: frozenset[str] = frozenset()
    for forms, after in zip(spelled, [*spelled[1:], None], strict=True):
        if forms is None:
            continue
        runs = [forms]
        if after is not None and len(forms) * len(after) <= _MOST:
            # A single character can stand for both (㍿), so it counts as a way to write the two.
            runs.append(frozenset(a + b for a, b in product(forms, after)) | (forms & after))
        for run in runs:
            if len(run) <= _MOST and (not best or _cost(run) < _cost(best)):
                best = run
    return best


def _cost(run: frozenset[str]) -> float:
    """Return what a run costs: looking for each form, and decoding what holds one by chance."""
    short = all(len(form) < 2 for form in run)
    return len(run) + (5.0 * len(run) if short else 0.0)


def _spellings(folded: str) -> list[frozenset[str] | None]:
    """Return, for each character, every raw character it can come from; None where that is unknown."""
    return [_sources(char) for char in folded]


def _sources(char: str) -> frozenset[str] | None:
    if char.isascii() or not char.isalpha():
        return None
    parts = normalize("NFD", char)
    if "\uac00" <= char <= "\ud7a3":
        syllable = chr(0xAC00 + (ord(char) - 0xAC00) // 28 * 28)
        return _inverse(char) | _inverse(syllable) | _inverse(parts[0])
    if len(parts) > 2:
        return None
    return _inverse(char) | (_inverse(parts[0]) if parts[0] != char else frozenset())


def _inverse(char: str) -> frozenset[str]:
    east_asian = "\u2e80" <= char <= "\u312f" or "\u3190" <= char <= "\u9fff" or char >= "\U00020000"
    forms = _inverse_of(_EAST_ASIAN if east_asian else _LETTERS).get(char, frozenset())
    return forms | {char} | (_traditional(char) if east_asian else frozenset())


@lru_cache(maxsize=2)
def _inverse_of(blocks: tuple[tuple[int, int], ...]) -> dict[str, frozenset[str]]:
    """Return folded character → the raw characters of ``blocks`` that hold it once folded.

    Those that only the table of Chinese characters changes are left to :func:`_traditional`.
    """
    found: dict[str, set[str]] = {}
    for first, last in blocks:
        for raw in map(chr, range(first, last + 1)):
            if decomposition(raw) or raw.casefold() != raw:
                for char in fold(raw):
                    found.setdefault(char, set()).add(raw)
    return {char: frozenset(raws) for char, raws in found.items()}


def _traditional(char: str) -> frozenset[str]:
    from nutsync.core.recall import hanzi

    found = set()
    place = hanzi.TO.find(char)
    while place >= 0:
        found.add(hanzi.FROM[place])
        place = hanzi.TO.find(char, place + 1)
    return frozenset(found)
