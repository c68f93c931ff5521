"""The history as a stream: nothing hidden, both ways of reading agree."""

from __future__ import annotations

import subprocess
import zlib
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nutsync.core.cell import CELL_DIR, day_path
from nutsync.core.errors import ErrGit
from nutsync.core.moment import Moment
from nutsync.store.repo import history
from nutsync.store.repo.git import Git
from nutsync.store.repo.history import Change, Recorded, blobs, list_commits, recorded, walk
from nutsync.store.repo.objects import Objects
from tests.support.repos import commit_files, git, head, make_repo, run_git

DAY = day_path("2026-11-30")
NEXT = day_path("2026-12-01")


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


def test_a_commit_is_read_with_all_that_it_says(repo: Path) -> None:
    oid = commit_files(repo, {DAY: "one\n"}, "append\n\nNutsync-Op: append", "2026-11-30T09:00:00+08:00")
    (found,) = whole(repo)
    commit = found.commit
    assert (commit.oid, commit.parents, commit.tree) == (oid, (), git(repo, "rev-parse", "HEAD^{tree}"))
    assert (commit.author.name, commit.author.email) == ("ana", "ana@desk")
    assert commit.author.moment == commit.committer.moment == Moment(1_796_000_400_000, 480)
    assert commit.message == "append\n\nNutsync-Op: append\n"
    assert commit.signature is None
    blob = git(repo, "rev-parse", f"HEAD:{DAY}")
    assert found.changes == ((Change(DAY, "000000", "100644", "", blob, "A"),),)


def test_parents_come_before_children_and_known_commits_stay_out(repo: Path) -> None:
    ids = [commit_files(repo, {DAY: f"{n}\n"}) for n in range(3)]
    git(repo, "checkout", "-q", "-b", "side", ids[0])
    side = commit_files(repo, {NEXT: "side\n"})
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "side", "-m", "merge")
    order = [found.commit.oid for found in whole(repo)]
    assert set(order) == {*ids, side, head(repo)}
    place = {oid: n for n, oid in enumerate(order)}
    assert all(place[parent] < place[r.commit.oid] for r in whole(repo) for parent in r.commit.parents)
    assert [found.commit.oid for found in whole(repo, ids[2], side)] == [head(repo)]
    assert whole(repo, "refs/heads/main") == []


def test_newest_first_is_the_order_of_the_log(repo: Path) -> None:
    for hour in range(3):
        commit_files(repo, {DAY: f"{hour}\n"}, when=f"2026-11-30T0{hour}:00:00+08:00")
    log = git(repo, "log", "--format=%H").split()
    found = walk(Git.discover(repo), ["HEAD"], newest_first=True)
    assert [each.commit.oid for each in found] == log


def test_a_merge_is_compared_with_each_parent_also_where_it_takes_one_side_whole(repo: Path) -> None:
    commit_files(repo, {"other.txt": "x"})
    git(repo, "checkout", "-q", "-b", "side")
    commit_files(repo, {NEXT: "theirs\n"})
    git(repo, "checkout", "-q", "main")
    commit_files(repo, {DAY: "ours\n"})
    git(repo, "merge", "-q", "-s", "ours", "side", "-m", "drops what the side said")
    last = whole(repo)[-1]
    ours, theirs = last.changes
    assert ours == ()
    assert [(change.status, change.path) for change in theirs] == [("A", DAY), ("D", NEXT)]
    assert last == one(repo, head(repo))


def test_a_commit_that_changes_nothing_in_the_cell_has_no_changes(repo: Path) -> None:
    commit_files(repo, {"notes/a.md": "x", ".agents/other/b.md": "y", f"x/{DAY}": "z"})
    commit_files(repo, {}, "nothing at all")
    assert [found.changes for found in whole(repo)] == [((),), ((),)]


