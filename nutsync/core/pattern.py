"""Regular expressions that are compiled when they are first used.

Compiling one takes as long as importing a small module, and a command needs few of those that its modules
name: compiled where they stand, they were a tenth of what starting `recall` cost.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class _Pattern:
    """Stands for a compiled pattern, whose methods it takes over at their first use."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        # Python asks here only for what is not set: each method once.
        found = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, found)
        return found


def pattern(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what behaves as ``re.compile(source, flags)`` does, but for the moment a fault is found.

    Call its methods; functions such as ``re.sub`` want the real thing.
    """
    return cast("re.Pattern[AnyStr]", _Pattern(source, flags))
