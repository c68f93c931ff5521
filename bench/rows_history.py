"""Rows for what reads or writes the whole history."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, timedelta
from itertools import islice
from pathlib import Path

from bench.archive import DayCommit, day_commits
from bench.paired import Command, Row
from bench.workshop import Workshop

IMPORTED_ENTRIES = 10_000
PURGED_COMMITS = 10_000


def import_jsonl(shop: Workshop) -> Row:
    """10,000 entries into a cell that has none, against `git fast-import` of the same days."""
    empty = shop.empty()
    cell, plain = shop.scratch / f"import-{shop.number()}", shop.scratch / f"import-{shop.number()}"
    source = shop.scratch / "import.jsonl"
    plan = replace(shop.plan(), until=date.today() - timedelta(days=1))
    days = list(islice(day_commits(plan), IMPORTED_ENTRIES // plan.a_day))
    source.write_text("".join(_rows(days)))

    def fresh_cell() -> None:
        shutil.rmtree(cell, ignore_errors=True)
        shop.copy(empty, cell)

    def fresh_repository() -> None:
        shutil.rmtree(plain, ignore_errors=True)
        shop.run(["git", "init", "--quiet", str(plain)], shop.scratch)

    for make in (fresh_cell, fresh_repository):
        make()
    return shop.compare(
        f"import of {len(days) * plan.a_day:,} entries",
        Command([shop.nutsync("import", "jsonl", str(source))], cell, fresh_cell),
        "git fast-import of the same days",
        Command([["git", "fast-import", "--quiet"]], plain, fresh_repository, stdin=_stream(days)),
        "≤ 5",
    )


def _rows(days: list[DayCommit]) -> Iterator[str]:
    """Yield the days' entries as rows to import."""
    for commit in days:
        for line in commit.content.decode().splitlines():
            if line.startswith("- "):
                row = {"date": Path(commit.path).stem, "text": line[2:].partition(" <!-- nut ")[0]}
                yield json.dumps(row, ensure_ascii=False) + "\n"


def _stream(days: list[DayCommit]) -> bytes:
    """Return the days for `git fast-import`, one commit, checked out by nobody."""
    parts = [b"commit refs/heads/main\ncommitter ana <ana@desk> 1000000000 +0000\ndata 0\n"]
    for commit in days:
        parts += [
            f"M 100644 inline {commit.path}\ndata {len(commit.content)}\n".encode(),
            commit.content,
            b"\n",
        ]
    return b"".join(parts)


def purge(shop: Workshop) -> Row:
    """An entry of the first day, so that every commit is rewritten; the search for its text included."""
    whole = shop.long(PURGED_COMMITS)
    first = next(day_commits(replace(shop.plan(), days_only=PURGED_COMMITS)))
    ref = f"{Path(first.path).stem}#{first.content.partition(b' id=')[2][:8].decode()}"
    cell, plain = shop.scratch / f"purge-{shop.number()}", shop.scratch / f"purge-{shop.number()}"

    def fresh_cell() -> None:
        shutil.rmtree(cell, ignore_errors=True)
        shop.copy(whole, cell)

    def fresh_repository() -> None:
        shutil.rmtree(plain, ignore_errors=True)
        shop.run(["git", "init", "--quiet", str(plain)], shop.scratch)

    for make in (fresh_cell, fresh_repository):
        make()
    export = f"git -C '{whole}' fast-export --all | git fast-import --quiet"
    return shop.compare(
        f"purge of one entry from {PURGED_COMMITS:,} commits",
        Command([shop.nutsync("forget", ref, "--reason", "asked for", "--purge", "--yes")], cell, fresh_cell),
        "git fast-export into git fast-import",
        Command([["sh", "-c", export]], plain, fresh_repository),
        "≤ 5",
    )


ROWS: list[Callable[[Workshop], Row | list[Row]]] = [import_jsonl, purge]
