"""The note of days with corrections says where to look, and never hides one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nutsync.core.cell import day_path
from nutsync.store import corrections
from nutsync.store.corrections import correcting_days

PLAIN = b"- plain <!-- nut id=aaaaaaaa -->\n"
CORRECTION = b"- better <!-- nut id=bbbbbbbb kind=correction corrects=2024-01-01#aaaaaaaa -->\n"
LONG_AGO = 1_000_000_000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for date in ("2024-01-01", "2024-05-05", "2025-03-03", "2026-11-30"):
        write(tmp_path, date, PLAIN)
    write(tmp_path, "2024-05-05", CORRECTION)
    write(tmp_path, "2025-03-03", CORRECTION)
    settle(tmp_path)
    return tmp_path


def write(root: Path, date: str, content: bytes) -> None:
    path = root / day_path(date)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def settle(root: Path) -> None:
    """Let the folders have changed long before any note is written."""
    for folder in (root / day_path("2024-01-01")).parents[1].iterdir():
        os.utime(folder, (LONG_AGO, LONG_AGO))


def days(root: Path, since: str = "2024-01-01", recent: str = "2026-11-01") -> list[str]:
    private = root / "private"
    private.mkdir(exist_ok=True)
    return correcting_days(root, private, since, recent)


def test_it_names_the_days_that_hold_corrections(root: Path) -> None:
    assert days(root) == ["2024-05-05", "2025-03-03"]
    assert days(root) == ["2024-05-05", "2025-03-03"]
    assert days(root, since="2025-01-01") == ["2025-03-03"]


def test_a_noted_year_is_not_read_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    days(root)
    read: list[str] = []
    real = corrections.read_bytes
    monkeypatch.setattr(corrections, "read_bytes", lambda path: read.append(str(path)) or real(path))
    days(root)
    assert [Path(path).stem for path in read] == ["2026-11-30"]


def test_a_day_added_to_a_noted_year_is_seen(root: Path) -> None:
    days(root)
    write(root, "2024-06-06", CORRECTION)
    assert "2024-06-06" in days(root)


def test_a_recent_day_written_in_place_is_seen(root: Path) -> None:
    days(root)
    write(root, "2026-11-30", CORRECTION)
    settle(root)
    assert days(root)[-1] == "2026-11-30"


def test_a_year_that_may_still_have_been_changing_is_read_again(root: Path) -> None:
    write(root, "2024-07-07", PLAIN)
    days(root)
    folder = (root / day_path("2024-07-07")).parent
    times = (folder.stat().st_atime_ns, folder.stat().st_mtime_ns)
    write(root, "2024-07-07", CORRECTION)
    os.utime(folder, ns=times)
    assert "2024-07-07" in days(root)


@pytest.mark.parametrize("note", [b"", b"nonsense\n", b"2024 x\n", b"\xff\xfe"])
def test_a_damaged_note_costs_only_reading(root: Path, note: bytes) -> None:
    days(root)
    (root / "private" / "corrections").write_bytes(note)
    assert days(root) == ["2024-05-05", "2025-03-03"]


def test_the_note_holds_dates_and_no_text(root: Path) -> None:
    days(root)
    assert b"better" not in (root / "private" / "corrections").read_bytes()


def test_where_nothing_can_be_noted_the_days_are_read_each_time(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nutsync.core.errors import ErrUnwritable

    def refuse(*_: object) -> None:
        raise ErrUnwritable("no")

    monkeypatch.setattr(corrections, "write_atomic", refuse)
    assert days(root) == days(root) == ["2024-05-05", "2025-03-03"]
