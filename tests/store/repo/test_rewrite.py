"""A history is rewritten as the recipe says, tree by tree, and always to the same commits."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from nutsync.core.cell import day_path, purge_path
from nutsync.core.recipe1 import Purge, purge_day
from nutsync.store.repo.git import Git
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.rewrite import Rewriter, purged_ids
from tests.support.repos import git, is_sound, make_repo, run_git

MONDAY, TUESDAY = "2026-11-30", "2026-12-01"
X = Purge("k3f9x2ab", MONDAY, frozenset({MONDAY}))
Y = Purge("p0q8m1zc", TUESDAY, frozenset({TUESDAY, MONDAY}))
HEAD = "---\ndate: {0}\nindex: 'all of it'\n---\n## {0}\n"

Files = dict[str, str]


def entry(name: str, text: str) -> str:
    return f"- {text} <!-- nut id={name} at=09:00:00.000+08:00 dev=desk -->\n"


def day(date: str, *names: str) -> Files:
    return {day_path(date): HEAD.format(date) + "".join(entry(name, f"text of {name}") for name in names)}


class Maker:
    """Makes commits out of whole trees, with a clock of its own."""

    def __init__(self, root: Path) -> None:
        self.root = make_repo(root)
        self.git = Git.discover(self.root)
        self.seconds = 1_796_000_000
        self.files: dict[str, Files] = {}

    def commit(self, files: Files, *parents: str, message: str = "a change") -> str:
        self.seconds += 60
        when = f"{self.seconds} +0800"
        index = {"GIT_INDEX_FILE": str(self.root / ".git" / "made-index")}
        (self.root / ".git" / "made-index").unlink(missing_ok=True)
        rows = "".join(
            f"100644 {git(self.root, 'hash-object', '-w', '--stdin', input=text.encode())}\t{path}\n"
            for path, text in files.items()
        )
        run_git(self.root, "update-index", "--add", "--index-info", input=rows.encode(), env=index)
        tree = git(self.root, "write-tree", env=index)
        said = [word for parent in parents for word in ("-p", parent)]
        dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        oid = git(self.root, "commit-tree", *said, "-m", message, tree, env=dates)
        self.files[oid] = files
        return oid

    def rewrite(self, tips: list[str], *purges: Purge) -> Rewriter:
        with Objects(self.git) as objects:
            rewriter = Rewriter(self.git, objects, purges or (X,))
            rewriter.run(tips)
        return rewriter

    def tree(self, commit: str) -> Files:
        rows = git(self.root, "ls-tree", "-r", commit).splitlines()
        pairs = [row.split("\t") for row in rows]
        return {path: git(self.root, "cat-file", "blob", row.split()[2]) + "\n" for row, path in pairs}


@pytest.fixture
def maker(tmp_path: Path) -> Maker:
    return Maker(tmp_path / "repo")


def expected(files: Files, *purges: Purge) -> Files:
    """What a tree becomes, worked out file by file."""
    active = [purge for purge in purges if purge_path(purge.id) not in files]
    found = {}
    for path, text in files.items():
        new: bytes | None = text.encode()
        if path.endswith(".md") and "/archive/" in path:
            new = purge_day(text.encode(), path[-13:-3], active, {})
        if new is not None:
            found[path] = new.decode()
    return found


def test_the_entry_goes_from_every_version_and_everything_else_stays(maker: Maker) -> None:
    notes = {"notes/todo.txt": "milk\n"}
    first = maker.commit(notes | day(TUESDAY, "00000000"))
    second = maker.commit(notes | day(TUESDAY, "00000000") | day(MONDAY, "11111111"), first)
    third = maker.commit(notes | day(MONDAY, "11111111", "k3f9x2ab"), second)
    fourth = maker.commit(notes | day(MONDAY, "11111111", "k3f9x2ab", "22222222"), third, message="é\n\nx: y")
    done = maker.rewrite([fourth])
    assert done.of(first) == first, "what comes before the first change keeps its id"
    assert set(done.new) == {second, third, fourth}
    for old in (second, third, fourth):
        assert maker.tree(done.of(old)) == expected(maker.files[old], X)
        told = [
            git(maker.root, "show", "-s", "--format=%an %ae %ad %cn %cd%n%B", oid)
            for oid in (old, done.of(old))
        ]
        assert told[0] == told[1]
    assert git(maker.root, "rev-parse", f"{done.of(fourth)}~2") == done.of(second)
    assert is_sound(maker.root)


def test_folders_without_a_file_left_go_and_an_empty_root_is_an_empty_tree(maker: Maker) -> None:
    first = maker.commit(day(MONDAY, "k3f9x2ab"))
    second = maker.commit(day(MONDAY, "k3f9x2ab") | {"a.txt": "a\n"}, first)
    done = maker.rewrite([second])
    assert maker.tree(done.of(first)) == {}
    assert maker.tree(done.of(second)) == {"a.txt": "a\n"}
    assert is_sound(maker.root)


def test_a_tree_that_holds_the_record_is_left_alone(maker: Maker) -> None:
    record = {purge_path("k3f9x2ab"): "x\n"}
    first = maker.commit(day(MONDAY, "11111111", "k3f9x2ab"))
    second = maker.commit(day(MONDAY, "11111111") | record, first)
    third = maker.commit(day(MONDAY, "11111111", "22222222") | record, second)
    done = maker.rewrite([third])
    assert maker.tree(done.of(second)) == maker.files[second]
    assert maker.tree(done.of(third)) == maker.files[third]
    again = maker.rewrite([done.of(third)])
    assert again.new == {}, "a history that was rewritten stays as it is"
    with Objects(maker.git) as objects:
        assert purged_ids(objects, third) == {"k3f9x2ab"}
        assert purged_ids(objects, first) == frozenset()


def test_names_that_look_like_rows_of_a_tree_do_not_mislead(maker: Maker) -> None:
    odd = {
        "0 40000 .agents/x.txt": "x\n",
        f".agents/nutstore-sync/memory/archive/2026/{MONDAY}.md 100644 {MONDAY}.md": "stray\n",
        f".agents/nutstore-sync/memory/archive/2026/0 100644 {MONDAY}.md": "stray\n",
    }
    first = maker.commit(odd | day(MONDAY, "k3f9x2ab", "11111111"))
    done = maker.rewrite([first])
    assert maker.tree(done.of(first)) == odd | expected(day(MONDAY, "k3f9x2ab", "11111111"), X)
    assert is_sound(maker.root)


def random_history(maker: Maker, seed: int, length: int) -> list[str]:
    """A history with branches, merges, forgets, records and files of others; returns all commits."""
    chance = random.Random(seed)
    names = ["k3f9x2ab", "p0q8m1zc", "00000000", "11111111", "22222222"]
    made: list[str] = []
    for _ in range(length):
        parents = chance.sample(made[-4:], min(len(made), chance.choice([1, 1, 1, 2])))
        files = {"notes.txt": f"{chance.randrange(3)}\n"} | dict(maker.files[parents[0]] if parents else {})
        for other in parents[1:]:
            files = {**maker.files[other], **files}
        date = chance.choice([MONDAY, TUESDAY, "2025-01-01"])
        files |= day(date, *chance.sample(names, chance.randrange(1, 4)))
        if chance.random() < 0.15:
            files[purge_path(chance.choice(names[:2]))] = "record\n"
        if chance.random() < 0.1:
            files.pop(day_path(MONDAY), None)
        made.append(maker.commit(files, *parents))
    return made


@pytest.mark.parametrize("seed", range(4))
def test_any_history_becomes_what_its_files_become_one_by_one(maker: Maker, seed: int) -> None:
    commits = random_history(maker, seed, 14)
    done = maker.rewrite(commits, X, Y)
    for commit in commits:
        assert maker.tree(done.of(commit)) == expected(maker.files[commit], X, Y)
        parents = git(maker.root, "show", "-s", "--format=%P", commit).split()
        assert git(maker.root, "show", "-s", "--format=%P", done.of(commit)).split() == list(
            map(done.of, parents)
        )
    assert is_sound(maker.root)


@pytest.mark.parametrize("seed", [10, 11])
def test_purges_come_to_the_same_commits_in_any_order_and_in_parts(maker: Maker, seed: int) -> None:
    commits = random_history(maker, seed, 12)
    tip = commits[-1]
    both = maker.rewrite([tip], X, Y).of(tip)
    x_first = maker.rewrite([tip], X).of(tip)
    y_first = maker.rewrite([tip], Y).of(tip)
    assert maker.rewrite([x_first], Y).of(x_first) == both
    assert maker.rewrite([y_first], X).of(y_first) == both
    assert maker.rewrite([both], X, Y).of(both) == both
    with Objects(maker.git) as objects:
        in_parts = Rewriter(maker.git, objects, (X, Y))
        in_parts.run([commits[3]])
        in_parts.run([tip])
        assert in_parts.of(tip) == both


def test_this_history_has_these_ids_for_ever(maker: Maker) -> None:
    """Golden: a device that follows a purge in many years comes to these very ids."""
    first = maker.commit(day(MONDAY, "11111111"))
    second = maker.commit(day(MONDAY, "11111111", "k3f9x2ab"), first)
    side = maker.commit(day(MONDAY, "11111111", "22222222"), first)
    merge = maker.commit(day(MONDAY, "11111111", "22222222", "k3f9x2ab"), second, side)
    last = maker.commit(day(MONDAY, "11111111", "22222222"), merge)
    done = maker.rewrite([last])
    assert [oid[:12] for oid in (first, second, side, merge, last)] == GOLDEN_BEFORE
    assert [done.of(oid)[:12] for oid in (first, second, side, merge, last)] == GOLDEN_AFTER


GOLDEN_BEFORE = ["7f94c3da5a8d", "059394af3e83", "11bf133aa742", "273d8cf3888a", "bb2c210441c0"]
GOLDEN_AFTER = ["ae8b55120933", "5db62b48bbed", "385171297523", "9c98ce2e2b51", "3e766895a51b"]
