"""A vault: a repository with many files of its owner's, in the middle of work, that also holds a cell."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from nutsync.core.cell import CELL_DIR
from tests.support.repos import commit_files, git, head, make_repo, run_git, write

FOLDERS, FILES = 100, 100

_ATTRIBUTES = """\
*.bin filter=lfs diff=lfs merge=lfs -text
*.crlf text eol=crlf
"""

_NEVER = "false"
"""A filter that fails: whoever runs it over the owner's files is noticed."""


def make_vault(root: Path, library: Path) -> Path:
    """Make a repository of 10,000 files with a submodule, filters for large files and odd modes."""
    _make_owned(root)
    git(root, "config", "gc.auto", "0")  # it would run behind the back of who copies the files
    for folder in range(FOLDERS):
        for number in range(FILES):
            write(root, f"notes/{folder:03}/{number:03}.md", f"- note {folder} {number}\n")
    write(root, ".gitattributes", _ATTRIBUTES)
    write(root, "big.bin", "version https://git-lfs.github.com/spec/v1\n")
    write(root, "run.sh", "#!/bin/sh\n").chmod(0o755)
    write(root, "windows.crlf", b"one\r\ntwo\r\n")
    (root / "link").symlink_to("notes/000/000.md")
    git(root, "add", "-A")
    commit_files(root, {}, "ten thousand notes")
    _make_owned(library)
    commit_files(library, {"code.py": "pass\n"})
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "library")
    commit_files(root, {}, "with a library")
    return root


def _make_owned(root: Path) -> None:
    """Make a repository that knows who commits in it: a prepared one has no home to look into."""
    make_repo(root)
    for name, value in (("name", "ana"), ("email", "ana@example.org")):
        git(root, "config", f"user.{name}", value)


def get_to_work(root: Path) -> None:
    """Leave the owner's files as people do in the middle of work: changed, staged, half staged, marked."""
    for name in ("clean", "smudge"):
        git(root, "config", f"filter.lfs.{name}", _NEVER)
    git(root, "config", "filter.lfs.required", "true")
    git(root, "sparse-checkout", "set", "--no-cone", "/*", "!/notes/09?/")
    write(root, "notes/001/001.md", "changed, not staged\n")
    write(root, "notes/001/002.md", "staged\n")
    write(root, "notes/001/new.md", "new and staged\n")
    git(root, "add", "notes/001/002.md", "notes/001/new.md")
    write(root, "notes/001/002.md", "staged, then changed again\n")
    git(root, "rm", "-q", "--cached", "notes/001/003.md")
    git(root, "rm", "-q", "notes/001/004.md")
    (root / "notes/001/005.md").unlink()
    git(root, "mv", "notes/001/006.md", "notes/001/moved.md")
    write(root, "notes/001/intended.md", "add -N\n")
    git(root, "add", "-N", "notes/001/intended.md")
    write(root, "notes/002/000.md", "unchanged to Git's eyes\n")
    git(root, "update-index", "--assume-unchanged", "notes/002/000.md")
    git(root, "update-index", "--chmod=+x", "notes/002/001.md")
    write(root, "untracked/one.md", "untracked\n")
    write(root, "library/code.py", "dirty in the submodule\n")
    write(root, "big.bin", b"\0real content that the filter would turn into a pointer\0")


def snapshot(root: Path) -> dict[str, object]:
    """Return all that belongs to the owner: index entries with their times, files, settings, other HEADs."""
    debug = git(root, "ls-files", "-s", "--debug")
    entries = [part for part in debug.replace("\n  ", " ").split("\n") if f"\t{CELL_DIR}/" not in part]
    flags = [row for row in git(root, "ls-files", "-t", "-v").split("\n") if CELL_DIR not in row]
    settings = {name: (root / ".git" / name).read_bytes() for name in ("config", "info/sparse-checkout")}
    return {
        "index": entries,
        "flags": flags,
        "files": dict(_files(root)),
        "settings": settings,
        "status": [row for row in git(root, "status", "--porcelain").split("\n") if CELL_DIR not in row],
        "library": head(root / "library"),
        "stashes": git(root, "stash", "list"),
    }


def _files(root: Path) -> Iterator[tuple[str, tuple[int, int, bytes]]]:
    own = {".git", CELL_DIR}
    for folder, names, files in os.walk(root):
        here = os.path.relpath(folder, root)
        names[:] = [name for name in names if os.path.normpath(f"{here}/{name}") not in own]
        for name in files:
            path = Path(folder) / name
            about = path.lstat()
            content = str(path.readlink()).encode() if stat.S_ISLNK(about.st_mode) else path.read_bytes()
            yield os.path.normpath(f"{here}/{name}"), (about.st_mode, about.st_mtime_ns, content)


def changed_paths(root: Path, since: str) -> set[str]:
    """Return the paths that the commits after ``since`` change against any of their parents."""
    said = run_git(root, "log", "-m", "--name-only", "--format=", f"{since}..HEAD").stdout.decode()
    return {path for path in said.split("\n") if path}
