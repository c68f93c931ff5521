"""The receipt that a sync shows and what `verify` says of the same merge agree on every day."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from nutsync.core.ancestry import ForgottenBefore, join
from nutsync.core.day import Day
from nutsync.core.entry import Block
from nutsync.core.receipt import day_receipt
from tests.support.history import MONDAY, History, Made, entry

BLOCKS = [entry(f"entry {n}", n, at=f"09:{n:02}:00.000+08:00") for n in range(6)]
PROSE = [Block(b"- by hand\n"), Block(b"- by hand too\n")]
LOST, RETURNED = {"merge-lost", "merge-torn"}, {"merge-returned"}


def chosen(numbers: set[int]) -> list[Block]:
    return [BLOCKS[n] for n in sorted(numbers)]


@settings(max_examples=150)
@given(
    ours=st.sets(st.integers(2, 5)),
    theirs=st.sets(st.integers(2, 5)),
    hands=st.tuples(st.integers(0, 2), st.integers(0, 2)),
    dropped=st.sets(st.integers(0, 5), max_size=2),
    returned=st.booleans(),
    prose_left=st.integers(0, 2),
)
def test_a_receipt_is_complete_exactly_where_verify_finds_nothing_lost_and_nothing_returned(
    ours: set[int],
    theirs: set[int],
    hands: tuple[int, int],
    dropped: set[int],
    returned: bool,
    prose_left: int,
) -> None:
    history = History()
    base = history.append(history.born(), MONDAY, *BLOCKS[:2], at=f"{MONDAY}T09:01+08:00")
    left = _side(history, base, [*chosen(ours - {3}), *PROSE[: hands[0]]])
    left = history.forget(left, MONDAY, BLOCKS[0], at=f"{MONDAY}T09:30+08:00")
    right = _side(history, base, [*chosen(theirs - ours - {2}), *PROSE[: hands[1]]])
    sides = [side.day(MONDAY) for side in (left, right)]
    by_law = history.law(MONDAY, left, right)
    assert by_law is not None
    merged = by_law.without([b for b in by_law.blocks if b in [BLOCKS[n] for n in dropped]])
    merged = merged.without([b for b in merged.blocks if b.id is None][prose_left:])
    if returned:
        merged = merged.with_blocks([BLOCKS[0], *merged.blocks])
    made = history.merge(left, right, at=f"{MONDAY}T10:00+08:00", files={MONDAY: merged})
    forgotten = ForgottenBefore(join([left.ancestry, right.ancestry]), history.past)
    receipt = day_receipt(MONDAY, *sides, Day.parse(merged.render(), MONDAY), forgotten)
    said = [finding for finding in made.findings if finding.rule == 7]
    assert bool(receipt.lost) == any(finding.code in LOST for finding in said)
    assert bool(receipt.returned) == any(finding.code in RETURNED for finding in said)
    assert {ref for ref in receipt.lost if "#" in ref} == {
        finding.ref for finding in said if finding.code in LOST and "#" in finding.ref
    }
    assert set(receipt.returned) == {finding.ref for finding in said if finding.code in RETURNED}


def _side(history: History, base: Made, blocks: list[Block]) -> Made:
    if not blocks:
        return base
    return history.append(base, MONDAY, *blocks, at=f"{MONDAY}T09:20+08:00")
