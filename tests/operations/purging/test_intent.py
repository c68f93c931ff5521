"""A purge that was cut short after its forget is recorded by whatever command writes next."""

from __future__ import annotations

import pytest

from nutsync.core.entry import Ref
from nutsync.operations.purging import intent
from nutsync.operations.purging import purge as purge_module
from nutsync.operations.status import read_status
from tests.support.cells import Desk
from tests.support.fleet import Fleet
from tests.support.purges import MONDAY, SECRET, assert_gone, drop, ref_of
from tests.support.repos import git, write


class CutShort(Exception):
    """Stands for a machine that stops."""


def cut_short(desk: Desk, ref: Ref, monkeypatch: pytest.MonkeyPatch) -> None:
    """Purge, and stop between the forget and the record."""

    def stops(*_words: object) -> None:
        raise CutShort

    with monkeypatch.context() as patch:
        patch.setattr(purge_module, "_rewrite_and_move", stops)
        with pytest.raises(CutShort):
            drop(desk, ref)


def test_status_tells_of_it_and_the_next_append_records_it(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = fleet["desk"]
    ref = ref_of(desk)
    fleet.sync_all()
    cut_short(desk, ref, monkeypatch)
    assert read_status(desk.cell).purging
    assert "PURGE UNDER WAY" in read_status(desk.cell).words()
    desk.append("the next command")
    assert f"Nutsync-Op: purge\nNutsync-Target: {ref}" in git(desk.root, "log", "--format=%B")
    fleet.sync_all()
    assert not read_status(desk.cell).purging
    assert_gone(fleet, SECRET, "4711")


def test_words_without_an_id_are_found_by_the_forget_that_took_them(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = fleet["desk"]
    desk.append("above")
    path = desk.path(MONDAY)
    write(
        desk.root, path.relative_to(desk.root).as_posix(), path.read_text(encoding="utf-8") + f"- {SECRET}\n"
    )
    when = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"{MONDAY}T09:00:30+08:00")
    git(desk.root, "-c", "core.hooksPath=/dev/null", "commit", "-qam", "by hand", env=when)
    fleet.sync_all()
    cut_short(desk, Ref(MONDAY, nth=1), monkeypatch)
    fleet.sync_all()
    assert_gone(fleet, SECRET, "4711")


def test_nothing_is_purged_where_the_forget_was_not_made(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = fleet["desk"]
    ref = ref_of(desk)

    def stops(*_words: object) -> None:
        raise CutShort

    with monkeypatch.context() as patch:
        patch.setattr(purge_module, "forget_under_lock", stops)
        with pytest.raises(CutShort):
            drop(desk, ref)
    desk.append("the next command")
    assert not read_status(desk.cell).purging
    assert SECRET in desk.texts(MONDAY)


def test_the_note_holds_neither_refs_nor_text(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = fleet["desk"]
    ref = ref_of(desk)
    cut_short(desk, ref, monkeypatch)
    noted = (desk.cell.git.private_dir / intent.FILE).read_text(encoding="utf-8")
    assert "4711" not in noted and str(ref.id) not in noted


def test_a_note_that_nobody_can_read_stops_nothing(fleet: Fleet) -> None:
    desk = fleet["desk"]
    (desk.cell.git.private_dir / intent.FILE).write_bytes(b"\x00 half a note")
    desk.append("goes on")
    assert not read_status(desk.cell).purging
