"""Looking at this machine: operating system, architecture, toolchains and runtimes (design §4).

Tools are started by their full path, from a folder that holds no project, without a terminal, and
with a time limit. What they say is read by :mod:`nutsync.core.environment`, which keeps version
numbers only.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from nutsync.core.environment import ARCHITECTURE, SYSTEM, TOOLS, Tool, describe_system

TIMEOUT = 5.0
"""How long a tool may think about its version, in seconds."""

_USUAL_FOLDERS = (
    "/usr/local/bin",
    "/usr/bin",
    "/bin",
    "/opt/homebrew/bin",
    "/usr/local/go/bin",
    "~/.cargo/bin",
    "~/.local/bin",
)
_MAC_STUBS = "/usr/bin"
# These keep a question about a version from downloading, greeting or reporting anything.
_QUIET = {
    "LC_ALL": "C",
    "GOTOOLCHAIN": "local",
    "RUSTUP_AUTO_INSTALL": "0",
    "DOTNET_NOLOGO": "1",
    "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
    "DOTNET_SKIP_FIRST_TIME_EXPERIENCE": "1",
}
_NOISY = {"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "PERL5OPT", "RUBYOPT", "NODE_OPTIONS"}


def probe(
    folders: Sequence[str] | None = None, tools: Iterable[Tool] = TOOLS, timeout: float = TIMEOUT
) -> dict[str, str | None]:
    """Return what is found on this machine, as :func:`nutsync.core.environment.sense_entries` takes it.

    ``folders`` are where commands are looked for, else :func:`search_path`.
    """
    found: dict[str, str | None] = {SYSTEM: _system(), ARCHITECTURE: platform.machine() or None}
    where = search_path() if folders is None else folders
    present = [(tool, path) for tool in tools if (path := find(tool, where)) is not None]
    with ThreadPoolExecutor(max_workers=8) as pool:
        versions = pool.map(lambda one: _version(one[0], one[1], timeout), present)
        found.update((tool.name, version) for (tool, _), version in zip(present, versions, strict=True))
    return found


def search_path() -> list[str]:
    """Return the folders to look in: those of PATH and the usual ones, but no project's own.

    The answer should not depend on which program started this one, or every start would find
    something gone.
    """
    own = [os.environ.get("VIRTUAL_ENV", ""), sys.prefix if sys.prefix != sys.base_prefix else ""]
    usual = [str(Path(folder).expanduser()) for folder in _USUAL_FOLDERS] if os.name != "nt" else []
    folders = [*os.environ.get("PATH", "").split(os.pathsep), *usual]
    return list(dict.fromkeys(folder for folder in folders if _is_everybodys(folder, own)))


def _is_everybodys(folder: str, own: Iterable[str]) -> bool:
    path = Path(folder)
    if not path.is_absolute() or "node_modules" in path.parts:
        return False
    return not any(project and path.is_relative_to(project) for project in own)


def find(tool: Tool, folders: Iterable[str]) -> str | None:
    """Return the full path of the first command of ``tool`` in ``folders``, or None."""
    suffix = ".exe" if os.name == "nt" else ""
    where = list(folders)
    for command in tool.commands:
        for folder in where:
            path = str(Path(folder) / f"{command}{suffix}")
            if _is_program(path) and not _is_bare_stub(command, folder):
                return path
    return None


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)  # noqa: PTH113 (never raises)


def _is_bare_stub(command: str, folder: str) -> bool:
    """Tell whether a command is one of macOS's that would only open an installer's window."""
    if sys.platform != "darwin" or folder != _MAC_STUBS:
        return False
    question = ["/usr/libexec/java_home"] if command == "java" else ["/usr/bin/xcode-select", "-p"]
    return _run(question, TIMEOUT) is None


def _version(tool: Tool, path: str, timeout: float) -> str | None:
    output = _run([path, *tool.arguments], timeout)
    return None if output is None else tool.version(output)


def _run(command: Sequence[str], timeout: float) -> str | None:
    """Return what a command says, or None where it fails or takes too long."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in _NOISY and not name.startswith(("GIT_", "NUTSYNC_"))
    }
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=Path(sys.executable).anchor,
            env={**environment, **_QUIET},
            timeout=timeout,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace")


def _system() -> str | None:
    release: dict[str, str] = {}
    try:
        if sys.platform.startswith("linux"):
            release = platform.freedesktop_os_release()
    except OSError:
        release = {}
    version = platform.mac_ver()[0] if sys.platform == "darwin" else platform.win32_ver()[0]
    return describe_system(platform.system(), release, version)
