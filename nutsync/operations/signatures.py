"""Many signatures checked at once: by helpers on every core, each answer kept by commit id (design §6).

A commit's id is computed from its signature too, so an answer holds for ever. The answers stand in the Git
directory, a line each: commit, state, key.
"""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import IO

from nutsync.core.commit import UNSIGNED, Signature
from nutsync.operations.guard import signature_of
from nutsync.operations.hooks.files import start_line
from nutsync.store.files import read_if_there
from nutsync.store.repo.git import Git
from nutsync.store.repo.history import Recorded
from nutsync.store.repo.message import Commit

FILE = "signatures"
_BATCH = 96
"""Commits a helper is asked about at once: its answer fits the smallest pipe of any system."""
_WORTH_HELP = 200

Checked = tuple[Recorded, Signature]


class Signatures:
    """Checks the signatures of a stream of commits; what was checked before is known unless ``fresh``."""

    def __init__(self, git: Git, *, fresh: bool = False) -> None:
        self._path = git.private_dir / FILE
        self._known = {} if fresh else _read(read_if_there(self._path) or b"")
        self._new: dict[str, Signature] = {}
        self._fresh = fresh

    def check(self, stream: Iterable[Recorded]) -> Iterator[list[Checked]]:
        """Yield the commits of ``stream`` in batches and in order, each with what its signature is."""
        commits = iter(stream)
        first = list(islice(commits, _WORTH_HELP))
        unknown = sum(1 for one in first if self._is_unknown(one.commit))
        if unknown < _WORTH_HELP // 2:
            yield [(one, self._here(one.commit)) for one in first]
            while batch := list(islice(commits, _BATCH)):
                yield [(one, self._here(one.commit)) for one in batch]
            return
        helpers = [_Helper() for _ in range(os.cpu_count() or 1)]
        try:
            yield from self._with_help(_batches(first, commits), helpers)
        finally:
            for helper in helpers:
                helper.close()

    def save(self) -> None:
        """Keep what was checked, for the next time."""
        if not self._new and not self._fresh:
            return
        lines = "".join(
            f"{oid} {one.state} {(one.key or '- -').split()[1]}\n" for oid, one in self._new.items()
        )
        with suppress(OSError), self._path.open("wb" if self._fresh else "ab") as file:
            file.write(lines.encode("ascii"))

    def _is_unknown(self, commit: Commit) -> bool:
        return commit.signature is not None and commit.oid not in self._known

    def _here(self, commit: Commit) -> Signature:
        if commit.signature is None:
            return UNSIGNED
        found = self._known.get(commit.oid)
        if found is None:
            found = self._known[commit.oid] = self._new[commit.oid] = signature_of(commit)
        return found

    def _with_help(
        self, batches: Iterator[list[Recorded]], helpers: Sequence[_Helper]
    ) -> Iterator[list[Checked]]:
        waiting: deque[tuple[list[Recorded], list[Commit], _Helper]] = deque()
        for number, batch in enumerate(batches):
            helper = helpers[number % len(helpers)]
            if len(waiting) == len(helpers):
                yield self._answered(*waiting.popleft())
            asked = [one.commit for one in batch if self._is_unknown(one.commit)]
            helper.ask([(commit.signature or b"", commit.payload) for commit in asked])
            waiting.append((batch, asked, helper))
        while waiting:
            yield self._answered(*waiting.popleft())

    def _answered(self, batch: list[Recorded], asked: list[Commit], helper: _Helper) -> list[Checked]:
        for commit, answer in zip(asked, helper.answers(), strict=True):
            self._known[commit.oid] = self._new[commit.oid] = Signature(*answer)
        return [(one, self._here(one.commit)) for one in batch]


class _Helper:
    """A process that checks signatures (:mod:`nutsync.operations.signature_helper`)."""

    def __init__(self) -> None:
        command = [
            sys.executable,
            "-I",
            "-S",
            "-c",
            start_line("nutsync.operations.signature_helper", "serve", "()"),
        ]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, questions: list[tuple[bytes, bytes]]) -> None:
        feed = self._process.stdin
        if feed is not None:
            marshal.dump(questions, feed)
            feed.flush()

    def answers(self) -> list[tuple[str, str | None]]:
        found: list[tuple[str, str | None]] = marshal.load(_open(self._process.stdout))  # noqa: S302 (our own child wrote it)
        return found

    def close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self._process.kill()
        self._process.wait()


def _open(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise TypeError("the process has no pipes")
    return pipe


def _batches(first: list[Recorded], rest: Iterator[Recorded]) -> Iterator[list[Recorded]]:
    for start in range(0, len(first), _BATCH):
        yield first[start : start + _BATCH]
    while batch := list(islice(rest, _BATCH)):
        yield batch


def _read(content: bytes) -> dict[str, Signature]:
    known = {}
    for line in content.decode("ascii", "replace").splitlines():
        words = line.split(" ")
        if len(words) == 3:
            known[words[0]] = Signature(words[1], f"ssh-ed25519 {words[2]}" if words[2] != "-" else None)
    return known
