"""pre-commit notes what it judged: `git commit` starts Python once, and nothing else passes by the note."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nutsync.core.cell import day_path
from nutsync.core.checkpoint import to_plain
from nutsync.core.errors import NutsyncError
from nutsync.operations.guard import Guard
from nutsync.store import checkpoints
from nutsync.store.repo.objects import Objects
from tests.support.cells import Desk, make_desk
from tests.support.fleet import Fleet
from tests.support.repos import git, head, run_git, write

TODAY = "2024-03-06"
DATES = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"{TODAY}T10:00:00+08:00")
PATH = day_path(TODAY)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = make_desk(tmp_path / "cell", f"{TODAY}T09:00:00+08:00")
    desk.append("one", "two")
    return desk


@pytest.fixture
def started(desk: Desk, tmp_path: Path) -> Path:
    """Where every start of Python by a hook leaves the hook's name."""
    return count_starts(desk, tmp_path)


def count_starts(desk: Desk, tmp_path: Path) -> Path:
    log = tmp_path / "started"
    log.touch()
    runner = desk.root / ".git/nutsync/hooks/run.sh"
    real = re.search(r"(?m)^python='?(.*?)'?$", runner.read_text())
    assert real is not None
    counting = tmp_path / "counting"
    counting.write_text(f'#!/bin/sh\necho "$5" >>"{log}"\nexec "{real[1]}" "$@"\n')
    counting.chmod(0o755)
    runner.write_text(runner.read_text().replace(real[0], f"python='{counting}'"))
    return log


def stage(desk: Desk, text: str = "- by hand\n") -> None:
    write(desk.root, PATH, desk.path(TODAY).read_text() + text)
    git(desk.root, "add", PATH)


def test_a_plain_commit_of_a_day_starts_python_once_and_is_stamped(desk: Desk, started: Path) -> None:
    stage(desk)
    git(desk.root, "commit", "-qm", "by hand", env=DATES)
    assert started.read_text().split() == ["pre-commit"]
    said = git(desk.root, "log", "-1", "--format=%B").split("\n")
    assert said[:2] == ["by hand", ""]
    assert [line.partition(":")[0] for line in said[2:5]] == [
        "Nutsync-Actor",
        "Nutsync-Device",
        "Nutsync-Version",
    ]


def test_what_was_known_of_the_past_goes_on_without_a_walk(desk: Desk, started: Path) -> None:
    stage(desk)
    git(desk.root, "commit", "-qm", "by hand", env=DATES)
    kept = checkpoints.read(desk.cell.git.private_dir, head(desk.root), lambda plain: plain)
    assert kept is not None
    checkpoints.forget_all(desk.cell.git.private_dir)
    with Objects(desk.cell.git) as objects:
        assert kept == to_plain(Guard(desk.cell.git, objects).ancestry(head(desk.root)))
    assert checkpoints.last_vouched(desk.cell.git.private_dir) == head(desk.root)


@pytest.mark.parametrize(
    "message", ["x\n\nNutsync-Op: forget", "x\n\nnutsync-op: append", "x\n\nKey: value", "# x\ny"]
)
def test_a_message_that_says_more_is_judged_with_it(desk: Desk, started: Path, message: str) -> None:
    stage(desk)
    done = run_git(desk.root, "commit", "-qm", message, env=DATES, check=False)
    hooks = started.read_text().split()
    assert "prepare-commit-msg" in hooks
    if "-op" in message.lower():
        assert "commit-msg" in hooks
        assert done.returncode == 0 or b"nutsync: " in done.stderr
    else:
        assert done.returncode == 0
    if done.returncode == 0:
        assert "Nutsync-Device: desk" in git(desk.root, "log", "-1", "--format=%B")


@pytest.mark.parametrize("forged", ["content", "more", "parent", "time", "operation"])
def test_another_commit_than_the_noted_one_is_judged(desk: Desk, started: Path, forged: str) -> None:
    before = head(desk.root)
    stage(desk)
    honest = git(desk.root, "write-tree")
    hook = desk.root / ".git/hooks/commit-msg"
    text = hook.read_text()
    hook.write_text("#!/bin/sh\nexit 1\n")  # pre-commit judges and notes; then the commit is not made
    assert run_git(desk.root, "commit", "-qm", "x", env=DATES, check=False).returncode == 1
    hook.write_text(text)
    assert (desk.root / ".git/nutsync/judged").stat().st_mode & 0o777 == 0o600
    started.write_text("")
    dates, message = dict(DATES), b"x\n"
    if forged == "content":
        altered = desk.path(TODAY).read_text().replace("- one", "- other")
        write(desk.root, PATH, altered)
        git(desk.root, "add", PATH)
    elif forged == "more":
        write(desk.root, day_path("2024-03-05"), "---\ndate: 2024-03-05\nindex: 'x'\n---\n- back then\n")
        git(desk.root, "add", day_path("2024-03-05"))
    elif forged == "time":
        dates["GIT_COMMITTER_DATE"] = f"{TODAY}T11:00:00+08:00"
    elif forged == "operation":
        message = b"x\n\nNutsync-Op: forget\nNutsync-Target: 2024-03-06\nNutsync-Actor: ana\n"
    parents = [] if forged == "parent" else ["-p", before]
    new = git(desk.root, "commit-tree", git(desk.root, "write-tree"), *parents, input=message, env=dates)
    done = run_git(desk.root, "update-ref", "refs/heads/main", new, before, check=False)
    if forged != "parent":  # that one keeps every entry, so it is as legal as another birth
        assert done.returncode != 0 and b"nutsync: main was not moved" in done.stderr
    assert started.read_text().split() == ["reference-transaction"]
    if forged == "parent":
        return
    noted = git(desk.root, "commit-tree", honest, "-p", before, input=b"x\n", env=DATES)
    git(desk.root, "update-ref", "refs/heads/main", noted, before)
    assert started.read_text().split() == ["reference-transaction"]


