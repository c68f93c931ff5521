"""What somebody with plain Git does on a second device after a purge: the text never comes back.

The server and the clones are armed, unless a test says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from nutsync.core.errors import NutsyncError
from nutsync.operations.server import arm_server
from nutsync.store.repo.git import Git
from tests.support.copies import Copies
from tests.support.fleet import Fleet, archive
from tests.support.purges import MONDAY, drop, ref_of
from tests.support.repos import git, head, is_sound, run_git
from tests.support.search import collect_garbage, places_of

NOW = "2026-11-30T10:00:00+08:00"
WORDS = "4711"
Steps = Sequence[Sequence[str]]

FETCH = ("fetch", "-q", "origin", "main")
PUSH = ("push", "-q", "origin", "main")

NAIVE: dict[str, Steps] = {
    "pull": (("pull", "-q"), PUSH),
    "pull, fast-forward only": (("pull", "-q", "--ff-only"), PUSH),
    "pull, merging": (("pull", "-q", "--no-rebase", "--no-edit"), PUSH),
    "pull, rebasing": (("pull", "-q", "--rebase"), PUSH),
    "fetch and rebase": (FETCH, ("rebase", "-q", "--no-fork-point", "FETCH_HEAD"), PUSH),
    "fetch and merge": (FETCH, ("merge", "-q", "--no-edit", "-X", "ours", "FETCH_HEAD"), PUSH),
    "merge with own files": (FETCH, ("merge", "-q", "--no-edit", "-s", "ours", "FETCH_HEAD"), PUSH),
    "push": (PUSH,),
    "push, forced": (("push", "-q", "--force", "origin", "main"),),
    "push, forced with a lease": (("fetch", "-q"), ("push", "-q", "--force-with-lease", "origin", "main")),
    "push, forced if includes": (
        ("fetch", "-q"),
        ("push", "-q", "--force-with-lease", "--force-if-includes", "origin", "main"),
    ),
    "push over a deleted branch": (("push", "-q", "origin", ":main"), PUSH),
    "push as a device": (("push", "-q", "--force", "origin", "main:refs/nutsync/devices/lap"),),
    "merge as unrelated": (
        FETCH,
        ("merge", "-q", "--no-edit", "--allow-unrelated-histories", "-X", "ours", "FETCH_HEAD"),
        PUSH,
    ),
    "cherry-pick": (
        FETCH,
        ("branch", "old"),
        ("reset", "-q", "--hard", "FETCH_HEAD"),
        ("cherry-pick", "old~1"),
    ),
    "reset": (FETCH, ("reset", "-q", "--hard", "FETCH_HEAD"), PUSH),
    "without hooks here, merging": (
        ("-c", "core.hooksPath=/dev/null", "pull", "-q", "--no-rebase", "--no-edit"),
        ("-c", "core.hooksPath=/dev/null", "push", "-q", "origin", "main"),
    ),
    "without hooks here, forced": (
        ("-c", "core.hooksPath=/dev/null", "push", "-q", "--force", "origin", "main"),
    ),
}


@pytest.fixture(scope="module", params=["nothing unsynced", "unsynced work"])
def prepared(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The desk has purged what the lap still holds; an entry above it and one below it stay."""
    folder = tmp_path_factory.mktemp("prepared")
    fleet = Fleet(folder)
    fleet["desk"].append("above")
    ref = ref_of(fleet["desk"])
    fleet["desk"].append("below")
    fleet.sync_all()
    arm_server(Git.of_bare(fleet.remote))
    if request.param == "unsynced work":
        fleet["lap"].clock.advance(seconds=60)
        fleet["lap"].append("of the lap")
    assert drop(fleet["desk"], ref).result == "done"
    return folder


def require_gone_from(remote: Path) -> None:
    """Check the remote, reachable or not, after it has collected its garbage."""
    collect_garbage(remote)
    assert places_of(remote, WORDS) == []


def recover(root: Path, name: str) -> None:
    """Leave whatever state plain Git is in, as its own advice says."""
    for words in (("rebase", "--abort"), ("merge", "--abort"), ("cherry-pick", "--abort")):
        run_git(root, *words, check=False)
    if name == "without hooks here, merging":  # no hook was asked; it is undone the way it was done
        run_git(root, "-c", "core.hooksPath=/dev/null", "reset", "-q", "--hard", "HEAD^1")
    run_git(root, "reset", "-q", "--hard", check=False)


@pytest.mark.parametrize("name", NAIVE)
def test_the_text_never_comes_back(prepared: Path, tmp_path: Path, name: str) -> None:
    copies = Copies(prepared, tmp_path / "copy", ("desk", "lap"), NOW)
    before = copies.open("lap").texts(MONDAY)
    lap = copies.roots["lap"]
    for words in NAIVE[name]:
        run_git(lap, *words, check=False)
    require_gone_from(copies.remote)
    recover(lap, name)
    git(lap, "update-ref", "-d", "refs/heads/old")
    for device in ("desk", "lap", "desk"):
        copies.sync(device)
    require_gone_from(copies.remote)
    lost = {"of the lap"} if name in ("reset", "cherry-pick") else set()  # thrown away by hand
    left = [text for text in before if WORDS not in text]
    for device, root in copies.roots.items():
        assert set(left) - lost <= set(copies.open(device).texts(MONDAY)) <= set(left), device
        assert places_of(root, WORDS) == [], device
        assert is_sound(root)
    assert archive(copies.roots["desk"]) == archive(lap)
    assert {head(root) for root in copies.roots.values()} == {git(copies.remote, "rev-parse", "main")}


@pytest.mark.parametrize("name", ["push, forced", "without hooks here, merging"])
def test_a_server_without_hooks_may_be_pushed_over_and_no_device_takes_it_in(
    prepared: Path, tmp_path: Path, name: str
) -> None:
    copies = Copies(prepared, tmp_path / "copy", ("desk", "lap"), NOW)
    lap = copies.roots["lap"]
    git(copies.remote, "config", "core.hooksPath", "/dev/null")
    for words in NAIVE[name]:
        run_git(lap, *words, check=False)
    assert places_of(copies.remote, WORDS) != [], "without hooks it does come back, there"
    desk = head(copies.roots["desk"])
    try:
        copies.sync("desk")
    except NutsyncError as refused:
        assert refused.code in ("ErrIncoming", "ErrRemoteRewritten")
        assert head(copies.roots["desk"]) == desk
    assert WORDS not in "".join(copies.open("desk").texts(MONDAY))
    assert [place for place in places_of(copies.roots["desk"], WORDS) if not place.startswith("blob")] == []
    assert WORDS not in git(copies.roots["desk"], "log", "-p", "HEAD", "--")
