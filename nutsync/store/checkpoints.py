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
VOUCHED = "vouched"
MOST_KEPT = 24
"""So many commits keep theirs: the tips of this clone, of the remote and of the devices, now and lately."""


def read(private_dir: Path, commit: str, understand: Callable[[object], T | None]) -> T | None:
    """Return the checkpoint of ``commit`` as ``understand`` reads it, or None where there is none."""
    try:
        return understand(json.loads((private_dir / FOLDER / commit).read_bytes()))
    except (OSError, ValueError):
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


def write(private_dir: Path, commit: str, plain: object) -> None:
    """Keep the checkpoint of ``commit``; the oldest go. A disk that is full costs only time later."""
    folder = private_dir / FOLDER
    draft = folder / f"{TEMP_PREFIX}{os.getpid()}"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        draft.write_text(json.dumps(plain, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
        draft.replace(folder / commit)
        _drop_oldest(folder)


def known_commits(private_dir: Path) -> list[str]:
    """Return the commits that have a checkpoint, the latest written first."""
    return [path.name for path in _by_age(private_dir / FOLDER) if not path.name.startswith(".")]


def vouch(private_dir: Path, commit: str) -> None:
    """Note the commit that this clone's nutsync has judged and is about to move the branch to."""
    with suppress(OSError):
        private_dir.mkdir(parents=True, exist_ok=True)
        (private_dir / VOUCHED).write_text(f"{commit}\n", encoding="ascii")


def forget_all(private_dir: Path) -> None:
    """Remove every checkpoint: after a rewrite of history none of them holds."""
    for path in _by_age(private_dir / FOLDER):
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
