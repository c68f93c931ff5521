"""Files of the worktree: whole reads, atomic writes, and the walk over day files.

A write is all or nothing: a temporary file in the same folder, flushed to the disk, then renamed
(design §6). Failures have names, so that "could not read" never looks like "nothing there".
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from nutsync.core.errors import ErrDiskFull, ErrUnreadable, ErrUnwritable, NutsyncError
from nutsync.core.moment import is_date
from nutsync.core.pattern import pattern

TEMP_PREFIX = ".nutsync-tmp-"
"""How the name of every temporary file begins; the memory's .gitignore should name it."""

_YEAR = pattern(r"[0-9]{4}")
_DAY_SUFFIX = ".md"
_NO_SPACE = {errno.ENOSPC, errno.EDQUOT} if hasattr(errno, "EDQUOT") else {errno.ENOSPC}
_BUSY_TRIES = 20
_BUSY_PAUSE = 0.05
_OPEN_FILES_STAY = os.name == "nt"
"""Windows neither replaces nor removes a file that another program has open; editors and virus scanners
let go after a moment."""


def read_bytes(path: Path | str) -> bytes:
    """Return the whole content of a file.

    Raises FileNotFoundError or NotADirectoryError where there is none, and :class:`ErrUnreadable`
    for everything else that stands in the way.
    """
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 (a str costs less than a Path)
            return file.readall()
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError as problem:
        raise unreadable(path, problem) from problem


def read_if_there(path: Path | str) -> bytes | None:
    """Return the whole content of a file, or None where there is none."""
    try:
        return read_bytes(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def unreadable(path: Path | str, problem: OSError) -> ErrUnreadable:
    """Return the named error for something that could not be read."""
    return ErrUnreadable(
        f"{path} could not be read: {problem.strerror or problem}.",
        hint="Make it readable for this user, then repeat.",
    )


def unwritable(path: Path | str, problem: OSError) -> NutsyncError:
    """Return the named error for something that could not be written."""
    if problem.errno in _NO_SPACE:
        return ErrDiskFull(
            f"There is no space left to write {path}; nothing was changed.",
            hint="Free some space, then repeat.",
        )
    return ErrUnwritable(
        f"{path} could not be written: {problem.strerror or problem}; nothing was changed.",
        hint="Make the folder writable for this user, then repeat.",
    )


def write_atomic(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Write a whole file so that a reader sees the old content or the new, never a part.

    Missing folders are made. A file that is there keeps its permissions; a new one gets ``mode``
    less the umask. Raises :class:`ErrDiskFull` or :class:`ErrUnwritable`, and then nothing is
    changed and no temporary file is left.
    """
    try:
        _make_folder(path.parent)
        temporary = _write_temporary(path, content, mode)
        try:
            _replace(temporary, path)
        except BaseException:
            remove_quietly(temporary)
            raise
        sync_folder(path.parent)
    except OSError as problem:
        raise unwritable(path, problem) from problem


def append_bytes(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Put ``content`` at the end of a file in one write, whatever else is at work on it.

    Missing folders and a missing file are made. Raises :class:`ErrDiskFull` or :class:`ErrUnwritable`.
    """
    try:
        _make_folder(path.parent)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
        handle = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), mode)
        try:
            write_all(handle, content)
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as problem:
        raise unwritable(path, problem) from problem


def _make_folder(folder: Path) -> None:
    """Make a folder and those above it, each flushed into the one above."""
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)


def write_unflushed(path: Path, content: bytes) -> None:
    """Write as :func:`write_atomic` does, but let the system flush in its own time.

    For what can be made again after a power cut, or is flushed together with more (:func:`sync_all`).
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = _write_temporary(path, content, 0o644, flush=False)
        try:
            _replace(temporary, path)
        except BaseException:
            remove_quietly(temporary)
            raise
    except OSError as problem:
        raise unwritable(path, problem) from problem


def _kept_permissions(path: Path) -> int | None:
    """Return the permissions of the file that is there, or None."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return None
    return mode & 0o777 if stat.S_ISREG(mode) else None


