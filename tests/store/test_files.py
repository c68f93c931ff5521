"""Files are written whole or not at all, and what cannot be read is never taken for nothing."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nutsync.core.errors import ErrDiskFull, ErrUnreadable, ErrUnwritable
from nutsync.store import files
from nutsync.store.files import (
    TEMP_PREFIX,
    day_files,
    read_bytes,
    read_if_there,
    remove_file,
    remove_temporaries,
    write_atomic,
)


def fail_on(monkeypatch: pytest.MonkeyPatch, nth: int, code: int) -> Callable[[], int]:
    """Make the nth call of the system that writing needs fail; return a counter of all calls."""
    count = 0

    def wrap(real: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **kwargs: object) -> object:
            nonlocal count
            count += 1
            if count == nth:
                raise OSError(code, os.strerror(code))
            return real(*args, **kwargs)

        return call

    for name in ("open", "write", "fsync", "fchmod", "replace", "mkdir", "lstat"):
        monkeypatch.setattr(os, name, wrap(getattr(os, name)))
    return lambda: count


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize(
    ("code", "name"), [(errno.ENOSPC, ErrDiskFull), (errno.EROFS, ErrUnwritable), (errno.EIO, ErrUnwritable)]
)
def test_whichever_call_fails_the_old_content_or_the_new_is_there_and_no_temporary(
    tmp_path: Path, there: bool, code: int, name: type[ErrUnwritable]
) -> None:
    folder = tmp_path / "2026"
    target = folder / "2026-11-30.md"
    failures = 0
    for nth in range(1, 40):
        if there:
            folder.mkdir(exist_ok=True)
            target.write_bytes(b"old\n")
        else:
            target.unlink(missing_ok=True)
        with pytest.MonkeyPatch.context() as patch:
            calls = fail_on(patch, nth, code)
            try:
                write_atomic(target, b"new\n")
            except ErrUnwritable as refusal:
                failures += 1
                assert type(refusal) is name
                assert str(tmp_path) in refusal.message
            made = calls()
        left = {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}
        assert left in ({}, {target.name: b"old\n"}, {target.name: b"new\n"})
        assert left or not there
        if made < nth:
            break
    assert failures >= 4
    assert target.read_bytes() == b"new\n"


def test_a_write_that_is_interrupted_leaves_no_temporary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomic(tmp_path / "day.md", b"x")
    assert list(tmp_path.iterdir()) == []


def test_a_short_write_is_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: real(handle, bytes(data)[:3]))
    write_atomic(tmp_path / "day.md", b"0123456789")
    assert (tmp_path / "day.md").read_bytes() == b"0123456789"


def test_the_file_and_then_its_folder_are_flushed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    real_sync, real_replace = os.fsync, os.replace

    def sync(handle: int) -> None:
        told.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        real_sync(handle)

    def replace(old: str, new: str) -> None:
        told.append("rename")
        real_replace(old, new)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(os, "replace", replace)
    write_atomic(tmp_path / "day.md", b"x")
    assert told == ["file", "rename", "folder"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_a_new_file_obeys_the_umask_and_an_old_one_keeps_its_permissions(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_atomic(tmp_path / "new", b"x")
        write_atomic(tmp_path / "key", b"x", mode=0o600)
        (tmp_path / "old").write_bytes(b"x")
        (tmp_path / "old").chmod(0o604)
        write_atomic(tmp_path / "old", b"y")
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {"new": 0o640, "key": 0o600, "old": 0o604}


def test_a_link_is_replaced_and_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"theirs")
    (tmp_path / "day.md").symlink_to("target")
    write_atomic(tmp_path / "day.md", b"ours")
    assert (tmp_path / "target").read_bytes() == b"theirs"
    assert not (tmp_path / "day.md").is_symlink()


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300_000))
def test_what_was_written_reads_back(tmp_path: Path, content: bytes) -> None:
    write_atomic(tmp_path / "a/b/day.md", content)
    assert read_bytes(tmp_path / "a/b/day.md") == content


def test_absent_and_unreadable_are_different_answers(tmp_path: Path) -> None:
    assert read_if_there(tmp_path / "none") is None
    with pytest.raises(FileNotFoundError):
        read_bytes(tmp_path / "none")
    (tmp_path / "folder").mkdir()
    with pytest.raises(ErrUnreadable, match="folder"):
        read_if_there(tmp_path / "folder")


def test_removing_says_whether_there_was_something(tmp_path: Path) -> None:
    (tmp_path / "day.md").touch()
    assert remove_file(tmp_path / "day.md")
    assert not remove_file(tmp_path / "day.md")
    (tmp_path / "folder").mkdir()
    with pytest.raises(ErrUnwritable):
        remove_file(tmp_path / "folder")


def test_what_a_killed_writer_left_is_swept(tmp_path: Path) -> None:
    (tmp_path / f"{TEMP_PREFIX}123-abc").touch()
    (tmp_path / "day.md").touch()
    assert remove_temporaries(tmp_path) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["day.md"]
    assert remove_temporaries(tmp_path / "none") == 0


# --- the walk over day files ---------------------------------------------------------------------------


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Five days in three years, and much that is no day file."""
    root = tmp_path / "archive"
    names = [
        "2024/2024-02-29.md",
        "2025/2025-01-01.md",
        "2025/2025-12-31.md",
        "2026/2026-11-30.md",
        "2026/2026-01-05.md",
    ]
    strays = [
        *("2026/2025-11-30.md", "2026/2026-02-30.md", "2026/2026-11-30.MD", "2026/2026-11-30.md.bak"),
        *(
            f"2026/{TEMP_PREFIX}1",
            "2026/notes.md",
            "26/2026-11-30.md",
            "2026-11-30.md",
            "２０２６/2026-11-30.md",
        ),
    ]
    for name in names + strays:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    (root / "2026/2026-07-01.md").mkdir()
    (root / "2023").symlink_to("2025")
    (root / "2026/2026-08-01.md").symlink_to("2026-11-30.md")
    return root


def test_day_files_come_sorted_and_nothing_else_comes(archive: Path) -> None:
    found = list(day_files(archive))
    assert [date for date, _ in found] == [
        "2024-02-29",
        "2025-01-01",
        "2025-12-31",
        "2026-01-05",
        "2026-11-30",
    ]
    assert all(path == archive / date[:4] / f"{date}.md" for date, path in found)


@pytest.mark.parametrize(
    ("since", "until", "dates"),
    [
        ("2025-12-31", "2026-01-05", ["2025-12-31", "2026-01-05"]),
        ("2026-01-06", "9999", ["2026-11-30"]),
        ("", "2024-12-31", ["2024-02-29"]),
        ("2026-12-01", "2027-01-01", []),
    ],
)
def test_a_range_takes_both_of_its_ends(archive: Path, since: str, until: str, dates: list[str]) -> None:
    assert [date for date, _ in day_files(archive, since, until)] == dates


def test_an_archive_that_is_not_there_yet_has_no_days(tmp_path: Path) -> None:
    assert list(day_files(tmp_path / "none")) == []


def test_a_folder_that_cannot_be_listed_is_an_error_and_not_an_empty_one(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.scandir

    def scandir(folder: str) -> object:
        if folder.endswith("2025"):
            raise PermissionError(errno.EACCES, "Permission denied", folder)
        return real(folder)

    monkeypatch.setattr(files.os, "scandir", scandir)
    with pytest.raises(ErrUnreadable, match="2025"):
        list(day_files(archive))
