"""What the documentation takes from tables in core is what stands in them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from nutsync.core.layer import LAYERS

ROOT = Path(__file__).resolve().parent.parent


def test_the_generated_parts_of_the_documentation_are_current() -> None:
    command = [sys.executable, str(ROOT / "script" / "docs"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), "run script/docs"


def test_there_is_a_pattern_for_each_layer_and_no_other() -> None:
    assert {path.stem for path in (ROOT / "docs" / "grep").iterdir()} == set(LAYERS)


def test_a_stale_table_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "nutsync").symlink_to(ROOT / "nutsync")
    (tmp_path / "docs" / "grep").mkdir(parents=True)
    (tmp_path / "script").mkdir()
    page = (ROOT / "docs" / "layers.md").read_text(encoding="utf-8")
    altered = page.replace("| about_me |", "| about_us |")
    (tmp_path / "docs" / "layers.md").write_text(altered, encoding="utf-8")
    shutil.copy(ROOT / "script" / "docs", tmp_path / "script" / "docs")
    command = [sys.executable, str(tmp_path / "script" / "docs")]
    stale = subprocess.run([*command, "--check"], capture_output=True, text=True, check=False)
    assert stale.returncode == 1
    assert stale.stdout.split()[0] == "docs/layers.md"
    assert "about_us" in (tmp_path / "docs" / "layers.md").read_text(encoding="utf-8")
    subprocess.run(command, capture_output=True, check=True)
    assert (tmp_path / "docs" / "layers.md").read_text(encoding="utf-8") == page
    assert subprocess.run([*command, "--check"], check=False).returncode == 0