def _write_temporary(path: Path, content: bytes, mode: int, *, flush: bool = True) -> Path:
    """Write and flush ``content`` beside ``path``, never readable by more people than the file itself."""
    kept = _kept_permissions(path)
    temporary = path.with_name(f"{TEMP_PREFIX}{os.getpid()}-{os.urandom(4).hex()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    handle = os.open(temporary, flags, mode if kept is None else 0o600)
    try:
        try:
            write_all(handle, content)
            if kept is not None and hasattr(os, "fchmod"):
                os.fchmod(handle, kept)
            if flush:
                os.fsync(handle)
        finally:
            os.close(handle)
    except BaseException:
        remove_quietly(temporary)
        raise
    return temporary


def write_all(handle: int, content: bytes) -> None:
    """Write every byte: one ``write`` may take only a part."""
    view = memoryview(content)
    while view:
        view = view[os.write(handle, view) :]


def _replace(temporary: Path, path: Path) -> None:
    """Rename over ``path``, once whoever has it open lets go."""
    _once_free(lambda: temporary.replace(path))


def _once_free(action: Callable[[], object]) -> None:
    """Do something to a file; where an open one stays as it is, try again for a second."""
    for attempt in range(_BUSY_TRIES):
        try:
            action()
            return
        except PermissionError:
            if not _OPEN_FILES_STAY or attempt == _BUSY_TRIES - 1:
                raise
            _wait(_BUSY_PAUSE)


def _wait(seconds: float) -> None:
    import time

    time.sleep(seconds)


def remove_quietly(path: Path) -> None:
    """Remove a file that nobody will miss; say nothing where that fails."""
    try:
        path.unlink()
    except OSError:
        return


def sync_folder(folder: Path | str) -> None:
    """Flush a folder, so that a rename in it outlives a power cut. Windows has no such call."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as problem:
        # Some network and fuse file systems cannot flush folders; the file itself is flushed.
        if problem.errno not in {errno.EINVAL, errno.ENOTSUP, errno.EBADF}:
            raise
    finally:
        os.close(handle)


CAN_SYNC_ALL = hasattr(os, "sync")


def sync_all() -> None:
    """Flush all that was written: one flush a file would take minutes where there are thousands."""
    os.sync()


def remove_file(path: Path) -> bool:
    """Remove a file; tell whether there was one. Raises :class:`ErrUnwritable`."""
    try:
        _once_free(path.unlink)
        sync_folder(path.parent)
    except FileNotFoundError:
        return False
    except OSError as problem:
        raise unwritable(path, problem) from problem
    return True


def remove_temporaries(folder: Path) -> int:
    """Remove what a killed writer left in ``folder``; return how many files went.

    Only call it under the clone's lock: then no temporary file there has a living writer.
    """
    try:
        names = [entry.name for entry in os.scandir(folder) if entry.name.startswith(TEMP_PREFIX)]
    except OSError:
        return 0
    for name in names:
        remove_quietly(folder / name)
    return len(names)


def day_files(archive: Path, since: str = "", until: str = "9999") -> Iterator[tuple[str, Path]]:
    """Yield ``(date, path)`` for every day file under the archive folder, sorted by date.

    ``since`` and ``until`` are inclusive dates. Raises :class:`ErrUnreadable` where a folder cannot
    be listed; an archive that does not exist yet has no days.
    """
    for date, path in day_paths(str(archive), since, until):
        yield date, Path(path)


def day_paths(archive: str, since: str = "", until: str = "9999") -> Iterator[tuple[str, str]]:
    """The same as :func:`day_files` in plain strings: a Path object costs more than its file's stat."""
    for year in _names(archive, folders=True):
        if _YEAR.fullmatch(year) and since[:4] <= year <= until[:4]:
            folder = f"{archive}{os.sep}{year}"
            for name in _names(folder, folders=False):
                date = name[: -len(_DAY_SUFFIX)]
                if (
                    name.endswith(_DAY_SUFFIX)
                    and date[:4] == year
                    and is_date(date)
                    and since <= date <= until
                ):
                    yield date, f"{folder}{os.sep}{name}"


def _names(folder: str, *, folders: bool) -> list[str]:
    """Return the sorted names of the folders, or of the plain files, in a folder. Links are neither."""
    try:
        with os.scandir(folder) as entries:
            if folders:
                return sorted(e.name for e in entries if e.is_dir(follow_symlinks=False))
            return sorted(e.name for e in entries if e.is_file(follow_symlinks=False))
    except FileNotFoundError:
        return []
    except OSError as problem:
        raise unreadable(folder, problem) from problem
