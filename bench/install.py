"""Puts nutsync where users have it: a built wheel in an environment of its own.

An editable install and an interpreter behind a version manager's shim both cost tens of
milliseconds a start, which would be measured as if it were the product.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Installed:
    """The interpreter and the command of an installed wheel."""

    python: str
    nutsync: str


def install(folder: Path) -> Installed:
    """Build the wheel of this tree, install it into ``folder`` and return what to call."""
    interpreter = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    subprocess.run([interpreter, "-m", "venv", "--clear", folder], check=True)
    python = folder / "bin" / "python"
    pip = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    wheels = folder / "wheels"
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", wheels, ROOT], check=True)
    (wheel,) = wheels.glob("nutsync-*.whl")
    subprocess.run([*pip, "install", "--compile", f"{wheel}[mcp,serve]"], check=True)
    return Installed(str(python), str(folder / "bin" / "nutsync"))
