"""Rules 1–3: what a commit with one parent may do to a day."""

from __future__ import annotations

from nutsync.core.commit import Change
from nutsync.core.day import Day, normalise_line_ends
from nutsync.core.entry import split_blocks
from nutsync.core.freeze.case import Case, check_added
from nutsync.core.freeze.forgets import judge_forget
from nutsync.core.freeze.form import SOUND, count_markers, form_of, grown_by, worsened
from nutsync.core.freeze.tails import own_ids


def judge_day(case: Case, change: Change, date: str) -> None:
    """Judge one change to the day file of ``date``."""
    old, new = _content(change, "old"), _content(change, "new")
    if old == new:
        return
    op = case.op
    if op == "repair" and case.known.blurs.get(date):
        _judge_repair(case, change.path, date, old, new)
    elif op in ("forget", "purge"):
        judge_forget(case, change.path, date, old, new)
    elif date > case.today:
        case.out.add(
            "future-day", f"{date} had not begun where this was written.", path=change.path, ref=date
        )
    elif date == case.today:
        judge_today(case, change.path, date, old, new)
    elif op == "import" and old is None and new is not None:
        _judge_import(case, change.path, date, new)
    else:
        _judge_frozen(case, change.path, date, old, new)


def _content(change: Change, side: str) -> bytes | None:
    blob = change.old if side == "old" else change.new
    return None if blob is None else blob.content


# --- Rule 1 ---------------------------------------------------------------------------------------


def judge_today(case: Case, path: str, date: str, old: bytes | None, new: bytes | None) -> None:
    """Rule 1: the old blocks are a prefix of the new ones, each byte for byte."""
    if new is not None:
        grown = grown_by(old or _EMPTY, new, date)
        if grown is not None:
            _check_grown(case, path, date, grown, old or b"")
            return
    before = Day.parse(old or b"", date)
    after = Day.parse(new or b"", date)
    altered = _first_altered(before, after)
    if altered is not None:
        message = f"{altered} was changed, moved or taken away."
        case.out.add("today-altered", message, path=path, ref=altered)
    if new is None:
        return
    added = after.blocks[len(before.blocks) :] if altered is None else ()
    check_added(case, path, date, added, old or b"")
    _check_form(case, path, before if old is not None else None, after)


_EMPTY = b"---\ndate: 0000-00-00\nindex: ''\n---\n"
"""Stands for a file that was not there: nothing of it can be missing from the new one."""


def _check_grown(case: Case, path: str, date: str, grown: bytes, there: bytes) -> None:
    heading = f"## {date}".encode()
    if not _is_plainly_new(case, date, grown.removeprefix(heading + b"\n"), there):
        added = [part for part in split_blocks(grown)[1] if part.body.rstrip() != heading]
        check_added(case, path, date, added, there)
    if count_markers(grown):
        case.out.add("form-markers", f"In {date} there are conflict markers.", path=path, ref=date)


def _is_plainly_new(case: Case, date: str, grown: bytes, there: bytes) -> bool:
    """Tell, without taking it apart, that what came is entries with ids that were never there."""
    if case.known.gone.get(date) is not None or case.purged:
        return False
    names = own_ids(grown)
    return names is not None and not any(b"id=%b " % name in there for name in names)


def _first_altered(before: Day, after: Day) -> str | None:
    """Return the ref of the first block that is not where it was with the bytes that it had."""
    kept = [block.body for block in after.blocks[: len(before.blocks)]]
    for place, (ref, block) in enumerate(before.entries()):
        if place >= len(kept) or kept[place] != block.body:
            return str(ref)
    return None


def _check_form(case: Case, path: str, before: Day | None, after: Day) -> None:
    new = form_of(after)
    if new == SOUND:
        return
    for code, message in worsened(new, [form_of(before)] if before is not None else []):
        if code != "form-ids":  # said by check_added, with its ref
            case.out.add(code, f"In {after.date} {message}.", path=path, ref=after.date)


# --- Rule 2 ---------------------------------------------------------------------------------------


def _judge_import(case: Case, path: str, date: str, new: bytes) -> None:
    day = Day.parse(new, date)
    gone = case.known.gone.get(date)
    if gone is not None and (gone.emptied or gone.ids):  # something was forgotten, and no file is left
        case.out.add("import-emptied", f"{date} was emptied by a forget.", path=path, ref=date)
    for ref, block in day.entries():
        if block.attributes.get("formation") != "imported":
            case.out.add(
                "import-unmarked", f"{ref} does not say that it was imported.", path=path, ref=str(ref)
            )
            break
    check_added(case, path, date, day.blocks, b"")
    _check_form(case, path, None, day)


def _judge_frozen(case: Case, path: str, date: str, old: bytes | None, new: bytes | None) -> None:
    if old is None:
        message = f"{date} is over and nothing was remembered on it."
        case.out.add("past-created", message, path=path, ref=date)
        return
    if new is not None and normalise_line_ends(old) == new:
        return
    if case.op == "import":
        case.out.add("import-existing", f"{date} is there already.", path=path, ref=date)
        return
    before, after = Day.parse(old, date), Day.parse(new or b"", date)
    altered = _first_altered(before, after)
    if new is None:
        if before.blocks:
            case.out.add("frozen-removed", f"The file of {date} is gone.", path=path, ref=date)
    elif altered is not None:
        if _has_all(before, after):
            _say_added(case, path, date)
        else:
            message = f"{altered} was changed, moved or taken away after its day was over."
            case.out.add("frozen-altered", message, path=path, ref=altered)
    elif len(after.blocks) > len(before.blocks):
        _say_added(case, path, date)
    elif form_of(before).faults and not form_of(after).faults:
        return  # a frontmatter that nobody could read may be mended, since no block of the day changed
    elif before.front.raw != after.front.raw:
        case.out.add("frozen-front", f"The frontmatter of {date} was changed.", path=path, ref=date)
    else:
        case.out.add(
            "frozen-altered", f"Empty lines or headings of {date} were changed.", path=path, ref=date
        )


def _say_added(case: Case, path: str, date: str) -> None:
    message = f"Something was added to {date} after that day was over."
    case.out.add("frozen-added", message, path=path, ref=date)


def _has_all(before: Day, after: Day) -> bool:
    """Tell whether ``after`` has all blocks of ``before`` in their order, whatever stands between them."""
    waiting = iter([block.body for block in before.blocks])
    expected = next(waiting, None)
    for block in after.blocks:
        if block.body == expected:
            expected = next(waiting, None)
    return expected is None


# --- Repairs (rule 7) -------------------------------------------------------------------------------


def _judge_repair(case: Case, path: str, date: str, old: bytes | None, new: bytes | None) -> None:
    # Loads with the first repair: every append is judged here, and nearly none is one.
    from nutsync.core.repair import is_repaired, repaired

    now = None if old is None else Day.parse(old, date)
    found = None if new is None else Day.parse(new, date)
    if not is_repaired(date, repaired(date, now, case.known, case.past), found):
        case.out.add("repair-wrong", f"{date} is not what the merge law gives.", path=path, ref=date)
    elif found is not None:
        _check_form(case, path, now, found)
