"""Rule 4: paths. A file's place and mode say what it is, so neither may lie."""

from __future__ import annotations

from nutsync.core.cell import (
    ARCHIVE_DIR,
    CATALOG_DIR,
    CELL_DIR,
    CELL_PATH,
    DEVICES_DIR,
    MEMORY_DIR,
    PURGED_DIR,
    SESSION_DIR,
    date_of_path,
)
from nutsync.core.commit import FILE_MODE, Blob, Change
from nutsync.core.freeze.findings import Findings

_FIXED = (f"{CELL_DIR}/", *(f"{folder}/" for folder in (ARCHIVE_DIR, CATALOG_DIR, SESSION_DIR, MEMORY_DIR)))
_NAMED = (*_FIXED, f"{DEVICES_DIR}/", f"{PURGED_DIR}/", CELL_PATH)
_KINDS = {"120000": "a symbolic link", "160000": "a submodule", "100755": "executable"}


def is_archive_path(path: str) -> bool:
    """Tell whether ``path`` is in the archive, whatever it is."""
    return path.startswith(f"{ARCHIVE_DIR}/")


def check_mode(path: str, new: Blob, olds: list[Blob | None], out: Findings) -> bool:
    """Judge a file's mode; tell whether it can be read as a file at all."""
    if new.mode != FILE_MODE and not any(old is not None and old.mode == new.mode for old in olds):
        kind = _KINDS.get(new.mode, "no plain file")
        out.add("path-mode", f"{path} has become {kind}.", path=path)
    return new.is_file


def check_place(change: Change, out: Findings) -> None:
    """Judge where a file that is no day file was put; what was there before may be changed or go."""
    path = change.path
    if change.new is None or change.old is not None:
        return
    folded = path.casefold()
    if any(folded.startswith(name) and not path.startswith(name) for name in _NAMED):
        out.add("path-case", f"{path} differs from a path of the cell by case alone.", path=path)
    elif is_archive_path(path):
        code = "path-case" if date_of_path(_lowered(path)) else "path-stray"
        out.add(code, f"{path} is no day file.", path=path)
    elif path.startswith(f"{SESSION_DIR}/"):
        out.add("path-session", f"{path} holds entries of a session.", path=path)
    elif path.startswith(f"{CATALOG_DIR}/"):
        out.add("path-derived", f"{path} is derived.", path=path)


def _lowered(path: str) -> str:
    return path[: len(ARCHIVE_DIR)] + path[len(ARCHIVE_DIR) :].casefold()
