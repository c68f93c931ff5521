"""The archives to measure on are real: canonical days, lawful commits, the same for everybody."""

from __future__ import annotations

import subprocess
from datetime import date
from pathlib import Path

import pytest

from bench.archive import ARCHIVE, Founding, Plan, build, day_commits
from bench.signed import sign_history
from nutsync.core.day import Day
from nutsync.core.entry import encode_entry
from nutsync.store.repo.keys import Verdict, check_signature, make_key


def git(directory: Path, *args: str) -> str:
    done = subprocess.run(["git", "-C", str(directory), *args], check=True, stdout=subprocess.PIPE)
    return done.stdout.decode()


@pytest.fixture(scope="module")
def year(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("year")
    build(directory, Plan(years=1, foundings=[Founding({"cell.toml": b"first\n"})]))
    return directory


def test_a_year_is_a_birth_and_one_commit_for_each_of_365_days(year: Path) -> None:
    assert git(year, "rev-list", "--count", "HEAD").strip() == "366"
    assert len(list((year / ARCHIVE).rglob("*.md"))) == 365
    assert git(year, "status", "--porcelain") == ""


def test_each_day_is_committed_on_that_day_where_it_was_lived(year: Path) -> None:
    log = git(year, "log", "--format=%x00%ad %cd", "--date=format:%Y-%m-%d", "--name-only")
    for record in log.split("\0")[1:-1]:
        dates, _, path = record.strip().partition("\n\n")
        assert dates.split() == [Path(path).stem] * 2


def test_the_same_plan_gives_the_same_commit_and_another_seed_another(tmp_path: Path) -> None:
    plan = Plan(years=1, seed=7)
    assert build(tmp_path / "a", plan) == build(tmp_path / "b", plan)
    assert build(tmp_path / "c", Plan(years=1, seed=8)) != build(tmp_path / "d", plan)


def test_days_before_1970_are_imports_and_time_never_runs_backwards() -> None:
    commits = list(day_commits(Plan(years=2, until=date(1970, 12, 31))))
    old = [commit for commit in commits if "/1969/" in commit.path]
    assert len(old) == 365
    assert all("Nutsync-Op: import" in commit.message for commit in old)
    assert all(commit.content.count(b"formation=imported") == 8 for commit in old)
    seconds = [commit.seconds for commit in commits]
    assert seconds == sorted(seconds)
    assert seconds[0] >= 0


def test_both_languages_and_entries_of_several_lines_occur() -> None:
    content = b"".join(commit.content for commit in day_commits(Plan(years=1))).decode()
    assert "季度报告" in content
    assert "the quarterly report" in content
    assert "\n  Next step" in content


def test_days_and_entries_stand_exactly_as_the_product_writes_them() -> None:
    for commit in day_commits(Plan(years=1)):
        day = Day.parse(commit.content, Path(commit.path).stem)
        assert day.index is not None
        written = Day.new(day.date).append(*(encode_entry(b.text, b.attributes) for b in day.blocks))
        assert written.with_index(day.index).render() == commit.content


def test_a_history_can_be_signed_and_its_trees_and_messages_stay(tmp_path: Path) -> None:
    build(tmp_path, Plan(years=1))
    key = make_key(tmp_path / ".git")
    assert key is not None
    before = git(tmp_path, "log", "--format=%T %at %ct %B")
    assert sign_history(tmp_path, "main", key.sign) == git(tmp_path, "rev-parse", "main").strip()
    assert git(tmp_path, "log", "--format=%T %at %ct %B") == before
    git(tmp_path, "fsck", "--strict", "--no-dangling")
    raw = git(tmp_path, "cat-file", "commit", "main~100").encode()
    armour, payload = split_signature(raw)
    assert check_signature(armour, payload).verdict is Verdict.GOOD


def split_signature(raw: bytes) -> tuple[bytes, bytes]:
    head, _, rest = raw.partition(b"gpgsig ")
    armour, _, message = rest.partition(b"\n\n")
    return armour.replace(b"\n ", b"\n") + b"\n", head.rstrip(b"\n") + b"\n\n" + message
