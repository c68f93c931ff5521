"""Rows for what two devices and a remote do together. The remote is a bare repository on this disk."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from bench.archive import build
from bench.paired import Command, Row
from bench.workshop import Workshop

LONG_ABSENCE = 1000


def _commit_by_hand(shop: Workshop, cell: Path) -> None:
    path = shop.write_by_hand(cell)
    shop.run(["git", "add", str(path)], cell)
    shop.run(["git", "commit", "--quiet", "--message", "note"], cell)


def _append(shop: Workshop, cell: Path) -> None:
    shop.run(shop.nutsync("append", f"Lanternfield costs {shop.number()} euros"), cell)


def sync_nothing_new(shop: Workshop) -> Row:
    """Both sides are equal already."""
    cell = shop.armed()
    shop.remote(cell)
    shop.run(shop.nutsync("sync"), cell)
    return shop.compare(
        "sync, nothing new",
        Command([shop.nutsync("sync")], cell),
        "nutsync --version + git ls-remote",
        Command([shop.nutsync("--version"), ["git", "ls-remote", "--quiet", "origin"]], cell),
        "≤ 1.3",
    )


def sync_one_new_here(shop: Workshop) -> Row:
    """One entry was appended here, nothing elsewhere."""
    ours, theirs = shop.armed(), shop.plain()
    shop.remote(ours)
    shop.remote(theirs)
    shop.run(shop.nutsync("sync"), ours)
    return shop.compare(
        "sync, one new entry here only",
        Command([shop.nutsync("sync")], ours, lambda: _append(shop, ours)),
        "nutsync --version + git push",
        Command(
            [shop.nutsync("--version"), ["git", "push", "--quiet", "origin", shop.branch(theirs)]],
            theirs,
            lambda: _commit_by_hand(shop, theirs),
        ),
        "≤ 1.4",
    )


def sync_one_new_on_each_side(shop: Workshop) -> Row:
    """Both devices wrote to today's file while apart."""
    ours, elsewhere = shop.armed(), shop.armed("lap")
    shop.remote(ours, elsewhere)
    theirs, other = shop.plain(), shop.plain()
    shop.remote(theirs, other)
    branch = shop.branch(theirs)

    def part_ours() -> None:
        shop.run(shop.nutsync("sync"), elsewhere)
        _append(shop, elsewhere)
        shop.run(shop.nutsync("sync"), elsewhere)
        _append(shop, ours)

    def part_theirs() -> None:
        shop.run(["git", "pull", "--quiet", "--no-rebase", "--no-edit", "origin", branch], other)
        _commit_by_hand(shop, other)
        shop.run(["git", "push", "--quiet", "origin", branch], other)
        _commit_by_hand(shop, theirs)

    plain = [
        ["git", "fetch", "--quiet", "origin"],
        ["git", "merge", "--quiet", "--no-edit", f"origin/{branch}"],
        ["git", "push", "--quiet", "origin", branch],
    ]
    return shop.compare(
        "sync, one new commit on each side",
        Command([shop.nutsync("sync")], ours, part_ours),
        "git fetch + merge + push",
        Command(plain, theirs, part_theirs),
        shop.aim("≤ 1.5", "≤ 0.7"),
    )


def sync_after_a_long_absence(shop: Workshop) -> Row | list[Row]:
    """1,000 days changed on both sides: two devices wrote every day and never met.

    Each round starts from fresh copies: a clone that has met those commits before has judged them before.
    """
    if shop.years * 365 <= LONG_ABSENCE:
        return []
    cell, bare = _after_a_long_absence(shop)
    kept = [(place, place.with_name(f"{place.name}-kept")) for place in (cell, bare)]
    for place, copy in kept:
        shop.copy(place, copy)

    def start_again() -> None:
        for place, copy in kept:
            shutil.rmtree(place)
            shop.copy(copy, place)

    branch = shop.branch(cell)
    transport = [
        ["git", "fetch", "--quiet", "origin"],
        ["git", "push", "--quiet", "--no-verify", "origin", f"{branch}:refs/heads/apart"],
    ]
    return shop.compare(
        "sync, 1,000 days changed on both sides",
        Command([shop.nutsync("sync")], cell, start_again),
        "git fetch + push alone",
        Command(transport, cell, start_again),
        "≤ +500 ms CPU",
    )


def _after_a_long_absence(shop: Workshop) -> tuple[Path, Path]:
    """Return a cell and its remote, which parted 1,000 days ago."""
    cell, other = shop.armed(), shop.armed("lap")
    bare = shop.remote(cell, other)
    branch = shop.branch(other)
    parted = shop.run(["git", "rev-parse", f"{branch}~{LONG_ABSENCE}"], other).strip()
    plan = replace(shop.plan(), seed=2, device="lap", actor="ben", onto=parted, days_only=LONG_ABSENCE)
    build(other, plan, branch=branch)
    shop.sign(other, branch, f"{parted}..{branch}")
    shop.run(["git", "push", "--quiet", "--no-verify", "--force", "origin", branch], other)
    shop.run(["git", "update-ref", "-d", f"refs/remotes/origin/{branch}"], cell)
    return cell, bare


ROWS: list[Callable[[Workshop], Row | list[Row]]] = [
    sync_nothing_new,
    sync_one_new_here,
    sync_one_new_on_each_side,
    sync_after_a_long_absence,
]
