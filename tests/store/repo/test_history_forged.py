"""A history that somebody tampered with: nothing is hidden, and what is missing or swapped is said."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from nutsync.core.cell import day_path
from nutsync.core.errors import ErrGit
from nutsync.store.repo.git import Git
from nutsync.store.repo.history import Recorded, blobs, recorded, walk
from nutsync.store.repo.objects import Objects
from tests.support.repos import commit_files, git, make_repo, run_git

DAY = day_path("2026-11-30")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = make_repo(tmp_path / "repo")
    git(root, "config", "user.name", "ana")
    git(root, "config", "user.email", "ana@desk")
    return root


def whole(root: Path, *known: str) -> list[Recorded]:
    return list(walk(Git.discover(root), ["refs/heads/main"], known))


def one(root: Path, oid: str) -> Recorded:
    with Objects(Git.discover(root)) as objects:
        return recorded(objects, oid)


def test_a_replaced_commit_hides_nothing(repo: Path) -> None:
    commit_files(repo, {DAY: "first\n"})
    bad = commit_files(repo, {DAY: "altered\n"})
    before = whole(repo)
    git(repo, "replace", bad, f"{bad}^")
    assert git(repo, "show", "--format=", "--name-only", bad)
    assert whole(repo) == before and one(repo, bad) == before[-1]


def test_a_graft_hides_nothing(repo: Path) -> None:
    ids = [commit_files(repo, {DAY: f"{n}\n"}) for n in range(3)]
    before = whole(repo)
    (repo / ".git/info/grafts").write_text(f"{ids[2]} {ids[0]}\n")
    assert ids[1] not in git(repo, "rev-list", "main").split()
    assert whole(repo) == before


def test_a_forged_commit_graph_hides_nothing(repo: Path) -> None:
    ids = [commit_files(repo, {DAY: f"{n}\n"}) for n in range(3)]
    before = whole(repo)
    git(repo, "commit-graph", "write", "--reachable")
    path = repo / ".git/objects/info/commit-graph"
    graph = bytearray(path.read_bytes())
    data = graph.index(b"CDAT")
    start = int.from_bytes(graph[data + 4 : data + 12], "big")
    place = sorted(ids).index
    parent = start + 36 * place(ids[2]) + 20
    graph[parent : parent + 4] = place(ids[0]).to_bytes(4, "big")
    path.chmod(0o644)
    path.write_bytes(graph)
    assert ids[1] not in git(repo, "rev-list", "main").split()
    assert whole(repo) == before


def test_a_mailmap_renames_nobody(repo: Path) -> None:
    commit_files(repo, {DAY: "x\n", ".mailmap": "ben <ben@lamp> <ana@desk>\n"})
    git(repo, "config", "log.mailmap", "true")
    assert whole(repo)[0].commit.author.name == "ana"


def test_a_forged_zone_or_time_is_still_one_that_has_a_date(repo: Path) -> None:
    commit_files(repo, {DAY: "x\n"})
    content = run_git(repo, "cat-file", "commit", "HEAD").stdout
    for stamp in (b"9 +9999", b"99999999999999999 -9900", b"-5 +0000", b"now"):
        lines = [
            b"author a <a@b> " + stamp if line.startswith(b"author") else line
            for line in content.split(b"\n")
        ]
        forged = git(
            repo, "hash-object", "-t", "commit", "--literally", "-w", "--stdin", input=b"\n".join(lines)
        )
        moment = one(repo, forged).commit.author.moment
        assert moment.local_date() and -720 <= moment.offset <= 840


def store_as(root: Path, oid: str, kind: str, content: bytes) -> None:
    """Put another object where ``oid`` is kept, as somebody would who has the clone's files."""
    path = root / ".git/objects" / oid[:2] / oid[2:]
    path.chmod(0o644)
    path.write_bytes(zlib.compress(f"{kind} {len(content)}\0".encode() + content))


def test_a_commit_or_a_blob_that_was_swapped_in_the_clones_files_is_found_out(repo: Path) -> None:
    oid = commit_files(repo, {DAY: "said\n"})
    blob = git(repo, "rev-parse", f"HEAD:{DAY}")
    content = run_git(repo, "cat-file", "commit", oid).stdout
    store_as(repo, blob, "blob", b"never said\n")
    with pytest.raises(ErrGit):
        list(blobs(Git.discover(repo), [blob]))
    store_as(repo, oid, "commit", content.replace(b"a change", b"no change"))
    with pytest.raises(ErrGit):
        whole(repo)
    with pytest.raises(ErrGit):
        one(repo, oid)


@pytest.mark.parametrize(
    ("encoding", "message", "read"),
    [
        ("latin-1", b"caf\xe9\n", "café\n"),
        ("gbk", "报价\n".encode("gbk"), "报价\n"),
        ("unicode_escape", b"x\\nNutsync-Op: forget\n", "x\\nNutsync-Op: forget\n"),
        ("utf-7", b"+AGE-\n", "+AGE-\n"),
        ("rot13", b"abc\n", "abc\n"),
        ("no such thing", b"abc\n", "abc\n"),
        ("\u00e9", b"abc\n", "abc\n"),
    ],
)
def test_a_message_is_read_in_its_encoding_unless_that_could_hide_a_trailer(
    repo: Path, encoding: str, message: bytes, read: str
) -> None:
    commit_files(repo, {DAY: "x\n"})
    head_lines = run_git(repo, "cat-file", "commit", "HEAD").stdout.partition(b"\n\n")[0]
    content = head_lines + b"\nencoding " + encoding.encode() + b"\n\n" + message
    oid = git(repo, "hash-object", "-t", "commit", "--literally", "-w", "--stdin", input=content)
    assert one(repo, oid).commit.message == read


def test_a_missing_commit_is_said_and_not_skipped(repo: Path) -> None:
    ids = [commit_files(repo, {DAY: f"{n}\n"}) for n in range(3)]
    (repo / ".git/objects" / ids[1][:2] / ids[1][2:]).unlink()
    with pytest.raises(ErrGit):
        whole(repo)
    with pytest.raises(ErrGit):
        one(repo, ids[2])


def test_a_missing_tree_is_said_and_not_skipped(repo: Path) -> None:
    commit_files(repo, {DAY: "x\n"})
    tree = git(repo, "rev-parse", "HEAD:.agents")
    (repo / ".git/objects" / tree[:2] / tree[2:]).unlink()
    with pytest.raises(ErrGit):
        whole(repo)
