"""Rows for what guards memory: `verify`, signatures, and fetches in an armed clone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bench.paired import Command, Row
from bench.workshop import Workshop

TAGS = 100
_WORKED_OUT = ("verified.json", "verified-quick")


def verify_whole(shop: Workshop) -> list[Row]:
    """The whole history, signatures checked before; against reading the same commits and blobs, and fsck."""
    ours, theirs = shop.armed(), shop.plain()
    shop.run(shop.nutsync("verify"), ours)
    branch = shop.branch(theirs)
    words = ["git", "log", "--raw", "--no-abbrev", "--format=", branch]
    blobs = {
        oid for line in shop.run(words, theirs).splitlines() for oid in line.split(" ")[2:4] if oid.strip("0")
    }
    wanted = shop.scratch / f"blobs-{shop.number()}"
    wanted.write_text("".join(f"{oid}\n" for oid in sorted(blobs)))
    reading = [["git", "log", "--raw", branch], ["sh", "-c", 'git cat-file --batch <"$1"', "sh", str(wanted)]]
    whole = Command([shop.nutsync("verify")], ours, lambda: _forget_verified(ours))
    return [
        shop.compare(
            "verify, whole history, signatures checked before",
            whole,
            "git log --raw + git cat-file --batch",
            Command(reading, theirs),
            "≤ 2",
        ),
        shop.compare(
            "verify --full, signatures checked anew",
            Command([shop.nutsync("verify", "--full")], ours),
            "git fsck --full",
            Command([["git", "fsck", "--full", "--no-progress"]], theirs),
            "≤ 1",
        ),
    ]


def _forget_verified(cell: Path) -> None:
    for name in _WORKED_OUT:
        (cell / ".git/nutsync" / name).unlink(missing_ok=True)


def verify_since_the_last(shop: Workshop) -> Row:
    """Nothing new since the last `verify`."""
    cell = shop.armed()
    shop.run(shop.nutsync("verify"), cell)
    return shop.compare(
        "verify since the last verified commit",
        Command([shop.nutsync("verify")], cell),
        "nutsync --version",
        Command([shop.nutsync("--version")], cell),
        "≤ 1.5",
    )


def signing_of_an_append(shop: Workshop) -> Row:
    """An append that signs its commit, against one in a clone without a key: what signing adds."""
    signed, unsigned = shop.armed(), shop.armed()
    for path in (unsigned / ".git/nutsync").glob("device-key*"):
        path.unlink()

    def words() -> list[list[str]]:
        return [shop.nutsync("append", f"Lanternfield costs {shop.number()} euros")]

    return shop.compare(
        "append, signed", Command(words, signed), "append, unsigned", Command(words, unsigned), "reported"
    )


def fetch_of_tags(shop: Workshop) -> list[Row]:
    """A plain `git fetch` of 100 new tags: Git asks the gate twice a tag; with --atomic twice in all."""
    ours, theirs = shop.armed(), shop.plain()
    remotes = {cell: shop.remote(cell) for cell in (ours, theirs)}
    for remote in remotes.values():
        for number in range(TAGS):
            shop.run(["git", "tag", f"tag-{number}"], remote)

    def command(cell: Path, *how: str) -> Command:
        fetch = ["git", "fetch", "--quiet", "--tags", *how, "origin"]
        return Command([fetch], cell, lambda: _without_tags(shop, cell))

    return [
        shop.compare(
            f"git fetch of {TAGS} tags{f' {how}' if how else ''}, armed",
            command(ours, *how.split()),
            "unarmed",
            command(theirs, *how.split()),
            "≤ 2",
        )
        for how in ("", "--atomic")
    ]


def _without_tags(shop: Workshop, cell: Path) -> None:
    tags = shop.run(["git", "tag", "--list"], cell).split()
    if tags:
        shop.run(["git", "-c", "core.hooksPath=/dev/null", "tag", "--delete", *tags], cell)


ROWS: list[Callable[[Workshop], Row | list[Row]]] = [
    verify_whole,
    verify_since_the_last,
    signing_of_an_append,
    fetch_of_tags,
]
