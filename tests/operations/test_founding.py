"""A cell is born without touching what is there, and a second `init` changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from nutsync.core.cell import day_path
from nutsync.core.day import Day, normalise_line_ends
from nutsync.core.entry import Ref
from nutsync.core.errors import (
    ErrBareRepository,
    ErrDetachedHead,
    ErrMergeUnderWay,
    ErrNoCell,
    ErrUsage,
    ErrZone,
)
from nutsync.operations.cell import open_cell
from nutsync.operations.founding import Founding, clone, init
from nutsync.operations.show import show
from nutsync.operations.status import read_status
from tests.support.cells import make_desk
from tests.support.clock import FakeClock
from tests.support.repos import git, is_sound, make_remote, make_repo, write

CASES = Path(__file__).resolve().parents[2].parent / "shared" / "cases" / "daily-notes"
FILES = sorted(path for path in CASES.rglob("*") if path.is_file() and path.name != "MANIFEST.jsonl")
TODAY = "2026-11-30"


def test_init_makes_a_repository_a_cell_and_a_signed_birth(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "memory")
    assert git(desk.root, "log", "--format=%s").strip() == "birth desk"
    assert set(git(desk.root, "ls-files").split()) == {
        ".agents/nutstore-sync/cell.toml",
        ".agents/nutstore-sync/devices/desk.toml",
        ".agents/nutstore-sync/memory/.gitignore",
        ".gitattributes",
    }
    assert git(desk.root, "status", "--porcelain") == ""
    assert is_sound(desk.root)


def test_a_second_init_changes_nothing(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "memory")
    before = git(desk.root, "rev-parse", "HEAD")
    again = init(desk.root, Founding(), clock=desk.clock, environ={})
    assert not again.made
    assert not again.enrolled
    assert (again.cell.device, again.cell.actor) == ("desk", "ana")
    assert git(desk.root, "rev-parse", "HEAD") == before


def test_what_else_lies_in_the_repository_stays_as_it_is(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "vault")
    write(root, "notes/a.md", "mine\n")
    git(root, "add", "notes/a.md")
    write(root, "notes/b.md", "untracked\n")
    write(root, ".gitattributes", "*.png binary")
    make_desk(root)
    status = git(root, "status", "--porcelain").split("\n")
    assert status == [" M .gitattributes", "A  notes/a.md", "?? notes/b.md"]
    assert git(root, "show", "HEAD:.gitattributes").startswith(".agents/"), "what was not committed is not"
    attributes = (root / ".gitattributes").read_text()
    assert attributes.startswith("*.png binary\n.agents/")


def test_old_day_files_are_taken_over_with_their_bytes(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "vault")
    write(root, day_path("2019-05-01"), "# Monday\r\n\r\n- old one\r\nno newline")
    desk = make_desk(root)
    committed = git(root, "show", f"HEAD:{day_path('2019-05-01')}")
    assert committed == "# Monday\n\n- old one\nno newline"
    assert show(desk.cell, Ref("2019-05-01"), actor="ana").entries[1][1].text == "old one"
    assert git(root, "status", "--porcelain") == ""


@pytest.mark.skipif(not FILES, reason="the folder of cases is not here")
def test_every_shape_of_daily_note_survives_birth_append_and_show(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "vault")
    days = {f"20{10 + number // 300:02d}-{number // 28 % 12 + 1:02d}-{number % 28 + 1:02d}": path
            for number, path in enumerate(FILES)}  # fmt: skip
    for date, path in days.items():
        write(root, day_path(date), path.read_bytes())
    desk = make_desk(root)
    assert git(root, "status", "--porcelain") == ""
    for date, path in days.items():
        clean = normalise_line_ends(path.read_bytes())
        committed = desk.cell.git.run("show", f"HEAD:{day_path(date)}").out
        assert committed.rstrip(b"\n") == clean.rstrip(b"\n"), path.name
        if clean.strip():
            shown = show(desk.cell, Ref(date), actor="ana")
            assert [b.raw for _, b in shown.entries] == [b.raw for b in Day.parse(clean, date).blocks]


@pytest.mark.skipif(not FILES, reason="the folder of cases is not here")
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_note_of_any_shape_that_is_todays_takes_an_append(tmp_path: Path, path: Path) -> None:
    root = make_repo(tmp_path / "vault")
    write(root, day_path(TODAY), path.read_bytes())
    desk = make_desk(root)
    before = desk.day(TODAY)
    desk.append("appended")
    after = desk.day(TODAY)
    assert [b.body for b in after.blocks[:-1]] == [b.body for b in before.blocks]
    assert after.blocks[-1].text == "appended"
    assert git(root, "status", "--porcelain") == ""


def test_a_clone_of_an_empty_remote_is_a_new_cell(tmp_path: Path) -> None:
    remote = make_remote(tmp_path / "remote.git")
    founded = clone(str(remote), tmp_path / "desk", Founding(actor="ana"), clock=FakeClock(), environ={})
    assert founded.made


def test_a_clone_enrols_its_device_beside_the_others(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "desk")
    remote = make_remote(tmp_path / "remote.git")
    git(desk.root, "push", "-q", str(remote), "main")
    asked = Founding(actor="ana", device="laptop")
    laptop = clone(str(remote), tmp_path / "laptop", asked, clock=FakeClock(), environ={}).cell
    names = git(laptop.root, "ls-files", ".agents/nutstore-sync/devices").split()
    assert [Path(name).stem for name in names] == ["desk", "laptop"]


def test_a_clone_of_a_history_that_breaks_the_law_says_so(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "desk")
    desk.append("buy milk")
    path = desk.path("2026-11-30")
    when = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), "2026-11-30T09:30:00+08:00")
    remote = make_remote(tmp_path / "remote.git")
    git(desk.root, "push", "-q", str(remote), "main")
    asked = Founding(actor="ana", device="first")
    founded = clone(str(remote), tmp_path / "first", asked, clock=FakeClock(), environ={})
    assert founded.broken == () and "findings" not in founded.as_json()
    path.write_bytes(path.read_bytes().replace(b"milk", b"beer"))
    git(desk.root, "-c", "core.hooksPath=/dev/null", "commit", "-qam", "x", env=when)
    git(desk.root, "-c", "core.hooksPath=/dev/null", "push", "-q", str(remote), "main")
    asked = Founding(actor="ana", device="second")
    founded = clone(str(remote), tmp_path / "second", asked, clock=FakeClock(), environ={})
    assert [finding.code for finding in founded.broken] == ["today-altered"]
    (finding,) = founded.as_json()["findings"]  # type: ignore[misc]
    assert finding["commit"] == git(desk.root, "rev-parse", "HEAD")


def test_a_device_name_that_another_key_holds_gets_a_suffix(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "desk")
    remote = make_remote(tmp_path / "remote.git")
    git(desk.root, "push", "-q", str(remote), "main")
    asked = Founding(actor="ana", device="desk")
    other = clone(str(remote), tmp_path / "other", asked, clock=FakeClock(), environ={}).cell
    assert other.device == "desk-2"


def test_a_remote_that_holds_no_cell_is_named(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "code")
    write(root, "a.txt", "x")
    git(root, "add", "a.txt")
    git(root, "commit", "-qm", "code")
    with pytest.raises(ErrNoCell):
        clone(str(root), tmp_path / "clone", Founding(), clock=FakeClock(), environ={})


def test_an_unknown_zone_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(ErrZone):
        make_desk(tmp_path / "memory", zone="Mars/Olympus")
    assert not (tmp_path / "memory" / ".agents").exists()


def test_a_bare_repository_is_named(tmp_path: Path) -> None:
    with pytest.raises(ErrBareRepository):
        make_desk(make_remote(tmp_path / "remote.git"))


def test_a_detached_head_and_an_unfinished_merge_are_named(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "memory")
    (desk.root / ".git" / "MERGE_HEAD").write_text(git(desk.root, "rev-parse", "HEAD"))
    with pytest.raises(ErrMergeUnderWay):
        desk.append("x")
    (desk.root / ".git" / "MERGE_HEAD").unlink()
    git(desk.root, "checkout", "-q", "--detach")
    with pytest.raises(ErrDetachedHead):
        desk.append("x")


def test_the_cell_is_found_from_below_and_by_name(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "memory")
    below = desk.root / "a" / "b"
    below.mkdir(parents=True)
    assert open_cell(below, environ={}).root == desk.root
    assert open_cell(tmp_path, environ={"NUTSYNC_CELL": str(desk.root)}).root == desk.root
    with pytest.raises(ErrNoCell):
        open_cell(tmp_path, environ={})


def test_an_inner_repository_without_a_cell_does_not_hide_the_outer_one(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "vault")
    inner = make_repo(desk.root / "projects" / "code")
    assert open_cell(inner, environ={}).root == desk.root


def test_a_folder_inside_another_repository_is_not_silently_taken_for_it(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "code")
    (root / "memory").mkdir()
    with pytest.raises(ErrUsage):
        make_desk(root / "memory")
    assert not (root / ".agents").exists()
    desk = make_desk(root)
    assert init(root / "memory", Founding(), clock=desk.clock, environ={}).cell.root == root


def test_a_fresh_clone_has_nothing_waiting_but_its_own_enrolment(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "desk")
    desk.append("one", "two")
    remote = make_remote(tmp_path / "remote.git")
    git(desk.root, "push", "-q", str(remote), "main")
    laptop = clone(
        str(remote), tmp_path / "laptop", Founding(actor="ana"), clock=FakeClock(), environ={}
    ).cell
    status = read_status(laptop)
    assert status.waiting == 0
    assert "NEVER" not in status.words()
