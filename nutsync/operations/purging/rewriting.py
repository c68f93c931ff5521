"""The history of this clone, rewritten: every ref that leads to what was purged (design §9).

What cannot be rewritten without touching somebody's work in progress (a stash, another worktree) is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from nutsync.core.progress import Progress
from nutsync.core.recipe1 import Purge
from nutsync.store.repo.commit import RefMove, move_refs
from nutsync.store.repo.git import Git
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.refs import HEADS, branch_ref
from nutsync.store.repo.remote import DEFAULT_REMOTE, INCOMING
from nutsync.store.repo.rewrite import Rewriter

SEEN = "refs/nutsync/seen/"
STASH = "refs/stash"
_REMOTES = "refs/remotes/"
_SIGNATURE = b"-----BEGIN "


@dataclass(frozen=True)
class Ref:
    """A ref of this clone: what it names, and the commit behind it where that is a tag's object."""

    name: str
    kind: str
    oid: str
    commit: str | None


@dataclass
class RefPlan:
    """The refs to move (to None: to delete), and what holds on to old history and somebody has to see to."""

    moves: list[RefMove] = field(default_factory=list)
    named: list[str] = field(default_factory=list)


def list_refs(git: Git) -> list[Ref]:
    """Return every ref of the clone that leads to a commit, symbolic ones left out."""
    words = "%(refname)%00%(objecttype)%00%(objectname)%00%(*objecttype)%00%(*objectname)%00%(symref)"
    found = []
    for line in git.run("for-each-ref", f"--format={words}").text().split("\n"):
        if not line:
            continue
        name, kind, oid, behind, behind_oid, symref = line.split("\0")
        if symref:
            continue
        commit = oid if kind == "commit" else (behind_oid if behind == "commit" else None)
        found.append(Ref(name, kind, oid, commit))
    return found


def rewrite_all(
    git: Git,
    objects: Objects,
    purges: Sequence[Purge],
    more: Sequence[str] = (),
    progress: Progress | None = None,
) -> Rewriter:
    """Rewrite the history behind every ref and worktree, and ``more`` commits; only objects are written."""
    tips = [ref.commit for ref in list_refs(git) if ref.commit]
    tips += [head for _, head, _ in _worktrees(git) if head]
    rewriter = Rewriter(git, objects, purges, progress)
    rewriter.run(list(dict.fromkeys([*tips, *more])))
    return rewriter


def plan_refs(git: Git, rewriter: Rewriter, branch: str) -> RefPlan:
    """Return what has to become of the refs, the memory branch and nutsync's own aside."""
    plan = RefPlan()
    elsewhere = {ref: place for place, _, ref in _worktrees(git) if ref}
    others = _other_remotes(git, branch)
    for ref in list_refs(git):
        changed = ref.commit is not None and rewriter.of(ref.commit) != ref.commit
        if not changed or ref.name == branch_ref(branch) or ref.name.startswith((INCOMING, SEEN)):
            continue
        if ref.name == STASH:
            plan.named.append("the stash (`git stash list`): apply or drop its entries, then repeat")
        elif ref.name in elsewhere:
            plan.named.append(f"{ref.name}: it is checked out at {elsewhere[ref.name]}")
        elif (remote := _among(others, ref.name)) is not None:
            plan.named.append(
                f"{ref.name}: the remote {remote} holds old history; let it have the rewritten branch, fetch "
                "from there, then repeat"
            )
        elif ref.name.startswith(_REMOTES):
            plan.moves.append((ref.name, None, ref.oid))
        elif ref.kind == "commit":
            plan.moves.append((ref.name, rewriter.of(str(ref.commit)), ref.oid))
        else:
            new = rewrite_tag(git, rewriter, ref)
            if new is None:
                plan.named.append(f"{ref.name}: it is a tag of a tag")
            else:
                plan.moves.append((ref.name, new, ref.oid))
    for place, head, on in _worktrees(git):
        if on is None and head and rewriter.of(head) != head:
            plan.named.append(f"the worktree at {place}: its HEAD stands on old history")
    return plan


def _other_remotes(git: Git, branch: str) -> list[str]:
    """Return the remotes that no sync speaks to: what they hold, only their owner can replace."""
    own = git.own_config(f"branch.{branch}.remote") or DEFAULT_REMOTE
    return [name for name in git.run("remote").text().split("\n") if name not in ("", own)]


def _among(remotes: Sequence[str], ref: str) -> str | None:
    return next((name for name in remotes if ref.startswith(f"{_REMOTES}{name}/")), None)


def move_all(git: Git, plan: RefPlan) -> None:
    """Move the refs of the plan, all of them or none."""
    if plan.moves:
        move_refs(git, plan.moves, "nutsync: purge")


def rewrite_tag(git: Git, rewriter: Rewriter, ref: Ref) -> str | None:
    """Write an annotated tag anew for the new version of its commit, unsigned; None for a tag of a tag."""
    content = rewriter.objects.read(ref.oid)
    if content is None or ref.commit is None:
        return None
    head, _, message = content.content.partition(b"\n\n")
    lines = head.split(b"\n")
    if lines[0] != f"object {ref.commit}".encode():
        return None
    lines[0] = f"object {rewriter.of(ref.commit)}".encode()
    signed_at = message.find(_SIGNATURE)
    message = message if signed_at < 0 else message[:signed_at]
    new = b"\n".join(lines) + b"\n\n" + message
    return git.run("hash-object", "-t", "tag", "-w", "--stdin", input=new).text()


def _worktrees(git: Git) -> list[tuple[str, str, str | None]]:
    """Return the other worktrees: place, commit, and the branch checked out there (None: detached)."""
    found: list[tuple[str, str, str | None]] = []
    for block in git.run("worktree", "list", "--porcelain").text().split("\n\n"):
        fields = dict(line.partition(" ")[::2] for line in block.split("\n") if line)
        place, head = fields.get("worktree", ""), fields.get("HEAD", "")
        if place and place != str(git.root) and "bare" not in fields:
            found.append((place, "" if not head.strip("0") else head, fields.get("branch")))
    return found


def other_branches(git: Git, branch: str) -> list[str]:
    """Return the names of the clone's branches and tags besides the memory branch."""
    names = [ref.name for ref in list_refs(git) if ref.name.startswith((HEADS, "refs/tags/"))]
    return [name for name in names if name != branch_ref(branch)]
