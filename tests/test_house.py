"""The house keeps its own rules: small rooms, named errors, commands where a newcomer looks."""

from __future__ import annotations

import ast
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from nutsync.core import errors

ROOT = Path(__file__).resolve().parent.parent
PYTHON_FILES = sorted(
    path for folder in ("nutsync", "bench", "tests", "hooks") for path in (ROOT / folder).rglob("*.py")
)
SCRIPTS = [
    *(ROOT / "script" / name for name in ("setup", "test", "demo")),
    *(ROOT / ".ci" / name for name in ("run", "package")),
]
EXIT_CODES = {1, 2, 3, 4, 5, 70}
LONGEST_FILE = 400
LONGEST_FUNCTION = 80


def error_classes() -> Iterator[type[errors.NutsyncError]]:
    for value in vars(errors).values():
        if isinstance(value, type) and issubclass(value, errors.NutsyncError):
            yield value


def test_no_file_is_too_long_to_read_in_one_go() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in PYTHON_FILES}
    assert {name: n for name, n in lengths.items() if n > LONGEST_FILE} == {}


def test_no_function_is_too_long_to_hold_in_the_head() -> None:
    long = {}
    for path in PYTHON_FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
                lines = node.end_lineno - node.lineno + 1
                if lines > LONGEST_FUNCTION:
                    long[f"{path.relative_to(ROOT)}:{node.name}"] = lines
    assert long == {}


def test_every_module_of_the_product_says_what_it_is_for() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in PYTHON_FILES
        if ROOT / "nutsync" in path.parents
        and path.read_text().strip()
        and ast.get_docstring(ast.parse(path.read_text())) is None
    ]
    assert silent == []


@pytest.mark.parametrize("cls", list(error_classes()), ids=lambda cls: cls.__name__)
def test_every_error_says_what_it_means_and_how_the_command_ends(cls: type[errors.NutsyncError]) -> None:
    assert cls.__doc__
    assert cls.exit_code in EXIT_CODES
    assert 400 <= cls.http_status < 600


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_every_script_can_be_started_and_parsed(script: Path) -> None:
    shell = "bash" if "bash" in script.read_text().splitlines()[0] else "sh"
    assert os.access(script, os.X_OK)
    subprocess.run([shell, "-n", str(script)], check=True)


def test_an_error_becomes_the_document_that_programs_read() -> None:
    error = errors.ErrFrozen("2026-11-29 is over.")
    assert error.code == "ErrFrozen"
    assert error.as_json()["error"]["message"] == "2026-11-29 is over."
    assert error.as_json()["error"]["hint"] == errors.ErrFrozen.default_hint
    assert errors.ErrFrozen("over", hint="wait").hint == "wait"


def test_the_first_screen_of_the_readme_names_both_commands() -> None:
    first_screen = "\n".join((ROOT / "README.md").read_text().splitlines()[:30])
    assert "script/demo" in first_screen
    assert "script/test" in first_screen


def test_every_document_that_another_one_links_to_is_there() -> None:
    broken = []
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            if not (page.parent / target).exists():
                broken.append(f"{page.name} -> {target}")
    assert broken == []
