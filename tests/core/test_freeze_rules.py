"""Rules 4, 5, 6 and 8 of the freeze law: paths, form, dates, moves of the branch."""

from __future__ import annotations

import pytest

from nutsync.core.ancestry import UNBORN
from nutsync.core.cell import CELL_PATH
from nutsync.core.freeze import inherited_faults, judge_clock, judge_move
from tests.support.history import (
    MONDAY,
    History,
    Made,
    changes_between,
    day,
    entry,
    moment,
    name,
    purge_record,
)

A, B, C = entry("a", 1), entry("b", 2, "10:00:00.000+08:00"), entry("c", 3, "11:00:00.000+08:00")
MORNING, NOON, NEXT = "2026-11-30T09:00+08:00", "2026-11-30T12:00+08:00", "2026-12-01T12:00+08:00"
CELL = ".agents/nutstore-sync"
ARCHIVE = f"{CELL}/memory/archive"


@pytest.fixture
def history() -> History:
    return History()


@pytest.fixture
def two(history: History) -> Made:
    return history.append(history.born(), MONDAY, A, B, at=MORNING)


# --- Rule 4: paths ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (f"{ARCHIVE}/2026/notes.md", "path-stray"),
        (f"{ARCHIVE}/2026-11-30.md", "path-stray"),
        (f"{ARCHIVE}/2025/2026-11-30.md", "path-stray"),
        (f"{ARCHIVE}/2026/2026-11-31.md", "path-stray"),
        (f"{ARCHIVE}/2026/2026-11-30.md.bak", "path-stray"),
        (f"{ARCHIVE}/2026/2026-11-30.MD", "path-case"),
        (f"{CELL}/memory/Archive/2026/2026-11-30.md", "path-case"),
        (".Agents/nutstore-sync/cell.toml", "path-case"),
        (f"{CELL}/Cell.toml", "path-case"),
        (f"{CELL}/memory/session/s1.md", "path-session"),
    ],
)
def test_a_file_in_the_wrong_place_is_refused(history: History, two: Made, path: str, code: str) -> None:
    assert history.commit([two], {path: b"x\n"}, at=NOON).codes == [code]


def test_a_committed_catalog_is_worth_a_notice(history: History, two: Made) -> None:
    made = history.commit([two], {f"{CELL}/memory/catalog/2026.tsv": b""}, at=NOON)
    assert made.codes == []
    assert "path-derived" in made.notices


def test_a_stray_file_from_before_the_birth_may_change_and_go(history: History) -> None:
    stray = f"{ARCHIVE}/notes.md"
    born = history.born(files={stray: b"x\n"})
    assert history.commit([born], {stray: b"y\n"}, at=NOON).codes == []
    assert history.commit([born], {stray: None}, at=NOON).codes == []


@pytest.mark.parametrize("mode", ["100755", "120000", "160000"])
def test_a_day_is_a_plain_file(history: History, two: Made, mode: str) -> None:
    file = (mode, day(MONDAY, A, B).render())
    assert history.commit([two], {MONDAY: file}, at=NEXT).codes == ["path-mode"]
    assert history.commit([two], {MONDAY: file}, at=NOON).codes == ["path-mode"]
    assert history.commit([two], {CELL_PATH: (mode, b"format = 1\nadmins = []\n")}, at=NOON).codes == [
        "path-mode"
    ]


def test_a_frozen_day_is_not_renamed_or_moved(history: History, two: Made) -> None:
    content = day(MONDAY, A, B)
    moved = {MONDAY: None, "2026-11-29": content}
    assert sorted(history.commit([two], moved, at=NEXT).codes) == ["frozen-removed", "past-created"]
    folder = {MONDAY: None, f"{ARCHIVE}/old/{MONDAY}.md": content}
    assert sorted(history.commit([two], folder, at=NEXT).codes) == ["frozen-removed", "path-stray"]


def test_a_link_that_was_there_hides_no_new_past(history: History) -> None:
    born = history.born(files={"2026-11-29": ("120000", b"/elsewhere")})
    made = history.commit([born], {"2026-11-29": day("2026-11-29", A)}, at=NOON)
    assert made.codes == ["past-created"]


