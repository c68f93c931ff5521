"""Every way a branch can move, as data: what it carries, how it is gone, which hook stands in it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass

from nutsync.operations.server import arm_server
from nutsync.store.repo.git import Git
from tests.operations.hooks.changes import EDIT, MERGE, MOVE, Change
from tests.operations.hooks.world import MAIN, Said, World
from tests.support.repos import git, run_git

COMMIT, GATE, SERVER = "commit", "reference-transaction", "pre-receive"
ALL = (EDIT, MERGE, MOVE)


@dataclass(frozen=True)
class Way:
    """``go`` drives Git in a world that stands on the change's start.

    ``guard`` says who stops what is illegal: the gate, the server, or for COMMIT what `git commit` runs
    before the gate. ``leave`` gives up what a veto left unfinished. ``joins`` says
    that an illegal commit is merged, so that pre-merge-commit may see what it does to the merge first.
    ``only`` names the attribute that a change must have to come this way.
    """

    name: str
    shapes: tuple[str, ...]
    go: Callable[[World], Said]
    guard: str = GATE
    leave: str = ""
    only: str = ""
    joins: bool = False

    def carries(self, change: Change) -> bool:
        """Tell whether a change can come this way."""
        return change.shape in self.shapes and (not self.only or getattr(change, self.only))

    def stops(self, change: Change) -> set[str]:
        """Return the hooks of which one stops this illegal change."""
        if self.joins:
            return {"pre-merge-commit", GATE}
        if self.guard != COMMIT or change.codes == ("clock-ahead",):
            return {GATE if self.guard == COMMIT else self.guard}
        if not change.early:
            return {"commit-msg"}
        return {"pre-merge-commit" if self.only else "pre-commit"}


# --- git commit ---------------------------------------------------------------------------------------


def _stage(world: World) -> None:
    world.lay_out()
    git(world.root, "add", "--all")


def commit(world: World) -> Said:
    _stage(world)
    return world.run("commit", "-F", world.message_file)


def commit_all(world: World) -> Said:
    world.lay_out()
    git(world.root, "add", "--intent-to-add", "--all")
    return world.run("commit", "-a", "-F", world.message_file)


def commit_paths(world: World) -> Said:
    world.lay_out()
    git(world.root, "add", "--intent-to-add", "--all")
    paths = git(world.root, "diff", "--name-only", "--no-renames", world.start, world.side).split("\n")
    return world.run("commit", "-F", world.message_file, "--", *paths)


def commit_no_verify(world: World) -> Said:
    _stage(world)
    return world.run("commit", "--no-verify", "-F", world.message_file)


def amend(world: World) -> Said:
    world.stand(world.outside(world.start))
    _stage(world)
    return world.run("commit", "--amend", "-F", world.message_file)


def apply_index(world: World) -> Said:
    patch = run_git(world.root, "diff", "--binary", "--full-index", world.start, world.side).stdout
    applied = world.run("apply", "--index", "-", input=patch)
    assert applied.code == 0, applied.text
    return world.run("commit", "-F", world.message_file)


def stash_pop(world: World) -> Said:
    _stage(world)
    for words in (("stash", "push", "--quiet"), ("stash", "pop", "--quiet", "--index")):
        done = world.run(*words)
        assert done.code == 0, done.text
    return world.run("commit", "-F", world.message_file)


# --- merges -------------------------------------------------------------------------------------------


def merge_squash(world: World) -> Said:
    done = world.run("merge", "--squash", world.side)
    assert done.code == 0, done.text
    return world.run("commit", "-F", world.message_file)


def merge_ff(world: World) -> Said:
    return world.run("merge", "--ff-only", world.side)


def merge_true(world: World) -> Said:
    world.stand(world.outside(world.start))
    return world.run("merge", "--no-ff", "-m", "a merge", world.side)


def merge_drawn(world: World) -> Said:
    return world.run("merge", "-m", "a merge", world.other)


def merge_ours(world: World) -> Said:
    return world.run("merge", "-s", "ours", "-m", "a merge", world.other)


def merge_conflict(world: World) -> Said:
    """Both sides change one file; whoever puts that right puts the change into the merge too."""
    path = "notes/conflict.txt"
    world.stand(world.commit([world.start], {path: "ours\n"}))
    theirs = world.commit([world.other], {path: "theirs\n"})
    assert world.run("merge", "--no-edit", theirs).code != 0
    kept = world.commit([world.side], {path: "both\n"})
    git(world.root, "read-tree", kept)
    git(world.root, "restore", "--worktree", "--", ":/")
    return world.run("commit", "-F", world.message_file)


def pull_ff(world: World) -> Said:
    return world.run("pull", "--ff-only", str(world.bare(world.side)), "main")


def pull_diverged(world: World) -> Said:
    bare = world.bare(world.side)
    world.stand(world.outside(world.start))
    return world.run("pull", "--no-rebase", "--no-edit", str(bare), "main")


# --- rewritten commits --------------------------------------------------------------------------------


def pull_rebase(world: World) -> Said:
    bare = world.bare(world.outside(world.start))
    world.stand(world.side)
    return world.run("pull", "--rebase", str(bare), "main")


def _rebase(world: World, *words: str, todo: str = "") -> Said:
    world.stand(world.side)
    env = {"GIT_SEQUENCE_EDITOR": f"sed -i.bak {shlex.quote(todo)}"} if todo else {}
    return world.run("rebase", *words, world.outside(world.start), env=env)


def rebase_merge(world: World) -> Said:
    return _rebase(world, "--merge")


def rebase_apply(world: World) -> Said:
    return _rebase(world, "--apply")


def rebase_reword(world: World) -> Said:
    return _rebase(world, "-i", todo="s/^pick/reword/")


def rebase_squash(world: World) -> Said:
    outside = world.outside(world.start)
    world.stand(world.commit_tree(world.tree(world.side), [outside], world.message))
    return world.run(
        "rebase", "-i", world.start, env={"GIT_SEQUENCE_EDITOR": "sed -i.bak '2s/^pick/squash/'"}
    )


def rebase_drop(world: World) -> Said:
    return world.run("rebase", "-i", world.side, env={"GIT_SEQUENCE_EDITOR": "sed -i.bak 's/^pick/drop/'"})


def cherry_pick(world: World) -> Said:
    return world.run("cherry-pick", "--keep-redundant-commits", world.side)


def revert(world: World) -> Said:
    """Take back a commit that took the change back."""
    undo = world.commit_tree(world.tree(world.start), [world.side])
    return world.run("revert", "--edit", undo)


def am(world: World) -> Said:
    patch = run_git(
        world.root,
        "format-patch",
        "-k",
        "--stdout",
        "--binary",
        "--full-index",
        f"{world.side}~..{world.side}",
    )
    return world.run("am", "-k", input=patch.stdout)


def filter_branch(world: World) -> Said:
    world.stand(world.outside(world.start))
    words = ("--index-filter", f"git read-tree {world.side}", "--msg-filter", f"cat {world.message_file}")
    env = {"FILTER_BRANCH_SQUELCH_WARNING": "1"}
    return world.run("filter-branch", "-f", *words, f"{world.start}..main", env=env)


# --- the branch itself --------------------------------------------------------------------------------


def reset_soft(world: World) -> Said:
    return world.run("reset", "--soft", world.side)


def reset_hard(world: World) -> Said:
    return world.run("reset", "--hard", world.side)


def checkout_b(world: World) -> Said:
    world.step_aside()
    return world.run("checkout", "-B", "main", world.side)


def branch_f(world: World) -> Said:
    world.step_aside()
    return world.run("branch", "-f", "main", world.side)


def update_ref(world: World) -> Said:
    return world.run("update-ref", MAIN, world.side)


def commit_tree(world: World) -> Said:
    made = world.commit_tree(world.tree(world.side), [world.start], world.message)
    return world.run("update-ref", MAIN, made, world.start)


def fast_import(world: World) -> Said:
    """A stream that makes the same commit again, or moves the branch where nothing is to be made."""
    if git(world.root, "rev-list", "--count", f"{world.start}..{world.side}") == "0":
        return world.run(
            "fast-import", "--quiet", "--force", input=f"reset {MAIN}\nfrom {world.side}\n\n".encode()
        )
    raw = git(world.root, "cat-file", "commit", world.side)
    head, _, message = f"{raw}\n".partition("\n\n")
    people = [line for line in head.split("\n") if line.startswith(("author ", "committer "))]
    lines = [f"commit {MAIN}", *people, f"data {len(message.encode())}\n{message}from {world.start}"]
    lines += [f"merge {world.other}"] if world.other else []
    changes = git(world.root, "diff-tree", "-r", "--no-renames", world.start, world.side)
    for mode, blob, path in re.findall(r":\d+ (\d+) \w+ (\w+) \w\t(.*)", changes):
        lines.append(f"D {path}" if mode == "000000" else f"M {mode} {blob} {path}")
    return world.run("fast-import", "--quiet", "--force", input="\n".join([*lines, ""]).encode())


def fetch_into(world: World) -> Said:
    bare = world.bare(world.side)
    world.step_aside()
    return world.run("fetch", str(bare), f"+main:{MAIN}")


def armed_bare(world: World) -> str:
    """Make a bare repository that is armed and whose Git forbids nothing by itself."""
    bare = world.bare(world.start)
    for name, value in (("receive.denyDeleteCurrent", "ignore"), ("receive.denyNonFastForwards", "false")):
        git(bare, "config", name, value)
    arm_server(Git.of_bare(bare))
    return str(bare)


def push_force(world: World) -> Said:
    return world.run("push", "--no-verify", "--force", armed_bare(world), f"{world.side}:{MAIN}")


WAYS = (
    Way("commit", (EDIT,), commit, COMMIT),
    Way("commit -a", (EDIT,), commit_all, COMMIT),
    Way("commit with paths", (EDIT,), commit_paths, COMMIT),
    Way("commit --no-verify", (EDIT,), commit_no_verify),
    Way("commit --amend", (EDIT,), amend, COMMIT),
    Way("merge, fast-forward", (EDIT, MERGE), merge_ff),
    Way("merge, a true one", (EDIT,), merge_true, leave="merge --abort", joins=True),
    Way("merge, with the driver", (MERGE,), merge_drawn, leave="merge --abort", only="drawn"),
    Way("merge --squash", (EDIT,), merge_squash, COMMIT),
    Way("merge, a conflict put right", (MERGE,), merge_conflict, COMMIT, leave="merge --abort"),
    Way("merge -s ours", (MERGE,), merge_ours, COMMIT, leave="merge --abort", only="ours"),
    Way("pull, fast-forward", (EDIT, MERGE), pull_ff),
    Way("pull, diverged", (EDIT,), pull_diverged, leave="merge --abort", joins=True),
    Way("pull --rebase", (EDIT,), pull_rebase, leave="rebase --abort"),
    Way("rebase --merge", (EDIT,), rebase_merge, leave="rebase --abort"),
    Way("rebase --apply", (EDIT,), rebase_apply, leave="rebase --quit"),
    Way("rebase, reword", (EDIT,), rebase_reword, leave="rebase --abort"),
    Way("rebase, squash", (EDIT,), rebase_squash, leave="rebase --abort"),
    Way("rebase, drop", (MOVE,), rebase_drop, leave="rebase --abort"),
    Way("cherry-pick", (EDIT,), cherry_pick, leave="cherry-pick --abort"),
    Way("revert", (EDIT,), revert),
    Way("am", (EDIT,), am, leave="am --abort"),
    Way("apply --index", (EDIT,), apply_index, COMMIT),
    Way("stash pop", (EDIT,), stash_pop, COMMIT),
    Way("reset --soft", ALL, reset_soft),
    Way("reset --hard", ALL, reset_hard),
    Way("checkout -B", ALL, checkout_b),
    Way("branch -f", ALL, branch_f),
    Way("update-ref", ALL, update_ref),
    Way("commit-tree and update-ref", (EDIT,), commit_tree),
    Way("fast-import", ALL, fast_import),
    Way("fetch into the branch", ALL, fetch_into),
    Way("filter-branch", (EDIT,), filter_branch),
    Way("push --force, to an armed bare repository", ALL, push_force, SERVER),
)
