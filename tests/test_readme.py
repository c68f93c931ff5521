"""The five minutes of the README, in both languages, do what they say when they are pasted."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
INSTALLING = ("python3 -m venv", "pip install", "nutsync sync install")
"""What would change this machine or wants a network: tried where packages are tried."""


def five_minutes(readme: str) -> list[str]:
    """Return the commands of the second section's blocks, in their order."""
    text = (ROOT / readme).read_text(encoding="utf-8")
    (section,) = re.findall(r"^## (?:Five minutes|五分钟).*?(?=^## )", text, re.MULTILINE | re.DOTALL)
    lines = "".join(re.findall(r"^```sh\n(.*?)^```", section, re.MULTILINE | re.DOTALL)).splitlines()
    return [line for line in lines if not line.startswith(INSTALLING)]


@pytest.mark.parametrize("readme", ["README.md", "README.zh.md"])
def test_the_five_minutes_can_be_pasted(readme: str, tmp_path: Path) -> None:
    commands = tmp_path / "bin"
    commands.mkdir()
    (commands / "nutsync").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m nutsync "$@"\n')
    (commands / "nutsync").chmod(0o755)
    environ = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("NUTSYNC_", "GIT_"))},
        "HOME": str(tmp_path),
        "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CEILING_DIRECTORIES": str(tmp_path.parent),
    }
    script = "\n".join(["set -e", *five_minutes(readme)])
    done = subprocess.run(
        ["sh"], input=script, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "PostgreSQL 16" in done.stdout
    assert "1 received" in done.stdout, "the second machine's entry came to the first"
    assert "1 entry was forgotten" in done.stdout
    assert "would be rewritten" in done.stdout
