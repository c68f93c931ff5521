"""The quick merge of days that only grew gives exactly what the merge law gives, or leaves it to the law."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from nutsync.core.append import said
from nutsync.core.day import Day
from nutsync.core.entry import Block, encode_entry
from nutsync.core.freeze.tails import split_tails
from nutsync.core.index import build_index, merge_index
from nutsync.core.merge import Side, merge_day
from nutsync.core.merge_grown import merge_grown

DATE = "2026-11-30"
WORDS = ("PostgreSQL", "Acme", "X-200", "invoice 17", "报价 12,800", "billing", "plain words")
NAMES = "abcdefghjk"


def entry(number: int, device: str, words: str, second: int) -> Block:
    stamps = {"id": f"{NAMES[number]}0000000", "at": f"09:00:{second:02d}.000+08:00", "dev": device}
    return encode_entry(words, {**stamps, "kind": "fact", "scope": "global", "actor": "ana"})


def day_of(blocks: list[Block], index: str | None = None) -> Day:
    day = Day.new(DATE).append(*blocks)
    return day.with_index(build_index(said(blocks, {})) if index is None else index)


def by_law(ours: Day, theirs: Day, base: Day) -> Day | None:
    def index(o, t, bases, blocks, forgotten):  # type: ignore[no-untyped-def]
        return merge_index(o, t, bases, said(blocks, {}), forgotten=said(forgotten, {}), day=DATE)

    return merge_day(DATE, Side(ours), Side(theirs), [base.front], index)


@st.composite
def sides(draw: st.DrawFn) -> tuple[Day, Day, Day]:
    """Draw a base and two versions that grew from it, each in its canonical order."""
    count = draw(st.integers(1, 8))
    words = [draw(st.sampled_from(WORDS)) + f" {number}" for number in range(count)]
    seconds = sorted(draw(st.lists(st.integers(0, 59), min_size=count, max_size=count)))
    where = [draw(st.sampled_from(["base", "ours", "theirs", "both"])) for _ in range(count)]
    made = [entry(n, draw(st.sampled_from(["desk", "lap"])), words[n], seconds[n]) for n in range(count)]
    kept = [[b for b, w in zip(made, where, strict=True) if w in side] for side in (
        ("base",), ("base", "ours", "both"), ("base", "theirs", "both"),
    )]  # fmt: skip
    base, ours, theirs = (day_of(blocks) for blocks in kept)
    return ours, theirs, base


@settings(max_examples=200)
@given(sides())
def test_the_quick_way_gives_what_the_law_gives(drawn: tuple[Day, Day, Day]) -> None:
    ours, theirs, base = drawn
    quick = merge_grown(DATE, ours.render(), theirs.render(), [base.render()])
    other = merge_grown(DATE, theirs.render(), ours.render(), [base.render()])
    assert (quick and quick.content) == (other and other.content), "it does not matter which side is which"
    law = by_law(ours, theirs, base)
    if quick is not None:
        assert law is not None and quick.content == law.render()


def test_it_takes_the_usual_merge() -> None:
    first, mine, other = (entry(n, d, WORDS[n], n) for n, d in ((0, "desk"), (1, "desk"), (2, "lap")))
    ours, theirs, base = day_of([first, mine]), day_of([first, other]), day_of([first])
    quick = merge_grown(DATE, ours.render(), theirs.render(), [base.render()])
    assert quick is not None and (quick.common, quick.ours, quick.theirs) == (1, 1, 1)
    assert Day.parse(quick.content, DATE).blocks == (first, mine, other)


def test_a_hand_made_index_that_both_left_alone_keeps_every_character() -> None:
    first, mine, other = (entry(n, d, WORDS[n], n) for n, d in ((0, "desk"), (1, "desk"), (2, "lap")))
    made = "what Ana decided about PostgreSQL"
    ours = day_of([first, mine], f"{made}; {build_index(said([mine], {}))}")
    theirs = day_of([first, other], f"{made}; {build_index(said([other], {}))}")
    quick = merge_grown(DATE, ours.render(), theirs.render(), [day_of([first], made).render()])
    assert quick is not None
    assert (Day.parse(quick.content, DATE).index or "").startswith(f"{made}; ")


def test_what_is_unusual_is_left_to_the_law() -> None:
    first, mine, other = (entry(n, d, WORDS[n], n + 1) for n, d in ((0, "desk"), (1, "desk"), (2, "lap")))
    base, ours, theirs = day_of([first]), day_of([first, mine]), day_of([first, other])
    early = day_of([first, entry(3, "lap", "early", 0)])
    prose = Day.parse(ours.render() + b"prose\n", DATE)
    zoned = Day.parse(theirs.render().replace(b"+08:00", b"+09:00"), DATE)
    assert merge_grown(DATE, ours.render(), theirs.render(), [base.render()]) is not None
    for one, two, bases in (
        (ours, early, [base]),
        (prose, theirs, [base]),
        (ours, zoned, [base]),
        (ours.with_index("by hand"), theirs, [base]),
        (ours, theirs, []),
        (ours, theirs, [base, day_of([first], "another base")]),
        (ours, ours.append(other), [base]),
    ):
        contents = [day.render() for day in bases]
        assert merge_grown(DATE, one.render(), two.render(), contents) is None


@settings(max_examples=200)
@given(st.lists(st.text("ab- \n", max_size=12), min_size=2, max_size=3), st.text("ab- \n", max_size=20))
def test_split_versions_make_up_the_versions_again(ends: list[str], start: str) -> None:
    front = f"---\ndate: {DATE}\nindex: ''\n---\n"
    versions = [f"{front}{start}{end}\n".encode() for end in ends]
    parts = split_tails(DATE, versions)
    if parts is None:
        return
    for version, head, tail in zip(versions, parts.fronts, parts.tails, strict=True):
        assert head + parts.common + tail == version
        whole, apart = Day.parse(version, DATE), Day.parse(head + tail, DATE)
        before = Day.parse(head + parts.common, DATE)
        if not apart.lead:
            assert [b.body for b in whole.blocks] == [b.body for b in (*before.blocks, *apart.blocks)]
