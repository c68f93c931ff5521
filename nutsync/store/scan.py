"""Looking through a large archive with `grep`, where the machine has one.

It reads files several times as fast as Python opens them. It only rules out: whoever asks decodes and
compares what it lets through. Where it is missing or complains about anything, the answer is None, and
the files are read here, which names what is wrong.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Sequence

from nutsync.core.moment import is_date

_DAY = re.compile(rb"/([0-9]{4})/(\1-[0-9]{2}-[0-9]{2})\.md$")
_FOUND, _NOTHING = 0, 1


def count_days(archive: str, until: str = "9999") -> int:
    """Return about how many day files there are up to ``until``, from names alone."""
    total = 0
    for year in _listed(archive):
        if len(year) == 4 and year <= until[:4]:
            last = f"{until}.md" if year == until[:4] else "~"
            total += sum(len(name) == 13 and name <= last for name in _listed(f"{archive}{os.sep}{year}"))
    return total


def days_with(archive: str, strings: Iterable[bytes]) -> list[tuple[str, str]] | None:
    """Return (date, path) of the day files that hold one of ``strings``, whatever the case of ASCII letters.

    None where that could not be found out this way.
    """
    said = _grep(["-r", "-l", "--null", "--include=*.md", "-D", "skip"], [archive], strings)
    if said is None:
        return None
    found = []
    for raw in said.split(b"\0"):
        match = _DAY.search(raw.replace(os.sep.encode(), b"/"))
        if match is not None and is_date(match[2].decode()):
            found.append((match[2].decode(), os.fsdecode(raw)))
    return sorted(found)


def lines_with(paths: Iterable[str], strings: Iterable[bytes]) -> list[bytes] | None:
    """Return the lines of these files that hold one of ``strings``; None as :func:`days_with`."""
    said = _grep(["-h"], paths, strings)
    return None if said is None else said.splitlines()


def _grep(options: Sequence[str], places: Iterable[str], strings: Iterable[bytes]) -> bytes | None:
    kept = {key: os.environ[key] for key in ("PATH", "SYSTEMROOT") if key in os.environ}
    try:
        done = subprocess.run(
            ["grep", "-F", "-i", "-a", *options, "-f", "-", "--", *places],  # noqa: S607 (whichever there is)
            input=b"".join(string + b"\n" for string in strings),
            capture_output=True,
            env={"LC_ALL": "C", **kept},
            check=False,
        )
    except OSError:
        return None
    return done.stdout if done.returncode in (_FOUND, _NOTHING) and not done.stderr else None


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 (only names are wanted)
    except OSError:
        return []
