"""What no local hook sees, and what finds it all the same (design §7)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from tests.operations.hooks.world import MAIN, UNHOOKED, World
from tests.support.repos import git, make_clone


@dataclass(frozen=True)
class Escape:
    """``go`` brings the world's change onto main without a hook being asked."""

    name: str
    go: Callable[[World], None]


def other_hooks_path(world: World) -> None:
    world.lay_out()
    words = ("commit", "-q", "--all", "-F", world.message_file)
    git(world.root, *UNHOOKED, *words, env=world.dates())


def index_writer(world: World) -> None:
    """GitPython's index writes the ref itself, and asks no hook when it is told so."""
    from git import Repo

    world.lay_out()
    with Repo(world.root) as repo:
        repo.index.add([change.b_path for change in repo.index.diff(None) if change.b_path])
        when = datetime.fromisoformat(world.when)
        repo.index.commit(world.message, skip_hooks=True, author_date=when, commit_date=when)


def edited_ref(world: World) -> None:
    (world.root / ".git" / MAIN).write_text(f"{world.side}\n")
    git(world.root, "read-tree", "--reset", "-u", world.side)


def symbolic_ref(world: World) -> None:
    """HEAD is led to a branch that nobody guards, and back once that one's file has been put in place."""
    git(world.root, "update-ref", "refs/heads/free", world.side)
    git(world.root, "symbolic-ref", "HEAD", "refs/heads/free")
    git(world.root, "read-tree", "--reset", "-u", world.side)
    git(world.root, "symbolic-ref", MAIN, "refs/heads/free")
    git(world.root, "symbolic-ref", "HEAD", MAIN)


def unarmed_clone(world: World) -> None:
    """Somebody without nutsync does it, and this clone's branch file follows."""
    plain = make_clone(world.root, world.folder / "plain")
    git(plain, "fetch", "-q", "origin", "+refs/*:refs/from/*")
    git(
        plain, "-c", "user.name=eve", "-c", "user.email=eve@b.invalid", "merge", "-q", "--ff-only", world.side
    )
    edited_ref(world)


ESCAPES = (
    Escape("another `core.hooksPath` for one command", other_hooks_path),
    Escape("a library that writes refs (GitPython's index writer)", index_writer),
    Escape("a ref edited by hand", edited_ref),
    Escape("`git symbolic-ref`", symbolic_ref),
    Escape("a clone that was never armed", unarmed_clone),
)
