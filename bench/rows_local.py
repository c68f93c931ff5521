"""Rows for what happens on one machine: append, plain commits, recall, context, catalogs."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

from bench.archive import ARCHIVE
from bench.paired import Command, Row
from bench.workshop import Workshop

CATALOG = ".agents/nutstore-sync/memory/catalog"
_FRONTMATTER = """
import pathlib, sys, frontmatter
for path in pathlib.Path(sys.argv[1]).rglob("*.md"):
    frontmatter.load(path)["index"]
"""


def _commit(shop: Workshop, cell: Path, path: Path) -> list[list[str]]:
    return [["git", "add", str(path)], ["git", "commit", "--quiet", "--message", "note"]]


def append(shop: Workshop) -> Row:
    """One entry appended, committed and signed, against a plain commit of one changed file."""
    ours, theirs = shop.armed(), shop.plain()
    return shop.compare(
        "append",
        Command(lambda: [shop.nutsync("append", f"Lanternfield costs {shop.number()} euros")], ours),
        "git add F && git commit, unarmed",
        Command(_commit(shop, theirs, shop.today(theirs)), theirs, lambda: _written(shop, theirs)),
        shop.aim("≤ 4", "≤ 1.1"),
    )


def forget(shop: Workshop) -> Row:
    """One entry of an old day forgotten, against one appended in the same kind of cell."""
    ours, theirs = shop.armed(), shop.armed()
    paths = sorted((ours / ARCHIVE).rglob("*.md"))
    random.Random(7).shuffle(paths)

    def ref() -> str:
        path = paths[shop.number() % len(paths)]
        return f"{path.stem}#{path.read_text().partition(' id=')[2][:8]}"

    return shop.compare(
        "forget",
        Command(lambda: [shop.nutsync("forget", ref(), "--reason", "asked for", "--yes")], ours),
        "append",
        Command(lambda: [shop.nutsync("append", f"Lanternfield costs {shop.number()} euros")], theirs),
        "≤ 2",
    )


def _written(shop: Workshop, cell: Path) -> None:
    shop.write_by_hand(cell)


def plain_commit_of_a_day(shop: Workshop) -> Row:
    """A person's own `git commit` of today's file, with and without the hooks."""
    ours, theirs = shop.armed(), shop.plain()
    return shop.compare(
        "plain git commit of a day file, armed",
        Command(_commit(shop, ours, shop.today(ours)), ours, lambda: _written(shop, ours)),
        "unarmed",
        Command(_commit(shop, theirs, shop.today(theirs)), theirs, lambda: _written(shop, theirs)),
        shop.aim("≤ 3", "≤ 1.5"),
    )


def plain_commit_elsewhere(shop: Workshop) -> Row:
    """A person's own `git commit` of a file that is no memory, with and without the hooks."""
    ours, theirs = shop.armed(), shop.plain()

    def note(cell: Path) -> None:
        (cell / "notes.txt").write_text(f"{shop.number()}\n")

    return shop.compare(
        "plain git commit outside the cell, armed",
        Command(_commit(shop, ours, Path("notes.txt")), ours, lambda: note(ours)),
        "unarmed",
        Command(_commit(shop, theirs, Path("notes.txt")), theirs, lambda: note(theirs)),
        "≤ 1.5",
    )


def recall_from_the_catalog(shop: Workshop) -> Row:
    """A number that an old day's index names."""
    cell = shop.armed()
    term = _term(cell, in_index=True)
    shop.run(shop.nutsync("recall", term), cell)
    catalogs = [str(path) for path in sorted((cell / CATALOG).glob("*.tsv"))]
    return shop.compare(
        "recall, catalog stage",
        Command([shop.nutsync("recall", term)], cell),
        "python -I -c pass + grep of the catalogs",
        Command([shop.bare_python(), ["grep", "-HniE", term, *catalogs]], cell),
        shop.aim("≤ 4.5", "≤ 3"),
    )


def recall_from_bodies(shop: Workshop) -> Row:
    """A number that only the body of an old day has."""
    cell = shop.armed()
    term = _term(cell, in_index=False)
    return shop.compare(
        "recall, body stage",
        Command([shop.nutsync("recall", term)], cell),
        "python -I -c pass + grep -r of the archive",
        Command([shop.bare_python(), ["grep", "-rniE", term, str(cell / ARCHIVE)]], cell),
        shop.aim("≤ 2.2", "≤ 1.5"),
    )


def ask_a_question(shop: Workshop) -> list[Row]:
    """The same numbers asked for in a question, where the catalog answers and where only bodies do."""
    cell = shop.armed()
    rows = []
    for stage, in_index in (("catalog", True), ("body", False)):
        term = _term(cell, in_index=in_index)
        for words in (["recall", term], ["recall", "--ask", f"What was it about {term}?"]):
            shop.run(shop.nutsync(*words), cell)
        rows.append(
            shop.compare(
                f"recall --ask, {stage} stage",
                Command([shop.nutsync("recall", "--ask", f"What was it about {term}?")], cell),
                f"recall, {stage} stage",
                Command([shop.nutsync("recall", term)], cell),
                "≤ 2",
            )
        )
    return rows


def _term(cell: Path, *, in_index: bool) -> str:
    """Return a number that stands in an old index, or in an old body and in no index."""
    paths = sorted((cell / ARCHIVE).rglob("*.md"))[:-40]
    random.Random(5).shuffle(paths)
    if in_index:
        return _number(paths[0].read_text().split("\n---\n")[0])
    indexes = "".join(path.read_text().split("\n---\n")[0] for path in paths)
    for path in paths:
        body = path.read_text().split("\n---\n")[1]
        for number in re.findall(r"(?:Ticket|工单) ([\d,]+\d)", body):
            if number not in indexes and len(number) >= 5:
                return str(number)
    raise SystemExit("this archive has no term that only a body has")


def _number(text: str) -> str:
    numbers = re.findall(r"\d\d,\d{3}", text)
    return str(numbers[0]) if numbers else re.findall(r"\w{8,}", text)[-1]


def context(shop: Workshop) -> Row:
    """What a session starts with."""
    cell = shop.armed()
    return shop.compare(
        "context",
        Command([shop.nutsync("context")], cell),
        "python -I -c pass",
        Command([shop.bare_python()], cell),
        "≤ 5.5",
    )


def catalog_rebuild(shop: Workshop) -> list[Row]:
    """All catalogs made anew from the day files."""
    cell = shop.armed()
    ours = Command([shop.nutsync("catalog", "rebuild")], cell)
    archive = str(cell / ARCHIVE)
    return [
        shop.compare(
            "catalog rebuild, all years",
            ours,
            "grep -rHm1 '^index: '",
            Command([["grep", "-rHm1", "^index: ", archive]], cell),
            shop.aim("≤ 3", "≤ 2"),
        ),
        shop.compare(
            "catalog rebuild, all years",
            ours,
            "python-frontmatter over the same",
            Command([[shop.tools.python, "-c", _FRONTMATTER, archive]], cell),
            "≤ 0.3",
        ),
    ]


ROWS: list[Callable[[Workshop], Row | list[Row]]] = [
    append,
    forget,
    plain_commit_of_a_day,
    plain_commit_elsewhere,
    recall_from_the_catalog,
    recall_from_bodies,
    ask_a_question,
    context,
    catalog_rebuild,
]
