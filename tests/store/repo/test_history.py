"""The history as a stream: nothing hidden, both ways of reading agree."""

from __future__ import annotations

import subprocess
import sys
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
from tests.support.repos import commit_files, git, head, make_remote, make_repo, run_git

ROOT = Path(__file__).resolve().parents[3]
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


def test_a_repository_with_longer_ids_is_read_alike(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "sha256", "--object-format=sha256")
    commit_files(root, {DAY: "one\n"})
    commit_files(root, {DAY: None, NEXT: "two\n"})
    found = whole(root)
    assert [len(each.commit.oid) for each in found] == [64, 64]
    assert found == [one(root, each.commit.oid) for each in found]
    assert [(change.status, change.path) for change in found[1].changes[0]] == [("D", DAY), ("A", NEXT)]
    assert next(blobs(Git.discover(root), [found[1].changes[0][1].new]))[1] == b"two\n"


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


SERVER_HOOK = """
import sys
from pathlib import Path
from nutsync.store.repo.environment import QUARANTINE
from nutsync.store.repo.git import Git
from nutsync.store.repo.history import recorded, walk
from nutsync.store.repo.objects import Objects

old, new, ref = sys.stdin.readline().split()
server = Git.of_bare(Path("."), QUARANTINE)
with Objects(server) as objects:
    for each in walk(server, [new]):
        assert each == recorded(objects, each.commit.oid)
        print("saw", each.changes[0][0].path)
"""


def test_a_server_reads_what_is_pushed_before_it_is_let_in(repo: Path, tmp_path: Path) -> None:
    commit_files(repo, {DAY: "x\n"})
    server = make_remote(tmp_path / "server.git")
    (tmp_path / "hook.py").write_text(SERVER_HOOK)
    hook = server / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} {tmp_path}/hook.py\n")
    hook.chmod(0o755)
    pushed = run_git(repo, "push", str(server), "main", check=False)
    assert pushed.returncode == 0, pushed.stderr.decode()
    assert f"saw {DAY}" in pushed.stderr.decode()
