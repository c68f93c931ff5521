"""The environment layer says what is new on a device: come, changed or gone, and nothing private."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nutsync.core.environment import (
    ATTRIBUTES,
    FACTS,
    SYSTEM,
    TOOLS,
    describe_system,
    known_facts,
    sense_entries,
)
from nutsync.core.layer import layer_of

TOOL = {tool.name: tool for tool in TOOLS}


def entry(device: str, text: str) -> tuple[dict[str, str], str]:
    return {**ATTRIBUTES, "dev": device}, text


def test_sensed_entries_are_facts_of_the_environment_layer() -> None:
    assert layer_of(ATTRIBUTES) == "environment"
    assert (ATTRIBUTES["kind"], ATTRIBUTES["formation"]) == ("fact", "sensed")


def test_the_first_time_everything_is_news() -> None:
    found = {"Python": "3.12.1", SYSTEM: "Debian GNU/Linux 12", "Git": "2.39.5"}
    assert sense_entries("desk", found, {}) == [
        "desk: operating system Debian GNU/Linux 12",
        "desk: Git 2.39.5",
        "desk: Python 3.12.1",
    ]


def test_afterwards_only_what_changed_is_said() -> None:
    known = {"Python": "3.11.7", "Git": "2.39.5", "Go": "1.22.1"}
    found = {"Python": "3.12.1", "Git": "2.39.5", "Rust": "1.80.0"}
    assert sense_entries("desk", found, known) == [
        "desk: Python 3.12.1 (was 3.11.7)",
        "desk: Go is gone (was 1.22.1)",
        "desk: Rust 1.80.0",
    ]
    assert sense_entries("desk", known, known) == []


def test_what_is_there_but_cannot_be_read_is_neither_new_nor_gone() -> None:
    assert sense_entries("desk", {"Python": None, "Go": None}, {"Python": "3.11.7"}) == []


def test_what_is_gone_is_said_once_and_may_come_back() -> None:
    told = ["desk: Go 1.22.1", "desk: Go is gone (was 1.22.1)"]
    assert known_facts("desk", [entry("desk", text) for text in told]) == {}
    assert sense_entries("desk", {}, {}) == []
    assert sense_entries("desk", {"Go": "1.22.1"}, {}) == ["desk: Go 1.22.1"]


def test_each_device_is_known_by_its_own_entries_alone() -> None:
    entries = [
        entry("desk", "desk: Python 3.11.7"),
        entry("lap", "lap: Python 3.9.2"),
        entry("lap", "desk: Python 2.7.18"),
        entry("desk", "desk: Python 3.12.1 (was 3.11.7)"),
        ({"scope": "global", "actor": "ana", "dev": "desk"}, "desk: Python 4.0"),
        ({}, "desk: Git 9"),
        entry("desk", "desk: Fortran 77"),
    ]
    assert known_facts("desk", entries) == {"Python": "3.12.1"}
    assert known_facts("lap", entries) == {"Python": "3.9.2"}
    assert known_facts("attic", entries) == {}


VERSIONS = st.from_regex(r"[0-9]{1,2}(\.[0-9]{1,2}){0,2}", fullmatch=True)
HOSTS = st.dictionaries(st.sampled_from(FACTS), VERSIONS)


@given(st.lists(HOSTS, max_size=5))
def test_what_was_told_adds_up_to_what_is_there(history: list[dict[str, str]]) -> None:
    entries: list[tuple[dict[str, str], str]] = []
    for found in history:
        texts = sense_entries("desk", found, known_facts("desk", entries))
        entries.extend(entry("desk", text) for text in texts)
        assert known_facts("desk", entries) == found
        assert sense_entries("desk", found, known_facts("desk", entries)) == []


@pytest.mark.parametrize(
    ("name", "output", "version"),
    [
        ("Git", "git version 2.39.5 (Apple Git-154)\n", "2.39.5"),
        ("Git", "git version 2.43.0.windows.1\n", "2.43.0"),
        ("Python", "Python 3.13.0b1\n", "3.13.0b1"),
        ("Node.js", "v20.20.2\n", "20.20.2"),
        ("Go", "go version go1.22.1 linux/amd64\n", "1.22.1"),
        ("Rust", "rustc 1.95.0-nightly (0123abcd 2026-01-01)\n", "1.95.0-nightly"),
        ("Java", 'openjdk version "17.0.15" 2025-04-15\nOpenJDK Runtime Environment\n', "17.0.15"),
        ("Java", 'Picked up something\njava version "21" 2023-09-19 LTS\n', "21"),
        ("Perl", "\nThis is perl 5, version 36, subversion 0 (v5.36.0) built for x86_64-linux\n", "5.36.0"),
        ("GCC", "gcc (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright\n", "12.2.0"),
        ("GCC", "Apple clang version 15.0.0 (clang-1500.3.9.4)\n", None),
        ("Clang", "Apple clang version 15.0.0 (clang-1500.3.9.4)\n", "15.0.0"),
        ("Clang", "Debian clang version 14.0.6\n", "14.0.6"),
        ("Swift", "swift-driver version: 1.87 Apple Swift version 5.9.2 (swiftlang)\n", "5.9.2"),
        ("Docker", "Docker version 24.0.7, build afdd53b\n", "24.0.7"),
        (".NET", "8.0.101\n", "8.0.101"),
        ("Ruby", "ruby 3.2.2 (2023-03-30 revision e51014f9c0) [x86_64-linux]\n", "3.2.2"),
        ("PHP", "PHP 8.2.7 (cli) (built: Jun 9 2023)\n", "8.2.7"),
        ("CMake", "cmake version 3.25.1\n\nCMake suite\n", "3.25.1"),
        ("GNU Make", "GNU Make 4.3\nBuilt for x86_64-pc-linux-gnu\n", "4.3"),
        ("Deno", "deno 1.40.2 (release, x86_64-unknown-linux-gnu)\n", "1.40.2"),
        ("Python", "Python was not found; run without arguments to install\n", None),
        ("Node.js", "", None),
    ],
)
def test_a_tools_own_words_give_its_version_and_nothing_else(name, output, version) -> None:
    assert TOOL[name].version(output) == version


@pytest.mark.parametrize(
    ("system", "release", "version", "text"),
    [
        ("Linux", {"NAME": "Debian GNU/Linux", "VERSION_ID": "12"}, "", "Debian GNU/Linux 12"),
        ("Linux", {"NAME": "Arch Linux"}, "", "Arch Linux"),
        ("Linux", {}, "", "Linux"),
        ("Darwin", {}, "14.4.1", "macOS 14.4.1"),
        ("Windows", {}, "11", "Windows 11"),
        ("FreeBSD", {}, "", "FreeBSD"),
        ("Linux", {"NAME": "Linux\n- forged <!-- nut"}, "", None),
    ],
)
def test_the_operating_system_has_a_plain_name(system, release, version, text) -> None:
    assert describe_system(system, release, version) == text


def test_a_value_that_is_no_plain_word_or_number_is_not_told() -> None:
    for value in ("/home/ana/bin", "3.11\n- forged", "ana@desk", "", "x" * 61):
        assert sense_entries("desk", {"Python": value}, {}) == []
