"""The server as a process of its own, for what only a real socket shows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nutsync

SOURCE = Path(nutsync.__file__).resolve().parent.parent


@contextmanager
def serving(
    root: Path, *options: str, env: dict[str, str] | None = None
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Serve the cell at ``root`` on a free port; yield the address and the process."""
    command = [sys.executable, "-m", "nutsync", "-C", str(root), "--json", "serve", "--port", "0", *options]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.stderr.read() if process.stderr else ""
        yield json.loads(line)["url"], process
    finally:
        process.terminate()
        process.communicate(timeout=30)
