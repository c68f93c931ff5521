"""What this clone last saw at the remote, once it was taken over or sent there (design §8, §9)."""

from __future__ import annotations

from nutsync.store.repo.git import Git
from nutsync.store.repo.refs import check_ref, resolve_ref

_SEEN = "refs/nutsync/seen/"


def seen_tip(git: Git, branch: str) -> str | None:
    """Return the commit that the remote's branch held when it was last taken over or sent; None for never."""
    return resolve_ref(git, _ref(branch))


def note_seen(git: Git, branch: str, tip: str | None) -> None:
    """Remember what the remote's branch holds; None forgets it, so that the next sync takes any."""
    old = seen_tip(git, branch)
    if old != tip:
        from nutsync.store.repo.commit import move_refs  # a sync that finds nothing new moves nothing

        move_refs(git, [(_ref(branch), tip, old)], "nutsync: seen at the remote")


def is_ancestor(git: Git, older: str, newer: str) -> bool:
    """Tell whether ``newer`` is ``older`` or follows it."""
    if older == newer:
        return True
    return git.run("merge-base", "--is-ancestor", older, newer, check=False).code == 0


def _ref(branch: str) -> str:
    return check_ref(f"{_SEEN}{branch}")
