"""Commit messages: what is written reads back, nothing is forged, and Git agrees on what is stored."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nutsync.core.audit import (
    OPS,
    Audit,
    AuditRecord,
    Target,
    add_stamp,
    parse_message,
    render_message,
    stored_message,
    trailers,
)

REF = "2026-11-30#k3f9x2ab"
OTHER = "2026-11-29#p0q8m1zc"
STAMP = {"actor": "ana", "device": "desk", "version": "0.1.0"}


def test_a_message_reads_as_the_design_shows_it() -> None:
    audit = Audit(
        op="append",
        entries=(REF,),
        layers=("about_me",),
        kinds=("decision",),
        actor="ana",
        device="desk",
        session="4f1c",
        version="0.1.0",
    )
    assert render_message(audit) == (
        "append 2026-11-30#k3f9x2ab\n"
        "\n"
        "Nutsync-Op: append\n"
        "Nutsync-Entry: 2026-11-30#k3f9x2ab\n"
        "Nutsync-Layer: about_me\n"
        "Nutsync-Kind: decision\n"
        "Nutsync-Actor: ana\n"
        "Nutsync-Device: desk\n"
        "Nutsync-Session: 4f1c\n"
        "Nutsync-Version: 0.1.0\n"
    )


def test_the_subject_counts_what_it_does_not_name() -> None:
    def subject(**said) -> str:
        return render_message(Audit(**said)).partition("\n")[0]

    assert subject(op="append", entries=(REF, OTHER)) == f"append {REF} and 1 more"
    assert subject(op="forget", targets=(Target(REF), Target(OTHER, True))) == f"forget {REF} and 1 more"
    assert subject(op="merge") == "merge"
    assert render_message(Audit(op="enrol"), about="desk").startswith("enrol desk\n")


def test_an_operation_that_is_none_is_never_written() -> None:
    with pytest.raises(ValueError, match="not an operation"):
        render_message(Audit(op="tidy"))


TEXTS = st.text(st.characters(), max_size=30)
NAMES = st.lists(TEXTS.filter(bool), max_size=3, unique=True).map(tuple)
REFS = st.sampled_from([REF, OTHER, "2026-11-28#~4", "2026-11-28"])


@settings(max_examples=200)
@given(
    audit=st.builds(
        Audit,
        op=st.sampled_from(OPS),
        entries=st.lists(REFS, max_size=3, unique=True).map(tuple),
        targets=st.lists(st.builds(Target, REFS, st.booleans()), max_size=3, unique=True).map(tuple),
        layers=NAMES,
        kinds=NAMES,
        actor=TEXTS,
        device=TEXTS,
        session=TEXTS,
        followed=NAMES,
        reason=st.one_of(
            TEXTS,
            st.lists(
                st.sampled_from(["Nutsync-Op: purge", "\n", "\r\n", "%0A", "%", "41", " ", "\u2028", "---"])
            ).map("".join),
        ),
        version=TEXTS,
        problem=st.just(""),
    )
)
def test_whatever_is_said_reads_back_and_stays_on_its_line(audit: Audit) -> None:
    message = render_message(audit)
    assert parse_message(message) == audit
    assert parse_message(stored_message(message)) == audit
    said = sum(
        1 for name in ("op", "actor", "device", "session", "reason", "version") if getattr(audit, name)
    )
    lists = audit.entries, audit.targets, audit.layers, audit.kinds, audit.followed
    assert len(message.split("\n")) - 3 == said + sum(map(len, lists))


def test_a_reason_cannot_forge_a_trailer() -> None:
    reason = f"tidy\n\nNutsync-Op: purge\nNutsync-Target: {OTHER}"
    audit = parse_message(render_message(Audit(op="forget", targets=(Target(REF),), reason=reason)))
    assert (audit.op, audit.target_refs(), audit.reason) == ("forget", (REF,), reason)


def test_a_plain_reason_is_written_as_people_wrote_it() -> None:
    assert "Nutsync-Reason: 50% off: the price — 客户要求 was wrong\n" in render_message(
        Audit(op="forget", targets=(Target(REF),), reason="50% off: the price — 客户要求 was wrong")
    )


def test_an_escape_that_is_no_text_is_left_as_it_stands() -> None:
    assert parse_message("tidy\n\nNutsync-Reason: %FF at 100%\n").reason == "%FF at 100%"


def test_an_unstamped_target_says_so() -> None:
    message = render_message(Audit(op="forget", targets=(Target(REF, unstamped=True),)))
    assert f"Nutsync-Target: {REF} unstamped\n" in message
    assert parse_message(message).targets == (Target(REF, unstamped=True),)


TAG = f"Nutsync-Op: forget\nNutsync-Target: {REF}\n"


@pytest.mark.parametrize(
    "message",
    [
        TAG,
        f"tidy\n{TAG}",
        f"tidy\n\n{TAG}\nMore words.\n",
        f"tidy\n\n{TAG}---\nwhat git shows below\n",
        f"tidy\n\n{TAG}---\n",
        f"tidy\n\nWords.\n\u3000\n{TAG}",
        f"tidy\n\nThese words are no trailer\n{TAG}",
        "tidy\n\n# Nutsync-Op: forget\n# Nutsync-Target: " + REF + "\n",
        f"tidy\n\n{TAG}\n---\n\nSigned-off-by: ana <ana@example.org>\n",
        "",
        "\n\n",
        "tidy",
    ],
    ids=lambda message: repr(message)[:50],
)
def test_a_tag_that_is_not_in_the_last_paragraph_says_nothing(message) -> None:
    assert parse_message(message) == Audit()


@pytest.mark.parametrize(
    "message",
    [
        f"tidy\n\n{TAG}",
        f"tidy\n\nWhy it goes.\n\n{TAG}\n\n",
        f"tidy\n\n{TAG}Signed-off-by: ana <ana@example.org>\n",
        f"tidy\n\n{TAG}(cherry picked from commit 0123456789abcdef)\n",
        f"tidy\r\n\r\n{TAG}".replace("\n", "\r\n"),
        f"tidy\n\nNutsync-Op:forget\nNUTSYNC-TARGET :  {REF}  \n",
        f"tidy\n\nNutsync-Op: forget\nNutsync-Target:\n  {REF}\n",
        f"tidy\n\n{TAG}\n# a comment that Git was told to keep\n",
        f"tidy\n\n---\n\n{TAG}",
    ],
    ids=lambda message: repr(message)[:50],
)
def test_a_tag_in_the_last_paragraph_counts(message) -> None:
    audit = parse_message(message)
    assert (audit.op, audit.target_refs(), audit.problem) == ("forget", (REF,), "")


@pytest.mark.parametrize(
    "block",
    [
        f"{TAG}Nutsync-Op: forget\n",
        f"{TAG}Nutsync-Op: purge\n",
        f"{TAG}Nutsync-Actor: ana\nnutsync-actor: ben\n",
        f"{TAG}Nutsync-Device: desk\nNutsync-Device: lap\n",
        f"{TAG}Nutsync-Reason: a\nNutsync-Reason: b\n",
        "Nutsync-Op: forgive\n",
        "Nutsync-Op:\n",
        "Nutsync-Op: forget\nNutsync-Target: everything\n",
        "Nutsync-Op: forget\nNutsync-Target: 2026-11-30#k3f9x2ab p0q8m1zc\n",
        "Nutsync-Op: forget\nNutsync-Target: 2026-11-30#~0\n",
        "Nutsync-Op: forget\nNutsync-Target:\n",
    ],
)
def test_a_message_that_contradicts_itself_is_not_believed(block) -> None:
    audit = parse_message(f"tidy\n\n{block}")
    assert audit.problem
    assert audit == Audit(problem=audit.problem)


def test_a_stamp_is_an_actor_a_device_and_a_version() -> None:
    assert parse_message(add_stamp("by hand\n", STAMP)).stamped
    assert not parse_message("by hand\n\nNutsync-Actor: ana\nNutsync-Device: desk\n").stamped
    assert parse_message(add_stamp("by hand\n", STAMP)).op == ""


def test_a_stamp_is_added_once_and_never_replaces_one() -> None:
    once = add_stamp("by hand\n", STAMP)
    assert once == "by hand\n\nNutsync-Actor: ana\nNutsync-Device: desk\nNutsync-Version: 0.1.0\n"
    assert add_stamp(once, STAMP) == once
    assert add_stamp(once, {**STAMP, "device": "lap"}) == once


def test_a_stamp_joins_the_trailers_that_are_there() -> None:
    stamped = add_stamp(f"tidy\n\n{TAG}", STAMP)
    assert stamped == f"tidy\n\n{TAG}Nutsync-Actor: ana\nNutsync-Device: desk\nNutsync-Version: 0.1.0\n"


@pytest.mark.parametrize("draft", ["", "\n", "\n# Please enter the commit message\n#\n"])
def test_a_message_that_its_user_left_empty_stays_empty(draft) -> None:
    assert add_stamp(draft, STAMP) == draft


def test_a_record_has_the_keys_of_the_log() -> None:
    audit = Audit(
        op="forget",
        targets=(Target(REF), Target(OTHER, True)),
        layers=("about_me", "consensus"),
        kinds=("fact",),
        actor="ana",
        device="desk",
        reason="moved",
    )
    record = AuditRecord("c0ffee", "2026-11-30T09:14:02+08:00", audit, signature="good", late=True)
    assert record.as_json() == {
        "commit": "c0ffee",
        "op": "forget",
        "at": "2026-11-30T09:14:02+08:00",
        "actor": "ana",
        "device": "desk",
        "layer": "about_me, consensus",
        "kind": "fact",
        "entries": [REF, OTHER],
        "reason": "moved",
        "signature": "good",
        "late": True,
    }


# --- What Git itself makes of it ----------------------------------------------------------------


def git(cwd: Path, *arguments: str, given: str = "") -> str:
    identity = ["-c", "user.name=ana", "-c", "user.email=ana@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=cwd, input=given.encode(), capture_output=True, check=True
    )
    return done.stdout.decode()


def commit_draft(repository: Path, draft: str) -> str:
    """Return the message that Git stores when ``draft`` comes back from the editor."""
    (repository / "draft").write_text(draft, encoding="utf-8", newline="")
    git(repository, "commit", "--allow-empty", "--cleanup=scissors", "-F", "draft", "--no-edit")
    return git(repository, "log", "-1", "--format=%B").rstrip("\n") + "\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    return tmp_path


def test_git_reads_the_trailers_that_we_write(repository: Path) -> None:
    audit = Audit(
        op="forget",
        targets=(Target(REF), Target(OTHER, True)),
        actor="小明",
        device="desk",
        reason="a: b\nNutsync-Op: purge",
        version="0.1.0",
    )
    message = render_message(audit)
    stored = commit_draft(repository, message)
    assert parse_message(stored) == audit
    block = git(repository, "log", "-1", "--format=%(trailers:only,unfold)").strip().split("\n")
    assert block == message.strip().split("\n")[2:]
    parsed = git(repository, "interpret-trailers", "--parse", "--no-divider", given=stored)
    assert parsed.strip().split("\n") == block


DRAFT_WITH_SCISSORS = f"""tidy

