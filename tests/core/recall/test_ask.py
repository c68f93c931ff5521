"""What a question selects by, and in which order its answers come."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import snowballstemmer

from nutsync.core.recall.collection import Collection, Passage
from nutsync.core.recall.question import pick, take_apart
from nutsync.core.recall.rank import rank
from nutsync.core.recall.tokens import Terms, is_akin

TODAY = "2023-05-20"
TERMS = Terms(snowballstemmer.stemmer("english").stemWord)


def order(question: str, passages: Sequence[Passage], *, only_asked: bool = False) -> list[str]:
    asked = take_apart(question, TODAY, TERMS)
    held = Collection(passages, TERMS, asked.heads() if only_asked else None)
    return [day.date for day in rank(held, asked)]


def days(*texts: str, actor: str = "") -> list[Passage]:
    """Return one passage a day, from 2023-05-01 on."""
    return [Passage(f"2023-05-{n:02d}", text, actor) for n, text in enumerate(texts, 1)]


FILLER = ("We talked about the weather.", "Lunch with the team.", "Nothing much happened.", "Rain all day.")


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Where did Ana put the contract?", "Ana put the contracts into the blue drawer."),
        ("What did we buy for the kids?", "Bought shoes for the children."),
        ("Who is painting?", "Ben painted the fence."),
        ("What does the X-200 cost?", "ｘ－２００ 报价 12,800 元"),
        ("12800元的报价是什么？", "X-200 報價定為 12,800 元"),
        ("我曾经提到过的那部科幻电影，它的名字是？", "昨天看了一部科幻電影《流浪地球》"),
        ("金曜日に会議はありますか", "明日の会議は延期された"),
        ("What about the fesetival?", "The festival was loud."),
    ],
)
def test_other_words_and_forms_of_words_find_the_day(question: str, text: str) -> None:
    assert order(question, days(*FILLER, text, *FILLER))[0] == "2023-05-05"


def test_looking_only_into_the_words_asked_for_ranks_alike() -> None:
    passages = days(
        *FILLER, "Ana put the contract into the drawer.", "The contract was signed.", "Ana bought drawers."
    )
    question = "Where did Ana put the contract?"
    assert order(question, passages, only_asked=True) == order(question, passages)


def test_a_day_that_says_more_of_the_question_comes_first() -> None:
    passages = days("The contract is ready.", *FILLER, "The contract lies in the blue drawer.")
    assert order("Is the contract in the drawer?", passages)[0] == "2023-05-06"


def test_neighbouring_entries_answer_together() -> None:
    apart = [
        *(Passage("2023-05-01", text) for text in ("A new bicycle!", *FILLER, "Red is lovely.")),
        *(Passage("2023-05-02", text) for text in (*FILLER, "What bicycle is it?", "A red one.")),
    ]
    assert order("What red bicycle?", apart)[0] == "2023-05-02"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did we do on 7 May 2023?", "2023-05-07"),
        ("在5月7号我们聊了什么？", "2023-05-07"),
        ("上周五说了什么？", "2023-05-12"),
        ("What happened last Friday?", "2023-05-19"),
        ("昨天呢？", "2023-05-19"),
        ("5月7日に何がありましたか", "2023-05-07"),
    ],
)
def test_a_named_day_comes_first(question: str, expected: str) -> None:
    assert order(question, days(*(f"Entry number {n}" for n in range(19))))[0] == expected


def test_telling_follows_the_event() -> None:
    passages = [
        Passage("2023-04-26", "The concert was great."),
        Passage("2023-05-04", "The concert was great."),
    ]
    assert order("How was the concert on 30 April 2023?", passages) == ["2023-05-04", "2023-04-26"]


def test_the_words_outweigh_a_vague_date() -> None:
    passages = days("The concert in the park was great.", *FILLER)
    assert order("How was the concert in the park in April?", passages)[0] == "2023-05-01"


def test_whoever_is_named_is_heard_first() -> None:
    passages = [
        Passage("2023-05-01", "I love hiking in the hills.", "ben"),
        Passage("2023-05-02", "I love hiking in the hills.", "ana"),
        Passage("2023-05-03", "I love hiking in the hills.", "ben"),
    ]
    assert order("What does Ana love? Hiking?", passages)[0] == "2023-05-02"


def test_a_question_for_a_time_prefers_entries_that_tell_one() -> None:
    passages = days(
        "The new dentist is nice.", *FILLER, "Went to the new dentist last Monday.", "The new dentist again."
    )
    assert order("When did we go to the dentist?", passages)[0] == "2023-05-06"


def test_a_correction_comes_before_what_it_corrects() -> None:
    passages = [
        Passage("2023-05-01", "The price of the X-200 is 12,800.", ref="2023-05-01#aaaaaaaa"),
        Passage("2023-05-08", "It is 13,500 now.", ref="2023-05-08#bbbbbbbb", corrects="2023-05-01#aaaaaaaa"),
        Passage("2023-05-09", "14,000, really.", ref="2023-05-09#cccccccc", corrects="2023-05-08#bbbbbbbb"),
    ]
    assert order("What is the price of the X-200?", passages) == ["2023-05-09", "2023-05-08", "2023-05-01"]


def test_nothing_in_common_finds_nothing() -> None:
    assert order("quantum chromodynamics", days(*FILLER)) == []
    assert order("anything", []) == []


def test_ranking_is_deterministic_and_newer_days_win_ties() -> None:
    passages = days("same words", "same words", "same words")
    assert order("same words", passages) == ["2023-05-03", "2023-05-02", "2023-05-01"]


def test_the_rarest_terms_select_and_at_most_three() -> None:
    question = take_apart("Did the quick brown fox see Postgres billing in Osaka?", TODAY, TERMS)
    rarity = {"quick": 0.1, "brown": 3.0, "fox": 5.0, "postgr": 6.0, "bill": 4.0, "osaka": 0.0}
    picked = pick(question.asked, lambda one: rarity.get(one.term, 1.0))
    assert [one.term for one in picked] == ["fox", "postgr", "bill"]


def test_what_is_written_covers_the_forms_of_a_word() -> None:
    question = take_apart("voting with the children", TODAY, TERMS)
    written = {one.term: one.written for one in question.asked}
    assert "vot" in written["vote"]
    assert {"child", "kid"} <= set(written["child"])


@pytest.mark.parametrize(
    ("one", "other", "akin"),
    [
        ("educaton", "educat", True),
        ("recieve", "receive", True),
        ("funrais", "fundrais", True),
        ("paint", "pain", False),
        ("cat", "car", False),
        ("station", "stadium", False),
    ],
)
def test_a_slip_of_the_pen_looks_akin(one: str, other: str, akin: bool) -> None:
    assert is_akin(one, other) is akin
    assert is_akin(other, one) is akin
