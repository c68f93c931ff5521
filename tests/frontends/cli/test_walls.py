"""No answer for one actor carries another's words, whichever command is asked."""

from __future__ import annotations

import pytest

from nutsync.frontends.cli.main import run_line
from nutsync.operations.context import context
from tests.support.cells import Desk, make_desk

DAYS = ("2026-11-28", "2026-11-29", "2026-11-30")
BENS = ("Quetzal", "4711", "Ouagadougou", "Xylophon", "琥珀")
SHARED = ("Zeppelin", "Yttrium")
ASKED = [
    *(["show", day] for day in DAYS),
    ["context"],
    *(["recall", word, *more] for word in BENS for more in ([], ["--deep"])),
    ["recall", "account", "--layer", "about_me"],
    ["recall", "account", "--scope", "global", "--deep"],
    ["layers"],
    ["log"],
    *(["blame", day] for day in DAYS),
]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """Three days of ana and ben in one cell, one of them ben's alone; a line by hand; corrections."""
    made = make_desk(tmp_path_factory.mktemp("walls") / "memory", "2026-11-28T09:00:00+08:00")
    hers = made.append("Zeppelin account of ana").placed[0].ref
    his = made.append("Quetzal account 4711", actor="ben").placed[0].ref
    made.append("Xylophon lessons", scope="agent", actor="ben", namespace="tutor")
    made.clock.set("2026-11-29T09:00:00+08:00")
    made.append("Ouagadougou trip, account of ben", actor="ben")
    made.clock.set("2026-11-30T09:00:00+08:00")
    path = made.path("2026-11-30")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("- Yttrium, written by hand\n", encoding="utf-8")
    made.append("琥珀 account moved to Ouagadougou", actor="ben", kind="correction", corrects=str(his))
    made.append("Zeppelin account closed", kind="correction", corrects=str(hers))
    return made


def answer(desk: Desk, capsys: pytest.CaptureFixture[str], actor: str, *asked: str, json: bool) -> str:
    code = run_line(["-C", str(desk.root), *(["--json"] if json else []), *asked, "--actor", actor])
    out, err = capsys.readouterr()
    assert code in (0, 1, 3), err
    return out + err


@pytest.mark.parametrize("json", [True, False])
@pytest.mark.parametrize("asked", ASKED, ids=" ".join)
def test_an_answer_for_ana_says_nothing_of_bens(desk: Desk, capsys, asked: list[str], json: bool) -> None:
    own = [word for word in BENS if word in asked or any(word in part for part in asked)]
    told = answer(desk, capsys, "ana", *asked, json=json)
    assert not [word for word in BENS if word in told and word not in own]
    for word in own:
        # What she typed herself may be repeated, but nothing that stood beside it.
        assert "account moved" not in told
        assert f"{word} account" not in told
        assert f"{word} lessons" not in told
        assert f"{word} trip" not in told


@pytest.mark.parametrize("word", BENS)
def test_what_is_bens_cannot_be_told_from_what_never_was(desk: Desk, capsys, word: str) -> None:
    there = answer(desk, capsys, "ana", "recall", word, "--deep", json=True)
    never = answer(desk, capsys, "ana", "recall", "Nowhere", "--deep", json=True)
    assert there.replace(word.lower(), "?").replace(word, "?") == (
        never.replace("nowhere", "?").replace("Nowhere", "?")
    )


def test_what_a_session_of_anas_starts_with_is_anas(desk: Desk) -> None:
    told = str(context(desk.cell, reader="ana").as_json())
    assert all(word in told for word in SHARED)
    assert not [word for word in BENS if word in told]


def test_everybody_still_finds_what_is_their_own_and_what_is_shared(desk: Desk, capsys) -> None:
    for word in BENS:
        assert word in answer(desk, capsys, "ben", "recall", word, "--deep", json=False)
    for actor in ("ana", "ben", "cleo"):
        assert "Yttrium" in answer(desk, capsys, actor, "show", "2026-11-30", json=False)
    assert "Zeppelin" in answer(desk, capsys, "ana", "show", "2026-11-28", json=False)
    assert "Zeppelin" not in answer(desk, capsys, "cleo", "show", "2026-11-28", json=False)
