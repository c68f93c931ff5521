"""Whatever stands below `refs/nutsync/devices/`, a sync goes on, and takes in only what is lawful."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from nutsync.operations.status import read_status
from tests.support.fleet import Fleet, same
from tests.support.purges import faults
from tests.support.repos import commit_files, git, make_clone

TODAY = "2026-11-30"
NOON = f"{TODAY}T09:02:00+08:00"
DEVICES = "refs/nutsync/devices/"


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    fleet = Fleet(tmp_path)
    fleet["desk"].append("common ground")
    fleet.sync_all()
    return fleet


def blob(remote: Path, _folder: Path) -> str:
    return git(remote, "hash-object", "-w", "--stdin", input=b"- a text\n")


def tree(remote: Path, _folder: Path) -> str:
    return git(remote, "rev-parse", "main^{tree}")


def tag(remote: Path, _folder: Path) -> str:
    words = ("-c", "user.name=x", "-c", "user.email=x@example.org", "tag", "-a", "-m", "a tag", "old", "main")
    git(remote, *words)
    made = git(remote, "rev-parse", "refs/tags/old")
    git(remote, "update-ref", "-d", "refs/tags/old")
    return made


def tag_of_a_blob(remote: Path, folder: Path) -> str:
    words = ("-c", "user.name=x", "-c", "user.email=x@example.org", "tag", "-a", "-m", "a tag", "odd")
    git(remote, *words, blob(remote, folder))
    made = git(remote, "rev-parse", "refs/tags/odd")
    git(remote, "update-ref", "-d", "refs/tags/odd")
    return made


def unrelated(remote: Path, folder: Path) -> str:
    other = Fleet(folder / "other", ("stranger",))
    other["stranger"].append("of another cell")
    other.sync("stranger")
    git(remote, "fetch", "-q", str(other.remote), "main:refs/heads/tmp")
    tip = git(remote, "rev-parse", "tmp")
    git(remote, "update-ref", "-d", "refs/heads/tmp")
    return tip


def violation(remote: Path, folder: Path) -> str:
    plain = make_clone(remote, folder / "plain")
    path = next((plain / ".agents").rglob(f"{TODAY}.md"))
    bad = path.read_bytes().replace(b"common", b"uncommon")
    commit_files(plain, {path.relative_to(plain).as_posix(): bad}, when=NOON)
    git(plain, "push", "-q", "origin", "HEAD:refs/heads/tmp")
    tip = git(remote, "rev-parse", "tmp")
    git(remote, "update-ref", "-d", "refs/heads/tmp")
    return tip


def no_cell(remote: Path, _folder: Path) -> str:
    words = ("-c", "user.name=x", "-c", "user.email=x@example.org", "commit-tree", "-m", "empty")
    return git(remote, *words, git(remote, "hash-object", "-w", "-t", "tree", "--stdin", input=b""))


OBJECTS = (blob, tree, tag, tag_of_a_blob, unrelated, violation, no_cell)
NAMES = ("a/b", "Ghost", "gh%st", "\udcff")


@pytest.mark.parametrize(
    ("make", "name"), [*((one, "ghost") for one in OBJECTS), *((tree, one) for one in NAMES)]
)
def test_the_sync_goes_on(fleet: Fleet, tmp_path: Path, make: Callable[[Path, Path], str], name: str) -> None:
    oid = make(fleet.remote, tmp_path)
    path = fleet.remote.joinpath(*f"{DEVICES}{name}".split("/"))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{oid}\n", encoding="ascii")
    fleet["lap"].append("likes tea")
    done = fleet.sync("lap")
    assert done.exit_code == 0
    assert any(name.encode("unicode_escape").decode() in words for words in done.notices), done.notices
    fleet.sync_all()
    assert same(fleet.archives())
    assert sorted(fleet["desk"].texts(TODAY)) == ["common ground", "likes tea"]
    assert faults(fleet["desk"]) == []
    assert read_status(fleet["desk"].cell).held == ()
