"""Habits of Windows and macOS: line ends, case, composed letters, code pages, long paths, open files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from nutsync.core.cell import ARCHIVE_DIR, MEMORY_DIR, day_path
from nutsync.core.errors import ErrIncoming, ErrUnwritable
from nutsync.core.recall.match import Query, Term
from nutsync.operations.forget import ForgetRequest, forget
from nutsync.operations.verify import verify
from nutsync.store import files
from nutsync.store.files import remove_file, write_atomic
from tests.support.cells import Desk, make_desk
from tests.support.fleet import Fleet, same
from tests.support.repos import commit_files, git, make_clone, run_git, show

ROOT = Path(__file__).resolve().parents[2]
TODAY = "2026-11-30"
NOON = f"{TODAY}T09:02:00+08:00"


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    fleet = Fleet(tmp_path)
    fleet["desk"].append("common ground")
    fleet.sync_all()
    return fleet


def stored(desk: Desk) -> bytes:
    """Return today's file as Git holds it."""
    return show(desk.root, f"HEAD:{day_path(TODAY)}")


# --- line ends ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("setting", ["true", "input"])
def test_a_clone_that_turns_line_ends_round_agrees_with_all_others(
    fleet: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    """Git for Windows sets core.autocrlf for everybody."""
    git(tmp_path, "config", "--global", "core.autocrlf", setting)
    git(tmp_path, "config", "--global", "core.eol", "crlf")
    windows = fleet.add("windows")
    windows.append("from windows")
    fleet["desk"].append("from the desk")
    fleet.sync_all()
    assert same(fleet.archives())
    first = windows.day(TODAY).entries()[0][0]
    forget(windows.cell, ForgetRequest(refs=(first,), reason="asked for", actor="ana"))
    fleet.sync_all()
    assert same(fleet.archives())
    assert sorted(fleet["desk"].texts(TODAY)) == ["from the desk", "from windows"]
    for desk in fleet.desks.values():
        assert b"\r" not in stored(desk)
        assert git(desk.root, "status", "--porcelain") == ""
        assert verify(desk.cell).ok


def test_what_notepad_writes_travels_without_its_line_ends(fleet: Fleet) -> None:
    path = fleet["desk"].path(TODAY)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n") + b"- by hand\r\n")
    fleet.sync_all()
    assert same(fleet.archives())
    assert fleet["lap"].texts(TODAY) == ["common ground", "by hand"]
    assert b"\r" not in stored(fleet["lap"])


# --- names ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        day_path(TODAY).replace("/archive/", "/Archive/"),
        day_path(TODAY).replace(".agents/", ".Agents/"),
        day_path(TODAY).replace(".md", ".MD"),
        day_path("2019-05-01").replace("/memory/", "/MEMORY/"),
    ],
)
def test_a_path_that_is_the_cell_s_on_a_system_without_case_is_refused(
    fleet: Fleet, tmp_path: Path, path: str
) -> None:
    """Checked out on macOS or Windows it would be, or hide, the file that it resembles."""
    plain = make_clone(fleet.remote, tmp_path / "plain")
    bad = commit_files(plain, {path: "- forged\n"}, when=NOON)
    git(plain, "push", "-q", "origin", "HEAD:main")
    with pytest.raises(ErrIncoming, match=bad[:12]):
        fleet.sync("lap")
    assert fleet["lap"].texts(TODAY) == ["common ground"]


def test_a_clone_on_a_system_without_case_works_as_any_other(fleet: Fleet) -> None:
    git(fleet["lap"].root, "config", "core.ignorecase", "true")
    fleet.reopen("lap").append("without case")
    fleet.sync_all()
    assert same(fleet.archives())
    assert fleet["desk"].texts(TODAY) == ["common ground", "without case"]


def test_decomposed_letters_find_composed_ones_and_the_other_way_round(tmp_path: Path) -> None:
    """macOS types and names files in decomposed letters, everybody else in composed ones."""
    composed, decomposed = "Café Zürich", unicodedata.normalize("NFD", "Café Zürich")
    assert composed != decomposed
    for said, asked in ((decomposed, composed), (composed, decomposed)):
        assert Query.any_of([Term.literal(word) for word in asked.split()]).matches(said)
    desk = make_desk(tmp_path / unicodedata.normalize("NFD", "Mémoire"))
    ref = desk.append(f"meet at {decomposed}").placed[0].ref
    assert desk.day(TODAY).find(ref).text == f"meet at {decomposed}"  # type: ignore[union-attr]
    assert verify(desk.cell).ok
    assert git(desk.root, "status", "--porcelain") == ""


# --- code pages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["gbk", "cp1252", "shift_jis"])
def test_a_line_in_another_code_page_keeps_every_byte_on_every_device(fleet: Fleet, page: str) -> None:
    words = {"gbk": "报价", "cp1252": "Größe", "shift_jis": "見積"}[page].encode(page)
    with fleet["desk"].path(TODAY).open("ab") as file:
        file.write(b"- " + words + b"\n")
    fleet.sync_all()
    assert same(fleet.archives())
    assert b"- " + words in stored(fleet["lap"])


