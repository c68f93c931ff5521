"""The history as a stream: each commit with what it changed against each of its parents.

Two ways lead to the same values. :func:`walk` reads a range, tens of thousands of commits a second, with
three processes however long it is: one names the commits, one gives their bytes, one compares trees.
:func:`recorded` reads one commit, as a hook does, and looks only at the trees on the way to the cell.

Replacements, grafts, mailmaps and commit-graph files have no say here: a commit is read as the bytes that
its id is computed from, and that is checked.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BufferedReader, BufferedWriter
from itertools import islice
from typing import NamedTuple, Self

from nutsync.core.cell import CELL_DIR
from nutsync.core.errors import ErrGit
from nutsync.store.repo.git import Git
from nutsync.store.repo.message import Commit, parse_commit
from nutsync.store.repo.objects import LOW_MEMORY, Object, Objects, object_id
from nutsync.store.repo.refs import check_ref, is_oid
from nutsync.store.repo.trees import Tree, TreeEntry

_BATCH = 24
"""Commits asked for at once: few enough that the questions fit the smallest pipe of any system."""

_CELL_PARTS = tuple(CELL_DIR.casefold().split("/"))
_CELL_PREFIX = f"{CELL_DIR}/".encode()
_NOT_THERE = TreeEntry("000000", "")


class Change(NamedTuple):
    """One path of the cell that differs between a parent and a commit.

    ``status`` is Git's letter: A added, D deleted, M modified, T became another type. A side that is not
    there has the mode ``000000`` and an empty id.
    """

    path: str
    old_mode: str
    new_mode: str
    old: str
    new: str
    status: str


Changes = tuple[Change, ...]


class Recorded(NamedTuple):
    """A commit, and what it changed in the cell against each of its parents, in their order.

    A commit without parents has one set of changes, against nothing. Changes are sorted by path; renames
    are a deletion and an addition. Paths that differ from the cell's by case alone count as the cell's.
    """

    commit: Commit
    changes: tuple[Changes, ...]


def is_in_cell(path: str) -> bool:
    """Tell whether ``path`` is in the cell, or would be on a file system that ignores case."""
    return tuple(path.casefold().split("/", 2)[:2]) == _CELL_PARTS


# --- A range --------------------------------------------------------------------------------------


def walk(
    git: Git,
    tips: Sequence[str],
    known: Sequence[str] = (),
    *,
    paths: Sequence[str] = (),
    newest_first: bool = False,
) -> Iterator[Recorded]:
    """Yield the commits that ``tips`` reach and ``known`` do not, parents before children.

    Tips and known commits are object ids, full ref names or ``HEAD``. With ``paths``, commits that change
    none of them may be left out. With ``newest_first`` the order is that of ``git log``, whose first
    commits come at once. Raises :class:`ErrGit` where a commit is missing or damaged.
    """
    ids = list_commits(git, tips, known, paths=paths, newest_first=newest_first)
    with Objects(git) as objects, _Comparison(git) as comparison:
        asked: list[Commit] = []
        while batch := list(islice(ids, _BATCH)):
            commits = [_parse(oid, found) for oid, found in zip(batch, objects.read_many(batch), strict=True)]
            answers = comparison.answers(asked)
            comparison.ask(commits)  # Git compares these while the caller is busy with the ones before
            yield from answers
            asked = commits
        yield from comparison.answers(asked)


def list_commits(
    git: Git,
    tips: Sequence[str],
    known: Sequence[str] = (),
    *,
    paths: Sequence[str] = (),
    newest_first: bool = False,
) -> Iterator[str]:
    """Yield the ids of the commits that :func:`walk` yields for the same arguments."""
    order = () if newest_first else ("--topo-order", "--reverse")
    limits = ("--full-history", "--", *paths) if paths else ("--",)
    revisions = [_revision(tip) for tip in tips] + [f"^{_revision(tip)}" for tip in known]
    with _running(git, "-c", "core.commitGraph=false", "rev-list", *order, "--stdin", *limits) as process:
        feed, output = _pipes(process)
        feed.write("".join(f"{revision}\n" for revision in revisions).encode())
        feed.close()
        for line in output:
            yield line[:-1].decode("ascii")
        if process.wait():
            raise ErrGit("Git could not list the history.", hint="`git fsck` names what is wrong.")


def _revision(name: str) -> str:
    return name if name == "HEAD" or is_oid(name) else check_ref(name)


def _parse(oid: str, found: Object | None) -> Commit:
    return parse_commit(oid, proved(oid, "commit", found))


def proved(oid: str, kind: str, found: Object | None) -> bytes:
    """Return the content of ``found`` if it is there, is a ``kind``, and its id is computed from it."""
    if found is None or found.kind != kind:
        raise ErrGit(f"The repository lacks the {kind} {oid}.", hint="`git fsck` names what is wrong.")
    if object_id(kind, found.content, "sha1" if len(oid) == 40 else "sha256") != oid:
        raise ErrGit(
            f"The {kind} {oid} is not what its id was computed from.", hint="Another clone may hold it."
        )
    return found.content


class _Comparison:
    """One ``git diff-tree`` that compares commits with their parents for as long as it is needed."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._end = (
            f"={os.urandom(8).hex()}\n".encode()
        )  # no line that is an id: Git says it again, and flushes

    def __enter__(self) -> Self:
        words = ("--stdin", "-r", "-z", "--raw", "--root", "--always", "--no-renames", "--no-abbrev")
        self._running = _running(self._git, "diff-tree", *words)
        self._feed, self._output = _pipes(self._running.__enter__())
        return self

    def __exit__(self, *_: object) -> None:
        self._running.__exit__(None, None, None)

    def ask(self, commits: Sequence[Commit]) -> None:
        """Send one batch; its answers must be taken before the next is sent."""
        lines = [" ".join(pair) for commit in commits for pair in _pairs(commit)]
        try:
            self._feed.write("\n".join([*lines, ""]).encode() + self._end)
            self._feed.flush()
        except BrokenPipeError as error:
            raise _stopped() from error

    def answers(self, commits: Sequence[Commit]) -> Iterator[Recorded]:
        """Take the answers for the batch that was asked and return what was recorded."""
        if not commits:
            return iter(())
        answer = bytearray()
        while not answer.endswith(self._end):
            piece = self._output.read1(1 << 16)
            if not piece:
                raise _stopped()
            answer += piece
        sets = iter(_parse_raw(bytes(answer[: -len(self._end)])))
        return iter([Recorded(commit, tuple(islice(sets, len(_pairs(commit))))) for commit in commits])


