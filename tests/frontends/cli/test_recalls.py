"""`recall` on the command line: questions, expressions, what they refuse, what they explain."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nutsync.frontends.cli.main import run_line
from tests.support.cells import Desk, make_desk


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    desk = make_desk(tmp_path / "memory", "2020-01-05T09:00:00+08:00")
    desk.append("Ana put the contract into the blue drawer", "报价定为 12,800 元")
    for name in ("NUTSYNC_ACTOR", "NUTSYNC_SESSION", "NUTSYNC_DEVICE", "NUTSYNC_CELL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(desk.root)
    return desk


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run_line(["recall", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.usefixtures("desk")
def test_a_question_is_answered_in_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--ask", "Where did Ana put the contract?", "--json", "--explain")
    document = json.loads(out)
    assert code == 0
    assert document["terms"] == ["ana", "contract"]
    assert [stage["stage"] for stage in document["stages"]] == ["recent", "catalog"]
    (hit,) = document["hits"]
    assert hit["date"] == "2020-01-05"
    assert hit["entries"][0]["text"] == "Ana put the contract into the blue drawer"
    assert "contract" in hit["matched"]


@pytest.mark.usefixtures("desk")
def test_a_regular_expression_matches_as_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--regex", r"blue\s+dr[aeiou]wer")[0] == 0
    assert run(capsys, "--regex", r"12,\d{3} 元$")[0] == 0
    assert run(capsys, "--regex", r"^drawer")[0] == 1


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize(
    ("arguments", "code", "name"),
    [
        (["--regex", "("], 2, "ErrRegex"),
        (["--ask", "where?", "drawer"], 2, "ErrUsage"),
        (["--ask", "where?", "--regex"], 2, "ErrUsage"),
        (["--ask", "what is it?"], 2, "ErrUsage"),
        (["--ask", "x", "--and", "y"], 2, "ErrUsage"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(
    capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, name: str
) -> None:
    got, _, err = run(capsys, *arguments, "--json")
    assert got == code
    assert json.loads(err.splitlines()[-1])["error"]["code"] == name


@pytest.mark.usefixtures("desk")
def test_a_search_that_takes_too_long_is_not_nothing_found(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from nutsync.store import regexes

    real = regexes.searcher
    monkeypatch.setattr(regexes, "searcher", lambda pattern: real(pattern, seconds=0.0))
    code, _, err = run(capsys, "--regex", "drawer", "--json")
    assert code == 4
    assert json.loads(err.splitlines()[-1])["error"]["code"] == "ErrSearchFailed"


@pytest.mark.usefixtures("desk")
def test_words_say_the_stage_and_the_terms_that_matched(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "報價", "drawer", "nowhere", "--explain")
    assert "found by catalog: 報價, drawer" in out
    assert "not asked: session, frontmatter, body" in out