def strange_states() -> list[Mapping[str, tuple[str, bytes] | None]]:
    """Return steps of a history that no honest program would make; a value is a mode and content."""
    cell = CELL_DIR
    file, program, link = "100644", "100755", "120000"
    return [
        {DAY: (file, b"a\n"), f"{cell}/cell.toml": (file, b"format = 1\n"), "README": (file, b"r\n")},
        {DAY: None, NEXT: (file, b"a\n")},
        {NEXT: (program, b"a\n")},
        {NEXT: (link, b"../elsewhere")},
        {NEXT: None, f"{NEXT}/inside.md": (file, b"a file became a folder\n")},
        {f"{NEXT}/inside.md": None, NEXT: (file, b"and a file again\n")},
        {DAY.upper(): (file, b"case\n"), ".Agents/nutstore-sync/x": (file, b"case\n")},
        {f'{cell}/memory/a\tb\n"c".md': (file, b"odd\n"), f"{cell}/memory/=0\n": (file, b"odd\n")},
        {f"{cell}/memory/archive/报价.md": (file, b"\xff\0\n"), f"{cell}/memory/:100644 x": (file, b"\n")},
        {".agents": (link, b"/tmp")},
        {".agents": None, f"{cell}": (file, b"the cell is a file\n")},
        {f"{cell}": None, DAY: (file, b"back\n")},
    ]


def import_states(root: Path, states: list[Mapping[str, tuple[str, bytes] | None]]) -> None:
    """Commit each state with fast-import, which asks no questions."""
    out: list[bytes] = []
    for number, state in enumerate(states):
        out.append(
            b"commit refs/heads/main\ncommitter a <a@b> %d +0800\ndata 1\nx\n" % (1_790_000_000 + number)
        )
        if number == 0 and run_git(root, "rev-parse", "-q", "--verify", "main", check=False).returncode == 0:
            out.append(b"from refs/heads/main^0\n")
        for path, entry in sorted(state.items(), key=lambda item: item[1] is not None):
            quoted = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").encode()
            if entry is None:
                out.append(b'D "%s"\n' % quoted)
            else:
                out.append(
                    b'M %s inline "%s"\ndata %d\n%s\n' % (entry[0].encode(), quoted, len(entry[1]), entry[1])
                )
    run_git(root, "fast-import", "--quiet", "--force", input=b"".join(out))


def test_nothing_strange_is_hidden_and_both_ways_of_reading_see_it_alike(repo: Path) -> None:
    import_states(repo, strange_states())
    found = whole(repo)
    assert found == [one(repo, each.commit.oid) for each in found]
    seen = [[(change.status, change.path) for change in each.changes[0]] for each in found]
    inside = f"{NEXT}/inside.md"
    assert seen[1] == [("D", DAY), ("A", NEXT)]
    assert seen[2] == [("M", NEXT)] and found[2].changes[0][0].new_mode == "100755"
    assert seen[3] == [("T", NEXT)] and found[3].changes[0][0].new_mode == "120000"
    assert seen[4] == [("D", NEXT), ("A", inside)] and seen[5] == [("A", NEXT), ("D", inside)]
    assert ("A", DAY.upper()) in seen[6] and ("A", ".Agents/nutstore-sync/x") in seen[6]
    assert ("A", f'{CELL_DIR}/memory/a\tb\n"c".md') in seen[7]
    assert ("A", f"{CELL_DIR}/memory/archive/报价.md") in seen[8]
    assert {status for status, _ in seen[9]} == {"D"} and ("D", NEXT) in seen[9]
    assert ("A", CELL_DIR) in seen[10] and set(seen[11]) == {("D", CELL_DIR), ("A", DAY)}


PATHS = st.sampled_from(
    [DAY, NEXT, f"{CELL_DIR}/cell.toml", f"{CELL_DIR}/x", f"{CELL_DIR}/x/y", "z", ".agents/q"]
)
ENTRIES = st.one_of(
    st.none(), st.tuples(st.sampled_from(["100644", "100755", "120000"]), st.binary(max_size=2))
)


@settings(max_examples=25)
@given(st.lists(st.dictionaries(PATHS, ENTRIES, min_size=1, max_size=4), min_size=1, max_size=6))
def test_both_ways_of_reading_agree_on_any_history(
    tmp_path_factory: pytest.TempPathFactory, states: list[dict[str, tuple[str, bytes] | None]]
) -> None:
    root = make_repo(tmp_path_factory.mktemp("repo"))
    import_states(root, [{DAY: ("100644", b"")}, *states])
    found = whole(root)
    assert len(found) == len(states) + 1
    assert found == [one(root, each.commit.oid) for each in found]


def test_a_history_longer_than_any_batch_arrives_whole_and_in_order(repo: Path) -> None:
    import_states(
        repo, [{day_path(f"20{n // 28:02d}-01-{n % 28 + 1:02d}"): ("100644", b"x")} for n in range(100)]
    )
    assert [each.commit.oid for each in whole(repo)] == git(repo, "rev-list", "--reverse", "main").split()
    assert all(len(each.changes[0]) == 1 for each in whole(repo))


