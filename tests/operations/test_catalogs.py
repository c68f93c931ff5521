"""Catalogs are derived: whatever happens to them or to the days, the next use of memory makes them good."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nutsync.core.cell import catalog_path, day_path
from nutsync.core.errors import ErrUnreadable, ErrUsage
from nutsync.operations.catalogs import check, make_good, rebuild

TODAY = "2026-11-30"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for date, index in (("2025-12-31", "old year"), ("2026-11-29", "it''s 报价"), (TODAY, "today")):
        _day(tmp_path, date, index)
    return tmp_path


def _day(root: Path, date: str, index: str) -> Path:
    path = root / day_path(date)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\ndate: {date}\nindex: '{index}'\n---\n## {date}\n- a\n", encoding="utf-8")
    _settle(path.parent)
    return path


def _settle(folder: Path) -> None:
    """Put a folder's time a little back, as if its last change were a second ago."""
    past = folder.stat().st_mtime_ns - 1_000_000_000
    os.utime(folder, ns=(past, past))


def _catalog(root: Path, year: str) -> str | None:
    path = root / catalog_path(year)
    return path.read_text(encoding="utf-8") if path.exists() else None


def _make_good(root: Path, today: str = TODAY) -> None:
    make_good(root, root / "private", today)


def test_frozen_days_have_a_row_with_their_decoded_index_and_today_has_none(root: Path) -> None:
    _make_good(root)
    assert _catalog(root, "2025") == "2025-12-31\told year\n"
    assert _catalog(root, "2026") == "2026-11-29\tit's 报价\n"
    assert check(root, TODAY) == []


def test_after_midnight_the_day_that_froze_gets_its_row(root: Path) -> None:
    _make_good(root)
    _make_good(root, "2026-12-01")
    assert _catalog(root, "2026") == "2026-11-29\tit's 报价\n2026-11-30\ttoday\n"


def test_a_day_that_froze_in_a_year_that_passed_by_unused_gets_its_row(root: Path) -> None:
    _day(root, "2027-05-01", "from further east")
    _make_good(root)
    assert _catalog(root, "2027") is None
    _make_good(root, "2028-02-01")
    assert _catalog(root, "2027") == "2027-05-01\tfrom further east\n"


def test_a_catalog_that_was_deleted_or_poisoned_is_made_anew(root: Path) -> None:
    _make_good(root)
    _make_good(root)
    (root / catalog_path("2025")).unlink()
    (root / catalog_path("2026")).write_text("2026-01-01\tnever happened\n")
    _make_good(root)
    assert _catalog(root, "2025") == "2025-12-31\told year\n"
    assert check(root, TODAY) == []


def test_a_day_that_came_changed_or_went_is_found_without_any_hook(root: Path) -> None:
    _make_good(root)
    _day(root, "2026-03-01", "came late")
    _make_good(root)
    assert "2026-03-01\tcame late\n" in (_catalog(root, "2026") or "")
    replaced = _day(root, "2025-12-30", "x")
    replaced.replace(root / day_path("2025-12-31"))
    _make_good(root)
    assert _catalog(root, "2025") == "2025-12-31\tx\n"
    (root / day_path("2025-12-31")).unlink()
    _make_good(root)
    assert _catalog(root, "2025") is None


def test_years_that_did_not_change_are_not_read_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _make_good(root)
    read: list[str] = []
    monkeypatch.setattr(
        "nutsync.operations.catalogs.read_indexes", lambda _root, year, _until: read.append(year)
    )
    _make_good(root)
    assert read == []


def test_a_folder_that_changed_just_before_the_note_is_not_trusted(root: Path) -> None:
    """Two changes within one tick of the file system's clock leave the same folder time."""
    path = root / day_path("2025-12-31")
    _make_good(root)
    folder = path.parent
    os.utime(folder)
    stamp = folder.stat().st_mtime_ns
    _make_good(root)
    path.write_text(path.read_text().replace("old year", "new words"))
    os.utime(folder, ns=(stamp, stamp))
    _make_good(root)
    assert _catalog(root, "2025") == "2025-12-31\tnew words\n"


def test_check_names_every_fault_and_changes_nothing(root: Path) -> None:
    _make_good(root)
    (root / catalog_path("2026")).write_text("2026-01-01\tx\n2026-11-29\tother\nnot a row\n")
    before = _catalog(root, "2026")
    codes = sorted(finding.code for finding in check(root, TODAY))
    assert codes == ["catalog-form", "catalog-stale", "catalog-surplus"]
    assert _catalog(root, "2026") == before
    (root / catalog_path("2025")).unlink()
    assert "catalog-missing" in {finding.code for finding in check(root, TODAY)}


def test_rebuild_takes_only_the_years_it_is_asked_for(root: Path) -> None:
    done = rebuild(root, root / "private", TODAY, ["2025"])
    assert (done.years, done.rows) == (("2025",), 1)
    assert _catalog(root, "2026") is None
    assert rebuild(root, root / "private", TODAY).as_json() == {"years": ["2025", "2026"], "rows": 2}
    with pytest.raises(ErrUsage):
        rebuild(root, root / "private", TODAY, ["26"])


def test_an_index_that_only_yaml_can_read_stands_in_the_catalog(root: Path) -> None:
    path = root / day_path("2026-02-02")
    path.write_text("---\ntags: [a]\nindex: >\n  folded\n  over lines\ndate: 2026-02-02\n---\n- a\n")
    _make_good(root)
    assert "2026-02-02\tfolded over lines\n" in (_catalog(root, "2026") or "")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write anything")
def test_unreadable_days_are_an_error_and_unwritable_catalogs_are_none(root: Path) -> None:
    memory = (root / catalog_path("2026")).parent.parent
    memory.chmod(0o500)
    _make_good(root)
    memory.chmod(0o700)
    (root / day_path("2025-12-31")).chmod(0)
    with pytest.raises(ErrUnreadable):
        _make_good(root)
