"""Memory in other tools' files, read into rows; nothing is dropped silently (design §6, import).

A reader gets the bytes of files and gives rows and notes. It knows no disk, no clock and no cell.
"""

from __future__ import annotations

from nutsync.core.sources.formats import FORMATS, Format, read_sources
from nutsync.core.sources.reading import FileReport, Note, Reading, SourceFile

__all__ = ["FORMATS", "FileReport", "Format", "Note", "Reading", "SourceFile", "read_sources"]
