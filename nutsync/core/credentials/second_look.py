"""Whether a text deserves the slower, wider look that a scanner outside the core gives it.

Loading that scanner takes longer than a whole append, so it is loaded only for texts that hold one of
the marks its rules need.
"""

from __future__ import annotations

import re
from functools import cache

_MARKS = (
    "akc", "cloudant", "softlayer", "ibm", "cos", "hmac", "accountkey", "_authtoken", "sq0", "xox",
    "pass", "pwd", "secret", "token", "apikey", "api_key", "_key", "key_",
)  # fmt: skip


def is_worth_a_second_look(text: str) -> bool:
    """Tell whether ``text`` names a secret and sets something behind it."""
    lowered = text.lower()
    return any(mark in lowered for mark in _MARKS) and _assigned().search(text) is not None


@cache
def _assigned() -> re.Pattern[str]:
    return re.compile(
        r"(?i)\bAKC\w{10,}|(?:key|pwd|pw|pass\w*|token|secret\w*|account)[\"'\]\s]{0,3}(?::=|=>|[=:(])\s*[\"'`]?[^\s\"'`]{8,}"
    )
