"""Real ``grep -E`` and ``git grep -E`` find a layer's entries, and only them, in real day files."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest

from nutsync.core.day import Day
from nutsync.core.entry import Block, encode_entry
from nutsync.core.errors import ErrUnknownLayer
from nutsync.core.layer import FIELDS, LAYERS, SCOPES, layer_of
from nutsync.core.layer_grep import GrepPattern, layer_grep
from tests.core.test_layer import every_entry

COMMON = {"id": "k3f9x2ab", "at": "09:14:02.118+08:00", "dev": "desk", "kind": "fact"}

LOOKALIKES = [
    "- plain",
    "-",
    "*",
    "-\v<!-- nut scope=host -->",
    "-\rx <!-- nut scope=host -->\r\f",
    "- x\r <!-- nut scope=host -->\r",
    "-\u00a0x <!-- nut scope=host -->",
    "+ <!-- nut -->",
    "- <!-- nut scope=host -->",
    "-\t<!-- nut scope=host -->",
    "-\ttext <!-- nut scope=host -->",
    "* x <!-- nut scope=host -->",
    "+ x <!-- nut scope=host --> \t ",
    "- x <!-- nut scope=host --> more",
    "- x <!-- nut scope=host --> <!-- a comment of somebody's -->",
    "- x <!-- nut scope=host --> <!-- nut scope=global -->",
    "- x <!-- nut scope=global <!-- nut scope=host -->",
    "- x\\<!-- nut scope=host -->",
    "- x<!-- nut scope=host -->",
    "- x <!--nut scope=host -->",
    "- x <!-- nuts scope=host -->",
    "- x <!-- nut  scope=host -->",
    "- x <!-- nut scope=host  -->",
    "- x <!-- nut scope=host-->",
    "- x <!-- nut\tscope=host -->",
    "- x <!-- nut scope =host -->",
    "- x <!-- nut scope -->",
    "- x <!-- nut scope=host; -->",
    "- x <!-- nut scope=%68ost -->",
    "- x <!-- nut scope=host%20 -->",
    "- x <!-- nut Scope=host -->",
    "- x <!-- nut scopes=host -->",
    "- x <!-- nut scop=host -->",
    "- x <!-- nut my-scope=host -->",
    "- x <!-- nut scope=host actors=ana -->",
    "- x <!-- nut scope=host actor2=ana -->",
    "- x <!-- nut scope=host actor-of=ana namespaces=n -->",
    "- x <!-- nut scope=host actor= namespace= -->",
    "- x <!-- nut scope=host actor=ana -->",
    "- x <!-- nut scope=host scope=global actor=ana -->",
    "- x <!-- nut scope=global scope=host actor= actor=ana -->",
    "- x <!-- nut scope= scope=global actor=ana -->",
    "- x <!-- nut note=scope=host -->",
    "- x <!-- nut scope=host id=short -->",
    "- x <!-- nut scope=host id=k3f9x2ab -->",
    "- x <!-- nut scope=host id=k3f9x2ab id= -->",
    "- x <!-- nut scope=host idea=1 i=2 -->",
    "- x <!-- nut scope=host note=a%zz -->",
    "- x <!-- nut scope=host note=a% -->",
    "- x <!-- nut scope=host note=备注 -->",
    "- x <!-- nut scope=global actor=小明 -->",
    "- x <!-- nut scope=global actor=%E3%80%80 -->",
    "- scope=host actor=ana <!-- nut kind=fact -->",
    "- [ ] call Ana <!-- nut scope=global actor=ana -->",
    "- `<!-- nut scope=host -->` is how it looks <!-- nut scope=global -->",
    "prose <!-- nut scope=host -->",
    "-x <!-- nut scope=host -->",
    "1. x <!-- nut scope=host -->",
    "## x <!-- nut scope=host -->",
    "- caf\udce9 \udcff <!-- nut scope=host -->",
    "- nul \0 inside <!-- nut scope=host -->",
    "- nul in a value <!-- nut scope=ho\0st note=\0 -->",
    "- escape \x1b[0m \x07 <!-- nut scope=global actor=ana -->",
]


def every_line() -> Iterator[str]:
    yield from LOOKALIKES
    shuffle = random.Random(7)
    for number, entry in enumerate(every_entry()):
        pairs = list({**COMMON, **entry}.items())
        shuffle.shuffle(pairs)
        yield encode_entry(f"entry {number}", dict(pairs)).raw.decode().rstrip("\n")
    named = [("scope", "agent"), ("actor", "ana"), ("namespace", "coder"), ("id", "k3f9x2ab"), ("x", "1")]
    for order in permutations(named):
        yield encode_entry("in another order", dict(order)).raw.decode().rstrip("\n")
    yield from random_lines(random.Random(11), 3000)


def random_lines(choose: random.Random, count: int) -> Iterator[str]:
    """Lines of parts that make attributes, put together at random."""
    keys = [
        "scope",
        "actor",
        "namespace",
        "session",
        "id",
        "scop",
        "actors",
        "sess",
        "n",
        "kind",
        "a-b",
        "x9",
    ]
    values = ["", "ana", "k3f9x2ab", "a%20b", "%4", "元", "a=b", *SCOPES]
    for _ in range(count):
        pairs = [f"{choose.choice(keys)}={choose.choice(values)}" for _ in range(choose.randint(0, 6))]
        if choose.random() < 0.8:
            pairs.insert(choose.randint(0, len(pairs)), f"scope={choose.choice(SCOPES)}")
        space = choose.choice([" "] * 20 + ["  ", "\t", ""])
        end = choose.choice([" -->"] * 20 + ["-->", " -- >", " --> .", " --> "])
        yield f"- text{choose.choice([' '] * 9 + [''])}<!-- nut {space.join(pairs)}{end}"


def run(arguments: list[str], cwd: Path) -> list[int]:
    """Return the numbers of the lines that a grep finds."""
    environment = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(arguments, cwd=cwd, env=environment, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return [int(line.partition(b":")[0]) for line in done.stdout.split(b"\n") if line]


def grep(pattern: GrepPattern, name: str, cwd: Path) -> list[int]:
    return run(["grep", "-n", *pattern.arguments(), "--", name], cwd)


def git_grep(pattern: GrepPattern, name: str, cwd: Path) -> list[int]:
    return run(["git", "grep", "-h", "-n", *pattern.arguments(), "--", name], cwd)


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> Path:
    """A repository with the same day twice, with LF and with CRLF line ends."""
    root: Path = tmp_path_factory.mktemp("archive")
    for arguments in (["init", "-q"], ["config", "core.autocrlf", "false"]):
        subprocess.run(["git", *arguments], cwd=root, check=True)
    blocks = [Block(line.encode("utf-8", "surrogateescape")) for line in every_line()]
    day = Day.new("2026-11-30").with_index("scope=host actor=ana").append(*blocks).render()
    (root / "lf.md").write_bytes(day)
    (root / "crlf.md").write_bytes(day.replace(b"\n", b"\r\n"))
    subprocess.run(["git", "add", "."], cwd=root, check=True)
    return root


@pytest.mark.parametrize("search", [grep, git_grep])
@pytest.mark.parametrize("name", ["lf.md", "crlf.md"])
def test_each_layers_expression_finds_its_entries_and_no_others(archive: Path, search, name) -> None:
    content = (archive / name).read_bytes()
    lines = content.replace(b"\r\n", b"\n").split(b"\n")
    blocks = Day.parse(content, "2026-11-30").blocks
    bullets = {block.first_line: block for block in blocks if block.is_bullet}
    expected: dict[str, list[int]] = {layer: [] for layer in LAYERS}
    for number, line in enumerate(lines, 1):
        if line in bullets:
            expected[layer_of(bullets[line].attributes)].append(number)
    for layer in LAYERS:
        found = search(layer_grep(layer), name, archive)
        wrong = [lines[number - 1] for number in set(found) ^ set(expected[layer])]
        assert wrong == [], layer
    assert all(expected.values())


def test_every_combination_of_attributes_stood_in_the_archive(archive: Path) -> None:
    content = (archive / "lf.md").read_bytes()
    read = [block.attributes for block in Day.parse(content, "2026-11-30").blocks]
    written = [{name: some[name] for name in ("scope", *FIELDS) if name in some} for some in read]
    assert all(entry in written for entry in every_entry())


def test_the_expression_finds_entries_in_a_utf8_locale_too(archive: Path) -> None:
    pattern = layer_grep("about_me")
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    line = "- 报价 <!-- nut id=k3f9x2ab scope=global actor=小明 -->\n"
    done = subprocess.run(
        ["grep", *pattern.arguments()], input=line.encode(), env=environment, capture_output=True, check=False
    )
    assert done.stdout.decode() == line


def test_an_unknown_layer_has_no_expression() -> None:
    with pytest.raises(ErrUnknownLayer):
        layer_grep("everything")
