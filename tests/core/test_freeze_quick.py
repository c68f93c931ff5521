"""Appends are judged without being taken apart; a closer look says the same of whatever comes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nutsync.core.entry import Block
from nutsync.core.freeze import days
from tests.support.history import MONDAY, History, entry, name

BEFORE = entry("here before", 1)
VALUES = {
    "scope": ("global", "agent", "host", "working", "%67lobal", ""),
    "actor": ("ana", "", "\u963f\u5a1c", "a>b"),
    "kind": ("fact", "decision", ""),
    "corrects": ("2026-11-29#00000001", ""),
    "namespace": ("team", ""),
    "id": (name(1), name(2), name(3), "not-an-id", name(2).upper()),
}
ORDERS = st.permutations(["id", "at", "dev", "kind", "scope", "actor", "corrects", "namespace"])


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """A line like an entry's: canonical, or nearly so, or prose, or a continuation."""
    plain = draw(
        st.sampled_from(["- said", "- `<!-- nut` named", "* said", "prose", "  more", "", "<<<<<<< a"])
    )
    if draw(st.booleans()) and plain != "- said":
        return f"{plain}\n".encode()
    given = {key: draw(st.sampled_from(values)) for key, values in VALUES.items()}
    given |= {"at": "09:10:00.000+08:00", "dev": "bag"}
    order = list(given) if draw(st.booleans()) else draw(ORDERS)
    usual = ["id", "at", "dev", "kind", "scope", "actor", "corrects", "namespace"]
    keys = usual if draw(st.booleans()) else order
    pairs = [f"{key}={given[key]}" for key in keys if given[key] or draw(st.booleans())]
    twice = draw(st.sampled_from([[], ["scope=host"], [f"id={name(3)}"], ["id=x"]]))
    return f"{plain} <!-- nut {' '.join(pairs + twice)} -->\n".encode()


@settings(max_examples=200)
@given(added=st.lists(lines(), min_size=1, max_size=4), forgets=st.booleans(), first=st.booleans())
def test_a_quick_look_and_a_close_one_find_the_same(added: list[bytes], forgets: bool, first: bool) -> None:
    said = []
    for quick in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            if not quick:
                patch.setattr(days, "own_ids", lambda part: None)
            history = History()
            tip = history.born()
            if not first:
                tip = history.append(tip, MONDAY, BEFORE, entry("goes", 3), at=f"{MONDAY}T09:01+08:00")
                if forgets:
                    tip = history.forget(tip, MONDAY, entry("goes", 3), at=f"{MONDAY}T09:02+08:00")
            there = tip.content(MONDAY) or f"---\ndate: {MONDAY}\nindex: 'words'\n---\n## {MONDAY}\n".encode()
            made = history.commit([tip], {MONDAY: there + b"".join(added)}, at=f"{MONDAY}T09:20+08:00")
            said.append(made.findings)
    assert said[0] == said[1]


def test_what_nutsync_writes_is_looked_at_quickly() -> None:
    from nutsync.core.freeze.tails import own_ids

    written = [entry("one", 4), entry("two", 5, corrects="2026-11-29#00000001"), entry("three", 6)]
    assert own_ids(b"".join(block.raw for block in written)) == [name(n).encode() for n in (4, 5, 6)]
    assert own_ids(b"".join(block.raw for block in [*written, Block(b"- by hand\n")])) is None
    assert own_ids(b"".join(block.raw for block in [*written, written[0]])) is None
    assert own_ids(entry("consensus", 7, actor="").raw) is None
