"""Regular expressions that cannot hang: a search ends in time or says that it could not.

The `regex` library is loaded only where somebody searches with an expression.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from nutsync.core.errors import ErrRegex, ErrSearchFailed

LONGEST = 1000
"""More characters than any expression that a person writes."""

SECONDS = 5.0
"""How long all searches with one expression may take together."""


def searcher(pattern: str, *, seconds: float = SECONDS) -> Callable[[str], bool]:
    """Return a function that tells whether ``pattern`` stands in a text, whatever its case.

    ``^`` and ``$`` are the ends of lines. Raises :class:`ErrRegex` for what is no regular expression; the
    function raises :class:`ErrSearchFailed` once the searches have taken ``seconds`` together.
    """
    import regex  # type: ignore[import-untyped, unused-ignore]

    if len(pattern) > LONGEST:
        raise ErrRegex(f"The regular expression has {len(pattern):,} characters; {LONGEST:,} is the most.")
    try:
        compiled = regex.compile(pattern, regex.IGNORECASE | regex.MULTILINE)
    except (regex.error, RecursionError, OverflowError, ValueError) as problem:
        raise ErrRegex(f"That is no regular expression: {problem}.") from problem
    left = seconds

    def search(text: str) -> bool:
        nonlocal left
        started = time.monotonic()
        try:
            if left > 0:
                return compiled.search(text, timeout=left) is not None
        except TimeoutError:
            left = 0.0
        finally:
            left -= time.monotonic() - started
        raise ErrSearchFailed(
            f"The regular expression took longer than {seconds:g} seconds; the search was given up.",
            hint="Nested repeats such as (a+)+ are what takes so long. Literal terms are always quick.",
        )

    return search
