"""Letting go of old history, and proving that nothing holds the text any more (design §9)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from nutsync.core.cell import CELL_DIR
from nutsync.core.entry import Block
from nutsync.core.errors import ErrGit
from nutsync.core.progress import Progress
from nutsync.operations.purging.rewriting import STASH
from nutsync.store import checkpoints
from nutsync.store.files import TEMP_PREFIX, remove_file
from nutsync.store.repo.git import Git
from nutsync.store.repo.objects import LOW_MEMORY
from nutsync.store.repo.refs import resolve_ref
from nutsync.store.repo.remote import drop_incoming

SHORTEST_LINE = 8
"""Lines of fewer bytes are not sought by themselves: they would be found in anything."""

_LEFTOVERS = (
    "COMMIT_EDITMSG",
    "MERGE_MSG",
    "SQUASH_MSG",
    "TAG_EDITMSG",
    "NOTES_EDITMSG",
    "ORIG_HEAD",
    "FETCH_HEAD",
    "AUTO_MERGE",
    "MERGE_AUTOSTASH",
    "gitk.cache",
    "objects/info/commit-graph",
)
_FOLDERS = ("rr-cache", "objects/info/commit-graphs")
_OWN_NOTES = ("held", "catalogs", "last-sync", "signatures", "vouched", "sending")
_SAY_EVERY = 5_000


@dataclass(frozen=True)
class Leftover:
    """Something that still holds the text: where, in words, and which purge.

    Not ``sure`` is what cannot be read: nobody can tell what it holds.
    """

    id: str
    place: str
    sure: bool = True

    def words(self) -> str:
        if self.sure:
            return f"purge {self.id}: the text is still in {self.place}."
        return f"purge {self.id}: the text may be in {self.place}, which cannot be read."

    def as_json(self) -> dict[str, str]:
        return {"id": self.id, "place": self.place}


class Searched(NamedTuple):
    """What a search found, and how many objects and files it read."""

    leftovers: tuple[Leftover, ...] = ()
    objects: int = 0
    files: int = 0


def needles(name: str, block: bytes | None) -> tuple[bytes, ...]:
    """Return the bytes that must not be found anywhere once the entry ``name`` is purged.

    These are its attributes' mark, its whole first line, and every line of what it said that is long enough
    to mean anything. ``block`` is None where nobody remembers what it said.
    """
    found = [f" id={name} ".encode()]
    if block is not None:
        one = Block(block)
        lines = [line.strip() for line in one.text.encode("utf-8", "surrogateescape").split(b"\n")]
        found += [line for line in lines if len(line) >= SHORTEST_LINE]
        first = block.partition(b"\n")[0]
        found += [first] if len(first) >= SHORTEST_LINE else []
    return tuple(dict.fromkeys(found))


# --- Letting go -----------------------------------------------------------------------------------------


def let_go(git: Git) -> None:
    """Remove every way back to what no ref names: reflogs, old objects, drafts, messages, caches.

    A stash keeps its log, since the log is the list of its entries: who has one is told so. Can be repeated.
    """
    drop_incoming(git)
    _expire_reflogs(git)
    for folder in dict.fromkeys((git.git_dir, git.common_dir)):
        for name in _LEFTOVERS:
            with suppress(OSError):
                (folder / name).unlink()
        for name in _FOLDERS:
            shutil.rmtree(folder / name, ignore_errors=True)
    for path in [*(git.root / CELL_DIR).rglob(f"{TEMP_PREFIX}*"), *git.private_dir.rglob(f"{TEMP_PREFIX}*")]:
        remove_file(path)
    checkpoints.forget_all(git.private_dir)
    for name in _OWN_NOTES:
        with suppress(OSError):
            (git.private_dir / name).unlink()
    git.run("-c", "repack.writeBitmaps=false", "repack", "-a", "-d", "-q", "--no-write-bitmap-index")
    git.run("prune", "--expire=now")
    git.run("prune-packed", "-q")


def _expire_reflogs(git: Git) -> None:
    words = ("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--stale-fix")
    if resolve_ref(git, STASH) is None:
        git.run(*words, "--all")
    else:
        logged = (line for line in _logs(git.common_dir / "logs") if line != STASH)
        for name in logged:
            git.run(*words, name, check=False)
        git.run(*words, "HEAD", check=False)


def _logs(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            name = path.relative_to(folder).as_posix()
            if name.startswith("refs/"):
                yield name


# --- Proof ----------------------------------------------------------------------------------------------


def search(git: Git, sought: Mapping[str, Collection[bytes]], progress: Progress | None = None) -> Searched:
    """Search every object, reachable or not, and every file of the Git directory and the cell's folder.

    ``sought`` maps purged ids to :func:`needles`. An object is named by its kind: an id confirms guesses.
    """
    found: dict[Leftover, None] = {}
    objects = files = 0
    for objects, (kind, content) in enumerate(_objects(git), 1):
        if progress and objects % _SAY_EVERY == 0:
            progress(f"Searching for the text: {objects:,} objects")
        for name in _in(content, sought):
            found[Leftover(name, f"a {kind} among Git's objects")] = None
    for path in _files(git):
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            continue
        except OSError:
            found |= dict.fromkeys(Leftover(name, str(path), sure=False) for name in sought)
            continue
        files += 1
        for name in _in(content, sought):
            found[Leftover(name, str(path))] = None
    return Searched(tuple(found), objects, files)


def _in(content: bytes, sought: Mapping[str, Collection[bytes]]) -> Iterator[str]:
    for name, marks in sought.items():
        if any(mark in content for mark in marks):
            yield name


def _objects(git: Git) -> Iterator[tuple[str, bytes]]:
    """Yield kind and content of every object there is: packed, loose, borrowed, reachable or not."""
    words = (*LOW_MEMORY, "cat-file", "--batch-all-objects", "--batch", "--unordered", "--buffer")
    process = git.popen(*words)
    output = process.stdout
    if output is None or process.stdin is None:
        raise TypeError("the process has no pipes")
    process.stdin.close()
    try:
        while head := output.readline():
            _, kind, size = head.split()
            content = output.read(int(size) + 1)
            yield kind.decode(), content[:-1]
        if process.wait():
            raise ErrGit("Git could not list its objects.", hint="`git fsck` names what is wrong.")
    finally:
        output.close()
        process.kill()
        process.wait()


def _files(git: Git) -> Iterator[Path]:
    folders = dict.fromkeys((git.git_dir, git.common_dir, git.root / CELL_DIR))
    for folder in folders:
        for place, names, files in os.walk(folder):
            if Path(place) == git.common_dir:
                names[:] = [name for name in names if name != "objects"]
            paths = (Path(place) / name for name in files)
            yield from (path for path in paths if path.is_file())


def kept_packs(git: Git) -> list[str]:
    """Return the packs that a ``.keep`` file holds on to: Git never repacks those."""
    return sorted(path.name for path in (git.common_dir / "objects" / "pack").glob("*.keep"))
