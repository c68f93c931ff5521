"""Moving the memory branch: commit first, then worktree, so that any crash is made good (design §8.6).

A note (:mod:`nutsync.operations.move_note`) tells whoever next writes in this clone what to complete.
"""

from __future__ import annotations

import os

from nutsync.core.cell import date_of_path
from nutsync.core.day import Day
from nutsync.core.edited import carry_removals
from nutsync.core.hand import Edit, read_edit
from nutsync.operations.move_note import Move, clear_note, read_note, write_note
from nutsync.operations.record import Recorder
from nutsync.store.days import parse_day
from nutsync.store.repo.checkout import bring
from nutsync.store.repo.foreign import require_room, switch_outside
from nutsync.store.repo.git import Git
from nutsync.store.repo.history import Change, compare_trees
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.worktree import read_worktree, worktree_path, write_worktree


def move(recorder: Recorder, move: Move, reason: str) -> tuple[str, ...]:
    """Move the branch, bring index and worktree along, and return the paths left as edited by hand.

    Raises :class:`ErrForeignConflict` where a foreign file is in the way and :class:`ErrChanged` where the
    branch moved meanwhile; then nothing was changed. After any later failure the next command completes it.
    """
    git, objects = recorder.git, recorder.objects
    require_room(git, objects, move.old, move.new)
    write_note(git, move)
    recorder.advance(move.new, reason)
    return _follow(git, objects, move)


def complete(recorder: Recorder) -> tuple[str, ...]:
    """Complete a move that was cut short, if there is one; return the paths left as edited by hand."""
    begun = read_note(recorder.git)
    if begun is None or recorder.tip is None or recorder.tip == begun.old or not _holds(recorder, begun.new):
        clear_note(recorder.git)  # the branch never moved, or was moved elsewhere since
        return ()
    return _follow(recorder.git, recorder.objects, Move(begun.old, recorder.tip, begun.accepted))


def _follow(git: Git, objects: Objects, move: Move) -> tuple[str, ...]:
    trees = [objects.commit(commit).tree if commit else None for commit in (move.old, move.new)]
    changes = compare_trees(objects.tree, *trees)
    left = bring(git, objects, changes, move.accepted)
    kept = tuple(path for path in left if not _join_edit(git, objects, _change(changes, path)))
    switch_outside(git, objects, move.old, move.new)
    clear_note(git)
    return kept


def _change(changes: tuple[Change, ...], path: str) -> Change:
    return next(change for change in changes if change.path == path)


def _join_edit(git: Git, objects: Objects, change: Change) -> bool:
    """Join what a hand did meanwhile with the new version; tell whether nothing of it is still open.

    From an edit that stays open goes what was forgotten, so that it does not linger in the file.
    """
    if _join_additions(git, objects, change):
        return True
    date = date_of_path(change.path)
    there = read_worktree(git, change.path) if date is not None and change.old else None
    if date is None or there is None:
        return False
    worktree, old = parse_day(there, date), parse_day(objects.blob(change.old), date)
    new = parse_day(objects.blob(change.new), date) if change.new else None
    left = carry_removals(worktree, old, new)
    if left is None or left.render() != worktree.render():
        write_worktree(git, change.path, left.render() if left else None, expected=there)
    return False


def _join_additions(git: Git, objects: Objects, change: Change) -> bool:
    """Put what a hand added meanwhile under the new version; tell whether that was all it did."""
    date = date_of_path(change.path)
    if date is None or not change.new:
        return False
    there = read_worktree(git, change.path)
    if there is None:
        return False
    worktree, new = parse_day(there, date), parse_day(objects.blob(change.new), date)
    old = parse_day(objects.blob(change.old), date) if change.old else None
    gone = set(old.ids if old else ()) - set(new.ids)
    if read_edit(new, worktree, gone.__contains__).edit is not Edit.HELD:
        return True  # it was brought along already, and added to since
    edit = read_edit(old, worktree)
    own_front = worktree.front.present and not worktree.front.canonical
    if edit.edit is not Edit.PENDING or (own_front and (old is None or worktree.front != old.front)):
        return False
    joined = new.append(*edit.added)
    if edit.index is not None:
        joined = joined.with_index(_joined_index(joined, edit.index, old))
    written = worktree_path(git, change.path).stat().st_mtime_ns
    write_worktree(git, change.path, joined.render(), expected=there)
    # The file's time is what proves on which day the additions were written (design §5).
    os.utime(worktree_path(git, change.path), ns=(written, written))
    return True


def _joined_index(joined: Day, written: str, old: Day | None) -> str:
    """Return the index of a day to which a hand's additions, with an index of their own, were joined."""
    from nutsync.core.append import said
    from nutsync.core.index import merge_index

    before = [old.index] if old is not None else []
    return merge_index(joined.index, written, before, said(joined.blocks, {}), forgotten=(), day=joined.date)


def _holds(recorder: Recorder, commit: str) -> bool:
    """Tell whether the tip is or follows ``commit``."""
    if recorder.tip == commit:
        return True
    words = ("merge-base", "--is-ancestor", commit, recorder.tip or "")
    return recorder.git.run(*words, check=False).code == 0
