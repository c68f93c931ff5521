"""The hooks' files in a repository: shims put in, what was there kept and put back (design §7).

Shims stand in the folder where Git looks for hooks. Where that is the repository's own, a hook of the
user's is kept beside its shim, under another name. Where `core.hooksPath` names another folder (husky does
that), nothing in it is touched: `core.hooksPath` of this clone is pointed to nutsync's own folder, whose
shims first run what is in the other.
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from nutsync import __version__
from nutsync.store.files import TEMP_PREFIX, read_if_there, remove_file, remove_quietly, unwritable
from nutsync.store.repo.git import Git

CLIENT_HOOKS = (
    "pre-commit",
    "pre-merge-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-merge",
    "post-checkout",
    "post-rewrite",
    "pre-push",
    "reference-transaction",
)
SERVER_HOOKS = ("pre-receive", "post-receive")
PASSED_ON = (
    "applypatch-msg",
    "pre-applypatch",
    "post-applypatch",
    "post-commit",
    "pre-rebase",
    "pre-auto-gc",
)
"""Hooks that are the user's alone: from another folder they are passed on, whenever they come to be there."""
PASSED_ON_IF_THERE = ("post-index-change", "push-to-checkout", "sendemail-validate", "update", "post-update")
"""The same, but that they are there has an effect of its own."""

KEPT = ".before-nutsync"
MARK = b"# nutsync guards memory here"
RUNNER = "run.sh"


def own_folder(git: Git) -> Path:
    """Return nutsync's own folder of shims in this repository."""
    return git.private_dir / "hooks"


def source_folder() -> Path:
    """Return where the shims come from: beside the package in a checkout, inside it in a wheel."""
    package = Path(__file__).resolve().parents[2]
    for folder in (package / "_hooks", package.parent / "hooks"):
        if (folder / RUNNER).is_file():
            return folder
    raise FileNotFoundError("this nutsync was installed without its hooks")


def render_runner(memory: str, before: str) -> bytes:
    """Return what the shims read; ``memory`` is the memory branch's ref, ``before`` the user's own folder."""
    start = start_line("nutsync.operations.hooks.run", "run", "()")
    values = {
        "VERSION": __version__,
        "PYTHON": sys.executable,
        "PACKAGE": str(_package_folder()),
        "START": start,
        "MEMORY": memory,
        "BEFORE": before,
    }
    text = (source_folder() / RUNNER).read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f"@{name}@", shlex.quote(value))
    return text.encode("utf-8", "surrogateescape")


def read_runner(path: Path) -> dict[str, str]:
    """Return the values that a runner was installed with; nothing where it is not there."""
    found = {}
    for line in (read_if_there(path) or b"").decode("utf-8", "surrogateescape").split("\n")[:20]:
        name, equals, value = line.partition("=")
        if equals and name in ("version", "python", "package", "memory", "before"):
            words = shlex.split(value)
            found[name] = words[0] if words else ""
    return found


def start_line(module: str, function: str, call: str) -> str:
    """Return the Python that calls a function of ours without the site's packages being looked for.

    They are named all the same, last: one of them checks signatures, and is imported when one is there.
    """
    paths = [str(_package_folder())]
    from importlib.util import find_spec  # arms a clone, and is not asked whether it is armed

    spec = find_spec("cryptography")
    if spec is not None and spec.origin is not None:
        paths.append(str(Path(spec.origin).resolve().parents[1]))
    known = list(dict.fromkeys(paths))
    return f"import sys; sys.path += {known!r}; from {module} import {function}; sys.exit({function}{call})"


def _package_folder() -> Path:
    return Path(__file__).resolve().parents[3]


def render_shim(way: str) -> bytes:
    """Return a shim; ``way`` leads from its folder to nutsync's folder of the repository."""
    return (source_folder() / "shim").read_text(encoding="utf-8").replace("@NUTSYNC@", way).encode()


def write_own(git: Git, memory: str, before: str, names: tuple[str, ...]) -> None:
    """Write nutsync's own folder: the runner, and a shim for each name."""
    folder = own_folder(git)
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / RUNNER, render_runner(memory, before), 0o644)
    for name in names:
        _write(folder / name, render_shim(".."), 0o755)


def write_beside(folder: Path, names: tuple[str, ...]) -> list[str]:
    """Put shims into the repository's own folder of hooks; return the names of the hooks kept there."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        path, kept = folder / name, folder / f"{name}{KEPT}"
        if os.path.lexists(path) and not is_shim(path):
            if has_shim(folder, name):
                continue  # another tool stepped in front, keeps our shim under its own name and runs it
            if os.path.lexists(kept):
                kept.replace(_free_name(kept))
            path.rename(kept)
        _write(path, render_shim("../nutsync"), 0o755)
    return [name for name in names if os.path.lexists(folder / f"{name}{KEPT}")]


def remove_beside(folder: Path, names: tuple[str, ...]) -> list[str]:
    """Take the shims out and put back what was there; return the paths that had to stay as they are."""
    left = []
    for name in names:
        path, kept = folder / name, folder / f"{name}{KEPT}"
        if is_shim(path):
            path.unlink()
        if os.path.lexists(kept):
            if os.path.lexists(path):
                left.append(str(kept))  # somebody put another hook in our place since
            else:
                kept.rename(path)
        legacy = folder / f"{name}.legacy"
        if is_shim(legacy):
            legacy.unlink()
    return left


def remove_own(git: Git) -> None:
    """Remove nutsync's own folder of shims."""
    folder = own_folder(git)
    if folder.is_dir():
        for path in list(folder.iterdir()):
            remove_file(path)
        folder.rmdir()


def is_shim(path: Path) -> bool:
    """Tell whether the file is a shim of ours, whether Git can run it or not."""
    if path.is_symlink() or not path.is_file():
        return False
    lines = (read_if_there(path) or b"").split(b"\n", 2)
    return len(lines) > 1 and lines[1].startswith(MARK)


def has_shim(folder: Path, name: str) -> bool:
    """Tell whether Git runs our shim for this hook: as the hook itself, or through a tool that kept it."""
    hook, legacy = folder / name, folder / f"{name}.legacy"
    return os.access(hook, os.X_OK) and (is_shim(hook) or (is_shim(legacy) and os.access(legacy, os.X_OK)))


def _free_name(path: Path) -> Path:
    number = 1
    while os.path.lexists(path.with_name(f"{path.name}.{number}")):
        number += 1
    return path.with_name(f"{path.name}.{number}")


def _write(path: Path, content: bytes, mode: int) -> None:
    """Write a file that is made anew when it is lost: whole at any moment, but not flushed."""
    if read_if_there(path) == content and (os.name == "nt" or path.stat().st_mode & 0o111 == mode & 0o111):
        return
    draft = path.with_name(f"{TEMP_PREFIX}{os.getpid()}-{path.name}")
    try:
        draft.write_bytes(content)
        draft.chmod(mode)
        draft.replace(path)
    except OSError as problem:
        remove_quietly(draft)
        raise unwritable(path, problem) from problem
