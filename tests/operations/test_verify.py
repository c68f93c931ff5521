"""`verify` finds in history what no hook saw, tells blurs from violations, and goes on where it ended."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from nutsync.core.cell import day_path
from nutsync.core.entry import Ref
from nutsync.core.errors import ErrShallow
from nutsync.operations.cell import Cell, open_cell
from nutsync.operations.forget import ForgetRequest, forget
from nutsync.operations.verify import Report, verify
from nutsync.store import checkpoints
from nutsync.store.repo.objects import Objects
from tests.support.cells import Desk, make_desk
from tests.support.clock import FakeClock
from tests.support.fleet import Fleet
from tests.support.repos import commit_files, git, head, run_git, write

TODAY = "2026-11-30"
TOMORROW = "2026-12-01T09:00:00+08:00"
DATES = {"GIT_AUTHOR_DATE": f"{TODAY}T09:30:00+08:00", "GIT_COMMITTER_DATE": f"{TODAY}T09:30:00+08:00"}
UNHOOKED = ("-c", f"core.hooksPath={os.devnull}")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = make_desk(tmp_path / "cell")
    desk.append("buy milk", "call ben")
    return desk


def codes(report: Report) -> list[str]:
    return [found.code for found, _ in report.found]


def bad(cell: Cell, **how: bool) -> list[str]:
    """The codes of what makes `verify` say no."""
    report = verify(cell, **how)
    return [found.code for found, repaired in report.found if found.severity != "notice" and not repaired]


def bypass(root: Path, text: str, when: str = f"{TODAY}T09:30:00+08:00") -> str:
    """Commit a new content of today's file past every hook."""
    write(root, day_path(TODAY), text)
    dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    git(root, *UNHOOKED, "-c", "commit.gpgSign=false", "commit", "-qam", "x", env=dates)
    return head(root)


def test_an_honest_history_is_found_to_be_one(desk: Desk) -> None:
    report = verify(desk.cell)
    assert report.ok and report.found == []
    assert report.commits == 2 and report.tip == head(desk.root)


def test_what_was_made_without_hooks_is_found_by_what_it_did_and_by_its_missing_stamp(desk: Desk) -> None:
    tip = bypass(desk.root, desk.path(TODAY).read_text().replace("buy milk", "buy beer"))
    report = verify(desk.cell)
    assert not report.ok
    assert set(codes(report)) == {"today-altered", "unstamped", "unsigned"}
    assert {found.as_json()["commit"] for found, _ in report.found} == {tip}


def test_what_gitpythons_index_wrote_is_found(desk: Desk) -> None:
    """It moves the branch without asking the gate."""
    from git import Repo

    with Repo(desk.root) as repo:
        write(desk.root, day_path(TODAY), desk.path(TODAY).read_text().replace("call ben", "call eve"))
        repo.index.add([day_path(TODAY)])
        when = f"{TODAY}T09:30:00 +0800"  # GitPython knows no colon in an offset
        repo.index.commit("x", skip_hooks=True, author_date=when, commit_date=when)
    assert "today-altered" in bad(desk.cell)


def test_a_branch_that_was_moved_back_by_hand_is_noticed(desk: Desk) -> None:
    before = head(desk.root)
    desk.append("third")
    (desk.root / ".git/refs/heads/main").write_text(f"{before}\n")
    assert bad(desk.cell) == ["move-lost"]
    assert bad(desk.cell) == ["move-lost"]
    assert bad(desk.cell, full=True) == ["move-lost"]


def test_a_forget_that_was_dropped_by_hand_is_noticed(desk: Desk) -> None:
    before = head(desk.root)
    ref = Ref(TODAY, desk.day(TODAY).blocks[0].id)
    forget(desk.cell, ForgetRequest(refs=[ref], reason="asked for", actor="ana"))
    assert verify(desk.cell).ok
    (desk.root / ".git/refs/heads/main").write_text(f"{before}\n")
    assert bad(desk.cell) == ["move-unforgot"]


def test_a_forged_signature_is_found(desk: Desk) -> None:
    raw = run_git(desk.root, "cat-file", "commit", "HEAD").stdout
    forged = raw.replace(b"\nNutsync-Actor: ana", b"\nNutsync-Actor: eve")
    new = git(desk.root, "hash-object", "-t", "commit", "-w", "--stdin", input=forged)
    git(desk.root, *UNHOOKED, "update-ref", "refs/heads/main", new)
    assert "signature-bad" in bad(desk.cell)
    assert "signature-bad" in bad(desk.cell, full=True)


def test_a_violation_stays_found_when_verify_goes_on_from_there(desk: Desk) -> None:
    bypass(desk.root, desk.path(TODAY).read_text().replace("buy milk", "buy beer"))
    assert bad(desk.cell) == ["today-altered"]
    commit_files(desk.root, {"notes.txt": "x"})
    report = verify(desk.cell)
    assert report.since != report.tip and not report.ok
    assert codes(report) == ["today-altered"]
    assert report.commits == 4


def test_going_on_finds_what_a_whole_walk_finds(desk: Desk) -> None:
    """Verified after every commit, and once at the end: the same."""
    stepwise = []
    for number in range(3):
        desk.clock.set(f"2026-12-0{number + 1}T09:00:00+08:00")
        desk.append(f"day {number}")
        stepwise.append(verify(desk.cell).ok)
        when = f"2026-12-0{number + 1}T10:00:00+08:00"
        bypass(desk.root, desk.path(TODAY).read_text() + f"- late {number}\n", when)
        stepwise.append(verify(desk.cell).ok)
    assert stepwise == [True, False, False, False, False, False]
    went_on = [found for found, _ in verify(desk.cell).found if found.severity != "notice"]
    whole = [found for found, _ in verify(desk.cell, full=True).found if found.severity != "notice"]
    assert went_on == whole and len(whole) == 3


