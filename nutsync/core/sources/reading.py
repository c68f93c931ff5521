"""What goes into a reader and what comes out of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from nutsync.core.source_row import SourceRow


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file of a source: its "/"-separated name below the source's folder, and its bytes."""

    name: str
    content: bytes

    @property
    def stem(self) -> str:
        return self.name.rpartition("/")[2].rpartition(".")[0] or self.name.rpartition("/")[2]

    @property
    def suffix(self) -> str:
        """The ending in lower case, with its dot; empty where there is none."""
        last = self.name.rpartition("/")[2]
        return f".{last.rpartition('.')[2].lower()}" if "." in last.lstrip(".") else ""


@dataclass(frozen=True, slots=True)
class Note:
    """Something in a source that was not as it should be; ``skipped`` where text stayed out for it."""

    file: str
    line: int
    code: str
    message: str
    skipped: bool = False

    def as_json(self) -> dict[str, object]:
        """Return the finding of design §11; it never holds the source's text."""
        where = f"{self.file}, line {self.line}" if self.file else f"line {self.line}"
        return {
            "file": self.file,
            "line": self.line,
            "code": self.code,
            "severity": "skipped" if self.skipped else "notice",
            "message": f"{where}: {self.message}",
        }


@dataclass
class FileReport:
    """What became of one file: how its date was found, and how many entries each date gets."""

    file: str
    dated_by: str
    dates: Counter[str] = field(default_factory=Counter)

    def as_json(self) -> dict[str, object]:
        return {"file": self.file, "dated_by": self.dated_by, "dates": dict(sorted(self.dates.items()))}


@dataclass
class Reading:
    """Rows in the order of the source, what was noticed, and what each file was taken for."""

    rows: list[SourceRow] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    files: list[FileReport] = field(default_factory=list)
    indexes: dict[str, str] = field(default_factory=dict)
    """Days' own index lines, where the source is an export of ours."""
