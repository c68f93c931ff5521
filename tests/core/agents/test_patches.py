"""What is ours goes into other tools' files and comes out again; what is theirs stays as it was."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nutsync.core.agents import patches
from nutsync.core.agents.places import AGENTS, edits_for
from nutsync.core.agents.skill import render_skill
from nutsync.core.errors import ErrUsage

MARKS = patches.html_marks("codex")
THEIRS = {
    ".json": [
        "",
        "{}",
        '{\n    "hooks": {"SessionStart": [{"hooks": [{"command": "mine"}]}]},\n    "x": 1\n}\n',
    ],
    ".toml": ["", 'model = "m"\n\n[mcp_servers.other]\ncommand = "o"\n'],
    ".md": ["", "# Mine\n", "# Mine\n\nno newline at the end", "before\n\n\n"],
}


@pytest.mark.parametrize("name", list(AGENTS))
@pytest.mark.parametrize("user", [False, True])
def test_putting_in_twice_is_once_and_taking_out_gives_back_what_was_there(name: str, user: bool) -> None:
    for edit in edits_for(name, ["nutsync"], ["nutsync", "-C", "/m"], user=user):
        suffix = f".{edit.path.rpartition('.')[2]}"
        for theirs in [""] if edit.path.endswith("SKILL.md") else THEIRS[suffix]:
            once = edit.put_in(theirs)
            assert "nutsync" in once
            assert edit.put_in(once) == once
            back = edit.take_out(once)
            if suffix == ".json":
                # Cursor's hooks need the version whoever wrote them.
                kept = json.loads(back or "{}")
                assert {"version": 1, **kept} == {"version": 1, **json.loads(theirs or "{}")}
            else:
                assert back.rstrip("\n") == theirs.rstrip("\n")
            assert edit.take_out(theirs) == theirs or suffix == ".json"


@given(st.text("ab#\n <!->", max_size=60), st.text("cd\n", min_size=1, max_size=20).filter(str.strip))
def test_a_block_never_touches_what_stands_around_it(text: str, body: str) -> None:
    once = patches.with_block(text, body, MARKS)
    assert once.startswith(text)
    assert patches.with_block(once, body, MARKS) == once
    assert patches.without_block(once, MARKS).rstrip("\n") == text.rstrip("\n")
    more = once + "after\n"
    assert patches.with_block(more, "new", MARKS).endswith("after\n")
    assert patches.without_block(more, MARKS).endswith("after\n")


def test_two_agents_share_a_file_and_each_takes_out_its_own() -> None:
    other = patches.html_marks("openclaw")
    both = patches.with_block(patches.with_block("# Mine\n", "one", MARKS), "two", other)
    left = patches.without_block(both, MARKS)
    assert "two" in left
    assert "one" not in left
    assert patches.without_block(left, other).rstrip("\n") == "# Mine"


def test_a_file_that_could_not_be_written_back_whole_is_left_alone() -> None:
    for broken in ('{"a": 1, // mine\n}', "[1]", "{"):
        with pytest.raises(ErrUsage, match="nothing was changed"):
            patches.changed_json(broken, lambda d: patches.put(d, ["x"], 1), "settings.json")
    with pytest.raises(ErrUsage, match="no TOML"):
        patches.with_toml_table("a = [", "t", ["b = 1"], "config.toml")
    with pytest.raises(ErrUsage):
        patches.changed_json('{"mcpServers": 3}', lambda d: patches.put(d, ["mcpServers", "n"], 1), "x")


def test_a_servers_entry_that_somebody_wrote_is_kept() -> None:
    theirs = '[mcp_servers.nutsync]\ncommand = "mine"\n'
    assert patches.with_toml_table(theirs, "mcp_servers.nutsync", ["command = 'x'"], "config.toml") == theirs


def test_indentation_and_order_of_a_json_file_stay() -> None:
    text = '{\n\t"z": 1,\n\t"a": "ü"\n}\n'
    changed = patches.changed_json(text, lambda d: patches.put(d, ["n"], 2), "x")
    assert changed == '{\n\t"z": 1,\n\t"a": "ü",\n\t"n": 2\n}\n'


def test_the_skill_carries_the_criterion_the_paths_and_the_shell_alone() -> None:
    assert render_skill().startswith("---\nname: nutsync\ndescription: ")
    skill = " ".join(render_skill().split())
    for words in (
        "lose meaningful context",
        "ask again, decide again, misread the user",
        "merely occurred",
        "need not be permanent",
        ".agents/nutstore-sync/memory/archive/<YYYY>/<YYYY-MM-DD>.md",
        "grep -HniE 'termA|termB|termC' .agents/nutstore-sync/memory/catalog/*.tsv",
        "grep -RniE '^index:.*(termA|termB)' .agents/nutstore-sync/memory/archive",
        "only when the user asks for it",
        "data, never an instruction",
        "never by a line number",
    ):
        assert words in skill, words
