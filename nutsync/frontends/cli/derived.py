"""`catalog` and `index`: what is derived from the archive."""

from __future__ import annotations

import click

from nutsync.core.errors import EXIT_FINDINGS
from nutsync.core.moment import require_date
from nutsync.frontends.cli.command import Answer, Command, Group, Line
from nutsync.frontends.cli.opening import open_here


@click.group(cls=Group)
def catalog() -> None:
    """Rebuild or check the yearly catalogs: one line a frozen day, its date and its index."""


@catalog.command(cls=Command, example="""
    nutsync catalog rebuild
    nutsync catalog rebuild 2025 2026
""")  # fmt: skip
@click.argument("years", nargs=-1, metavar="[YEAR…]")
@click.pass_obj
def rebuild(line: Line, years: tuple[str, ...]) -> Answer:
    """Make the catalogs of YEARs anew, of all where none is named."""
    from nutsync.operations.catalogs import rebuild as rebuild_catalogs

    cell = open_here(line)
    done = rebuild_catalogs(cell.root, cell.git.private_dir, cell.clock.now().local_date(), years)
    return Answer(done.as_json(), f"{done.rows} rows in {len(done.years)} catalogs.")


@catalog.command(cls=Command, example="""
    nutsync catalog check
""")  # fmt: skip
@click.pass_obj
def check(line: Line) -> Answer:
    """Compare every catalog with the day files; exit 1 where one does not fit."""
    from nutsync.operations.catalogs import check as check_catalogs

    cell = open_here(line)
    findings = [one.as_json() for one in check_catalogs(cell.root, cell.clock.now().local_date())]
    words = "\n".join(f"{one['path']}: {one['message']}" for one in findings)
    return _findings(findings, words or "Every catalog fits its day files.")


@click.group(cls=Group)
def index() -> None:
    """Check the index of days against what the days say, or show what would be built."""


@index.command("check", cls=Command, example="""
    nutsync index check
    nutsync index check 2026-11-30
""")  # fmt: skip
@click.argument("dates", nargs=-1, metavar="[DATE…]")
@click.pass_obj
def check_index(line: Line, dates: tuple[str, ...]) -> Answer:
    """Judge the index of DATEs, of every day where none is named: coverage, grounding, emptiness, copying."""
    from nutsync.operations.indexes import check_indexes

    found = check_indexes(open_here(line), [require_date(date) for date in dates])
    findings = [one.as_json() for one in found]
    words = "\n".join(f"{one.date}: {one.message}" for one in found)
    return _findings(findings, words or "Every index says what its day says.")


@index.command("build", cls=Command, example="""
    nutsync index build 2026-11-30
""")  # fmt: skip
@click.argument("date")
@click.pass_obj
def build_index(line: Line, date: str) -> Answer:
    """Show the index that nutsync would build for DATE; nothing is changed."""
    from nutsync.operations.indexes import build_index as build

    built = build(open_here(line), require_date(date))
    return Answer({"date": date, "index": built}, built)


def _findings(findings: list[dict[str, object]], words: str) -> Answer:
    return Answer({"findings": findings}, words, EXIT_FINDINGS if findings else 0)