def test_a_merge_of_many_parents_has_changes_against_each(repo: Path) -> None:
    base = commit_files(repo, {DAY: "base\n"})
    tips = []
    for number in range(60):
        tree = git(repo, "mktree", "-z", input=b"")
        tips.append(git(repo, "commit-tree", tree, "-p", base, "-m", str(number)))
    words = [word for tip in [base, *tips] for word in ("-p", tip)]
    git(
        repo,
        "update-ref",
        "refs/heads/main",
        git(repo, "commit-tree", f"{base}^{{tree}}", *words, "-m", "octopus"),
    )
    last = whole(repo)[-1]
    assert [len(changes) for changes in last.changes] == [0] + [1] * len(set(tips))
    assert last == one(repo, head(repo))


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


def test_a_repository_with_longer_ids_is_read_alike(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "sha256", "--object-format=sha256")
    commit_files(root, {DAY: "one\n"})
    commit_files(root, {DAY: None, NEXT: "two\n"})
    found = whole(root)
    assert [len(each.commit.oid) for each in found] == [64, 64]
    assert found == [one(root, each.commit.oid) for each in found]
    assert [(change.status, change.path) for change in found[1].changes[0]] == [("D", DAY), ("A", NEXT)]
    assert next(blobs(Git.discover(root), [found[1].changes[0][1].new]))[1] == b"two\n"


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


def test_an_unknown_start_is_said(repo: Path) -> None:
    commit_files(repo, {DAY: "x\n"})
    with pytest.raises(ErrGit):
        list(walk(Git.discover(repo), ["f" * 40]))


@pytest.mark.parametrize("name", ["--all", "-n1", "main", "HEAD~1", "refs/heads/main\n--all"])
def test_only_ids_and_full_names_start_a_walk(repo: Path, name: str) -> None:
    with pytest.raises(Exception, match="full ref name"):
        list(walk(Git.discover(repo), [name]))


def test_a_walk_that_is_left_early_leaves_no_process_behind(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_states(
        repo, [{day_path(f"20{n // 28:02d}-01-{n % 28 + 1:02d}"): ("100644", b"x")} for n in range(100)]
    )
    started: list[subprocess.Popen[bytes]] = []
    start = Git.popen

    def remember(self: Git, *words: str, **more: Mapping[str, str]) -> subprocess.Popen[bytes]:
        started.append(start(self, *words, **more))  # type: ignore[arg-type]
        return started[-1]

    monkeypatch.setattr(Git, "popen", remember)
    stream = walk(Git.discover(repo), ["HEAD"])
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    assert len(started) == 3 and all(process.returncode is not None for process in started)


def test_blobs_come_in_the_order_asked_and_missing_ones_are_said(repo: Path) -> None:
    ids = [git(repo, "hash-object", "-w", "--stdin", input=b"%d\n" % number) for number in range(80)]
    wanted = [ids[3], ids[0], *ids]
    found = list(blobs(Git.discover(repo), wanted))
    assert [oid for oid, _ in found] == wanted
    assert [content for _, content in found[:2]] == [b"3\n", b"0\n"]
    with pytest.raises(ErrGit):
        list(blobs(Git.discover(repo), [ids[0], "0" * 39 + "1"]))


def test_the_commits_of_one_path_can_be_listed_alone(repo: Path) -> None:
    first = commit_files(repo, {DAY: "x\n"})
    commit_files(repo, {NEXT: "y\n"})
    assert list(list_commits(Git.discover(repo), ["HEAD"], paths=[DAY])) == [first]


@pytest.mark.parametrize(
    "path", [CELL_DIR, f"{CELL_DIR}/x", ".AGENTS/Nutstore-Sync/x", ".agent\u017f/nutstore-sync/x"]
)
def test_a_path_that_could_be_the_cells_on_some_file_system_is_the_cells(path: str) -> None:
    assert history.is_in_cell(path)


@pytest.mark.parametrize(
    "path", [".agents", ".agents/nutstore", ".agents/nutstore-sync2/x", f"a/{CELL_DIR}/x", ""]
)
def test_other_paths_are_not_the_cells(path: str) -> None:
    assert not history.is_in_cell(path)


def test_a_linked_worktree_has_the_same_history(repo: Path) -> None:
    commit_files(repo, {DAY: "x\n"})
    git(repo, "worktree", "add", "-q", str(repo.parent / "linked"), "-b", "side")
    assert whole(repo.parent / "linked") == whole(repo)
