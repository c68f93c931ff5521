"""What a remote's words mean. The words are what Git, ssh and hosts print."""

from __future__ import annotations

import pytest

from nutsync.core import errors
from nutsync.store.repo.refusals import Outcome, push_outcome, remote_failure, said_by_server

WORDS = [
    ("fatal: could not read Username for 'https://example.com': terminal prompts disabled", "ErrAuth"),
    ("fatal: Authentication failed for 'https://example.com/x.git/'", "ErrAuth"),
    (
        "git@example.com: Permission denied (publickey).\nfatal: Could not read from remote repository.",
        "ErrAuth",
    ),
    ("Host key verification failed.\nfatal: Could not read from remote repository.", "ErrAuth"),
    ("fatal: unable to access 'https://x/': The requested URL returned error: 403", "ErrAuth"),
    (
        "ERROR: Permission to ana/x.git denied to ben.\nfatal: Could not read from remote repository.",
        "ErrAuth",
    ),
    ("remote: HTTP Basic: Access denied\nfatal: Authentication failed for 'https://x/'", "ErrAuth"),
    ("fatal: unable to access 'https://x/': SSL certificate problem: unable to get local issuer", "ErrAuth"),
    ("fatal: unable to access 'https://x/': Could not resolve host: x", "ErrOffline"),
    ("ssh: Could not resolve hostname x: Name or service not known", "ErrOffline"),
    ("ssh: connect to host x port 22: Connection timed out\nfatal: Could not read from", "ErrOffline"),
    ("ssh: connect to host x port 22: No route to host", "ErrOffline"),
    ("fatal: unable to access 'http://x/': Failed to connect to x port 1: Connection refused", "ErrOffline"),
    ("fatal: unable to access 'https://x/': The requested URL returned error: 503", "ErrOffline"),
    ("kex_exchange_identification: read: Connection reset by peer", "ErrOffline"),
    ("error: RPC failed; curl 28 Operation too slow.\nfatal: expected flush after ref listing", "ErrOffline"),
    ("fatal: the remote end hung up unexpectedly\nfatal: early EOF\nfatal: index-pack failed", "ErrOffline"),
    ("fatal: unable to look up nowhere (port 9418) (Name or service not known)", "ErrOffline"),
    ("fatal: '/mnt/stick/x' does not appear to be a git repository", "ErrRemoteMissing"),
    ("remote: Not Found\nfatal: repository 'https://example.com/x.git/' not found", "ErrRemoteMissing"),
    ("remote: Repository not found.\nfatal: Could not read from remote repository.", "ErrRemoteMissing"),
    ("fatal: transport 'ext' not allowed", "ErrTransport"),
    ("fatal: Unable to find remote helper for 'foo'", "ErrTransport"),
    ("fatal: detected dubious ownership in repository at '/srv/x'", "ErrRemote"),
    ("fatal: Could not read from remote repository.", "ErrOffline"),
    (
        "fatal: Could not read from remote repository.\n\n"
        "Please make sure you have the correct access rights\nand the repository exists.",
        "ErrOffline",
    ),
    ("fatal: expected flush after ref listing", "ErrOffline"),
    ("fatal: expected 'acknowledgments'", "ErrOffline"),
    ("fatal: the remote end hung up upon initial contact", "ErrOffline"),
    (
        "fatal: unable to access 'https://x/': transfer closed with 115 bytes remaining to read",
        "ErrOffline",
    ),
    ("error: Cannot access URL https://x/, return code 55\nfatal: git-http-push failed", "ErrOffline"),
    ("error: no DAV locking support on https://x/\nfatal: git-http-push failed", "ErrRemote"),
    ("fatal: remote error: access denied or repository not exported: /x", "ErrRemote"),
    ("remote: fatal: pack exceeds maximum allowed size\nerror: remote unpack failed", "ErrRemote"),
    (
        "fatal: write error: No space left on device\nfatal: fetch-pack: invalid index-pack output",
        "ErrDiskFull",
    ),
    ("fatal: ref updates aborted by hook", "ErrVetoed"),
    ("fatal: bad object 1234", "ErrGit"),
]