def run(cell: Path, *words: str, given: bytes = b"", **env: str) -> subprocess.CompletedProcess[bytes]:
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", **env}
    command = [sys.executable, "-m", "nutsync", "-C", str(cell), *words]
    return subprocess.run(command, input=given, env=environ, capture_output=True, check=False)


def test_programs_read_utf_8_whatever_the_system_s_code_page_is(tmp_path: Path) -> None:
    """The encoding of a system with an old code page is that of the C locale here: plain ASCII."""
    cell = make_desk(tmp_path / "memory").root
    said = run(cell, "--json", "append", "-", given="X-200 报价 12,800 元".encode(), LC_ALL="C")
    assert said.returncode == 0, said.stderr.decode()
    ref = json.loads(said.stdout.decode("utf-8"))["entries"][0]["ref"]
    for form in (("show", ref), ("--json", "show", ref)):
        shown = run(cell, *form, LC_ALL="C")
        assert shown.returncode == 0 and "报价" in shown.stdout.decode("utf-8")


def test_a_terminal_that_cannot_say_a_letter_is_shown_an_escape_and_no_bug(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "memory")
    ref = desk.append("X-200 报价").placed[0].ref
    shown = run(desk.root, "show", str(ref), PYTHONIOENCODING="cp1252")
    assert shown.returncode == 0, shown.stderr.decode()
    assert rb"\u62a5\u4ef7" in shown.stdout


def test_a_session_s_note_is_read_as_utf_8(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "memory")
    given = "正在看报价".encode()
    noted = run(desk.root, "session", "note", "-", "--session", "s1", given=given, PYTHONIOENCODING="cp1252")
    assert noted.returncode == 0, noted.stderr.decode()
    assert given in (desk.root / MEMORY_DIR / "session" / "s1.md").read_bytes()


# --- long paths ----------------------------------------------------------------------------------------


def test_a_cell_deep_down_is_as_good_as_any_other(tmp_path: Path) -> None:
    """Longer than the 260 characters that Windows once had."""
    deep = tmp_path.joinpath(*(["a-folder-with-a-rather-long-name"] * 9))
    deep.mkdir(parents=True)
    assert len(str(deep / day_path(TODAY))) > 300
    fleet = Fleet(deep)
    fleet["desk"].append("deep down")
    fleet.sync_all()
    assert same(fleet.archives()) and fleet["lap"].texts(TODAY) == ["deep down"]


# --- files that another program has open -------------------------------------------------------------------


class Holder:
    """Another program that has a file open, as Windows sees it, for so many tries to replace or remove it."""

    def __init__(self, patch: pytest.MonkeyPatch, tries: int, name: str = "") -> None:
        self.left = tries
        self.waits = 0
        self.name = name
        patch.setattr(files, "_OPEN_FILES_STAY", True)
        patch.setattr(files, "_wait", self._wait)
        for verb in ("replace", "unlink"):
            patch.setattr(Path, verb, self._held(getattr(Path, verb)))

    def _wait(self, _seconds: float) -> None:
        self.waits += 1

    def _held(self, real: Callable[..., object]) -> Callable[..., object]:
        def act(path: Path, *args: object, **kwargs: object) -> object:
            where = [str(path), *map(str, args)]
            if self.left and any(
                one.endswith(self.name) for one in where if not Path(one).name.startswith(".")
            ):
                self.left -= 1
                raise PermissionError(13, "The process cannot access the file", str(path))
            return real(path, *args, **kwargs)

        return act


def test_a_file_that_is_open_elsewhere_is_replaced_and_removed_once_it_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "day.md"
    target.write_text("old")
    holder = Holder(monkeypatch, 3, "day.md")
    write_atomic(target, b"new")
    assert (target.read_text(), holder.waits) == ("new", 3)
    holder.left = 2
    assert remove_file(target)
    assert (target.exists(), holder.waits) == (False, 5)


def test_a_file_that_stays_open_is_named_and_left_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "day.md"
    target.write_text("old")
    Holder(monkeypatch, 10_000, "day.md")
    with pytest.raises(ErrUnwritable, match=r"day\.md could not be written"):
        write_atomic(target, b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["day.md"]
    assert target.read_text() == "old"


def test_an_append_under_an_editor_that_never_lets_go_is_completed_by_the_next_command(
    tmp_path: Path,
) -> None:
    """What was said to have failed may have been committed: said again, it is there once."""
    desk = make_desk(tmp_path / "memory")
    desk.append("first")
    with pytest.MonkeyPatch.context() as patch:
        Holder(patch, 10_000, f"{TODAY}.md")
        with pytest.raises(ErrUnwritable):
            desk.append("second")
    assert desk.texts(TODAY) == ["first"]
    desk.append("second")
    assert desk.texts(TODAY) == ["first", "second"]
    assert git(desk.root, "status", "--porcelain") == ""
    assert verify(desk.cell).ok
    leftovers = [path for path in (desk.root / ARCHIVE_DIR).rglob("*") if path.name.startswith(".")]
    assert leftovers == []
    assert run_git(desk.root, "fsck", "--strict", "--no-dangling").returncode == 0
