"""What the environment layer says about a device, and what of it is news (design §4).

Every fact is one line, ``desk: Python 3.12.1 (was 3.11.7)``, so that what a device is already
known to have can be read back from its own entries. Only names of this module's table and version
numbers ever get into it: no user or host name, no environment variable, no path.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nutsync.core.kind import SENSED
from nutsync.core.layer import layer_of
from nutsync.core.pattern import pattern

SYSTEM = "operating system"
ARCHITECTURE = "architecture"

ATTRIBUTES: Mapping[str, str] = {"kind": "fact", "scope": "host", "formation": SENSED}
"""What every sensed entry carries beside its id, time and device."""

_VERSION = r"(\d+(?:\.\d+){0,3}(?:-?(?:alpha|beta|dev|ea|nightly|pre|rc|a|b)\.?\d*)?)"
_PLAIN = pattern(r"[A-Za-z0-9][A-Za-z0-9 ./()+_-]{0,58}[A-Za-z0-9)]?")
_GONE = "is gone"


@dataclass(frozen=True)
class Tool:
    """One tool to look for: the commands that may start it, and how to read its version.

    ``answer`` matches what the command says when it really is this tool.
    """

    name: str
    commands: tuple[str, ...]
    answer: re.Pattern[str]
    arguments: tuple[str, ...] = ("--version",)

    def version(self, output: str) -> str | None:
        """Return the version that ``output`` tells, or None where it is no answer of this tool."""
        match = self.answer.search(output)
        return match[1] if match else None


def _tool(name: str, commands: str, before: str, *arguments: str) -> Tool:
    answer = re.compile(rf"^{before}{_VERSION}", re.MULTILINE)
    return Tool(name, tuple(commands.split()), answer, arguments or ("--version",))


TOOLS: tuple[Tool, ...] = (
    _tool("Git", "git", "git version "),
    _tool("Python", "python3 python", "Python "),
    _tool("Node.js", "node", "v"),
    _tool("Deno", "deno", "deno "),
    _tool("Bun", "bun", ""),
    _tool("Go", "go", "go version go", "version"),
    _tool("Rust", "rustc", "rustc "),
    _tool("Java", "java", '(?:java|openjdk) version "', "-version"),
    _tool("Ruby", "ruby", "ruby "),
    _tool("PHP", "php", "PHP "),
    _tool("Perl", "perl", r"This is perl .*\(v"),
    _tool(".NET", "dotnet", ""),
    _tool("Swift", "swift", r".*Swift version "),
    _tool("GCC", "gcc", r"gcc(?:\.exe)? \([^)]*\) "),
    _tool("Clang", "clang", r".*clang version "),
    _tool("CMake", "cmake", "cmake version "),
    _tool("GNU Make", "make", "GNU Make "),
    _tool("Docker", "docker", "Docker version "),
)

FACTS: tuple[str, ...] = (SYSTEM, ARCHITECTURE, *(tool.name for tool in TOOLS))
"""Everything the sensor can say, in the order in which it says it."""

Found = Mapping[str, str | None]
"""What was found, by fact; None where something is there but does not say which version it is."""


def sense_entries(device: str, found: Found, known: Mapping[str, str]) -> list[str]:
    """Return the texts that tell what is new on ``device``: come, changed or gone.

    ``known`` is what its entries say so far (:func:`known_facts`). What is there but cannot be
    read stays as it is known.
    """
    texts = []
    for name in FACTS:
        value, before = found.get(name), known.get(name)
        if name not in found:
            if before is not None:
                texts.append(f"{device}: {name} {_GONE} (was {before})")
        elif value is not None and value != before and _PLAIN.fullmatch(value):
            texts.append(f"{device}: {name} {value}" + (f" (was {before})" if before else ""))
    return texts


def known_facts(device: str, entries: Iterable[tuple[Mapping[str, str], str]]) -> dict[str, str]:
    """Return what ``entries``, (attributes, text) from old to new, say about ``device``."""
    known: dict[str, str] = {}
    for attributes, text in entries:
        if layer_of(attributes) != "environment" or attributes.get("dev") != device:
            continue
        fact = _read_fact(device, text)
        if fact is not None:
            name, value = fact
            known.pop(name, None)
            if value != _GONE:
                known[name] = value
    return known


def _read_fact(device: str, text: str) -> tuple[str, str] | None:
    """Return the fact and its value that a sensed text states, or None."""
    for name in FACTS:
        start = f"{device}: {name} "
        if text.startswith(start):
            return name, re.sub(r" \(was .*\)$", "", text[len(start) :])
    return None


def describe_system(system: str, release: Mapping[str, str], version: str) -> str | None:
    """Return the operating system's name and version, or None where it has no plain name.

    ``system`` is what Python calls it, ``release`` the fields of ``/etc/os-release``, and
    ``version`` that of macOS or Windows.
    """
    names = {"Darwin": "macOS", "Windows": "Windows"}
    if system in names:
        parts = [names[system], version]
    else:
        parts = [release.get("NAME") or system, release.get("VERSION_ID", "")]
    text = " ".join(part.strip() for part in parts if part.strip())
    return text if _PLAIN.fullmatch(text) else None
