"""How far the history of this clone was verified, and what was found: the next `verify` goes on from there.

It stands in the Git directory, is derived, and goes with the checkpoints when history is rewritten.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from nutsync.core.freeze import Finding
from nutsync.store import checkpoints
from nutsync.store.files import read_if_there, write_atomic
from nutsync.store.repo.git import Git


@dataclass(frozen=True)
class Verified:
    """The history of ``tip`` was judged: so many commits and merges, and what weighs more than a notice."""

    tip: str
    commits: int = 0
    merges: int = 0
    standing: Sequence[Finding] = field(default_factory=tuple)
    ok: bool = True


def read_verified(git: Git) -> Verified | None:
    """Return what was verified last, None where nothing was or it cannot be read."""
    import json

    content = read_if_there(git.private_dir / checkpoints.VERIFIED)
    if content is None:
        return None
    try:
        plain = json.loads(content)
        standing = tuple(Finding(**one) for one in plain["standing"])
        return Verified(plain["tip"], plain["commits"], plain["merges"], standing, plain["ok"])
    except (ValueError, KeyError, TypeError):
        return None


def write_verified(git: Git, verified: Verified) -> None:
    """Keep what was verified."""
    import json

    plain = {
        "tip": verified.tip,
        "commits": verified.commits,
        "merges": verified.merges,
        "standing": [{name: getattr(one, name) for name in _FIELDS} for one in verified.standing],
        "ok": verified.ok,
    }
    write_atomic(git.private_dir / checkpoints.VERIFIED, json.dumps(plain).encode("utf-8", "surrogateescape"))


_FIELDS = ("code", "commit", "message", "path", "ref", "hint")
