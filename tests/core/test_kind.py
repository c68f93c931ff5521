"""Kinds: how long an entry lives comes from its kind alone."""

from __future__ import annotations

from itertools import product

import pytest

from nutsync.core.errors import ErrKindRequired, ErrUnknownKind, ErrUsage
from nutsync.core.kind import (
    FORMATIONS,
    KINDS,
    is_session_bound,
    require_formation,
    require_kind,
)
from nutsync.core.layer_requests import WriteRequest, resolve_write


def test_eight_kinds_last_and_four_end_with_their_session() -> None:
    assert [kind for kind in KINDS if not is_session_bound(kind)] == [
        "fact",
        "preference",
        "decision",
        "convention",
        "correction",
        "skill",
        "event",
        "task",
    ]
    assert [kind for kind in KINDS if is_session_bound(kind)] == ["plan", "observation", "turn", "scratch"]


def write(kind: str, formation: str) -> bool:
    request = WriteRequest(layer="about_me", kind=kind, formation=formation, actor="ana", session="4f1c")
    return resolve_write(request).durable


def test_a_preference_that_came_from_one_episode_lasts() -> None:
    assert write("preference", "episodic")


def test_a_plan_declared_by_hand_ends_with_its_session() -> None:
    assert not write("plan", "declarative")


def test_formation_never_changes_how_long_an_entry_lives() -> None:
    for kind, formation in product(KINDS, FORMATIONS):
        assert write(kind, formation) is not is_session_bound(kind)


@pytest.mark.parametrize("kind", [None, ""])
def test_a_kind_is_required(kind) -> None:
    with pytest.raises(ErrKindRequired):
        require_kind(kind)


@pytest.mark.parametrize("kind", ["Fact", "note", " ", "episodic", "facts"])
def test_a_kind_that_is_none_is_refused(kind) -> None:
    with pytest.raises(ErrUnknownKind):
        require_kind(kind)


def test_a_formation_that_is_none_is_refused_and_an_absent_one_is_declarative() -> None:
    assert require_formation(None) == "declarative"
    with pytest.raises(ErrUsage):
        require_formation("dreamt")


def test_a_kind_from_elsewhere_is_not_taken_for_session_bound() -> None:
    assert not is_session_bound("recipe")
    assert not is_session_bound("")
