"""What a secret looks like once its name or its place makes it likely: made up, not written.

Everything here asks one question of one word without spaces.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import cache
from itertools import pairwise

_ENDINGS = ".,;:!?)]}>*_»…|\\"
_OPENINGS = "([{<*«"


def trimmed(value: str) -> str:
    """Return ``value`` without the punctuation of the sentence around it."""
    return value.rstrip(_ENDINGS).lstrip(_OPENINGS)


def is_password(value: str, *, least: int = 6, plain: bool = False) -> bool:
    """Tell whether ``value``, which is called a password, may be one.

    Letters alone are a word of the sentence («password is required») unless ``plain`` says that only a
    password can stand there.
    """
    if len(value) < least or _is_something_else(value):
        return False
    if value.isascii() and value.isdigit():
        return not _date().match(value)
    sorts = _classes(value)
    if value.istitle():
        sorts.discard("upper")  # a word that begins a sentence
    return plain or (len(sorts) >= 2 and ("digit" in sorts or _symbols_inside(value)))


def is_strong_password(value: str) -> bool:
    """Tell whether ``value`` is a password even where nothing says so but the word before it."""
    sorts = _classes(value)
    return len(value) >= 8 and len(sorts) >= 3 and "digit" in sorts and is_made_up_of_one(value)


def is_made_up_of_one(value: str) -> bool:
    """Tell whether ``value`` is no name put together from words, numbers and dashes."""
    return not _is_something_else(value) and not _is_slug(value)


def is_made_up(value: str) -> bool:
    """Tell whether ``value``, which is called a key or a token, may be one: long, and of no words."""
    if len(value) < 12 or not value.isascii() or _is_something_else(value):
        return False
    if _uuid().match(value):
        return True
    if _is_slug(value):
        return False
    if _hex().match(value):
        return len(value) >= 16 and any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    return _entropy(value) >= 2.8 and (any(c.isdigit() for c in value) or _changes(value) >= 0.4)


def is_random(value: str) -> bool:
    """Tell whether ``value`` is one even where nothing calls it so.

    It jumps about and is in base64, or has the 40 characters of a well-known key. Other lengths in plain
    letters and digits are the ids of documents, which people do write down.
    """
    if len(value) != 40 and not re.search(r"[+/=]", value):
        return False
    bare = value.rstrip("=")
    if len(bare) < 32 or _is_something_else(bare) or _is_slug(bare) or _public().match(bare):
        return False
    if not {"lower", "upper", "digit"} <= _classes(bare) or sum(c.isdigit() for c in bare) < 3:
        return False
    return _entropy(bare) >= 4.0 and _changes(bare) >= 0.42


def _classes(value: str) -> set[str]:
    return {
        "lower" if c.islower() else "upper" if c.isupper() else "digit" if c.isdigit() else "symbol"
        for c in value
        if c.isascii()
    }


def _symbols_inside(value: str) -> bool:
    """Tell whether symbols that join no words stand in ``value``."""
    return bool(re.search(r"[!#$%^&*+=?@~]", value[:-1]))


def _entropy(value: str) -> float:
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())


def _changes(value: str) -> float:
    """Return how often the sort of character changes: seldom in words, even joined ones, often by chance."""
    sorts = ["l" if c.islower() else "u" if c.isupper() else "d" if c.isdigit() else "s" for c in value]
    return sum(a != b for a, b in pairwise(sorts)) / max(1, len(sorts) - 1)


def _is_slug(value: str) -> bool:
    """Tell whether ``value`` is words, numbers and short codes joined by dashes, dots, colons or slashes."""
    parts = [part for part in re.split(r"[-_.:/=+,@]+", value) if part]
    if len(parts) < 2:
        return _joined().fullmatch(value) is not None
    return all(_plain_part().fullmatch(part) for part in parts)


def _is_something_else(value: str) -> bool:
    """Tell whether ``value`` is a placeholder, code, a count, a version, a file, an address."""
    return (
        "://" in value
        or _placeholder().search(value) is not None
        or _code().match(value) is not None
        or _counted().match(value) is not None
        or _file().match(value) is not None
        or (len(set(value)) < 4 and not value.isdigit())
    )


@cache
def _public() -> re.Pattern[str]:
    """Match what looks random and is meant to be shown: checksums and public keys."""
    return re.compile(r"sha\d+-|AAAA[A-Z]")


@cache
def _placeholder() -> re.Pattern[str]:
    return re.compile(
        r"x{4,}|\*{2,}|\.{3}|…|•|^[<$%{]|\$\{|\{\{|your[_-]|[_-]here\b|placeholder|change[_-]?me|redacted"
        r"|^(?:example|dummy|hidden|removed|none|null|true|false|undefined|todo|env|self|this|password\d?)\b"
        r"|process\.env|os\.environ|getenv|^(?:op|vault|ssm|secret|keychain):",
        re.IGNORECASE,
    )


@cache
def _code() -> re.Pattern[str]:
    """Match calls, subscripts and dotted names of programs."""
    return re.compile(r"^[A-Za-z_][\w.]*[(\[]|^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?<!\d\d)$|^[\w-]+\(\)")


@cache
def _counted() -> re.Pattern[str]:
    """Match numbers with a unit, dates, times and versions."""
    return re.compile(
        r"^[~<>≤≥±+-]*v?\d[\d.,:/-]*(?:\d|st|nd|rd|th|[A-Za-z%]{1,3})?(?:[+-][\w.]+)?$(?<!^\d{6})"
    )


@cache
def _date() -> re.Pattern[str]:
    return re.compile(r"^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])$")


@cache
def _file() -> re.Pattern[str]:
    return re.compile(r"^(?:~|\.{1,2})?/[\w./-]*$|^[\w./~-]*[A-Za-z_-]\.[A-Za-z][A-Za-z0-9]{0,4}$")


@cache
def _uuid() -> re.Pattern[str]:
    return re.compile(r"^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")


@cache
def _hex() -> re.Pattern[str]:
    return re.compile(r"^(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)$")


@cache
def _plain_part() -> re.Pattern[str]:
    """Match a word, a number, a word with a number behind it, or a code of at most four characters."""
    return re.compile(
        r"[A-Z]?[a-z]+\d{0,4}|[A-Z]+\d{0,4}|[A-Z]?[a-z]+(?:[A-Z][a-z]+){1,4}|v?\d{1,14}|\w{1,4}"
    )


@cache
def _joined() -> re.Pattern[str]:
    """Match words joined the way names of programs are: camelCase, with at most a number at the end."""
    return re.compile(r"[A-Z]?[a-z]+(?:[A-Z][a-z]+|[A-Z]{2,4}(?=[A-Z]|$))*\d{0,4}|[A-Z]+\d{0,4}")
