"""Writing objects: whichever call fails, the repository stays whole and the error has a name."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from nutsync.core.errors import ErrDiskFull, ErrUnwritable
from nutsync.store.repo import writing
from nutsync.store.repo.commit import Author, new_commit
from nutsync.store.repo.git import Git
from nutsync.store.repo.objects import Object, Objects, loose_path, object_id
from nutsync.store.repo.writing import render_pack, write_objects
from tests.store.repo.test_git import no_process
from tests.support.clock import FakeClock
from tests.support.repos import git, head, is_sound, make_repo, run_git

DAY = ".agents/nutstore-sync/memory/archive/2026/2026-11-30.md"


def blobs(count: int, size: int = 10) -> list[Object]:
    contents = [b"%d" % n + b" " * size for n in range(count)]
    return [Object(object_id("blob", content), "blob", content) for content in contents]


def open_handles() -> int:
    """How many files this process has open, where the system tells."""
    told = Path("/proc/self/fd")
    return len(list(told.iterdir())) if told.exists() else 0


def failing(patch: pytest.MonkeyPatch, nth: int, code: int) -> Callable[[], int]:
    count = 0

    def wrap(real: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **kwargs: object) -> object:
            nonlocal count
            count += 1
            if count == nth:
                raise OSError(code, os.strerror(code))
            return real(*args, **kwargs)

        return call

    for name in ("open", "write", "fsync", "replace", "mkdir", "utime"):
        patch.setattr(os, name, wrap(getattr(os, name)))
    return lambda: count


@pytest.mark.parametrize(("code", "name"), [(errno.ENOSPC, ErrDiskFull), (errno.EROFS, ErrUnwritable)])
def test_a_commit_is_written_whole_or_refused_by_name(
    repo: Path, code: int, name: type[ErrUnwritable]
) -> None:
    here = Git.discover(repo)
    who = Author("Ana", "ana@example.org", FakeClock().now())
    old = head(repo)
    handles = open_handles()
    refusals, nth, made = 0, 0, 1
    while nth <= made:
        nth += 1
        before = set(repo.glob(".git/objects/*/*"))
        with Objects(here) as objects, pytest.MonkeyPatch.context() as patch:
            calls = failing(patch, nth, code)
            try:
                new = new_commit(
                    here, objects, base=old, parents=[old], changes={DAY: b"- %d\n" % nth},
                    author=who, committer=who, message="append", sign=None,
                )  # fmt: skip
            except ErrUnwritable as refusal:
                assert type(refusal) is name
                assert set(repo.glob(".git/objects/*/*")) == before
                refusals += 1
            made = calls()
        assert is_sound(repo)
        assert not list(repo.glob(".git/objects/*/tmp_obj_*"))
    assert refusals >= 8 * 2
    assert git(repo, "show", f"{new}:{DAY}") == f"- {nth}"
    assert open_handles() == handles


def test_few_objects_need_no_process(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Git.discover(repo)
    with monkeypatch.context() as patch:
        no_process(patch)
        write_objects(here, blobs(20))
    for item in blobs(20):
        assert run_git(repo, "cat-file", "blob", item.oid).stdout == item.content
    assert is_sound(repo)


def test_an_object_that_is_there_is_not_written_again_and_is_young_again(repo: Path) -> None:
    here = Git.discover(repo)
    item = blobs(1)[0]
    write_objects(here, [item, item])
    path = loose_path(here, item.oid)
    os.utime(path, (1_000_000_000, 1_000_000_000))
    before = path.stat()
    write_objects(here, [item])
    after = path.stat()
    assert after.st_ino == before.st_ino
    assert after.st_mtime > before.st_mtime


def test_objects_are_flushed_after_they_have_their_names(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Git.discover(repo)
    item = blobs(1)[0]
    flushed: list[bool] = []
    real = os.fsync
    monkeypatch.setattr(
        os, "fsync", lambda handle: (flushed.append(loose_path(here, item.oid).exists()), real(handle))
    )
    write_objects(here, [item])
    assert flushed == [True]


def test_a_shared_repository_keeps_its_permissions(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "shared", "--shared=group")
    before = os.umask(0o077)
    try:
        write_objects(Git.discover(root), blobs(2))
    finally:
        os.umask(before)
    written = [path for path in (root / ".git/objects").rglob("*") if path.is_file()]
    assert written and all(path.stat().st_mode & 0o040 for path in written)


@pytest.mark.parametrize("size", [0, 1, 10, 1000, 100_000])
def test_a_pack_of_objects_of_any_size_is_one_that_git_takes(repo: Path, size: int) -> None:
    items = blobs(3, size)
    git(repo, "index-pack", "--stdin", "--strict", input=render_pack(items))
    for item in items:
        assert run_git(repo, "cat-file", "blob", item.oid).stdout == item.content


def test_many_objects_make_one_pack(repo: Path) -> None:
    write_objects(Git.discover(repo), blobs(writing._MOST_LOOSE + 1))
    assert len(list((repo / ".git/objects/pack").glob("*.pack"))) == 1
    assert is_sound(repo)
