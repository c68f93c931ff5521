"""The measuring program of recall prints what it promises, and its rankers rank."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from bench.known_items import Item, forms, pick_items
from bench.rankers import RANKERS, words
from bench.recall_quality import Tally, answerable, passages_of
from nutsync.core.recall.collection import Passage

ROWS = [
    {"conv": "a", "date": "2026-01-01", "speaker": "Ana", "text": "Ana sold the piano to the brewery."},
    {"conv": "a", "date": "2026-01-02", "speaker": "Ben", "text": "The heron nests behind the boathouse."},
    {"conv": "b", "date": "2026-01-01", "text": "报价定为 12,800 元，周五前发合同。"},
    {"conv": "b", "date": "2026-01-02", "text": "今天下雨，没有出门。"},
]
QUESTIONS = [
    {"conv": "a", "question": "Where does the heron nest?", "evidence_dates": ["2026-01-02"], "category": 4},
    {"conv": "a", "question": "Who flew?", "evidence_dates": ["2026-01-01"], "category": 5},
    {"conv": "b", "question": "报价是多少？", "evidence_dates": ["2026-01-01"], "category": 1},
    {"conv": "b", "question": "天气如何？"},
]


def run(*arguments: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", "bench.recall_quality", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        env={"PYTHONUTF8": "1", "PYTHONPATH": "."},
        cwd=Path(__file__).parents[2],
    ).stdout


def write(path: Path, rows: list[dict[str, object]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)


@pytest.mark.parametrize("more", [[], ["--index-lines"]])
def test_it_prints_recall_by_category_for_every_ranker(tmp_path: Path, more: list[str]) -> None:
    memory = write(tmp_path / "memory.jsonl", [dict(row) for row in ROWS])
    questions = write(tmp_path / "questions.jsonl", [dict(row) for row in QUESTIONS])
    out = run("--memory", memory, "--questions", questions, *more)
    assert "2 questions on 2 memories" in out
    assert out.count("ms a question") == 3
    nutsync = out.split("nutsync: ")[1].split("grep: ")[0]
    for group in ("all", "one day", "category 1", "category 4"):
        assert group in nutsync
    assert nutsync.count("@1 1.000  @5 1.000  @10 1.000") == 4


def test_it_prints_known_items_by_form(tmp_path: Path) -> None:
    rows = [
        {"date": f"2026-01-{n:02d}", "text": f"{word} flew over the old harbour wall today"}
        for n, word in enumerate(("Herons", "Magpies", "Buzzards", "Cormorants"), 1)
    ]
    out = run("--known-items", write(tmp_path / "diary.jsonl", rows), "--count", "3")
    assert "3 known items among 4 days" in out
    assert out.count("@5 1.000") == 5


@pytest.mark.parametrize("name", RANKERS)
def test_every_ranker_puts_the_day_first_that_says_it(name: str) -> None:
    passages = [Passage(row["date"], row["text"]) for row in ROWS[:2]]
    assert RANKERS[name](passages).days("Where does the heron nest?")[0] == "2026-01-02"


def test_questions_that_nothing_answers_are_left_out() -> None:
    assert [question["question"] for question in answerable(QUESTIONS)] == [
        "Where does the heron nest?",
        "报价是多少？",
    ]


def test_a_dialogue_s_row_is_one_entry_with_both_sides() -> None:
    [passage] = passages_of([{"user": "u", "date": "2026-01-01", "query": "你好", "response": "你也好"}])
    assert passage == Passage("2026-01-01", "你好\n你也好")


def test_recall_is_the_share_of_the_evidence_days() -> None:
    tally = Tally()
    tally.add(["a", "b", "c"], {"a", "z"})
    tally.add(["b", "a"], {"a"})
    assert str(tally).split() == ["2", "@1", "0.250", "@5", "0.750", "@10", "0.750"]


def test_items_are_rare_phrases_of_one_day_and_the_same_for_one_seed() -> None:
    passages = [
        Passage("2026-01-01", "The cormorant dries its wings on the pier."),
        Passage("2026-01-02", "夜卧未半小时即见蜰虫三四十。"),
        Passage("2026-01-03", "晴。无事。"),
    ]
    items = pick_items(passages, 10, 7)
    assert {item.day for item in items} == {"2026-01-01", "2026-01-02"}
    assert items == pick_items(passages, 10, 7)


def test_forms_differ_from_what_is_written() -> None:
    english = dict(forms(Item(("the", "old", "harbour", "wall"), "2026-01-01"), random.Random(1)))
    assert english["case"] == "THE OLD HARBOUR WALL"
    assert english["width"].startswith("ｔｈｅ")
    assert sorted(english["word order"].split()) == ["harbour", "old", "the", "wall"]
    chinese = dict(forms(Item(tuple("发票和报价单"), "2026-01-01"), random.Random(1)))
    assert chinese["other script"] != "发票和报价单"
    assert chinese["word order"] == "报价单 发票和"


def test_chinese_words_are_pairs_of_characters() -> None:
    assert words("X-200 报价单") == ["x", "200", "报价", "价单"]