def test_full_believes_no_checkpoint(desk: Desk) -> None:
    """Somebody who can write to the Git directory could say that nothing was ever forgotten."""
    ref = Ref(TODAY, desk.day(TODAY).blocks[0].id)
    gone = desk.day(TODAY).blocks[0].raw.decode()
    forget(desk.cell, ForgetRequest(refs=[ref], reason="asked for", actor="ana"))
    private = desk.root / ".git/nutsync"
    for commit in checkpoints.known_commits(private):
        path = private / checkpoints.FOLDER / commit
        path.write_text(json.dumps({**json.loads(path.read_text()), "gone": {}}))
    bypass(desk.root, desk.path(TODAY).read_text() + gone)
    assert "forgotten-returned" in bad(desk.cell, full=True)


def test_a_merge_of_an_unarmed_clone_is_a_blur_until_a_sync_repairs_it(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path)
    fleet["desk"].append("common ground")
    fleet.sync_all()
    fleet["desk"].append("from the desk")
    fleet["lap"].clock.advance(seconds=5)
    fleet["lap"].append("from the lap")
    fleet.sync("desk")
    lap = fleet["lap"].root
    git(lap, "config", "--remove-section", "merge.union")
    pull = ("-c", "user.name=ana", "-c", "user.email=a@b.invalid", "pull", "-q", "--no-rebase")
    git(lap, *UNHOOKED, *pull, env=DATES)
    blurred = verify(fleet["lap"].cell)
    assert not blurred.ok and blurred.merges
    assert {found.severity for found, _ in blurred.found if found.code.startswith("merge")} == {"blur"}
    fleet.sync("lap")
    mended = verify(fleet["lap"].cell)
    assert mended.ok
    assert [repaired for found, repaired in mended.found if found.severity == "blur"]
    assert all(one["repaired"] for one in mended.as_json()["findings"] if one["severity"] == "blur")  # type: ignore[attr-defined]
    assert verify(fleet["lap"].cell, full=True).ok


def test_replaced_and_grafted_commits_hide_nothing(desk: Desk) -> None:
    honest = head(desk.root)
    bypass(desk.root, desk.path(TODAY).read_text().replace("buy milk", "buy beer"))
    git(desk.root, "replace", head(desk.root), honest)
    assert git(desk.root, "log", "-1", "--format=%s").startswith("append")
    report = verify(desk.cell)
    assert "today-altered" in codes(report) and "replaced" in codes(report)
    write(desk.root / ".git", "info/grafts", f"{head(desk.root)}\n")
    report = verify(desk.cell, full=True)
    assert "today-altered" in codes(report) and "grafted" in codes(report)


def test_a_mailmap_renames_nobody(desk: Desk) -> None:
    commit_files(desk.root, {".mailmap": "Eve <eve@example.org> <ana@example.org>\n"})
    bypass(desk.root, desk.path(TODAY).read_text() + "- by hand\n")
    assert git(desk.root, "log", "-1", "--format=%aN") == "Eve"
    with Objects(desk.cell.git) as objects:
        assert objects.commit(head(desk.root)).author.name == "Ana"
    assert verify(desk.cell).ok and verify(desk.cell, full=True).ok


def test_a_shallow_clone_cannot_be_verified(desk: Desk, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{desk.root}", "shallow")
    git(tmp_path / "shallow", "config", "nutsync.device", "lap")
    with pytest.raises(ErrShallow):
        verify(open_cell(tmp_path / "shallow", environ={}))


def test_faults_from_before_the_cell_are_named_and_break_nothing(tmp_path: Path) -> None:
    write(tmp_path / "cell", day_path("2020-01-01"), "no frontmatter\n- a\n")
    desk = make_desk(tmp_path / "cell")
    report = verify(desk.cell)
    assert report.ok and codes(report) == ["inherited-fault"]


def test_findings_hold_no_memory_text(desk: Desk) -> None:
    bypass(desk.root, desk.path(TODAY).read_text().replace("milk", "beer"))
    said = json.dumps(verify(desk.cell).as_json())
    assert "beer" not in said and "milk" not in said


def test_each_finding_is_told_as_soon_as_it_is_sure(desk: Desk) -> None:
    bypass(desk.root, desk.path(TODAY).read_text().replace("buy milk", "buy beer"))
    told: list[str] = []
    report = verify(desk.cell, say=lambda found, _: told.append(found.code))
    assert told == codes(report)


def test_many_signatures_are_checked_by_helpers_and_remembered(desk: Desk) -> None:
    for number in range(12):
        desk.clock.set(FakeClock(f"2026-12-{number + 10:02d}T09:00:00+08:00").moment)
        desk.append(*(f"{number} {many}" for many in range(3)))
    import nutsync.operations.signatures as room

    room._WORTH_HELP, usual = 4, room._WORTH_HELP
    try:
        assert verify(desk.cell, full=True).ok
    finally:
        room._WORTH_HELP = usual
    kept = (desk.root / ".git/nutsync/signatures").read_text().splitlines()
    assert len(kept) == 14 and all(line.split()[1] == "good" for line in kept)
    (desk.root / ".git/nutsync" / checkpoints.VERIFIED).unlink()
    assert verify(desk.cell).ok
