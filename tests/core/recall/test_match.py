"""What a search finds, and that ruling files out by their bytes never loses a hit."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nutsync.core.day import Day
from nutsync.core.entry import encode_entry
from nutsync.core.errors import ErrUsage
from nutsync.core.recall import needles
from nutsync.core.recall.fold import fold
from nutsync.core.recall.match import Query, Term

# Letters with rare forms, compositions, case pairs, both scripts, kana, Hangul, line ends, bytes
# that are not UTF-8 (as surrogates).
TRICKY = (
    "abkKxXzZ09 '-,\n\rßſﬁǰİıéÉe\u0301\u0323ồOΣσςΐ½²①ＡｂＺ９，（𝐚𝟗🄰№㎏℃…"
    "发發髮报報价價台臺颱里裏裡后後車车汽\uf902⾞㈱㍿株式会社會中国國"
    "がか\u3099ｶﾞカガ가각ᄀ\u1161\u11a8ㄱпривет́ПРИйЙ🙂\udc80\udcff"
)
texts = st.text(alphabet=TRICKY, max_size=24)


def literal(*asked: str) -> list[Term]:
    return [Term.literal(term) for term in asked]


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("postgresql", "Billing moves to PostgreSQL 16"),
        ("X-200", "ｘ－２００ 报价"),
        ("Ｘ－２００", "x-200"),
        ("报价", "X-200 報價定為 12,800 元"),
        ("報價", "X-200 报价定为 12,800 元"),
        ("头发", "她的頭髮"),
        ("看着", "看著他"),
        ("台湾", "臺灣"),
        ("ｶｰﾄﾞ", "クレジットカード"),
        ("straße", "STRASSE"),
        ("café", "cafe\u0301"),
        ("привет", "ПРИВЕТ"),
    ],
)
def test_a_person_s_other_spelling_finds_the_text(asked: str, text: str) -> None:
    query = Query.any_of(literal(asked))
    assert query.matches(text)
    assert query.may_match(text.encode())


def test_a_term_is_literal() -> None:
    assert not Query.any_of(literal("a.c")).matches("abc")
    assert Query.any_of(literal("(open)")).matches("status (OPEN)")


def test_any_of_wants_one_term_and_all_of_wants_each() -> None:
    assert Query.any_of(literal("red", "blue")).matches("a blue door")
    assert not Query.all_of(literal("red", "blue")).matches("a blue door")
    assert Query.all_of(literal("red", "blue")).matches("a blue and red door")


def test_two_groups_want_one_term_of_each() -> None:
    query = Query.of([literal("ana", "ben"), literal("contract", "合同")])
    assert query.matches("Ben signed the contract")
    assert query.matches("ana 發合同")
    assert not query.matches("Ana and Ben met")


def test_a_hit_says_which_terms_matched() -> None:
    query = Query.any_of(literal("contract", "報價", "nowhere"))
    assert [term.asked for term in query.found_in("报价 and Contract")] == ["contract", "報價"]


def test_a_regular_expression_is_handed_the_text_as_it_is_written() -> None:
    query = Query.any_of([Term.pattern("X-[0-9]+", lambda text: re.search("X-[0-9]+", text) is not None)])
    assert query.matches("the X-200")
    assert not query.matches("the x-200")
    assert query.may_match(b"anything at all")


@pytest.mark.parametrize("asked", ["", " ", "\u3000"])
def test_an_empty_term_is_refused(asked: str) -> None:
    with pytest.raises(ErrUsage):
        Term.literal(asked)


def test_no_terms_or_an_empty_group_is_refused() -> None:
    with pytest.raises(ErrUsage):
        Query.any_of([])
    with pytest.raises(ErrUsage):
        Query.of([literal("a"), []])


@given(texts)
@example("J\u030c")
@example("ΐ")
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@settings(max_examples=200)
@given(texts, st.data())
def test_bytes_never_rule_out_text_that_matches(text: str, data: st.DataObject) -> None:
    folded = fold(text)
    start = data.draw(st.integers(0, max(0, len(folded) - 1)))
    asked = folded[start : start + data.draw(st.integers(1, 6))]
    if not asked.strip():
        return
    query = Query.any_of(literal(asked))
    raw = text.encode("utf-8", "surrogateescape")
    assert query.may_match(raw)


@settings(max_examples=200)
@given(st.lists(texts.map(lambda text: text.replace("\n", "").replace("\r", "")), max_size=6), st.data())
def test_candidate_lines_hold_every_line_that_matches(lines: list[str], data: st.DataObject) -> None:
    every = [line for line in lines if fold(line).strip()]
    if not every:
        return
    folded = fold(data.draw(st.sampled_from(every)))
    asked = folded[: data.draw(st.integers(1, 4))]
    if not asked.strip():
        return
    for query in (Query.any_of(literal(asked)), Query.all_of(literal(asked, "a"))):
        raw = "\n".join(lines).encode("utf-8", "surrogateescape")
        found = list(query.candidate_lines(raw))
        for line in lines:
            if query.matches(line):
                assert line.encode("utf-8", "surrogateescape") in found


@settings(max_examples=200)
@given(st.lists(texts.filter(str.strip), min_size=1, max_size=3), st.booleans(), st.data())
def test_a_day_file_is_never_ruled_out_by_its_bytes(
    said: list[str], stamped: bool, data: st.DataObject
) -> None:
    attributes = {"id": "k3f9x2ab", "at": "09:00:00.000+08:00", "kind": "fact"} if stamped else {}
    day = Day.new("2026-11-30").append(*(encode_entry(text, attributes) for text in said))
    folded = fold(data.draw(st.sampled_from(said)))
    start = data.draw(st.integers(0, max(0, len(folded) - 1)))
    asked = folded[start : start + data.draw(st.integers(1, 4))]
    if not asked.strip():
        return
    pattern = Term.pattern(re.escape(asked), lambda text: asked in text)
    for query in (Query.any_of(literal(asked)), Query.any_of([pattern])):
        if any(query.matches(block.text) for block in day.blocks):
            assert query.may_stand_in(day.render())


def test_attributes_alone_rule_a_day_file_out() -> None:
    attributes = {"id": "k3f9x2ab", "kind": "decision", "actor": "ana"}
    day = Day.new("2026-11-30").append(encode_entry("we buy it", attributes)).render()
    assert Query.any_of(literal("decision")).may_match(day)
    assert not Query.any_of(literal("decision")).may_stand_in(day)
    assert Query.any_of(literal("we buy")).may_stand_in(day)


def test_what_only_looks_like_attributes_is_text() -> None:
    for text in (
        "a <!-- nut id=k3f9x2ab kind=decision -->",
        "one\ntwo <!-- nut id=k3f9x2ab kind=decision -->",
    ):
        day = Day.new("2026-11-30").append(encode_entry(text)).render()
        assert Query.any_of(literal("decision")).may_stand_in(day)


def test_few_lines_are_candidates_for_a_rare_word() -> None:
    raw = "\n".join([*("plain words, 普通的话" for _ in range(50)), "a xylograph", "last"]).encode()
    assert list(Query.any_of(literal("Xylograph")).candidate_lines(raw)) == [b"a xylograph"]


def test_every_character_of_unicode_is_found_by_its_folded_form() -> None:
    """The blocks in which rare forms are looked for are complete for this interpreter's Unicode."""
    lost = []
    for code in range(0x80, sys.maxunicode + 1):
        raw = chr(code)
        if unicodedata.category(raw) in ("Cn", "Co", "Cs"):
            continue
        for char in fold(raw):
            ascii_word = char.isascii() and char.isalnum()
            sources = None if char.isascii() else needles._sources(char)
            if (ascii_word and not any(form.match(raw) for form in needles.rare_forms())) or (
                sources is not None and raw not in sources
            ):
                lost.append((hex(code), char))
    assert lost == []
