"""This clone's settings: what is kept where, and what goes before what."""

from __future__ import annotations

import os
import platform
import re
import socket
from pathlib import Path

import pytest

from nutsync.core.errors import ErrName, ErrNotArmed
from nutsync.core.names import check_device
from nutsync.store.repo.git import Git
from nutsync.store.settings import (
    Settings,
    propose_device,
    read_settings,
    set_user_cell,
    user_cell,
    write_settings,
)
from tests.support.repos import git, make_repo


@pytest.fixture
def clone(tmp_path: Path) -> Git:
    return Git.discover(make_repo(tmp_path / "clone"))


def test_what_is_written_is_read_also_by_another_process(clone: Git) -> None:
    write_settings(clone, actor="小王", device="desk", branch="trunk")
    again = Git.discover(clone.root)
    assert read_settings(clone, {}) == read_settings(again, {}) == Settings("小王", "desk", "trunk")
    assert git(clone.root, "config", "--local", "nutsync.actor") == "小王"


def test_settings_stay_in_the_clone_and_out_of_the_memory(clone: Git) -> None:
    write_settings(clone, actor="ana", device="desk", branch="main")
    assert git(clone.root, "status", "--porcelain") == ""


def test_a_clone_without_a_device_says_which_command_gives_it_one(clone: Git) -> None:
    with pytest.raises(ErrNotArmed) as caught:
        read_settings(clone, {})
    assert "nutsync init" in caught.value.hint


def test_the_environment_goes_before_the_clone_and_the_command_line_before_both(clone: Git) -> None:
    write_settings(clone, actor="ana", device="desk", branch="main")
    said = {"NUTSYNC_ACTOR": "ben", "NUTSYNC_DEVICE": "lamp", "NUTSYNC_SESSION": "s-1"}
    assert read_settings(clone, said) == Settings("ben", "lamp", "main", "s-1")
    assert read_settings(clone, said, actor="carl").actor == "carl"


def test_an_empty_variable_is_one_that_is_not_set(clone: Git) -> None:
    write_settings(clone, actor="ana", device="desk", branch="main")
    empty = {"NUTSYNC_ACTOR": "", "NUTSYNC_DEVICE": "", "NUTSYNC_SESSION": ""}
    assert read_settings(clone, empty) == Settings("ana", "desk", "main")


def test_one_person_needs_no_actor_and_an_old_clone_no_branch(clone: Git) -> None:
    git(clone.root, "symbolic-ref", "HEAD", "refs/heads/trunk")
    assert read_settings(clone, {"NUTSYNC_DEVICE": "desk"}) == Settings("local", "desk", "trunk")


@pytest.mark.parametrize(
    "said", [{"NUTSYNC_ACTOR": "a\nb"}, {"NUTSYNC_DEVICE": "../x"}, {"NUTSYNC_SESSION": "a\0"}]
)
def test_a_name_that_cannot_be_one_is_refused_wherever_it_comes_from(
    clone: Git, said: dict[str, str]
) -> None:
    write_settings(clone, actor="ana", device="desk", branch="main")
    with pytest.raises(ErrName):
        read_settings(clone, said)


def test_a_bad_name_is_not_kept(clone: Git) -> None:
    with pytest.raises(ErrName):
        write_settings(clone, actor="ana", device="My Laptop", branch="main")
    assert Git.discover(clone.root).config("nutsync.device") is None


def test_a_proposed_device_is_a_word_and_four_characters_and_asks_nothing_about_the_host(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def tell_on(*_: object) -> str:
        raise AssertionError("the host's name was asked for")

    for module, name in ((socket, "gethostname"), (socket, "getfqdn"), (os, "uname"), (platform, "node")):
        monkeypatch.setattr(module, name, tell_on, raising=False)
    names = {propose_device() for _ in range(50)}
    assert len(names) > 45
    assert all(re.fullmatch(r"[a-z]+-[0-9a-hjkmnp-tv-z]{4}", name) and check_device(name) for name in names)


def test_the_users_default_cell_is_kept_in_the_users_configuration(tmp_path: Path) -> None:
    environ = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    assert user_cell(environ) is None
    set_user_cell(environ, tmp_path / "my cell")
    assert user_cell(environ) == str(tmp_path / "my cell")
    assert user_cell({"HOME": str(tmp_path)}) is None


def test_without_xdg_the_users_configuration_is_in_the_home_folder(tmp_path: Path) -> None:
    set_user_cell({"HOME": str(tmp_path)}, tmp_path / "cell")
    assert (tmp_path / ".config/nutsync/default-cell").is_file()