def test_a_submodule_or_link_in_the_cell_is_never_read(history: History) -> None:
    two = history.append(history.born(admins=("ana",)), MONDAY, A, B, at=MORNING)
    cell = ".agents/nutstore-sync"
    for path in (f"{cell}/devices/x.toml", f"{cell}/purged/x.toml", CELL_PATH, "2026-11-29"):
        for mode in ("160000", "120000"):
            made = history.commit([two], {path: (mode, b"= nonsense")}, at=NOON, op="purge")
            assert made.codes == ["path-mode"]
            assert made.ancestry.cell.admins == two.ancestry.cell.admins
            merged = history.merge(two, made, at=NOON)
            assert "merge-altered" not in merged.codes


# --- Rule 5: form -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "code"),
    [
        pytest.param(b"- no frontmatter\n", "form-front", id="no frontmatter"),
        pytest.param(b"---\ndate: 2026-11-30\nindex: 'x'\n- a\n", "form-front", id="no end"),
        pytest.param(b"---\ndate: 2026-11-30\nindex: 'x'\nindex: 'y'\n---\n", "form-front", id="two indexes"),
        pytest.param(b"---\ndate: 2026-11-29\nindex: 'x'\n---\n", "form-date", id="another date"),
        pytest.param(b"---\nindex: 'x'\n---\n", "form-date", id="no date"),
        pytest.param(b"---\ndate: 2026-11-30\n---\n", "form-index", id="no index"),
        pytest.param(b"---\ndate: 2026-11-30\nindex: x\n---\n", "form-index", id="no quotes"),
        pytest.param(b"---\ndate: 2026-11-30\nindex: 'a\tb'\n---\n", "form-index", id="a tab"),
        pytest.param(
            "---\ndate: 2026-11-30\nindex: 'a\u2028b'\n---\n".encode(), "form-index", id="a line break"
        ),
        pytest.param(
            b"---\ndate: 2026-11-30\nindex: '\xff'\n---\n", "form-index", id="bytes that are no text"
        ),
        pytest.param(
            b"---\ndate: 2026-11-30\nindex: 'x'\n---\n<<<<<<< HEAD\n- x\n", "form-markers", id="markers"
        ),
    ],
)
def test_a_new_file_has_the_right_form(history: History, content: bytes, code: str) -> None:
    assert history.commit([history.born()], {MONDAY: content}, at=NOON).codes == [code]


def test_quoting_in_either_way_and_more_keys_are_fine(history: History) -> None:
    good = '---\ntags: [x]\ndate: "2026-11-30"\nindex: "say \\"hi\\"; 报价"\n---\n- a\n'
    assert history.commit([history.born()], {MONDAY: good}, at=NOON).codes == []


def test_an_inherited_fault_is_no_veto_and_may_be_mended(history: History) -> None:
    broken = b"---\ndate: 2026-11-29\nindex: x\n---\n<<<<<<< a\n- x\n"
    born = history.born(files={MONDAY: broken})
    assert history.commit([born], {MONDAY: broken + b"- y\n"}, at=NOON).codes == []
    mended = b"---\ndate: 2026-11-30\nindex: 'x'\n---\n<<<<<<< a\n- x\n"
    assert history.commit([born], {MONDAY: mended}, at=NOON).codes == []
    worse = broken.replace(b"---\n<", b"---\n<<<<<<< b\n<")
    assert "form-markers" in history.commit([born], {MONDAY: worse}, at=NOON).codes


def test_a_forget_may_mend_the_form_of_a_frozen_day(history: History) -> None:
    broken = b"---\ndate: 2026-11-29\nindex: x\n---\n" + A.raw + B.raw
    born = history.born(files={MONDAY: broken})
    target = (f"{MONDAY}#{B.id}",)
    assert history.commit([born], {MONDAY: day(MONDAY, A)}, at=NEXT, op="forget", targets=target).codes == []
    assert history.commit([born], {MONDAY: day(MONDAY, A, B)}, at=NEXT, op="forget").codes == []


def test_an_unreadable_frontmatter_of_a_frozen_day_may_be_mended_and_nothing_else(history: History) -> None:
    broken = b"---\ndate: 2026-11-29\nindex: x\n---\n" + A.raw + B.raw
    born = history.born(files={MONDAY: broken})
    mended = history.commit([born], {MONDAY: day(MONDAY, A, B)}, at=NEXT)
    assert mended.codes == []
    again = history.commit([mended], {MONDAY: day(MONDAY, A, B, index="other")}, at=NEXT)
    assert again.codes == ["frozen-front"]
    half = broken.replace(b"index: x", b"index: y")
    assert history.commit([born], {MONDAY: half}, at=NEXT).codes == ["frozen-front"]
    assert history.commit([born], {MONDAY: day(MONDAY, A)}, at=NEXT).codes == ["frozen-altered"]
    assert history.commit([born], {MONDAY: day(MONDAY, A, B, C)}, at=NEXT).codes == ["frozen-added"]


