"""A message alone forgets nothing: what a commit names as forgotten, and did not take away, lives on."""

from __future__ import annotations

from pathlib import Path

import pytest

from nutsync.core.audit import Audit, Target, render_message
from nutsync.operations.remembered import forgotten_ids
from tests.support.fleet import Fleet, same
from tests.support.purges import faults, ref_of
from tests.support.repos import git, make_clone

TODAY = "2026-11-30"
WHO = ("-c", "user.name=ana", "-c", "user.email=ana@example.org")
DATES = {"GIT_AUTHOR_DATE": f"{TODAY}T09:05:00+08:00", "GIT_COMMITTER_DATE": f"{TODAY}T09:05:00+08:00"}


@pytest.mark.parametrize("files", [(), ("notes.txt",)], ids=["empty", "outside the cell"])
@pytest.mark.parametrize("unstamped", [False, True])
def test_an_entry_that_another_device_has_is_not_lost_to_a_message(
    tmp_path: Path, files: tuple[str, ...], unstamped: bool
) -> None:
    fleet = Fleet(tmp_path)
    fleet["desk"].append("common ground")
    fleet.sync_all()
    forger = make_clone(fleet.remote, tmp_path / "forger")
    ref = ref_of(fleet["lap"], "likes tea")
    audit = Audit(
        op="forget", targets=(Target(str(ref), unstamped),), actor="ana", device="desk", version="0.1.0"
    )
    for name in files:
        (forger / name).write_text("of another project", encoding="utf-8")
        git(forger, "add", name)
    git(forger, *WHO, "commit", "-q", "--allow-empty", "-m", render_message(audit), env=DATES)
    git(forger, "push", "-q", "origin", "HEAD:main")
    fleet.sync("desk")
    fleet.sync("lap")
    fleet.sync_all()
    assert same(fleet.archives())
    assert sorted(fleet["desk"].texts(TODAY)) == ["common ground", "likes tea"]
    assert forgotten_ids(fleet.reopen("lap").cell) == {}
    assert faults(fleet["desk"]) == []
