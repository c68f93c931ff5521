"""Reports of bugs, without memory text: which code failed where, never with what values."""

from __future__ import annotations

import platform
import sys
import tempfile
import traceback
from pathlib import Path

from nutsync import __version__


def write_report(error: BaseException) -> Path:
    """Write the stack of ``error`` to a temporary file and return its path.

    Neither the error's message nor any value stands in it: they could hold memory text.
    """
    lines = [
        f"nutsync {__version__}, Python {platform.python_version()}, {sys.platform}",
        *_chain(error),
    ]
    with tempfile.NamedTemporaryFile(
        "w", prefix="nutsync-report-", suffix=".txt", delete=False, encoding="utf-8"
    ) as file:
        file.write("\n".join(lines) + "\n")
    return Path(file.name)


def _chain(error: BaseException | None) -> list[str]:
    lines: list[str] = []
    while error is not None:
        lines.append(type(error).__name__)
        for frame in traceback.extract_tb(error.__traceback__):
            lines.append(f"  {frame.filename}:{frame.lineno} {frame.name}")
        error = error.__cause__ or error.__context__
    return lines
