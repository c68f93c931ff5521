"""Checkpoints: what was known of a commit's past, kept by commit id in the Git directory (design §7).

They are derived and disposable: whoever misses one makes it anew from history. So nothing is flushed to
the disk, and a file that cannot be read counts as missing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from nutsync.store.files import TEMP_PREFIX

T = TypeVar("T")

FOLDER = "ancestry"
MILESTONES = "ancestry-milestones"
"""Where the ones from on the way of a long walk stay: a branch that left long ago begins there."""
VOUCHED = "vouched"
JUDGED, JUDGED_ANCESTRY = "judged", "judged-ancestry"
"""What pre-commit judged, and the ancestry that the commit will have, with its `git commit`'s process id."""
VERIFIED = "verified.json"
"""How far `verify` came, and what it found."""
MOST_KEPT = 24
"""So many commits keep theirs: the tips of this clone, of the remote and of the devices, now and lately."""


def read(private_dir: Path, commit: str, understand: Callable[[object], T | None]) -> T | None:
    """Return the checkpoint of ``commit`` as ``understand`` reads it, or None where there is none."""
    for name in (FOLDER, MILESTONES):
        with suppress(OSError, ValueError):
            return understand(json.loads((private_dir / name / commit).read_bytes()))
    return None


def forgotten_ids(private_dir: Path, tip: str | None) -> Mapping[str, Collection[str]]:
    """Return the ids of forgotten entries by date, as the checkpoint of ``tip`` has them.

    Where plain Git made the tip, the newest checkpoint serves: what was forgotten once stays forgotten.
    Empty where there is none.
    """
    found = read(private_dir, tip, _gone) if tip else None
    if found is None:
        others = (read(private_dir, commit, _gone) for commit in known_commits(private_dir))
        found = next((other for other in others if other is not None), {})
    return found


def _gone(plain: object) -> Mapping[str, Collection[str]] | None:
    gone = plain.get("gone") if isinstance(plain, dict) else None
    return {date: what[0] for date, what in gone.items()} if isinstance(gone, dict) else None


def write(private_dir: Path, commit: str, plain: object, *, milestone: bool = False) -> None:
    """Keep the checkpoint of ``commit``; the oldest go. A disk that is full costs only time later."""
    folder = private_dir / (MILESTONES if milestone else FOLDER)
    draft = folder / f"{TEMP_PREFIX}{os.getpid()}"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        draft.write_text(json.dumps(plain, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
        draft.replace(folder / commit)
        _drop_oldest(folder)


def known_commits(private_dir: Path) -> list[str]:
    """Return the commits that have a checkpoint, the latest written first."""
    paths = [*_by_age(private_dir / FOLDER), *_by_age(private_dir / MILESTONES)]
    return list(dict.fromkeys(path.name for path in paths if not path.name.startswith(".")))


def vouch(private_dir: Path, old: str, new: str) -> None:
    """Note the move of the memory branch that was judged and is about to be made.

    Both are whole ids, ``old`` that of nothing where there was no branch. The shims compare the line with
    what Git tells them, so one move is vouched for and no other.
    """
    with suppress(OSError):
        private_dir.mkdir(parents=True, exist_ok=True)
        (private_dir / VOUCHED).write_text(f"{old} {new}\n", encoding="ascii")


def last_vouched(private_dir: Path) -> str | None:
    """Return the commit to which the last move that was vouched for led, None where none was."""
    try:
        words = (private_dir / VOUCHED).read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return None
    return words[1] if len(words) == 2 else None


def forget_judged(private_dir: Path) -> None:
    """Remove what pre-commit noted of a draft."""
    with suppress(OSError):
        (private_dir / JUDGED).unlink()
    for path in private_dir.glob(f"{JUDGED_ANCESTRY}.*"):
        with suppress(OSError):
            path.unlink()


def forget_all(private_dir: Path) -> None:
    """Remove every checkpoint, and what was judged or verified: after a rewrite none of it holds."""
    forget_judged(private_dir)
    with suppress(OSError):
        (private_dir / VERIFIED).unlink()
    for name in (FOLDER, MILESTONES):
        for path in _by_age(private_dir / name):
            with suppress(OSError):
                path.unlink()


def _drop_oldest(folder: Path) -> None:
    with os.scandir(folder) as entries:
        count = sum(1 for _ in entries)
    if count > MOST_KEPT + MOST_KEPT // 2:
        for path in _by_age(folder)[MOST_KEPT:]:
            with suppress(OSError):
                path.unlink()


def _by_age(folder: Path) -> list[Path]:
    try:
        found = [(path.stat().st_mtime_ns, path) for path in folder.iterdir()]
    except OSError:
        return []
    return [path for _, path in sorted(found, reverse=True)]
