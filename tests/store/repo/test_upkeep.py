"""Loose objects are packed by Git once there are many, if the user lets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from nutsync.store.repo.git import Git
from nutsync.store.repo.objects import Object, object_id
from nutsync.store.repo.upkeep import tidy_if_due
from nutsync.store.repo.writing import write_objects
from tests.support.repos import git, head, is_sound


@pytest.fixture
def crowded(repo: Path) -> Path:
    """A repository with so many objects in Git's sample folder that it takes the whole for crowded."""
    git(repo, "config", "gc.autoDetach", "false")
    contents = [f"{n}\n".encode() for n in range(20_000)]
    blobs = [Object(object_id("blob", content), "blob", content) for content in contents]
    for blob in [blob for blob in blobs if blob.oid.startswith("17")][:30]:
        write_objects(Git.discover(repo), [blob])
    return repo


def packs(root: Path) -> int:
    return len(list((root / ".git/objects/pack").glob("*.pack")))


def test_few_objects_are_left_alone(repo: Path) -> None:
    git(repo, "config", "gc.auto", "1000")
    assert not tidy_if_due(Git.discover(repo))
    assert packs(repo) == 0


def test_many_are_packed(crowded: Path) -> None:
    git(crowded, "config", "gc.auto", "6700")
    assert tidy_if_due(Git.discover(crowded))
    assert packs(crowded) == 1
    assert is_sound(crowded) and head(crowded)


@pytest.mark.parametrize("setting", ["0", "100000"])
def test_the_user_s_limit_is_obeyed(crowded: Path, setting: str) -> None:
    git(crowded, "config", "gc.auto", setting)
    assert not tidy_if_due(Git.discover(crowded))
