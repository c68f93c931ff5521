"""reference-transaction, prepared: the gate (design §7).

It sees every move of the memory branch, whoever makes it and however: it judges the new commits as they
are stored, and what a move that is no fast-forward would lose. A deletion is let through, since packing
refs looks the same to a hook; what then comes in its place is judged against what was there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping

from nutsync.core.commit import Commit
from nutsync.core.freeze import Finding, judge_clock, judge_move
from nutsync.core.moment import Moment
from nutsync.operations.guard import Guard
from nutsync.operations.hooks.place import git_of_hook
from nutsync.operations.hooks.veto import blurs, describe, veto_text, violations, way_out_of_move
from nutsync.store import checkpoints
from nutsync.store.clock import Clock
from nutsync.store.repo.git import Git
from nutsync.store.repo.history import compare_trees, recorded
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.refs import HEADS, is_oid, resolve_ref


def reference_transaction(clock: Clock, environ: Mapping[str, str], lines: Iterable[str]) -> int:
    """Judge the moves of the memory branch that ``lines`` name (``old new ref``); 1 stops the transaction."""
    git = git_of_hook(environ)
    with Objects(git) as objects:
        guard = Guard(git, objects)
        for line in lines:
            given, new, ref = line.split(" ", 2)
            if new == git.zero or not is_oid(new):
                continue
            old = given if given != git.zero else _standing(git, objects, ref)
            if old == new:
                continue
            findings = judge_branch_move(guard, old, new, clock.now())
            for finding in blurs(findings):
                print(f"nutsync: {describe(finding)} {finding.hint}", file=sys.stderr)
            found = violations(findings)
            if found:
                branch = ref.removeprefix(HEADS)
                headline = (
                    f"{branch} was not moved to {new[:12]}, which would break the freeze law of memory."
                )
                print(veto_text(headline, found, way_out_of_move(git, branch)), file=sys.stderr)
                return 1
            guard.keep(new)
            guard.vouch(None if given == git.zero else given, new)
    return 0


def judge_branch_move(guard: Guard, old: str | None, new: str, now: Moment | None) -> list[Finding]:
    """Return what the law says of moving the branch from ``old`` (None: there was none) to ``new``.

    ``now`` is a receiver's own clock (rule 6), None for whoever only looks.
    """
    objects = guard.objects
    if old is not None:
        guard.expect(old)  # what is purged here comes back on no way round
    if old is not None and objects.commit(new).parents == (old,):
        commit, findings = guard.judge_commit(recorded(objects, new))
        return findings + _ahead(commit, now)
    found: list[Finding] = []
    follows = old is None
    for commit, findings in guard.judge_range(new, [] if old is None else [old]):
        follows = follows or old in commit.parents
        found += findings + _ahead(commit, now)
    if not follows and old is not None:
        trees = compare_trees(objects.tree, objects.commit(old).tree, objects.commit(new).tree)
        changes = guard.as_changes(trees)
        found += judge_move(new, changes, guard.ancestry(old), guard.ancestry(new), guard.past)
    return found


def _ahead(commit: Commit, now: Moment | None) -> list[Finding]:
    return judge_clock(commit, now) if now is not None and commit.touches_cell else []


def _standing(git: Git, objects: Objects, ref: str) -> str | None:
    """Return where the branch stands; where it is gone, where it was last seen by nutsync."""
    there = resolve_ref(git, ref)
    if there is not None:
        return there
    last = checkpoints.last_vouched(git.private_dir)
    return last if last is not None and objects.read(last) is not None else None
