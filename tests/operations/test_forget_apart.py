"""A forget on one device and an append to the same day on another meet in every order."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from nutsync.core.cell import catalog_path
from nutsync.operations.catalogs import rebuild
from tests.support.copies import Copies
from tests.support.fleet import Fleet, archive
from tests.support.purges import MONDAY, faults, forget_only, ref_of
from tests.support.repos import head, is_sound, run_git

NAMES = ("desk", "lap", "third", "stale")
NOW = "2026-12-01T10:00:00+08:00"
WHO = ("-c", "user.name=ana", "-c", "user.email=ana@example.org")
DATES = {"GIT_AUTHOR_DATE": NOW, "GIT_COMMITTER_DATE": NOW}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The desk has forgotten an entry, the lap appended one to the same day; nobody has synced since."""
    folder = tmp_path_factory.mktemp("prepared")
    fleet = Fleet(folder, NAMES)
    fleet["desk"].append("above")
    ref = ref_of(fleet["desk"])
    fleet.sync_all()
    for name in NAMES:
        fleet[name].clock.advance(seconds=60)
    forget_only(fleet["desk"], ref)
    fleet["lap"].append("appended on the lap")
    fleet["third"].append("appended on the third")
    return folder


@pytest.mark.parametrize("order", list(permutations(NAMES[:3])), ids="-".join)
def test_the_entry_is_gone_and_the_append_kept(
    prepared: Path, tmp_path: Path, order: tuple[str, ...]
) -> None:
    """The third only knows plain Git, and the stale one comes when all is over."""
    copies = Copies(prepared, tmp_path / "copy", NAMES, NOW)
    for name in (*order, *order):
        if name == "third":
            run_git(
                copies.roots[name], *WHO, "pull", "-q", "--no-rebase", "--no-edit", env=DATES, check=False
            )
            run_git(copies.roots[name], "push", "-q", "origin", "main", check=False)
        else:
            copies.sync(name)
    for name in ("stale", *order, "stale", *order):
        copies.sync(name)
    said = ["above", "appended on the lap", "appended on the third"]
    archives = [archive(copies.roots[name]) for name in NAMES]
    assert all(one == archives[0] for one in archives)
    assert len({head(root) for root in copies.roots.values()}) == 1
    for name in NAMES:
        desk = copies.open(name)
        assert sorted(desk.texts(MONDAY)) == said
        assert "4711" not in (desk.day(MONDAY).index or "")
        rebuild(desk.root, desk.cell.git.private_dir, desk.clock.now().local_date())
        assert "4711" not in (desk.root / catalog_path("2026")).read_text(encoding="utf-8")
        assert is_sound(desk.root) and faults(desk) == []
