"""Git's configuration read in process says what Git says."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nutsync.store.repo.config import canonical_key, is_true, parse_config
from nutsync.store.repo.git import Git
from tests.store.repo.test_git import no_process
from tests.support.repos import git, run_git

ODD = r"""
# a comment
[core] bare = false ; another
	filemode
[Remote "Ori\"gin"] url = "https://example.org/a;b" # c
	fetch = +refs/heads/*:refs/remotes/origin/*
	fetch = a\
b   	
	empty =
	quoted = " x "y"  "
	esc = a\tb\nc\\d\"
[branch.Main]
	Merge = refs/heads/main
[nutsync]
	actor=ana
"""


def listed(path: Path) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for item in (
        run_git(path.parent, "config", "--list", "-z", "--file", str(path)).stdout.decode().split("\0")[:-1]
    ):
        key, newline, value = item.partition("\n")
        values.setdefault(key, []).append(value if newline else "true")
    return values


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_every_spelling_reads_as_git_reads_it(tmp_path: Path, newline: str) -> None:
    file = tmp_path / "config"
    file.write_bytes(ODD.replace("\n", newline).encode())
    assert parse_config(file.read_bytes()) == listed(file)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    value=st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=20),
    sub=st.text('aB.\\"] #é', max_size=5),
)
def test_what_git_writes_we_read(tmp_path: Path, value: str, sub: str) -> None:
    file = tmp_path / "config"
    file.unlink(missing_ok=True)
    git(tmp_path, "config", "--file", str(file), f"nutsync.{sub}.key", value)
    assert parse_config(file.read_bytes()) == {f"nutsync.{sub}.key": [value]}


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.sampled_from(list('[]"\\#; \t\n=ab.-')), max_size=20))
def test_any_file_is_refused_or_read_as_git_does(tmp_path: Path, text: str) -> None:
    file = tmp_path / "config"
    file.write_bytes(text.encode())
    ours = parse_config(file.read_bytes())
    theirs = run_git(tmp_path, "config", "--list", "-z", "--file", str(file), check=False)
    if ours is not None and theirs.returncode == 0:
        assert ours == listed(file)
    elif theirs.returncode == 0:
        assert ours is None  # we may hand more to Git than needed, never less


@pytest.mark.parametrize(
    "text",
    ['[a]\nb = "x\ny"', '[a]\nb = "x', "[a\nb = 1", "[a]\nb = \\q", "[a]\n1b = 1", "[a]\nb 1"],
)
def test_what_git_refuses_is_left_to_git(tmp_path: Path, text: str) -> None:
    (tmp_path / "config").write_text(text)
    assert run_git(tmp_path, "config", "--list", "--file", "config", check=False).returncode
    assert parse_config(text.encode()) is None


def test_keys_ignore_case_except_in_the_subsection() -> None:
    assert canonical_key("Remote.Origin.URL") == "remote.Origin.url"
    assert canonical_key("nutsync.Branch") == "nutsync.branch"


@pytest.mark.parametrize("word", ["true", "Yes", "ON", "1", "-1", "12"])
def test_what_git_takes_for_true(word: str) -> None:
    assert is_true(word)


@pytest.mark.parametrize("word", ["false", "no", "off", "0", "", "perhaps"])
def test_what_git_does_not_take_for_true(word: str) -> None:
    assert not is_true(word)


def test_a_value_of_the_clone_overrules_the_user_and_costs_no_process(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repo, "config", "--global", "nutsync.actor", "ben")
    git(repo, "config", "--global", "nutsync.device", "desk")
    here = Git.discover(repo)
    assert here.config("nutsync.device") == "desk"
    here.set_config("nutsync.actor", "ana")
    assert here.config("NutSync.Actor") == "ana"
    here.set_config("nutsync.actor", None)
    assert here.config("nutsync.actor") == "ben"
    assert here.config("nutsync.nothing") is None
    git(repo, "config", "nutsync.actor", "ana")
    no_process(monkeypatch)
    assert Git.discover(repo).config("nutsync.actor") == "ana"


def test_included_files_and_those_of_one_worktree_count(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "more").write_text("[nutsync]\n\tactor = ana\n")
    git(repo, "config", "nutsync.actor", "ben")
    git(repo, "config", "include.path", str(tmp_path / "more"))
    assert Git.discover(repo).config("nutsync.actor") == "ana"
    git(repo, "config", "--unset", "include.path")
    git(repo, "config", "extensions.worktreeConfig", "true")
    git(repo, "config", "--worktree", "nutsync.actor", "eve")
    assert Git.discover(repo).config("nutsync.actor") == "eve"
