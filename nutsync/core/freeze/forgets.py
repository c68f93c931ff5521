"""Rule 2, forgets: exactly the named blocks go or are replaced, in any day; nothing else moves."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from nutsync.core.advance import named_on, read_purge
from nutsync.core.cell import PURGED_INDEX, day_path, purged_of_path
from nutsync.core.day import Day
from nutsync.core.entry import Block, Ref
from nutsync.core.freeze.case import Case, check_added
from nutsync.core.freeze.form import form_of, worsened
from nutsync.core.freeze.rights import is_admin
from nutsync.core.front import Front, front_with_index
from nutsync.core.layer import layer_of


@dataclass
class _Difference:
    """What a forget did to a day's blocks, told by walking both versions side by side."""

    removed: list[tuple[Ref, Block]] = field(default_factory=list)
    replacing: list[Block] = field(default_factory=list)
    added: list[Block] = field(default_factory=list)


def judge_forget(case: Case, path: str, date: str, old: bytes | None, new: bytes | None) -> None:
    """Judge what a forget or a purge did to ``date``."""
    before, after = Day.parse(old or b"", date), Day.parse(new or b"", date)
    stamped, minted = named_on(case.commit.audit.targets, date)
    found = _compare(before, after, stamped | minted, minted, case.purged)
    _judge_removed(case, path, date, found, stamped, minted)
    for name in sorted(stamped & set(after.ids)):
        case.out.add(
            "forget-kept", f"{date}#{name} is named and still there.", path=path, ref=f"{date}#{name}"
        )
    if found.added or (old is None and not found.replacing):
        case.out.add("forget-added", f"Something was added to or changed in {date}.", path=path, ref=date)
    check_added(case, path, date, found.replacing, _without(new or b"", found.replacing))
    if new is not None:
        _judge_front(case, path, before, after, bool(found.removed))


def judge_untouched(case: Case) -> None:
    """Judge that what a forget names is gone also from the days that it does not change."""
    if case.op not in ("forget", "purge") or len(case.commit.parents) != 1:
        return
    changed = {change.path for change in case.commit.changes[0]} if case.commit.changes else set()
    for target in case.commit.audit.targets:
        date, _, name = target.ref.partition("#")
        if target.unstamped or not name or day_path(date) in changed:
            continue
        own = case.past.versions(case.commit.id, date).own
        if own is not None and name in Day.parse(own, date).ids:
            message = f"{target.ref} is named and still there."
            case.out.add("forget-kept", message, path=day_path(date), ref=target.ref)


def _compare(
    before: Day,
    after: Day,
    named: Collection[str],
    minted: Collection[str],
    purged: Collection[str],
) -> _Difference:
    found = _Difference()
    left = []
    for block in after.blocks:
        was = block.attributes.get("was")
        if was in named and was in purged and block.id is not None and block.id not in before.ids:
            found.replacing.append(block)  # what it replaced was purged from the version before
        else:
            left.append(block)
    at = 0
    for ref, block in before.entries():
        if at < len(left) and left[at].body == block.body:
            at += 1
            continue
        found.removed.append((ref, block))
        if at < len(left) and _replaces(left[at], block, named, minted):
            found.replacing.append(left[at])
            at += 1
    found.added = left[at:]
    return found


def _replaces(new: Block, old: Block, named: Collection[str], minted: Collection[str]) -> bool:
    """Tell whether ``new`` is the replacement of ``old``: a new id, the same at and dev, and ``was``."""
    was = new.attributes.get("was")
    if was is None or was not in named or new.id is None or new.id in named:
        return False
    if old.id is None:
        return was in minted
    return was == old.id and all(new.attributes.get(key) == old.attributes.get(key) for key in ("at", "dev"))


def _judge_removed(
    case: Case,
    path: str,
    date: str,
    found: _Difference,
    stamped: Collection[str],
    minted: Collection[str],
) -> None:
    unstamped = 0
    for ref, block in found.removed:
        unstamped += block.id is None
        if block.id not in stamped and (block.id is not None or unstamped > len(minted)):
            message = f"{ref} was taken away or changed, and the forget does not name it."
            case.out.add("forget-unnamed", message, path=path, ref=str(ref))
        elif layer_of(block.attributes) == "consensus" and not is_admin(case.commit, case.known):
            message = f"{ref} is consensus and was forgotten by somebody who is no admin."
            case.out.add("rights-consensus", message, path=path, ref=str(ref))


def _judge_front(case: Case, path: str, before: Day, after: Day, removed: bool) -> None:
    """The index may change where something goes, or where a correction repeats what goes."""
    faults = form_of(before)
    for code, message in worsened(form_of(after), [faults]):
        case.out.add(code, f"In {after.date} {message}.", path=path, ref=after.date)
    if before.front.raw == after.front.raw or faults.faults:
        return
    if not removed and not _repeats_target(case, before):
        case.out.add(
            "frozen-front", f"The forget does not concern {before.date}.", path=path, ref=before.date
        )
    elif not _is_made_anew(before.front, after.front, before.date):
        case.out.add(
            "forget-front", f"The frontmatter of {before.date} was changed.", path=path, ref=before.date
        )


def _repeats_target(case: Case, day: Day) -> bool:
    """Tell whether the day corrects something that goes, or a purge blanked its index or names it."""
    if case.op == "purge" and day.index == PURGED_INDEX:
        return True
    dates = {target.ref.partition("#")[0] for target in case.commit.audit.targets}
    if any(block.attributes.get("corrects", "").partition("#")[0] in dates for block in day.blocks):
        return True
    for change in case.commit.changes[0]:
        name = purged_of_path(change.path)
        record = read_purge(change.new.content, name) if name and change.new else None
        if record is not None and day.date in record.days:
            return True
    return False


def _is_made_anew(old: Front, new: Front, date: str) -> bool:
    """Tell whether ``new`` has nothing that ``old`` has not, the index line aside."""
    if new.index is None:
        return False
    kept = iter(front_with_index(old, date, new.index).raw.split(b"\n"))
    return all(line in kept for line in front_with_index(new, date, new.index).raw.split(b"\n"))


def _without(content: bytes, blocks: Collection[Block]) -> bytes:
    for block in blocks:
        content = content.replace(block.raw, b"", 1)
    return content
