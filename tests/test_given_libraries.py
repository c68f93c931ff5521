"""python-frontmatter, GitPython and click each do a work that nothing else here does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from nutsync.core.cell import day_path
from nutsync.core.entry import Ref
from nutsync.operations.show import show
from tests.support.cells import make_desk
from tests.support.repos import write

ROOT = Path(__file__).parents[1]
FOLDED = "---\ndate: 2019-05-01\nindex: >-\n  Acme signs\n  in Rotterdam\ntags: [a, b]\n---\n- Acme signs\n"


def run_without(module: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run nutsync in a process in which ``module`` cannot be imported."""
    code = (
        f"import sys; sys.modules[{module!r}] = None; sys.path.insert(0, {str(ROOT)!r});"
        "from nutsync.frontends.cli.main import run_line; sys.exit(run_line(sys.argv[1:]))"
    )
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, cwd=cwd)


def test_a_frontmatter_that_is_not_canonical_is_read_by_python_frontmatter(tmp_path: Path) -> None:
    write(tmp_path / "memory", day_path("2019-05-01"), FOLDED)
    desk = make_desk(tmp_path / "memory")
    assert show(desk.cell, Ref("2019-05-01"), actor="ana").index == "Acme signs in Rotterdam"
    without = run_without("frontmatter", "show", "2019-05-01", cwd=desk.root)
    assert without.returncode != 0


def test_repositories_are_made_and_cloned_through_gitpython(tmp_path: Path) -> None:
    assert run_without("git", "init", "memory", cwd=tmp_path).returncode != 0
    assert not (tmp_path / "memory" / ".git").exists()
    make_desk(tmp_path / "memory")
    assert run_without("git", "clone", str(tmp_path / "memory"), "copy", cwd=tmp_path).returncode != 0


def test_the_command_line_is_clicks(tmp_path: Path) -> None:
    assert run_without("click", "--help", cwd=tmp_path).returncode != 0


@pytest.mark.parametrize(
    "arguments",
    [["append", "tea"], ["recall", "tea"], ["context"], ["show", "2019-05-01"], ["status"], ["log"]],
)
def test_everyday_commands_load_neither_gitpython_nor_yaml_nor_rich(
    tmp_path: Path, arguments: list[str]
) -> None:
    desk = make_desk(tmp_path / "memory")
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r});"
        "from nutsync.frontends.cli.main import run_line; run_line(sys.argv[1:]);"
        "print('loaded', sorted({'git', 'yaml', 'frontmatter', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, cwd=desk.root, check=True
    )
    assert done.stdout.splitlines()[-1] == "loaded []"
