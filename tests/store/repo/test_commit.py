"""New commits: the same trees and commits as Git's own commands make, in repositories that stay sound."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nutsync.core.errors import ErrChanged, ErrClock, ErrUnwritable, ErrVetoed
from nutsync.core.moment import Moment
from nutsync.store.repo.commit import Author, Change, move_branch, move_refs, new_commit, new_tree
from nutsync.store.repo.git import Git
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.refs import resolve_ref
from nutsync.store.repo.trees import FOLDER, TreeEntry, walk_tree
from tests.support.repos import commit_files, git, head, is_sound, make_repo, run_git, show

MAIN = "refs/heads/main"
ANA = Author("Ana", "ana@example.org", Moment(1_796_001_242_118, 480))
DAY = ".agents/nutstore-sync/memory/archive/2026/2026-11-30.md"


def commit(root: Path, changes: dict[str, Change], base: str | None = None, message: str = "a change") -> str:
    here = Git.discover(root)
    parents = [base] if base else []
    with Objects(here) as objects:
        return new_commit(
            here,
            objects,
            base=base,
            parents=parents,
            changes=changes,
            author=ANA,
            committer=ANA,
            message=message,
            sign=None,
        )


def test_a_first_commit_is_the_one_that_git_itself_would_make(empty_repo: Path) -> None:
    ours = commit(empty_repo, {DAY: b"- milk\n"})
    blob = git(empty_repo, "hash-object", "-w", "--stdin", input=b"- milk\n")
    git(empty_repo, "update-index", "--add", "--cacheinfo", f"100644,{blob},{DAY}")
    who = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in {
            "NAME": "Ana",
            "EMAIL": "ana@example.org",
            "DATE": "2026-11-30T09:14:02+08:00",
        }.items()
    }
    theirs = git(empty_repo, "commit-tree", git(empty_repo, "write-tree"), "-m", "a change", env=who)
    assert ours == theirs
    assert is_sound(empty_repo)


def test_only_the_named_paths_change_and_the_rest_keeps_its_mode(repo: Path) -> None:
    (repo / "run.sh").write_text("#!/bin/sh\n")
    (repo / "run.sh").chmod(0o755)
    (repo / "link").symlink_to("run.sh")
    git(repo, "add", "-A")
    before = commit_files(repo, {"notes.md": "x\n", "notes/deep/er.md": "y\n"})
    after = commit(repo, {DAY: b"- milk\n", "notes/deep/er.md": None}, before)
    listed = git(repo, "diff-tree", "-r", "--no-renames", "--name-status", before, after).splitlines()
    assert listed == [f"A\t{DAY}", "D\tnotes/deep/er.md"]
    assert is_sound(repo)


def test_a_commit_without_files_has_the_empty_tree(repo: Path) -> None:
    emptied = commit(repo, {"notes/todo.txt": None}, head(repo))
    assert git(repo, "ls-tree", "-r", "-t", emptied) == ""
    assert is_sound(repo)


def test_a_day_below_something_that_is_a_file_is_refused_by_name(repo: Path) -> None:
    with pytest.raises(ErrUnwritable):
        commit(repo, {"notes/todo.txt/2026-11-30.md": b"x\n"}, head(repo))


def test_an_object_that_is_there_already_can_be_placed_with_its_mode(repo: Path) -> None:
    folder = git(repo, "rev-parse", "HEAD:notes")
    placed = commit(repo, {"copy": TreeEntry(FOLDER, folder)}, head(repo))
    assert git(repo, "ls-tree", "-r", "--name-only", placed).splitlines() == [
        "copy/todo.txt",
        "notes/todo.txt",
    ]


def test_several_parents_and_offsets_of_author_and_committer_are_kept(repo: Path) -> None:
    first = head(repo)
    second = commit_files(repo, {"b": "b\n"})
    here = Git.discover(repo)
    west = Author("Ben <b>\nx", "ben@example.org", Moment(1_700_000_000_999, -570))
    with Objects(here) as objects:
        made = new_commit(
            here,
            objects,
            base=second,
            parents=[second, first],
            changes={},
            author=west,
            committer=ANA,
            message="m",
            sign=None,
        )
        read = objects.commit(made)
    assert read.parents == (second, first)
    assert (
        git(repo, "log", "-1", "--format=%an|%ad|%cd", "--date=raw", made)
        == "Ben bx|1700000000 -0930|1796001242 +0800"
    )
    assert read.author.moment == Moment(1_700_000_000_000, -570)


def test_a_time_before_1970_is_refused(repo: Path) -> None:
    here = Git.discover(repo)
    early = Author("Ana", "a@example.org", Moment(-1))
    with Objects(here) as objects, pytest.raises(ErrClock):
        new_commit(
            here,
            objects,
            base=None,
            parents=[],
            changes={"a": b"a"},
            author=early,
            committer=early,
            message="m",
            sign=None,
        )


def test_git_verifies_a_signature_made_over_the_unsigned_commit(repo: Path, tmp_path: Path) -> None:
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(key)], check=True)
    (tmp_path / "signers").write_text("ana@example.org " + key.with_suffix(".pub").read_text())

    def sign(payload: bytes) -> bytes:
        (tmp_path / "payload").write_bytes(payload)
        command = ["ssh-keygen", "-q", "-Y", "sign", "-n", "git", "-f", str(key), str(tmp_path / "payload")]
        subprocess.run(command, check=True, capture_output=True)
        return (tmp_path / "payload.sig").read_bytes()

    here = Git.discover(repo)
    with Objects(here) as objects:
        made = new_commit(
            here, objects, base=head(repo), parents=[head(repo)], changes={DAY: b"- x\n"},
            author=ANA, committer=ANA, message="signed", sign=sign,
        )  # fmt: skip
        read = objects.commit(made)
    config = ("-c", "gpg.format=ssh", "-c", f"gpg.ssh.allowedSignersFile={tmp_path / 'signers'}")
    run_git(repo, *config, "verify-commit", made)
    assert read.payload == (tmp_path / "payload").read_bytes()
    assert read.signature == (tmp_path / "payload.sig").read_bytes()


@pytest.mark.parametrize("count", [1, 1200])
def test_few_and_many_changed_files_become_the_tree_that_git_makes(repo: Path, count: int) -> None:
    files: dict[str, Change] = {f"archive/{n // 100}/{n}.md": f"- {n}\n".encode() for n in range(count)}
    made = commit(repo, files, head(repo))
    for path, content in files.items():
        assert isinstance(content, bytes)
        target = repo / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    git(repo, "add", "-A")
    assert git(repo, "rev-parse", f"{made}^{{tree}}") == git(repo, "write-tree")
    assert is_sound(repo)


def test_a_sha256_repository_gets_sha256_objects(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "long", "--object-format=sha256")
    first = commit_files(root, {"a/b": "1\n"})
    made = commit(root, {"a/c": b"2\n"}, first)
    many = commit(root, {f"d/{n}": b"%d" % n for n in range(60)}, made)
    assert len(made) == 64
    assert show(root, f"{many}:a/c") == b"2\n"
    assert is_sound(root)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.text(st.characters(codec="utf-8"), max_size=12),
    email=st.text(st.characters(codec="utf-8"), max_size=12),
    message=st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40),
    moment=st.builds(Moment, st.integers(0, 253_402_214_400_999), st.integers(-12 * 60, 14 * 60)),
)
def test_no_name_or_message_can_forge_a_header(
    empty_repo: Path, name: str, email: str, message: str, moment: Moment
) -> None:
    here = Git.discover(empty_repo)
    who = Author(name, email, moment)
    with Objects(here) as objects:
        made = new_commit(
            here,
            objects,
            base=None,
            parents=[],
            changes={"a": b"a"},
            author=who,
            committer=ANA,
            message=message,
            sign=None,
        )
        read = objects.commit(made)
    assert read.message.rstrip("\n") == message.rstrip("\n")
    assert read.author.moment == Moment(moment.millis // 1000 * 1000, moment.offset)
    assert (read.committer, read.parents) == (Author(ANA.name, ANA.email, read.committer.moment), ())
    git(
        empty_repo,
        "hash-object",
        "--stdin",
        "-t",
        "commit",
        input=run_git(empty_repo, "cat-file", "commit", made).stdout,
    )


def test_a_repository_of_many_years_costs_no_more_trees_than_one_of_few_days(repo: Path) -> None:
    days: dict[str, Change] = {
        f"memory/{year}/{year}-01-0{n}.md": b"x\n" for year in range(1900, 2000) for n in (1, 2)
    }
    base = commit(repo, days, head(repo))
    here = Git.discover(repo)
    read: list[str] = []
    with Objects(here) as objects:
        real = objects.read
        objects.read = lambda spec: (read.append(spec), real(spec))[1]  # type: ignore[method-assign]
        new_tree(here, objects, base=base, changes={"memory/1950/1950-01-01.md": b"y\n"})
    assert len(read) == 1 + 3  # the commit, and root, memory, 1950


# --- the moves of refs --------------------------------------------------------------------------


def test_a_branch_moves_only_from_where_it_was_thought_to_be(repo: Path) -> None:
    here = Git.discover(repo)
    old = head(repo)
    new = commit(repo, {"a": b"a"}, old)
    move_branch(here, MAIN, new, old, "append")
    assert resolve_ref(here, MAIN) == head(repo) == new
    assert git(repo, "log", "-g", "-1", "--format=%gs", "main") == "append"
    with pytest.raises(ErrChanged):
        move_branch(here, MAIN, old, old, "append")
    assert head(repo) == new


def test_an_unborn_branch_is_born_once(empty_repo: Path) -> None:
    here = Git.discover(empty_repo)
    new = commit(empty_repo, {"a": b"a"})
    move_branch(here, MAIN, new, None, "init")
    assert head(empty_repo) == new
    with pytest.raises(ErrChanged):
        move_branch(here, MAIN, new, None, "init")


def test_a_veto_of_a_hook_has_a_name_and_moves_nothing(repo: Path) -> None:
    hook = repo / ".git/hooks/reference-transaction"
    hook.write_text('#!/bin/sh\n[ "$1" = prepared ] && { echo "the day is frozen" >&2; exit 1; }\nexit 0\n')
    hook.chmod(0o755)
    old = head(repo)
    with pytest.raises(ErrVetoed, match="the day is frozen"):
        move_branch(Git.discover(repo), MAIN, commit(repo, {"a": b"a"}, old), old, "append")
    assert head(repo) == old


def test_several_refs_move_together_or_not_at_all(repo: Path) -> None:
    here = Git.discover(repo)
    old = head(repo)
    new = commit(repo, {"a": b"a"}, old)
    move_refs(here, [("refs/nutsync/incoming/main", old, None), (MAIN, new, old)], "sync")
    with pytest.raises(ErrChanged):
        move_refs(here, [("refs/nutsync/incoming/main", None, old), (MAIN, new, old)], "sync")
    assert resolve_ref(here, "refs/nutsync/incoming/main") == old
    move_refs(here, [("refs/nutsync/incoming/main", None, old)], "sync")
    assert resolve_ref(here, "refs/nutsync/incoming/main") is None


# --- tree editing against Git's own ---------------------------------------------------------------

NAMES = st.sampled_from(["a", "a.b", "a-b", "a0", "b", "é", "日", "A"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)


def without_clashes(files: dict[str, bytes]) -> dict[str, bytes]:
    """Leave out paths that would need another file to be a folder."""
    return {
        path: text for path, text in files.items() if not any(other.startswith(path + "/") for other in files)
    }


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    start=st.dictionaries(PATHS, st.binary(max_size=3), max_size=8).map(without_clashes),
    then=st.dictionaries(PATHS, st.binary(max_size=3), max_size=8).map(without_clashes),
)
def test_going_from_any_tree_to_any_other_gives_the_tree_that_git_writes(
    empty_repo: Path, start: dict[str, bytes], then: dict[str, bytes]
) -> None:
    here = Git.discover(empty_repo)
    with Objects(here) as objects:
        base = new_tree(here, objects, base=None, changes=dict(start))
        changes: dict[str, Change] = {path: None for path in start if path not in then}
        changes.update(then)
        tree = new_tree(here, objects, base=base, changes=changes)
        found = {path: objects.blob(entry.oid) for path, entry in walk_tree(tree, objects.tree)}
    assert found == then
    git(empty_repo, "read-tree", "--empty")
    rows = "".join(f"100644 {entry}\t{path}\0" for path, entry in ids(empty_repo, then).items())
    git(empty_repo, "update-index", "--add", "-z", "--index-info", input=rows.encode())
    assert tree == git(empty_repo, "write-tree")


def ids(root: Path, files: dict[str, bytes]) -> dict[str, str]:
    return {path: git(root, "hash-object", "-w", "--stdin", input=content) for path, content in files.items()}