def test_nothing_of_the_note_outlives_a_rewrite_of_history(desk: Desk) -> None:
    """It names blobs, and the id of a blob would confirm a guess of what was purged from it."""
    stage(desk)
    git(desk.root, "commit", "-qm", "x", env=DATES)
    private = desk.root / ".git/nutsync"
    assert (private / "judged").exists()
    (private / "judged-ancestry.7").write_text("{}")
    checkpoints.forget_all(private)
    assert [path for path in private.iterdir() if path.name.startswith("judged")] == []


@pytest.mark.parametrize("encoding", ["UTF-7", "UTF-16LE", "latin-1", "GBK"])
def test_a_message_in_another_encoding_is_judged_as_it_is_stored(
    desk: Desk, started: Path, encoding: str
) -> None:
    """Git would show this text in another way, in which no operation of nutsync's could be seen."""
    before = head(desk.root)
    stage(desk)
    hook = desk.root / ".git/hooks/commit-msg"
    text = hook.read_text()
    hook.write_text("#!/bin/sh\nexit 1\n")
    run_git(desk.root, "commit", "-qm", "x", env=DATES, check=False)
    hook.write_text(text)
    started.write_text("")
    forged = f"x\n\nNutsync-Op: forget\nNutsync-Target: {TODAY}\nNutsync-Actor: ana\n".encode()
    forged += b"\n" * (len(forged) % 2)  # in UTF-16 two bytes are a letter
    words = (
        "-c",
        f"i18n.commitEncoding={encoding}",
        "commit-tree",
        git(desk.root, "write-tree"),
        "-p",
        before,
    )
    new = git(desk.root, *words, input=forged, env=DATES)
    assert run_git(desk.root, "update-ref", "refs/heads/main", new, before, check=False).returncode != 0
    assert started.read_text().split() == ["reference-transaction"]


def test_a_commit_ahead_of_the_clock_is_not_noted(desk: Desk) -> None:
    date = "2099-01-01"
    ahead = dict.fromkeys(DATES, f"{date}T10:00:00+08:00")
    write(desk.root, day_path(date), f"---\ndate: {date}\nindex: 'x'\n---\n## {date}\n- by hand\n")
    git(desk.root, "add", day_path(date))
    done = run_git(desk.root, "commit", "-qm", "x", env=ahead, check=False)
    assert done.returncode != 0 and b"clock-ahead" in done.stderr
    assert not (desk.root / ".git/nutsync/judged").exists()


def test_a_draft_in_which_something_is_found_leaves_no_note(desk: Desk) -> None:
    stage(desk)
    run_git(desk.root, "commit", "-qm", "x", env=DATES)
    write(desk.root, PATH, desk.path(TODAY).read_text().replace("- one", "- other"))
    git(desk.root, "add", PATH)
    assert run_git(desk.root, "commit", "-qm", "x", env=DATES, check=False).returncode == 1
    assert not (desk.root / ".git/nutsync/judged").exists()


def test_a_sync_asks_pre_push_nothing_that_it_judged_itself(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, ("desk",))
    desk = fleet["desk"]
    desk.append("one")
    log = count_starts(desk, tmp_path)
    assert fleet.sync("desk").result == "pushed"
    assert "pre-push" not in log.read_text()
    assert not (desk.root / ".git/nutsync/sending").exists()
    write(desk.root, day_path("2026-11-30"), desk.path("2026-11-30").read_text().replace("one", "other"))
    when = dict.fromkeys(DATES, "2026-11-30T09:10:00+08:00")
    git(desk.root, "-c", "core.hooksPath=/dev/null", "commit", "-qam", "x", env=when)
    before = head(fleet.remote, "main")
    with pytest.raises(NutsyncError, match="changed, moved or taken away"):
        fleet.sync("desk")
    assert head(fleet.remote, "main") == before
