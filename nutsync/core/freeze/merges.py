"""Rule 7: what a merge may make of its parents.

The blocks of every day are the union of all parents' blocks minus F. What Git's own union leaves behind in a
clone that was not armed is a blur; anything lost, altered or made up is a violation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nutsync.core.cell import date_of_path
from nutsync.core.commit import Blob, Change
from nutsync.core.freeze.case import Case
from nutsync.core.freeze.form import grown_by
from nutsync.core.freeze.merged_day import judge_merged_blocks
from nutsync.core.freeze.merged_settings import judge_merged_settings
from nutsync.core.freeze.paths import check_mode, is_archive_path
from nutsync.core.freeze.tails import split_tails


def judge_merge(case: Case) -> None:
    """Judge a commit with several parents by every path in which it differs from any of them."""
    changed = [{change.path: change for change in changes} for changes in case.commit.changes]
    for path in sorted({path for changes in changed for path in changes}):
        new, olds = _versions(path, changed)
        date = date_of_path(path)
        if date is not None:
            _judge_day(case, path, date, new, olds)
        elif is_archive_path(path):
            if new is not None and new not in olds:
                case.out.add("path-stray", f"{path} is no day file, and no parent has it so.", path=path)
        else:
            judge_merged_settings(case, path, new, olds)


def _versions(path: str, changed: Sequence[Mapping[str, Change]]) -> tuple[Blob | None, list[Blob | None]]:
    """Return the merge's version of ``path`` and each parent's."""
    new = next(changes[path].new for changes in changed if path in changes)
    return new, [changes[path].old if path in changes else new for changes in changed]


def _judge_day(case: Case, path: str, date: str, new: Blob | None, olds: list[Blob | None]) -> None:
    if new is not None and not check_mode(path, new, olds, case.out):
        return
    files = [old if old is not None and old.is_file else None for old in olds]
    if not _only_one_side_grew(case, date, new, files):
        contents = [None if old is None else old.content for old in files]
        content = new.content if new is not None else None
        judge_merged_blocks(case, path, date, *_without_common(case, date, content, contents))
    if date < case.today and new is not None and new != olds[0]:
        case.out.add("late", f"Entries of {date} arrived after that day was over.", path=path, ref=date)


def _without_common(
    case: Case, date: str, new: bytes | None, olds: Sequence[bytes | None]
) -> tuple[bytes | None, Sequence[bytes | None]]:
    """Return the versions without the blocks that all of them begin with, where that judges the same."""
    present = [old for old in olds if old is not None]
    if new is None or len(present) < len(olds) or case.known.gone.get(date) is not None:
        return new, olds
    parts = split_tails(date, (new, *present))
    if parts is None or not parts.only_entries:
        return new, olds
    first, *rest = (front + tail for front, tail in zip(parts.fronts, parts.tails, strict=True))
    return first, rest


def _only_one_side_grew(case: Case, date: str, new: Blob | None, olds: list[Blob | None]) -> bool:
    """Tell, without taking them apart, whether the merge has one side's file, grown from all the others'."""
    if new is None or new not in olds or case.known.gone.get(date) is not None:
        return False
    return all(
        old is None or old == new or grown_by(old.content, new.content, date) is not None for old in olds
    )
