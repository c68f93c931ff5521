"""A forgotten entry is shown by nothing, also where a stale editor saved it back into its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from nutsync.core.entry import Ref
from nutsync.core.errors import ErrForgotten, ErrUnknownRef
from nutsync.core.recall.match import Query, Term
from nutsync.operations.context import context
from nutsync.operations.correct import correct
from nutsync.operations.forget import ForgetRequest, forget
from nutsync.operations.layers import counts
from nutsync.operations.recall import Question, recall
from nutsync.operations.show import show
from tests.support.cells import Desk, make_desk
from tests.support.repos import git

TODAY = "2026-11-30"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A cell in which «4711» was forgotten and then saved back by an editor that still showed it."""
    desk = make_desk(tmp_path / "memory")
    desk.append("Ana likes tea")
    gone = desk.append("the safe opens with 4711").placed[0].ref
    stale = desk.path(TODAY).read_bytes()
    forget(desk.cell, ForgetRequest(refs=[gone], reason="asked by its owner", actor="ana"))
    desk.path(TODAY).write_bytes(stale)
    return desk


@pytest.fixture
def gone(desk: Desk) -> Ref:
    return Ref(TODAY, id=desk.day(TODAY).ids[1])


@pytest.fixture(params=["at its checkpoint", "after a plain commit"])
def opened(request: pytest.FixtureRequest, desk: Desk) -> Desk:
    """The cell opened anew, in each of the states in which its checkpoints can be."""
    if request.param != "at its checkpoint":
        git(desk.root, "commit", "--no-verify", "-q", "--allow-empty", "-m", "plain")
    from dataclasses import replace

    desk.cell = replace(desk.cell, memo={})
    return desk


def test_recall_finds_it_at_no_stage_and_in_no_index(opened: Desk) -> None:
    question = Question(query=Query.any_of([Term.literal("4711")]), reader="ana", deep=True)
    assert recall(opened.cell, question).hits == ()


def test_show_context_and_counts_do_not_hold_it(opened: Desk, gone: Ref) -> None:
    with pytest.raises(ErrUnknownRef):
        show(opened.cell, gone, actor="ana")
    shown = show(opened.cell, Ref(TODAY), actor="ana").as_json()
    assert "4711" not in str(shown)
    assert "4711" not in str(context(opened.cell, reader="ana").as_json())
    assert counts(opened.cell, actor="ana")["about_me"] == 1


def test_it_cannot_be_corrected(opened: Desk, gone: Ref) -> None:
    with pytest.raises(ErrForgotten):
        correct(opened.cell, gone, "it opens with 1234")


def test_an_append_goes_on_and_commits_nothing_of_it(opened: Desk) -> None:
    opened.append("later")
    path = f".agents/nutstore-sync/memory/archive/2026/{TODAY}.md"
    assert "4711" not in git(opened.root, "show", f"HEAD:{path}")
    assert "later" in git(opened.root, "show", f"HEAD:{path}")
