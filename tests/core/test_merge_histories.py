"""The merge law over random histories: any order of meetings, criss-cross and forgets included."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from nutsync.core.day import Day, count_blocks
from nutsync.core.entry import Block
from nutsync.core.forgotten import ForgottenSet
from nutsync.core.merge import Side, merge_day, stamped_key
from nutsync.core.moment import Moment, day_number
from tests.core.test_merge import DATE, entry, first_words

Commit = tuple[Day | None, ForgottenSet]


def forget(value: Commit, pick: int) -> Commit:
    """Return the commit that forgets one block of ``value``."""
    held, f = value
    if held is None or not held.blocks:
        return value
    block = held.blocks[pick % len(held.blocks)]
    if block.id is not None:
        f = ForgottenSet(f.refs | {f"{DATE}#{block.id}"}, f.blocks)
    else:
        f = ForgottenSet(f.refs, {**f.blocks, (DATE, block.body): f.count(DATE, block.body) + 1})
    left = held.without([block])
    return (left.with_index(first_words(None, None, (), left.blocks)) if left.blocks else None), f


def join(one: Commit, two: Commit) -> Commit:
    f = ForgottenSet(
        one[1].refs | two[1].refs,
        {
            key: max(one[1].blocks.get(key, 0), two[1].blocks.get(key, 0))
            for key in {**one[1].blocks, **two[1].blocks}
        },
    )
    return merge_day(DATE, Side(*one), Side(*two), (), first_words), f


MIDNIGHT = Moment(day_number(DATE) * 86_400_000 - 480 * 60_000).millis
WHAT = st.sampled_from(["append", "append", "say", "forget", "merge"])
STEPS = st.lists(
    st.tuples(WHAT, st.integers(0, 99), st.integers(0, 99)),
    min_size=3,
    max_size=14,
)  # fmt: skip


def grow(steps: list[tuple[str, int, int]], *, unstamped: bool) -> list[Commit]:
    """Play a random history, criss-cross merges included; every commit may be anybody's parent."""
    commits: list[Commit] = [(None, ForgottenSet())]
    for number, (step, pick, other) in enumerate(steps):
        parent = commits[pick % len(commits)]
        held, f = parent
        if step == "forget":
            commits.append(forget(parent, other))
        elif step == "merge":
            commits.append(join(parent, commits[other % len(commits)]))
        else:
            latest = max((stamped_key(DATE, b)[0] for b in held.stamped), default=0) if held else 0
            at = Moment(max(MIDNIGHT + other * 60_000, latest + 1), 480).at_on(DATE)
            new = (
                Block(b"word %d\n" % (other % 3))
                if unstamped and step == "say"
                else entry(f"e{number}", number, at)
            )
            grown = (held or Day.new(DATE)).append(new)
            commits.append((grown.with_index(first_words(None, None, (), grown.blocks)), f))
    return commits


@settings(max_examples=200)
@given(STEPS, st.randoms(use_true_random=False))
def test_any_order_of_merges_gives_the_same_bytes(steps: list[tuple[str, int, int]], random) -> None:  # type: ignore[no-untyped-def]
    commits = grow(steps, unstamped=False)
    heads = [random.choice(commits) for _ in range(random.randint(2, 5))]
    everything = [join(commits[0], head)[0] for head in heads]
    results = set()
    for _ in range(3):
        pool = heads[:]
        while len(pool) > 1:
            random.shuffle(pool)
            pool.append(join(pool.pop(), pool.pop()))
            pool.append(random.choice(pool))
            pool.append(join(pool.pop(), pool.pop()))
        results.add(
            pool[0][0] and pool[0][0].with_blocks(sorted(pool[0][0].blocks, key=lambda b: b.raw)).render()
        )
        found, f = pool[0]
        ids = set(found.ids) if found else set()
        assert ids == {i for held in everything if held for i in held.ids if not f.has(f"{DATE}#{i}")}
    assert len(results) == 1


@settings(max_examples=200)
@given(STEPS)
def test_unstamped_words_are_neither_lost_nor_brought_back(steps: list[tuple[str, int, int]]) -> None:
    commits = grow(steps, unstamped=True)
    one, two = commits[-1], commits[len(commits) // 2]
    found, f = join(one, two)
    assert found == join(two, one)[0]
    assert join((found, f), (found, f))[0] == found
    held = count_blocks(found) if found else Counter()
    for body in {body for day, _ in (one, two) if day for body in count_blocks(day)}:
        if b"<!-- nut" in body:
            continue
        ever = [f_.count(DATE, body) + (count_blocks(day)[body] if day else 0) for day, f_ in (one, two)]
        assert held[body] == max(0, max(ever) - f.count(DATE, body))
