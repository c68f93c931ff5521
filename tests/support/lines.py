"""The command line for tests: run in this process, answers as documents."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from nutsync.frontends.cli.main import run_line


@dataclass
class CommandLine:
    """Runs ``nutsync`` commands in one folder."""

    folder: Path
    capsys: pytest.CaptureFixture[str]

    def __call__(self, *arguments: str) -> tuple[int, Any]:
        """Run with ``--json`` and return the exit code and the document, of whichever stream."""
        code, out, err = self.words("--json", *arguments)
        return code, json.loads(out or err.strip().splitlines()[-1])

    def words(self, *arguments: str) -> tuple[int, str, str]:
        """Run as a person does and return the exit code and both streams."""
        self.capsys.readouterr()
        code = run_line(["-C", str(self.folder), *arguments])
        out, err = self.capsys.readouterr()
        return code, out, err

    def error(self, *arguments: str) -> tuple[int, str]:
        """Run what must fail; return the exit code and the error's name. Every error has a message."""
        code, document = self(*arguments)
        assert set(document) == {"error"}, document
        assert set(document["error"]) == {"code", "message", "hint"}
        assert document["error"]["message"]
        return code, document["error"]["code"]
