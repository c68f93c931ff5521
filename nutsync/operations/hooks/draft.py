"""The commit that Git is about to make, as the law sees it: what the index holds, against each parent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nutsync.core.cell import CELL_DIR
from nutsync.core.commit import Commit
from nutsync.core.errors import ErrGit
from nutsync.core.freeze import Finding, judge
from nutsync.core.moment import Moment
from nutsync.core.pattern import pattern
from nutsync.operations.guard import Guard
from nutsync.operations.hooks.place import index_of_hook
from nutsync.store.clock import Clock
from nutsync.store.files import read_if_there
from nutsync.store.repo.git import Git
from nutsync.store.repo.history import Change
from nutsync.store.repo.refs import is_oid, resolve_ref

DRAFT = "draft"
"""The id of a commit that has none yet."""

_IDENT = pattern(r"@?(\d+) ([+-])(\d\d)(\d\d)$")
_EMPTY_TREES = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}


def judge_draft(
    guard: Guard, clock: Clock, environ: Mapping[str, str], message: str = ""
) -> tuple[Commit, list[Finding]]:
    """Return the commit that the index would make on HEAD, and what the law says of it."""
    git = guard.git
    parents = draft_parents(git, environ)
    bases = parents or [_EMPTY_TREES[git.hash_name]]
    now = clock.now()
    commit = Commit(
        DRAFT,
        tuple(parents),
        _date(git, "AUTHOR", environ) or now,
        _date(git, "COMMITTER", environ) or now,
        message,
        tuple(guard.as_changes(staged_changes(git, base, environ)) for base in bases),
    )
    return commit, judge(commit, [guard.ancestry(parent) for parent in parents], guard.past)


def draft_parents(git: Git, environ: Mapping[str, str]) -> list[str]:
    """Return the commits that the next one stands on: HEAD, and what is being merged.

    A merge without conflicts writes MERGE_HEAD after pre-merge-commit; what it merges is in its environment.
    """
    tip = resolve_ref(git, "HEAD")
    merged = (read_if_there(git.git_dir / "MERGE_HEAD") or b"").decode("ascii", "replace").split()
    merged = merged or sorted(name[8:] for name in environ if name.startswith("GITHEAD_"))
    return [parent for parent in [tip, *merged] if parent is not None and is_oid(parent)]


def staged_changes(git: Git, base: str, environ: Mapping[str, str]) -> list[Change]:
    """Return what the index that Git means differs in from the cell of a commit or tree."""
    env = {**index_of_hook(git, environ), "GIT_LITERAL_PATHSPECS": "0"}
    words = ("diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", base)
    said = git.run(*words, "--", f":(top,icase){CELL_DIR}", env=env).out
    return sorted(_parse(said.split(b"\0")[:-1]))


def _parse(tokens: Sequence[bytes]) -> list[Change]:
    found = []
    for raw, path in zip(tokens[::2], tokens[1::2], strict=True):
        old_mode, new_mode, old, new, status = raw[1:].decode("ascii").split(" ")
        name = path.decode("utf-8", "surrogateescape")
        found.append(Change(name, old_mode, new_mode, old.strip("0") and old, new.strip("0") and new, status))
    return found


def _date(git: Git, who: str, environ: Mapping[str, str]) -> Moment | None:
    """Return the date that the environment gives author or committer, None where it gives none."""
    given = environ.get(f"GIT_{who}_DATE")
    if not given:
        return None
    match = _IDENT.match(given)
    if match is None:  # another of the many ways to write a date: Git reads it
        anybody = {f"GIT_{who}_NAME": "nobody", f"GIT_{who}_EMAIL": "nobody"}
        said = git.run(
            "var", f"GIT_{who}_IDENT", check=False, env={f"GIT_{who}_DATE": given, **anybody}
        ).text()
        match = _IDENT.search(said.rpartition("> ")[2])
    if match is None:
        raise ErrGit(f"GIT_{who}_DATE is no date that Git understands.")
    seconds, sign, hours, minutes = match.groups()
    offset = int(hours) * 60 + int(minutes)
    return Moment(int(seconds) * 1000, -offset if sign == "-" else offset)