def test_verify_lists_inherited_faults_as_notices() -> None:
    path = f"{ARCHIVE}/2026/2026-11-30.md"
    assert inherited_faults("c", path, day(MONDAY, A, B).render()) == []
    broken = b"---\ndate: 2026-11-29\nindex: x\n---\n<<<<<<< a\n" + A.raw + A.raw
    found = inherited_faults("c", path, broken)
    assert len(found) == 4
    assert {finding.severity for finding in found} == {"notice"}
    assert len(inherited_faults("c", f"{ARCHIVE}/x.md", b"")) == 1


# --- Rule 6: dates ----------------------------------------------------------------------------------


def test_author_and_committer_date_agree(history: History, two: Made) -> None:
    near = "2026-11-30T12:14+08:00"
    assert history.append(two, MONDAY, C, at=NOON, committed=near).codes == []
    far = "2026-11-30T12:16+08:00"
    assert history.append(two, MONDAY, C, at=NOON, committed=far).codes == ["dates-apart"]
    assert history.append(two, MONDAY, C, at=far, committed=NOON).codes == ["dates-apart"]


def test_an_amended_or_rebased_commit_shows_by_its_dates(history: History, two: Made) -> None:
    rebased = history.append(two, MONDAY, C, at=NOON, committed=NEXT)
    assert rebased.codes == ["dates-apart"]
    assert "rebase" in rebased.findings[0].hint


def test_a_receiver_refuses_what_is_later_than_its_own_clock(two: Made) -> None:
    assert judge_clock(two.commit, moment("2026-11-30T08:50+08:00")) == []
    assert judge_clock(two.commit, moment("2026-12-30T08:50+08:00")) == []
    (finding,) = judge_clock(two.commit, moment("2026-11-30T08:30+08:00"))
    assert (finding.code, finding.rule) == ("clock-ahead", 6)


# --- Rule 8: moves ----------------------------------------------------------------------------------


def move(history: History, old: Made, new: Made) -> list[str]:
    found = judge_move(new.id, changes_between(old, new), old.ancestry, new.ancestry, history.past)
    return [finding.code for finding in found]


def test_a_move_that_keeps_everything_is_legal(history: History, two: Made) -> None:
    reworded = history.append(history.append(history.born(), MONDAY, A, at=MORNING), MONDAY, B, C, at=NOON)
    assert move(history, two, reworded) == []


def test_a_move_that_drops_an_entry_is_refused(history: History, two: Made) -> None:
    grown = history.append(two, MONDAY, C, "- by hand\n", at=NOON)
    assert move(history, grown, two) == ["move-lost", "move-lost"]


def test_a_move_that_drops_a_forget_is_refused(history: History, two: Made) -> None:
    forgot = history.forget(two, MONDAY, A, at=NOON)
    assert move(history, forgot, two) == ["move-unforgot"]
    assert move(history, two, forgot) == []


def test_a_move_may_leave_what_the_new_history_forgot(history: History, two: Made) -> None:
    worded = history.append(two, MONDAY, "- secret\n", at=NOON)
    forgot = history.forget(worded, MONDAY, "- secret", A, at=NOON)
    other = history.append(worded, MONDAY, C, at=NOON)
    assert move(history, other, history.append(forgot, MONDAY, C, at=NOON)) == []
    assert move(history, other, forgot) == ["move-lost"]
    again = history.append(forgot, MONDAY, "- secret\n", at=NOON)
    assert move(history, again, forgot) == ["move-lost"]


def test_a_move_keeps_purges_and_the_cell(history: History, two: Made) -> None:
    forgot = history.forget(two, MONDAY, A, at=NOON)
    purged = history.commit([forgot], purge_record(name(1), MONDAY), at=NOON, op="purge")
    assert purged.codes == []
    assert move(history, purged, forgot) == ["move-unforgot"]
    found = judge_move("x", (), two.ancestry, UNBORN, history.past)
    assert [finding.code for finding in found] == ["move-unborn"]