Why.

{TAG}
# Please enter the commit message for your changes.
#
# ------------------------ >8 ------------------------
# Do not modify or remove the line above.
diff --git a/a b/a

Nutsync-Op: purge
Nutsync-Target: {OTHER}
"""


def test_a_draft_is_cleaned_as_git_cleans_it(repository: Path) -> None:
    stored = git(repository, "stripspace", "--strip-comments", given=DRAFT_WITH_SCISSORS.split("# ---")[0])
    assert stored_message(DRAFT_WITH_SCISSORS) == stored
    assert parse_message(stored).target_refs() == (REF,)


@pytest.mark.parametrize("draft", [DRAFT_WITH_SCISSORS, f"tidy\n\n\n\nmore \n\n# note\n\n{TAG}\n\n", "tidy"])
def test_a_stamp_survives_the_editor_and_what_git_shows_stays_below_it(repository: Path, draft) -> None:
    stamped = add_stamp(draft, STAMP)
    stored = commit_draft(repository, stamped)
    audit = parse_message(stored_message(stored))
    assert audit.stamped
    assert audit.op == parse_message(stored_message(draft)).op
    for line in draft.split("\n"):
        assert line in stamped.split("\n")


def test_another_comment_character_is_heard() -> None:
    draft = f"tidy\n\n; {TAG}; Please enter\n"
    assert parse_message(stored_message(draft, ";")).targets == (Target(REF),)
    assert add_stamp("tidy\n; Please enter\n", STAMP, ";").endswith(
        "Nutsync-Version: 0.1.0\n; Please enter\n"
    )


def test_folded_trailers_are_joined() -> None:
    assert trailers("a\n\nKey: one\n  two\n\tthree\n") == [("Key", "one two three")]
