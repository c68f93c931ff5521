"""Which names are allowed, and which file a session gets."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nutsync.core.errors import ErrName
from nutsync.core.names import (
    check_actor,
    check_device,
    check_namespace,
    check_session,
    session_file,
    session_of_file,
)


@pytest.mark.parametrize("name", ["desk", "maple-x3f9", "a", "0", "a_b", "x" * 63])
def test_a_device_may_be_called(name: str) -> None:
    assert check_device(name) == name


@pytest.mark.parametrize(
    "name", ["", "Desk", "a b", "-a", "a-", "a.lock", "a/b", "..", "con", "lpt1", "x" * 64, "a\n", "小"]
)
def test_a_device_may_not_be_called(name: str) -> None:
    with pytest.raises(ErrName):
        check_device(name)


@pytest.mark.parametrize("name", ["ana", "local", "ana@example.com", "小王", "team/ana", "Ana Lee"])
def test_an_actor_may_be_called(name: str) -> None:
    assert check_actor(name) == name


@pytest.mark.parametrize(
    "name", ["", " ana", "ana\n", "a\tb", "*", "--all", "a<b>", 'a"b', "a\u202eb", "x" * 201]
)
@pytest.mark.parametrize("check", [check_actor, check_namespace, check_session])
def test_nobody_and_nothing_may_be_called(name: str, check: object) -> None:
    with pytest.raises(ErrName):
        check(name)  # type: ignore[operator]


def test_two_spellings_of_one_name_are_one_name() -> None:
    assert check_actor("Zoe\u0308") == check_actor("Zo\u00eb")


def test_a_usual_session_id_is_its_file_name() -> None:
    assert session_file("4f1c2d9a-77aa") == "4f1c2d9a-77aa.md"
    assert session_file(None) == "_working.md"


@pytest.mark.parametrize(
    "session", ["../../x", "a/b", "_working", "con", "a:b", ".x", "a.", "会议", "%41", "x" * 150]
)
def test_an_unusual_session_id_stays_in_its_folder_and_apart_from_others(session: str) -> None:
    file = session_file(session)
    assert file.isascii() and len(file) < 130
    assert not set(file) & set('/\\:*?"<>|') and not file.startswith((".", "_")) and ".." not in file
    assert file != session_file("A") != session_file("working")
    assert file.split(".")[0].lower() not in {"con", "aux"}


def test_a_long_name_is_nobody_elses_file_whatever_its_checksum_begins_with() -> None:
    for number in range(300):
        name = f"{number} " + "会" * 20
        file = session_file(name)
        assert session_of_file(file) is None, "a checksum tells no name"


@settings(max_examples=200)
@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=40), st.text(min_size=1, max_size=40))
def test_two_sessions_never_share_a_file(one: str, other: str) -> None:
    assert session_of_file(session_file(one)) in (one, None)
    if one != other and other.isprintable():
        assert session_file(one).lower() != session_file(other).lower(), "also where there is no case"


@given(st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=12))
def test_two_sessions_that_differ_by_case_alone_have_files_that_do_not(session: str) -> None:
    names = {session, session.upper(), session.lower(), session.swapcase()}
    assert len({session_file(name).lower() for name in names}) == len(names)
    assert {session_of_file(session_file(name)) for name in names} == names


def test_a_file_that_is_no_session_is_none() -> None:
    assert session_of_file("_working.md") is None
    assert session_of_file("%zz.md") is None
    assert session_of_file("notes.txt") is None
