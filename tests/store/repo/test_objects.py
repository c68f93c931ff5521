"""Objects read as they are, loose or packed; what is missing and what is damaged are told apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from nutsync.core.errors import ErrGit
from nutsync.core.moment import Moment
from nutsync.store.repo.git import Git
from nutsync.store.repo.message import parse_commit
from nutsync.store.repo.objects import Object, Objects, loose_path, object_id
from nutsync.store.repo.trees import parse_tree, render_tree
from tests.store.repo.test_git import no_process
from tests.support.repos import commit_files, git, head, make_clone, run_git, show


@pytest.fixture(params=["loose", "packed", "borrowed"])
def reader(request: pytest.FixtureRequest, repo: Path, tmp_path: Path) -> Objects:
    """Objects of a repository that keeps them loose, in a pack with deltas, or in another repository."""
    for n in range(5):
        commit_files(repo, {"notes/long.txt": "".join(f"line {i}\n" for i in range(200 + n))})
    if request.param == "packed":
        git(repo, "repack", "-adq", "--depth=50")
        git(repo, "prune-packed")
    root = make_clone(repo, tmp_path / "borrower", "--shared") if request.param == "borrowed" else repo
    reader = Objects(Git.discover(root))
    request.addfinalizer(reader.close)
    return reader


def test_commits_trees_and_blobs_are_what_git_shows(reader: Objects) -> None:
    root = reader.git.root
    for commit in git(root, "rev-list", "HEAD").split():
        found = reader.read(commit)
        assert found is not None and found.content == run_git(root, "cat-file", "commit", commit).stdout
        for path in git(root, "ls-tree", "-r", "--name-only", commit).splitlines():
            assert reader.file(commit, path) == show(root, f"{commit}:{path}")
            entry = reader.entry(commit, path)
            assert entry is not None and entry.oid == git(root, "rev-parse", f"{commit}:{path}")
    assert reader.read("HEAD:notes/todo.txt") == Object(
        git(root, "rev-parse", "HEAD:notes/todo.txt"), "blob", b"milk\n"
    )


def test_what_is_not_there_is_none_and_what_must_be_there_is_an_error(reader: Objects) -> None:
    nothing = "1" * 40
    assert reader.read(nothing) is None
    assert reader.read("HEAD:no/such path") is None
    assert reader.file("HEAD", "no/such.md") is None
    assert reader.file("HEAD", "notes") is None
    assert reader.entry("HEAD", "notes/todo.txt/deeper") is None
    for ask in (reader.commit, reader.tree, reader.blob):
        with pytest.raises(ErrGit, match=nothing):
            ask(nothing)
    with pytest.raises(ErrGit):
        reader.blob("HEAD")


def test_many_objects_come_in_the_order_they_were_asked_for(repo: Path) -> None:
    here = Git.discover(repo)
    contents = [b"%d " % n * 3000 for n in range(300)]
    ids = [here.run("hash-object", "-w", "--stdin", input=content).text() for content in contents[:5]]
    ids *= 60
    ids[7] = "1" * 40
    with Objects(here) as objects:
        found = list(objects.read_many(ids))
    assert found[7] is None
    assert [item and item.oid for item in found if item] == [oid for n, oid in enumerate(ids) if n != 7]


def test_a_reading_that_is_given_up_half_way_mixes_nothing_up(repo: Path) -> None:
    with Objects(Git.discover(repo)) as objects:
        first = next(objects.read_many(["HEAD", "HEAD^{tree}", "HEAD:notes"]))
        second = objects.read("HEAD:notes/todo.txt")
    assert first is not None and first.kind == "commit"
    assert second is not None and second.content == b"milk\n"


def test_recent_objects_are_read_without_a_process(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = head(repo)
    no_process(monkeypatch)
    with Objects(Git.discover(repo)) as objects:
        assert objects.file(commit, "notes/todo.txt") == b"milk\n"


@pytest.mark.parametrize("harm", ["cut", "emptied", "swapped"])
def test_a_damaged_object_is_an_error_and_not_an_absence(repo: Path, harm: str) -> None:
    here = Git.discover(repo)
    file = loose_path(here, git(repo, "rev-parse", "HEAD:notes/todo.txt"))
    other = loose_path(here, git(repo, "hash-object", "-w", "--stdin", input=b"bread\n"))
    file.chmod(0o644)
    file.write_bytes({"cut": file.read_bytes()[:-3], "emptied": b"", "swapped": other.read_bytes()}[harm])
    with Objects(here) as objects, pytest.raises(ErrGit, match="damaged"):
        objects.file(head(repo), "notes/todo.txt")


def test_a_reader_that_died_is_an_error_and_not_an_absence(repo: Path) -> None:
    with Objects(Git.discover(repo)) as objects:
        assert objects.read("HEAD") is not None
        assert objects._process is not None
        objects._process.kill()
        objects._process.wait()
        with pytest.raises(ErrGit):
            objects.read("HEAD:notes")
        assert objects.read("HEAD:notes") is not None


def test_a_spec_is_one_line(repo: Path) -> None:
    with Objects(Git.discover(repo)) as objects, pytest.raises(ValueError, match="one line"):
        objects.read("HEAD\nHEAD")


def test_ids_are_git_s(repo: Path) -> None:
    content = b"\0\xff text\r\n"
    assert object_id("blob", content) == git(repo, "hash-object", "--stdin", "--no-filters", input=content)


# --- commits and trees parsed ---------------------------------------------------------------------

SIGNATURE = b"-----BEGIN SSH SIGNATURE-----\nabc\n-----END SSH SIGNATURE-----\n"
HEAD_LINES = (
    b"tree %s\nparent %s\nauthor Ana B. <ana@x> 1700000000 -0330\ncommitter Ben <> 1700000001 +0545\n"
    % (
        b"1" * 40,
        b"2" * 40,
    )
)


def test_a_commit_s_parts_are_told_apart() -> None:
    commit = parse_commit("c" * 40, HEAD_LINES + b"encoding latin-1\n\nsubject \xe9\n\nbody\n")
    assert (commit.tree, commit.parents) == ("1" * 40, ("2" * 40,))
    assert (commit.author.name, commit.author.email) == ("Ana B.", "ana@x")
    assert commit.author.moment == Moment(1_700_000_000_000, -210)
    assert commit.committer.moment == Moment(1_700_000_001_000, 345)
    assert commit.message == "subject é\n\nbody\n"
    assert commit.signature is None


def test_the_signed_part_is_the_commit_without_its_signature() -> None:
    header = b"gpgsig " + SIGNATURE.rstrip(b"\n").replace(b"\n", b"\n ") + b"\n"
    rest = b"x-more one\n two\n\nmessage\n"
    commit = parse_commit("c" * 40, HEAD_LINES + header + rest)
    assert commit.signature == SIGNATURE
    assert commit.payload == HEAD_LINES + rest


def test_two_signatures_are_none() -> None:
    header = b"gpgsig " + SIGNATURE.rstrip(b"\n").replace(b"\n", b"\n ") + b"\n"
    commit = parse_commit("c" * 40, HEAD_LINES + header + header + b"\nm\n")
    assert commit.signature is None
    assert commit.payload == HEAD_LINES + b"\nm\n"


def test_a_message_in_no_known_encoding_keeps_its_bytes() -> None:
    commit = parse_commit("c" * 40, HEAD_LINES + b"\n\xff\xfe\n")
    assert commit.message.encode("utf-8", "surrogateescape") == b"\xff\xfe\n"


def test_a_commit_without_its_headers_is_damaged() -> None:
    with pytest.raises(ErrGit):
        parse_commit("c" * 40, b"tree " + b"1" * 40 + b"\n\nm\n")


def test_any_tree_comes_back_byte_for_byte(repo: Path) -> None:
    blob, folder = git(repo, "rev-parse", "HEAD:notes/todo.txt"), git(repo, "rev-parse", "HEAD:notes")
    rows = [("100644", "blob", blob, "a"), ("100755", "blob", blob, "a.b"), ("040000", "tree", folder, "a0"),
            ("040000", "tree", folder, "b"), ("100644", "blob", blob, "b.c"), ("120000", "blob", blob, "日"),
            ("160000", "commit", head(repo), "module")]  # fmt: skip
    data = "".join(f"{mode} {kind} {oid}\t{name}\0" for mode, kind, oid, name in rows).encode()
    tree = git(repo, "mktree", "-z", input=data + f"100644 blob {blob}\t".encode() + b"\xff\xfe\0")
    raw = run_git(repo, "cat-file", "tree", tree).stdout
    parsed = parse_tree(raw)
    assert render_tree(dict(reversed(parsed.items()))) == raw
    assert {name: entry.mode for name, entry in parsed.items() if name.isascii()} == {
        name: mode for mode, _, _, name in rows if name.isascii()
    }


@pytest.mark.parametrize("content", [b"100644 a", b"100644 a\0" + b"1" * 19, b"100644", b"a\0" + b"1" * 20])
def test_a_tree_cut_short_is_damaged(content: bytes) -> None:
    with pytest.raises(ErrGit):
        parse_tree(content)
