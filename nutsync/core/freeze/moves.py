"""Rule 8: a move of the branch that is no fast-forward keeps every entry not forgotten, and every forget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from nutsync.core.ancestry import Ancestry, Gone, Past, count_in
from nutsync.core.cell import date_of_path
from nutsync.core.commit import Change
from nutsync.core.day import Day
from nutsync.core.freeze.findings import Finding, Findings

_NOTHING = Gone()


def judge_move(
    tip: str, changes: Iterable[Change], old: Ancestry, new: Ancestry, past: Past
) -> list[Finding]:
    """Judge a move of the memory branch to the commit ``tip``.

    ``changes`` compare the trees of the commit it was on and of ``tip``; ``old`` and ``new`` are the
    ancestries of the two. What the new history forgot may be gone; the commits on the way are judged on
    their own.
    """
    out = Findings(tip)
    if old.born and not new.born:
        out.add("move-unborn", "The branch would hold no cell any more.")
        return out.all
    for date, gone, other in old.gone.missing(new.gone):
        for name in sorted(gone.ids - (other or _NOTHING).ids):
            out.add("move-unforgot", f"The forget of {date}#{name} would be lost.", ref=f"{date}#{name}")
    for entry_id in sorted(old.purged - new.purged):
        out.add("move-unforgot", f"The purge of {entry_id} would be lost.", ref=entry_id)
    for change in changes:
        moved = date_of_path(change.path)
        if moved is not None and change.old is not None and change.old.is_file:
            _judge_day(change, moved, old, new, past, out)
    return out.all


def _judge_day(change: Change, date: str, old: Ancestry, new: Ancestry, past: Past, out: Findings) -> None:
    before = Day.parse(change.old.content if change.old else b"", date)
    after = Day.parse(change.new.content if change.new else b"", date)
    gone = new.gone_on(date)
    kept = {block.body for block in after.blocks if block.id is not None}
    for block in before.blocks:
        if block.id is not None and block.id not in gone.ids and block.body not in kept:
            ref = f"{date}#{block.id}"
            out.add("move-lost", f"{ref} would be lost.", path=change.path, ref=ref)
    had = Counter(block.body for block in before.blocks if block.id is None)
    has = Counter(block.body for block in after.blocks if block.id is None)
    purged = len(gone.wordless - old.gone_on(date).wordless)
    for body, times in had.items():
        ever = times + count_in(old.gone_on(date).events, date, body, past)
        if has[body] < ever - count_in(gone.events, date, body, past):
            if purged and not has[body]:
                purged -= 1  # nobody is left who could tell which words a purge took: it may take as many
                continue
            message = f"Something unstamped of {date} would be lost."
            out.add("move-lost", message, path=change.path, ref=date)
