"""What the buttons of a host make of a branch: a merge is taken and repaired; a squash or a rebase is
recognised, taken where it is legal, and otherwise refused with the cure, which works (design §7.7)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from nutsync.core.errors import ErrIncoming
from nutsync.core.freeze.findings import REWRITTEN
from nutsync.operations.forget import ForgetRequest, forget
from nutsync.operations.verify import verify
from tests.support.fleet import Fleet, same
from tests.support.repos import git, head, make_clone, run_git

TODAY = "2026-11-30"
SOON, HOURS_LATER, TOMORROW = (
    f"{TODAY}T09:05:00+08:00",
    f"{TODAY}T13:00:00+08:00",
    "2026-12-01T13:00:00+08:00",
)


class Host:
    """A host that knows nothing of memory: a remote with a branch to be joined, and its buttons."""

    def __init__(self, folder: Path) -> None:
        self.fleet = Fleet(folder)
        self.fleet["desk"].append("common", "other")
        self.fleet.sync_all()
        self.fleet["desk"].append("from a branch")
        self.fleet["desk"].clock.advance(seconds=20)
        self.fleet["desk"].append("another of it")
        self.texts = ["common", "other", "from a branch", "another of it"]
        self.root = folder / "host"

    def forget_other(self) -> None:
        """Let the branch forget an entry as well."""
        desk = self.fleet["desk"]
        ref = desk.day(TODAY).entries()[1][0]
        forget(desk.cell, ForgetRequest(refs=(ref,), reason="asked for", actor="ana"))
        self.texts.remove("other")

    def move_main(self) -> None:
        """Let the other device send something meanwhile."""
        self.fleet["lap"].clock.advance(seconds=10)
        self.fleet["lap"].append("meanwhile")
        self.fleet.sync("lap")
        self.texts.append("meanwhile")

    def press(self, button: Callable[[Path, str], None], when: str) -> str:
        """Push the desk's branch, let the host join it, and return the commit that its main holds then."""
        run_git(self.fleet["desk"].root, "push", "-q", "origin", "HEAD:refs/heads/pr")
        make_clone(self.fleet.remote, self.root)
        button(self.root, when)
        run_git(self.root, "push", "-q", "origin", "HEAD:main")
        for desk in self.fleet.desks.values():
            desk.clock.set(when.replace(":00+", ":30+"))
        return head(self.root)

    def require_all_there(self) -> None:
        self.fleet.sync_all()
        assert same(self.fleet.archives())
        assert sorted(self.fleet["lap"].texts(TODAY)) == sorted(self.texts)
        for desk in self.fleet.desks.values():
            assert verify(desk.cell).ok


def by_host(when: str, *, authored: bool = True) -> dict[str, str]:
    who = {"GIT_COMMITTER_NAME": "Host", "GIT_COMMITTER_EMAIL": "noreply@host.invalid"}
    dates = {"GIT_COMMITTER_DATE": when, **({"GIT_AUTHOR_DATE": when} if authored else {})}
    return {**who, **dates}


def merge(root: Path, when: str) -> None:
    """The button "create a merge commit"."""
    git(
        root,
        "merge",
        "-q",
        "--no-ff",
        "-m",
        "Merge pull request #1 from ana/pr",
        "origin/pr",
        env=by_host(when),
    )


def squash(root: Path, when: str) -> None:
    """The button "squash and merge"."""
    git(root, "merge", "-q", "--squash", "origin/pr", env=by_host(when))
    git(root, "commit", "-q", "-m", "Remember things (#1)", env=by_host(when))


def rebase(root: Path, when: str) -> None:
    """The button "rebase and merge": author and date stay, committer and date are the host's."""
    git(root, "checkout", "-q", "-b", "rebased", "origin/pr")
    git(root, "rebase", "-q", "--force-rebase", "origin/main", env=by_host(when, authored=False))


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


@pytest.mark.parametrize("when", [SOON, TOMORROW], ids=["soon", "tomorrow"])
@pytest.mark.parametrize("moved", [False, True], ids=["alone", "beside others"])
def test_a_merge_commit_of_a_host_is_taken_and_its_blurs_are_repaired(
    host: Host, moved: bool, when: str
) -> None:
    if moved:
        host.forget_other()
        host.move_main()
    host.press(merge, when)
    assert host.fleet.sync("lap").result in ("fast-forwarded", "merged")
    host.require_all_there()


@pytest.mark.parametrize("button", [squash, rebase], ids=["squash", "rebase"])
def test_a_squash_or_rebase_of_today_is_taken_where_it_adds_to_what_is_there(
    host: Host, button: Callable[[Path, str], None]
) -> None:
    host.press(button, SOON)
    host.require_all_there()


@pytest.mark.parametrize(
    ("button", "moved", "when"),
    [
        (squash, False, TOMORROW),
        (squash, True, SOON),
        (squash, True, TOMORROW),
        (rebase, False, HOURS_LATER),
        (rebase, True, SOON),
        (rebase, True, TOMORROW),
    ],
)
def test_a_squash_or_rebase_that_breaks_the_law_is_refused_with_the_cure_and_the_cure_works(
    host: Host, button: Callable[[Path, str], None], moved: bool, when: str
) -> None:
    if moved:
        host.move_main()
    before = head(host.fleet.remote, "refs/heads/main")
    host.press(button, when)
    commits = git(host.root, "rev-list", f"{before}..HEAD").split()
    for name in host.fleet.desks:
        there = host.fleet[name].texts(TODAY)
        with pytest.raises(ErrIncoming) as caught:
            host.fleet.sync(name)
        assert any(commit[:12] in caught.value.message for commit in commits)
        assert caught.value.hint == REWRITTEN
        assert host.fleet[name].texts(TODAY) == there
    git(host.root, "push", "-q", "--force", "origin", f"{before}:main")  # the host's owner moves it back
    assert host.fleet.sync("desk").result in ("pushed", "merged")
    host.require_all_there()


def test_a_squash_that_carries_a_forget_is_refused_with_the_cure(host: Host) -> None:
    """The squash lost the commit that said what was forgotten, and why."""
    host.forget_other()
    before = head(host.fleet.remote, "refs/heads/main")
    host.press(squash, SOON)
    with pytest.raises(ErrIncoming) as caught:
        host.fleet.sync("lap")
    assert caught.value.hint == REWRITTEN
    git(host.root, "push", "-q", "--force", "origin", f"{before}:main")
    assert host.fleet.sync("desk").result == "pushed"
    host.require_all_there()
