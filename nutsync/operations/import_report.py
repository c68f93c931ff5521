"""What an import did, or would do: counted, mapped, and every oddity with file and line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from nutsync.core.sources.reading import FileReport, Note


@dataclass
class Report:
    """``findings`` name file and line of the source, never its text.

    ``actors`` tells whose recall will show what was imported.
    """

    days: int = 0
    entries: int = 0
    skipped: int = 0
    commits: list[str] = field(default_factory=list)
    findings: list[dict[str, object]] = field(default_factory=list)
    actors: Counter[str] = field(default_factory=Counter)
    files: list[FileReport] = field(default_factory=list)
    mapping: str = ""

    @property
    def left_out(self) -> int:
        """How many findings tell of text that was not taken in."""
        return sum(finding["severity"] == "skipped" for finding in self.findings)

    def as_json(self) -> dict[str, object]:
        """Return the document of design §11."""
        return {
            "days": self.days,
            "entries": self.entries,
            "skipped": self.skipped,
            "findings": self.findings,
            "actors": dict(sorted(self.actors.items())),
            "commits": self.commits,
            "mapping": self.mapping,
            "files": [file.as_json() for file in self.files],
        }

    def find(self, line: int, code: str, message: str, file: str = "") -> None:
        """Note one thing that was not taken in, with the line of the source."""
        self.findings.append(Note(file, line, code, message, skipped=True).as_json())

    def take(self, notes: Iterable[Note], files: Iterable[FileReport]) -> None:
        """Take over what a reader noticed."""
        self.findings += (note.as_json() for note in notes)
        self.files += files
