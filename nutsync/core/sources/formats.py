"""The formats that `import` knows, one row each: what its files are called and what reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Protocol

from nutsync.core.sources.jrnl import read_jrnl
from nutsync.core.sources.letta import read_letta
from nutsync.core.sources.markdown import kind_by_words, kind_event, kind_fact, read_markdown
from nutsync.core.sources.reading import Reading, SourceFile

MARKDOWN = (".md", ".markdown", ".txt")


class Reader(Protocol):
    def __call__(self, file: SourceFile, reading: Reading, offset: int, today: str) -> None: ...


@dataclass(frozen=True)
class Format:
    """What a format's files end in (none: any), the reader of one file, and what entries it makes."""

    words: str
    suffixes: tuple[str, ...]
    read: Reader
    mapping: str
    skipped_folders: tuple[str, ...] = ()


_SECTIONS = "each section, or where there are no headings each bullet and paragraph, becomes an entry"

FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        "openclaw": Format(
            "OpenClaw's memory folder: days, session transcripts, MEMORY.md",
            MARKDOWN,
            partial(read_markdown, kind_of=kind_event),
            f"{_SECTIONS} of kind event; several files of one date become one day",
        ),
        "logseq": Format(
            "Logseq's journals folder",
            (".md", ".org"),
            partial(read_markdown, kind_of=kind_fact),
            f"{_SECTIONS} of kind fact, or task where it says TODO",
            ("bak", ".recycle", "version-files"),
        ),
        "obsidian": Format(
            "Obsidian's folder of daily notes",
            MARKDOWN,
            partial(read_markdown, kind_of=kind_fact),
            f"{_SECTIONS} of kind fact, or task where its box is open; frontmatter goes with the first",
            (".obsidian", ".trash"),
        ),
        "jrnl": Format(
            "jrnl's journal: text, JSON export, a folder of days, Day One entries",
            (),
            read_jrnl,
            "each entry becomes an entry of kind event",
        ),
        "claude-memory": Format(
            "Claude Code's memory folder",
            MARKDOWN,
            partial(read_markdown, kind_of=kind_by_words),
            f"{_SECTIONS}; its kind comes from the frontmatter's type",
        ),
        "letta": Format(
            "Letta's memory files and agent files (.af, .json)",
            (*MARKDOWN, ".af", ".json"),
            partial(read_letta, kind_of=kind_by_words),
            f"{_SECTIONS}; each memory block of an agent file becomes an entry",
        ),
        "basic-memory": Format(
            "basic-memory's notes",
            MARKDOWN,
            partial(read_markdown, kind_of=kind_by_words),
            f"{_SECTIONS}; its kind comes from the note's type or an observation's category",
        ),
        "markdown": Format(
            "any folder of Markdown files",
            MARKDOWN,
            partial(read_markdown, kind_of=kind_fact),
            f"{_SECTIONS} of kind fact, or task where its box is open",
        ),
    }
)


def read_sources(name: str, files: Iterable[SourceFile], offset: int, today: str) -> Reading:
    """Return what the files of a source hold. Files of one date are read in the order of their names.

    ``offset`` (minutes east) serves where a time of day names no zone; ``today`` takes what has no date.
    """
    reading = Reading()
    for file in sorted(files, key=lambda file: (file.name.rpartition("/")[0], file.stem, file.suffix)):
        FORMATS[name].read(file, reading, offset, today)
    return reading
