"""One form for text that a person would call the same words (design §10).

Case is folded, full-width and half-width letters agree (NFKC), and a traditional or variant
Chinese character is read as its simplified form. Both the query and the text go through
:func:`fold`; whatever is compared is compared in this form.
"""

from __future__ import annotations

from functools import lru_cache
from unicodedata import normalize


def fold(text: str) -> str:
    """Return ``text`` in the form it is searched by; folding twice changes nothing more."""
    if text.isascii():
        return text.lower()
    # Case folding can undo a composition (ǰ, ΐ), so the composed form is made again after it.
    return normalize("NFKC", normalize("NFKC", text).casefold()).translate(_hanzi())


@lru_cache(maxsize=1)
def _hanzi() -> dict[int, int]:
    """Return the table of Chinese characters; loaded with the first text that is not ASCII."""
    from nutsync.core.recall import hanzi

    return str.maketrans(hanzi.FROM, hanzi.TO)
