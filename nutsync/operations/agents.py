"""Giving an agent its memory, and taking it away again: files of other tools, changed with care."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from nutsync.core.agents.places import AGENTS, FileEdit, edits_for
from nutsync.core.errors import NutsyncError
from nutsync.store.files import read_if_there, remove_file, write_atomic


@dataclass(frozen=True)
class Outcome:
    """What became of one file: written, removed, unchanged, or why it could not be changed."""

    path: Path
    what: str
    state: str
    problem: str = ""

    def as_json(self) -> dict[str, object]:
        return {"path": str(self.path), "what": self.what, "state": self.state, "problem": self.problem}


@dataclass(frozen=True)
class Place:
    """Where an agent gets its memory: the project, the user's home, and the cell, if one is named."""

    project: Path
    home: Path
    cell: Path | None = None
    user: bool = False

    def words(self) -> tuple[list[str], list[str]]:
        """Return how nutsync is called from within the project, and from anywhere.

        A project's files name the command alone where the cell is the project's, so that they serve every
        clone of it.
        """
        command = ["nutsync"] if shutil.which("nutsync") else [sys.executable, "-m", "nutsync"]
        if self.cell is None:
            return command, command
        elsewhere = [*command, "-C", str(self.cell)]
        is_here = self.project == self.cell or self.cell in self.project.parents
        return (command if is_here else elsewhere), elsewhere


def install(name: str, place: Place, *, dry_run: bool) -> list[Outcome]:
    """Put what the agent ``name`` needs where it reads it. Done again it changes nothing more."""
    edits = edits_for(name, *place.words(), user=place.user)
    return [_apply(edit, place, dry_run, taking_out=False) for edit in edits]


def uninstall(name: str, place: Place, *, dry_run: bool) -> list[Outcome]:
    """Take out what :func:`install` put in; what else the files hold stays."""
    edits = edits_for(name, *place.words(), user=place.user)
    return [_apply(edit, place, dry_run, taking_out=True) for edit in edits]


def note_for(name: str) -> str:
    """Return what whoever installs an agent's memory has to know."""
    return AGENTS[name].note


def _apply(edit: FileEdit, place: Place, dry_run: bool, *, taking_out: bool) -> Outcome:
    root = place.home if edit.in_home else place.project
    path = root / edit.path
    try:
        content = read_if_there(path)
        before = (content or b"").decode("utf-8")
        after = edit.take_out(before) if taking_out else edit.put_in(before)
        if after == before or (content is None and not after):
            return Outcome(path, edit.what, "unchanged")
        if not dry_run:
            _write(path, after, root)
    except NutsyncError as error:
        return Outcome(path, edit.what, "refused", f"{error.message} {error.hint}".strip())
    except UnicodeDecodeError:
        return Outcome(path, edit.what, "refused", f"{path} is no UTF-8.")
    return Outcome(path, edit.what, "written" if after else "removed")


def _write(path: Path, content: str, root: Path) -> None:
    """Write the file, or remove it where nothing is left in it, with the folders that are empty then."""
    if content:
        write_atomic(path, content.encode())
        return
    remove_file(path)
    folder = path.parent
    while folder != root and root in folder.parents:
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent
