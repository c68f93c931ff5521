"""The measuring program of the index prints what it promises."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROWS = [
    {"conv": "a", "date": "2026-01-01", "text": "Ana sold the piano to the brewery by the canal."},
    {"conv": "a", "date": "2026-01-02", "text": "The heron nests behind the boathouse again this spring."},
    {"conv": "b", "date": "2026-01-01", "text": "报价定为 12,800 元，周五前发合同。"},
]
QUESTIONS = [
    {"conv": "a", "question": "Where does the heron nest?", "evidence_dates": ["2026-01-02"], "category": 4},
    {"conv": "a", "question": "Who flew?", "evidence_dates": ["2026-01-01"], "category": 5},
    {"conv": "b", "question": "报价是多少？", "evidence_dates": ["2026-01-01"]},
]


def write(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_it_prints_shares_and_recall_for_full_text_and_for_index_lines(tmp_path: Path) -> None:
    memory = write(tmp_path / "memory.jsonl", [dict(row) for row in ROWS])
    questions = write(tmp_path / "questions.jsonl", [dict(row) for row in QUESTIONS])
    out = subprocess.run(
        [
            sys.executable,
            "-m",
            "bench.index_quality",
            str(memory),
            "--known",
            "5",
            "--memory",
            str(memory),
            "--questions",
            str(questions),
        ],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        env={"PYTHONUTF8": "1", "PYTHONPATH": "."},
        cwd=Path(__file__).parents[2],
    ).stdout
    assert "of the characters" in out
    assert "questions.jsonl: 2 queries" in out
    assert out.count("full text") == out.count("index lines") == 3
    assert "@5 1.000" in out
