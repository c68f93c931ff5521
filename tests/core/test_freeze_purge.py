"""A history that a purge rewrote is lawful, and nothing that was purged comes back into it.

Here histories are made as a purge leaves them: what was purged is in no version, its commits are empty.
"""

from __future__ import annotations

import pytest

from nutsync.core.audit import Audit, render_message
from nutsync.core.cell import PurgeRecord, purge_path
from nutsync.core.freeze import judge_move
from tests.support.history import (
    MONDAY,
    TUESDAY,
    History,
    Made,
    changes_between,
    day,
    entry,
    moment,
    name,
    purge_record,
)

A, B, X = entry("a", 1), entry("b", 2, "10:00:00.000+08:00"), entry("x", 9, "11:00:00.000+08:00")
MORNING, NOON, NEXT = "2026-11-30T09:00+08:00", "2026-11-30T12:00+08:00", "2026-12-01T12:00+08:00"


@pytest.fixture
def history() -> History:
    return History()


@pytest.fixture
def base(history: History) -> Made:
    return history.append(history.born(), MONDAY, A, B, at=MORNING)


def test_an_append_and_a_forget_that_a_purge_emptied_still_count(history: History, base: Made) -> None:
    said = Audit(op="append", entries=(f"{MONDAY}#{name(9)}",), actor="ana", device="desk", version="0.1.0")
    append = history.commit([base], {}, at=NOON, message=render_message(said))
    history.past.purged = frozenset({name(9)})
    forget = history.commit([append], {}, at=NEXT, op="forget", targets=(f"{MONDAY}#{name(9)}",))
    assert append.codes == [] and forget.codes == []
    assert append.ancestry.latest == moment(NOON).millis
    assert forget.ancestry.today == TUESDAY
    assert name(9) in forget.ancestry.gone_on(MONDAY).ids


def test_an_empty_forget_of_what_is_still_there_is_a_violation(history: History, base: Made) -> None:
    forget = history.commit([base], {}, at=NOON, op="forget", targets=(f"{MONDAY}#{name(1)}",))
    assert forget.codes == ["forget-kept"]
    other = history.append(base, TUESDAY, X, at=NEXT)
    files = {TUESDAY: day(TUESDAY, entry("y", 10))}
    targets = (f"{MONDAY}#{name(1)}", f"{TUESDAY}#{name(9)}")
    assert "forget-kept" in history.commit([other], files, at=NEXT, op="forget", targets=targets).codes


def test_the_replacement_of_what_was_purged_may_appear_where_nothing_went(
    history: History, base: Made
) -> None:
    stands_in = entry("y", 10, "11:00:00.000+08:00", was=name(9))
    files = {MONDAY: day(MONDAY, A, B, stands_in)}
    targets = (f"{MONDAY}#{name(9)}",)
    assert "forget-added" in history.commit([base], files, at=NEXT, op="forget", targets=targets).codes
    history.past.purged = frozenset({name(9)})
    assert history.commit([base], files, at=NEXT, op="forget", targets=targets).codes == []
    alone = {TUESDAY: day(TUESDAY, entry("y", 10, was=name(9)))}
    targets = (f"{TUESDAY}#{name(9)}",)
    assert history.commit([base], alone, at=NEXT, op="forget", targets=targets).codes == []


def test_what_is_purged_later_in_the_history_may_stand_in_no_commit_of_it(
    history: History, base: Made
) -> None:
    history.past.purged = frozenset({name(9)})
    assert history.append(base, MONDAY, X, at=NOON).codes == ["purged-returned"]


def test_an_import_does_not_come_back_to_a_day_whose_only_entry_was_purged(
    history: History, base: Made
) -> None:
    history.past.purged = frozenset({name(9)})
    forget = history.commit([base], {}, at=NEXT, op="forget", targets=(f"2026-01-05#{name(9)}",))
    again = {"2026-01-05": day("2026-01-05", entry("x", 11, formation="imported"))}
    assert history.commit([forget], again, at=NEXT, op="import").codes == ["import-emptied"]


def wordless(ident: str, date: str) -> dict[str, bytes]:
    at = moment(NOON)
    record = PurgeRecord(ident, date, (date,), "ana", "desk", at, "asked for", unstamped=True)
    return {purge_path(ident): record.render()}


def test_a_move_may_lose_as_many_wordless_blocks_as_were_purged_and_no_more(
    history: History, base: Made
) -> None:
    held = history.append(base, MONDAY, "Prose.\n", at=NOON)
    purged = history.commit([base], wordless(name(9), MONDAY), at=NOON, op="purge")
    moved = judge_move(purged.id, changes_between(held, purged), held.ancestry, purged.ancestry, history.past)
    assert moved == []
    more = history.append(held, MONDAY, "Other words.\n", at=NOON)
    codes = [
        finding.code
        for finding in judge_move(
            purged.id, changes_between(more, purged), more.ancestry, purged.ancestry, history.past
        )
    ]
    assert codes == ["move-lost"]
    stamped = history.commit([base], purge_record(name(9), MONDAY), at=NOON, op="purge")
    lost = judge_move(
        stamped.id, changes_between(held, stamped), held.ancestry, stamped.ancestry, history.past
    )
    assert [finding.code for finding in lost] == ["move-lost"]
