"""The index builder: a telegraphic clause per entry (design §3.2)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nutsync.core.front import index_problem
from nutsync.core.index import Said, build_clause, build_index, check_index, split_clauses

ANY_TEXT = st.text(max_size=400)
WORDS = """
Ana the contract to X-200 12,800 元 报价 定为 的 周五 前 and PostgreSQL 16 が データベース を 2026-11-30 not
“quoted words” 《书名》 ; ； . 。 , ， [ ] TODO done@b.org it's well 😀
""".split()
LANGUAGE = st.lists(st.sampled_from([*WORDS, "\n", "\t"]), max_size=80).map(" ".join)
LONG_ENGLISH = " and so we went on with it as we had done all the days before that one, more or less." * 2


@settings(max_examples=150)
@given(st.lists(ANY_TEXT | LANGUAGE, max_size=6))
def test_an_index_of_any_texts_is_one_clean_line(texts: list[str]) -> None:
    index = build_index([Said(text) for text in texts])
    assert index_problem(index) is None
    assert index == index.strip()


@settings(max_examples=150)
@given(ANY_TEXT | LANGUAGE)
def test_a_clause_is_never_cut_apart_again(text: str) -> None:
    clause = build_clause(Said(text))
    assert split_clauses(clause) == ((clause,) if clause else ())


@settings(max_examples=150)
@given(st.lists(LANGUAGE, min_size=1, max_size=6))
def test_a_built_index_has_no_fault_that_the_check_finds(texts: list[str]) -> None:
    entries = [Said(text) for text in texts]
    assert check_index(build_index(entries), entries) == []


@settings(max_examples=100)
@given(st.tuples(LANGUAGE, LANGUAGE).map(lambda pair: ". ".join(pair) + LONG_ENGLISH))
def test_the_clause_of_a_long_entry_is_at_most_a_third_of_it(text: str) -> None:
    for kind in ("fact", "decision", "task"):
        assert len(build_clause(Said(text, kind))) <= len(text) / 3


def test_names_numbers_dates_and_identifiers_of_a_long_entry_are_kept() -> None:
    text = (
        "We talked for a long while about how the thing should go on from here, and in the end it was clear "
        "to everybody that the offer X-200 for Acme stays at 12,800 euros until 2026-12-04, that"
        " `retry_limit` goes to 5, and that Zoë calls them about it some time later when there is more time."
    )
    clause = build_clause(Said(text))
    for word in ("X-200", "Acme", "12,800", "2026-12-04", "retry_limit", "Zoë"):
        assert word in clause


def test_words_keep_their_own_order() -> None:
    text = "The sofa moved from Bergen to Tromsø before Hanna sold the piano"
    places = [text.index(word) for word in build_clause(Said(text)).split()]
    assert len(places) >= 4
    assert places == sorted(places)


def test_connecting_words_are_cut() -> None:
    words = build_clause(
        Said("It was the contract with Acme that we would have to send to them before the winter")
    ).split()
    assert "contract" in words and "Acme" in words and "winter" in words
    assert not {"the", "was", "that", "would", "them"} & set(words)


def test_a_negation_stays_with_what_it_negates() -> None:
    assert "not" in build_clause(Said("The parser does not accept tabs in tables")).split()
    assert "不" in build_clause(Said("我不吃香菜"))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "上午移入山会邑馆。坐骡车赴教育部，即归。夜卧未半小时即见蜰虫三四十，乃卧卓上以避之。",
            ("蜰虫", "邑馆"),
        ),
        ("X-200 报价定为 12,800 元，周五前发合同", ("X-200", "定为 12,800 元", "周五")),
        ("データベースはPostgreSQL 16に移行することになった", ("データベース", "PostgreSQL 16")),
        ("部署脚本在 scripts/deploy.sh，运行前要先登录 VPN", ("scripts/deploy.sh", "VPN")),
        ("Меня зовут Анна, я живу в Берлине и работаю над проектом", ("Анна", "Берлине")),
        ("오늘 회의에서 예산을 30만원으로 결정했다", ("예산을", "30만원으로")),
    ],
)
def test_every_language_keeps_the_words_that_are_rare(text: str, kept: tuple[str, ...]) -> None:
    clause = build_clause(Said(text))
    assert all(word in clause for word in kept)
    assert len(clause) <= len(text)


def test_a_decision_keeps_its_object() -> None:
    clause = build_clause(Said("X-200 报价定为 12,800 元，周五前发合同", "decision"))
    assert "报价定为 12,800 元" in clause and "周五" in clause
    text = "Billing moves to PostgreSQL 16\nReason: logical replication."
    assert "Billing moves PostgreSQL 16" in build_clause(Said(text, "decision"))


def test_a_quoted_phrase_is_kept_whole() -> None:
    long = (
        "On the way home in the evening we spoke of the film “Gone with the Wind” and of how long it was for "
        "a Sunday, and then of how we would get up the next day."
    )
    assert "Gone with the Wind" in build_clause(Said(long))
    assert "越中先贤祠目" in build_clause(Said("夜至山会邑馆访许铭伯先生，得《越中先贤祠目》一册。"))


def test_a_checkbox_and_a_task_are_told_as_open() -> None:
    assert build_clause(Said("[ ] send the contract to Acme")).startswith("[ ] ")
    assert build_clause(Said("[x] send the contract to Acme")).startswith("[x] ")
    assert build_clause(Said("send the contract to Acme", kind="task")).startswith("[ ] ")
    assert "TODO" in build_clause(Said("TODO: renew the passport"))
    assert "待办" in build_clause(Said("待办：续签护照"))


def test_a_correction_names_the_old_subject_beside_the_new_fact() -> None:
    clause = build_clause(Said("The kickoff is on Thursday", "correction", "Kickoff with Acme on Tuesday"))
    assert "Thursday" in clause and "Acme" in clause and "Tuesday" in clause
    assert clause.index("Thursday") < clause.index("Tuesday")
    alone = build_clause(Said("The kickoff is on Thursday", "correction", None))
    assert "Tuesday" not in alone


def test_an_entry_of_filler_words_or_signs_still_gets_a_clause() -> None:
    assert build_clause(Said("and so on"))
    assert build_clause(Said("晴。无事。"))
    assert build_clause(Said("🌟🌟")) == "🌟🌟"
    assert build_clause(Said("???")) == "???"


def test_equal_clauses_appear_once() -> None:
    assert build_index([Said("Water the ferns"), Said("Water the ferns")]).count("ferns") == 1


def test_the_separator_follows_the_script() -> None:
    assert "；" in build_index([Said("报价"), Said("合同")])
    assert "; " in build_index([Said("offer"), Said("contract")])
