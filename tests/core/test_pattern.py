"""Expressions compiled at their first use behave as those compiled at once."""

from __future__ import annotations

import re

import pytest

from nutsync.core.pattern import pattern


@pytest.mark.parametrize("text", ["", "k3f9", "K3F9 and k3f9", "none"])
def test_a_late_expression_finds_what_a_compiled_one_finds(text: str) -> None:
    late, compiled = pattern(r"[a-z]\d[a-z]\d", re.IGNORECASE), re.compile(r"[a-z]\d[a-z]\d", re.IGNORECASE)
    assert late.findall(text) == compiled.findall(text)
    assert late.sub("-", text) == compiled.sub("-", text)
    assert bool(late.search(text)) == bool(compiled.search(text))
    assert (late.pattern, late.flags) == (compiled.pattern, compiled.flags)


def test_nothing_is_compiled_before_the_first_use() -> None:
    faulty = pattern(rb"(")
    with pytest.raises(re.error):
        faulty.search(b"")