@pytest.mark.parametrize(("words", "name"), WORDS, ids=[words[:60] for words, _ in WORDS])
def test_words_become_a_named_error(words: str, name: str) -> None:
    failure = remote_failure("fetch", 128, words)
    assert type(failure) is getattr(errors, name)
    assert failure.hint


def test_a_git_that_died_because_nobody_listened_is_offline() -> None:
    assert type(remote_failure("push", -13, "")) is errors.ErrOffline


def test_a_login_that_may_not_write_is_told_from_one_that_is_missing() -> None:
    words = "fatal: unable to access 'https://x/': The requested URL returned error: {}"
    may_not, missing = (remote_failure("push", 128, words.format(code)) for code in (403, 401))
    assert "does not let this user" in may_not.message
    assert "wants credentials" in missing.message


def test_an_error_carries_no_password_and_no_control_characters() -> None:
    words = "fatal: unable to access 'https://ana:hunter2@x/': Could not resolve host: x\x1b[31m\u202e"
    message = remote_failure("fetch", 128, words).message
    assert "hunter2" not in message and "ana" not in message
    assert "\x1b" not in message and "\u202e" not in message and "Could not resolve host" in message


def test_what_a_server_says_is_quoted_without_progress_and_escapes_and_is_cut() -> None:
    err = (
        "Enumerating objects: 3, done.\nremote: Counting objects: 50% (1/2)\r"
        "remote: Counting objects: 100% (2/2)\n"
        "remote: \x1b[31mthe day is frozen\x1b[0m        \nremote:\nremote: Resolving deltas: 100%\n"
        "To /srv/x\nerror: failed to push some refs\n"
    )
    assert said_by_server(err) == "the day is frozen"
    long = said_by_server("remote: x" + "y" * 5_000)
    assert len(long) == 1_001 and long.endswith("…")


OUTCOMES = [
    ("=", "[up to date]", Outcome.UP_TO_DATE),
    (" ", "1234..5678", Outcome.DONE),
    ("*", "[new reference]", Outcome.DONE),
    ("+", "1234...5678 (forced update)", Outcome.DONE),
    ("-", "[deleted]", Outcome.DONE),
    ("!", "[rejected] (fetch first)", Outcome.CONTENDED),
    ("!", "[rejected] (non-fast-forward)", Outcome.CONTENDED),
    ("!", "[rejected] (stale info)", Outcome.CONTENDED),
    ("!", "[remote rejected] (failed to update ref)", Outcome.CONTENDED),
    ("!", "[remote rejected] (cannot lock ref 'refs/heads/main': is at 1 but expected 2)", Outcome.CONTENDED),
    ("!", "[remote rejected] (incorrect old value provided)", Outcome.CONTENDED),
    ("!", "[remote rejected] (reference already exists)", Outcome.CONTENDED),
    ("!", "[remote failure] (remote failed to report status)", Outcome.CONTENDED),
    ("!", "[remote rejected] (non-fast-forward)", Outcome.FORBIDDEN),
    ("!", "[remote rejected] (deletion prohibited)", Outcome.FORBIDDEN),
    ("!", "[remote rejected] (protected branch hook declined)", Outcome.FORBIDDEN),
    ("!", "[remote rejected] (pre-receive hook declined)", Outcome.DECLINED),
    ("!", "[remote rejected] (hook declined)", Outcome.DECLINED),
    ("!", "[remote rejected] (branch is currently checked out)", Outcome.DECLINED),
    ("!", "[remote rejected] (unpacker error)", Outcome.DECLINED),
    ("!", "[remote rejected] (deny updating a hidden ref)", Outcome.DECLINED),
]


@pytest.mark.parametrize(("flag", "summary", "outcome"), OUTCOMES, ids=[row[1] for row in OUTCOMES])
def test_a_line_of_a_push_becomes_an_outcome(flag: str, summary: str, outcome: Outcome) -> None:
    assert push_outcome(flag, summary) is outcome
