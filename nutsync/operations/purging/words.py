"""What a purged block without an id said, told by two versions of one history (design §9).

A device that never saw the forget cannot read from it which block a purge took. But it holds the old history
and the remote the rewritten one, commit by commit the same but for what is gone.
"""

from __future__ import annotations

from collections.abc import Sequence

from nutsync.core.cell import day_path
from nutsync.core.errors import ErrRemoteRewritten
from nutsync.core.recipe1 import Purge, removed_words
from nutsync.store.repo.git import Git
from nutsync.store.repo.history import list_commits
from nutsync.store.repo.message import Commit, parse_commit
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.rewrite import purged_ids

_Fingerprint = tuple[tuple[str, ...], bytes]


def with_words(git: Git, objects: Objects, purges: Sequence[Purge], tips: Sequence[str]) -> list[Purge]:
    """Return the purges, those whose words nobody remembers with what was taken from the old ``tips``.

    A tip whose tree records a purge is rewritten, others are old. Raises :class:`ErrRemoteRewritten` where
    more is missing than was purged.
    """
    wordless = [purge for purge in purges if purge.words == b""]
    recorded = {tip: purged_ids(objects, tip) for tip in tips} if wordless else {}
    found: dict[str, bytes] = {}
    for new in tips:
        mine = [p for p in wordless if p.id not in found and p.id in recorded.get(new, ())]
        old = [tip for tip in tips if any(p.id not in recorded.get(tip, ()) for p in mine)]
        if mine and old:
            found |= _compared(git, objects, mine, old, new)
    return [p._replace(words=found[p.id]) if p.id in found else p for p in purges]


def _compared(
    git: Git, objects: Objects, purges: Sequence[Purge], old: Sequence[str], new: str
) -> dict[str, bytes]:
    """Return what each of the purges took from ``old`` histories, told by what ``new`` has instead."""
    missing: dict[str, list[bytes]] = {}
    for before, after in _twins(git, objects, old, new):
        for date in {purge.day for purge in purges}:
            for words in _missing(objects, before, after, date):
                if words not in missing.setdefault(date, []):
                    missing[date].append(words)
    found = {p.id: missing[p.day].pop(0) for p in purges if missing.get(p.day)}
    if any(missing.values()):
        raise ErrRemoteRewritten(
            "The remote's history lacks more than was purged. Nothing was taken over and nothing was sent.",
            hint="Find out who rewrote it; this clone still holds everything.",
        )
    return found


def _missing(objects: Objects, old: str, new: str, date: str) -> list[bytes]:
    entries = [objects.entry(commit, day_path(date)) for commit in (old, new)]
    if entries[0] is None or entries[0] == entries[1]:
        return []
    content = objects.blob(entries[1].oid) if entries[1] is not None else None
    gone = removed_words(objects.blob(entries[0].oid), content, date)
    return [words for words in gone if not words.startswith(b"index: ")]


def _twins(git: Git, objects: Objects, old: Sequence[str], rewritten: str) -> list[tuple[str, str]]:
    """Return the pairs of an old commit and what a rewrite made of it, parents first."""
    known: dict[_Fingerprint, str] = {}
    for commit in _read(objects, list_commits(git, [rewritten], old)):
        known.setdefault(_fingerprint(commit, commit.parents), commit.oid)
    new: dict[str, str] = {}
    for commit in _read(objects, list_commits(git, old, [rewritten])):
        parents = tuple(new.get(parent, parent) for parent in commit.parents)
        twin = known.get(_fingerprint(commit, parents))
        if twin is not None:
            new[commit.oid] = twin
    return list(new.items())


def _read(objects: Objects, ids: object) -> list[Commit]:
    found = objects.read_many(list(ids))  # type: ignore[call-overload]
    return [parse_commit(item.oid, item.content) for item in found if item is not None]


def _fingerprint(commit: Commit, parents: tuple[str, ...]) -> _Fingerprint:
    """Return what a rewrite keeps of a commit: all but its tree and its signatures."""
    head, gap, message = commit.payload.partition(b"\n\n")
    lines = [line for line in head.split(b"\n") if not line.startswith((b"tree ", b"parent "))]
    return parents, b"\n".join(lines) + gap + message