def _pairs(commit: Commit) -> list[tuple[str, ...]]:
    return [(commit.oid, parent) for parent in commit.parents] or [(commit.oid,)]


def _parse_raw(answer: bytes) -> Iterator[Changes]:
    """Yield the changes of each comparison in the answer: an id, then pairs of a change and its path."""
    found: list[Change] | None = None
    tokens = iter(answer.split(b"\0")[:-1])
    for token in tokens:
        if not token.startswith(b":"):
            if found is not None:
                yield tuple(sorted(found))
            found = []
            continue
        raw = next(tokens)
        path = raw.decode("utf-8", "surrogateescape")
        if found is not None and (raw.startswith(_CELL_PREFIX) or is_in_cell(path)):
            old_mode, new_mode, old, new, status = token[1:].decode("ascii").split(" ")
            found.append(
                Change(path, old_mode, new_mode, old.strip("0") and old, new.strip("0") and new, status)
            )
    if found is not None:
        yield tuple(sorted(found))


# --- One commit -----------------------------------------------------------------------------------


def recorded(objects: Objects, oid: str) -> Recorded:
    """Return one commit as :func:`walk` would. Raises :class:`ErrGit` where it or a parent is missing."""
    commit = _parse(oid, objects.read(oid))
    olds: list[str | None] = [objects.commit(parent).tree for parent in commit.parents]
    return Recorded(commit, tuple(compare_trees(objects.tree, old, commit.tree) for old in olds or [None]))


def compare_trees(read: Callable[[str], Tree], old: str | None, new: str | None) -> Changes:
    """Return what differs in the cell between two root trees; None is a tree that is not there.

    ``read`` gives a tree by id. Only folders on the way to the cell, and in it those that differ, are read.
    """
    return tuple(sorted(_compare(read, old, new, "", 0)))


def _compare(
    read: Callable[[str], Tree], old: str | None, new: str | None, above: str, depth: int
) -> Iterator[Change]:
    before = read(old) if old else {}
    after = read(new) if new else {}
    for name in before.keys() | after.keys():
        was, now = before.get(name, _NOT_THERE), after.get(name, _NOT_THERE)
        if was == now or (depth < len(_CELL_PARTS) and name.casefold() != _CELL_PARTS[depth]):
            continue
        path = f"{above}{name}"
        if was.is_tree or now.is_tree:
            old_folder, new_folder = (side.oid if side.is_tree else None for side in (was, now))
            yield from _compare(read, old_folder, new_folder, f"{path}/", depth + 1)
        was, now = (_NOT_THERE if side.is_tree else side for side in (was, now))
        if was != now and depth >= len(_CELL_PARTS) - 1:
            yield _change(path, was, now)


def _change(path: str, was: TreeEntry, now: TreeEntry) -> Change:
    old_mode, new_mode = _plain_mode(was.mode), _plain_mode(now.mode)
    if not was.oid or not now.oid:
        status = "D" if was.oid else "A"
    else:
        status = "M" if old_mode[:3] == new_mode[:3] else "T"
    return Change(path, old_mode, new_mode, was.oid, now.oid, status)


def _plain_mode(mode: str) -> str:
    """Return the mode as Git shows it: of a plain file, only whether it can be executed counts."""
    if not mode.startswith("100"):
        return mode
    return "100755" if int(mode, 8) & 0o100 else "100644"


# --- Blobs ----------------------------------------------------------------------------------------


def blobs(git: Git, oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Yield each blob with its id, in order, one in memory at a time; :class:`ErrGit` for a missing one."""
    wanted = iter(oids)
    with Objects(git) as objects:
        while batch := list(islice(wanted, _BATCH)):
            for oid, found in zip(batch, objects.read_many(batch), strict=True):
                yield oid, proved(oid, "blob", found)


# --- Processes ------------------------------------------------------------------------------------


@contextmanager
def _running(git: Git, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a reading Git for as long as the block lasts, and end it whatever it is doing."""
    process = git.popen(*LOW_MEMORY, *words)
    try:
        yield process
    finally:
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        process.kill()
        process.wait()


def _pipes(process: subprocess.Popen[bytes]) -> tuple[BufferedWriter, BufferedReader]:
    feed, output = process.stdin, process.stdout
    if not isinstance(feed, BufferedWriter) or not isinstance(output, BufferedReader):
        raise TypeError("the process has no pipes")
    return feed, output


def _stopped() -> ErrGit:
    return ErrGit("Git stopped while it compared commits.", hint="`git fsck` names what is wrong.")
