"""Recipe 1 never changes: what it made of these versions of days and commits, it makes for ever."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nutsync.core import recipe1
from nutsync.core.day import Day
from nutsync.core.entry import encode_entry
from nutsync.core.recipe1 import Purge, block_of, day_of, purge_commit, purge_day, record_of, removed_words

DATE = "2026-11-30"
X = Purge("k3f9x2ab", DATE, frozenset({DATE}))
Y = Purge("p0q8m1zc", DATE, frozenset({DATE, "2026-12-01"}))


def entry(name: str, text: str, more: str = "") -> str:
    return f"- {text} <!-- nut id={name} at=09:00:00.000+08:00 dev=desk{more} -->\n"


HEAD = f"---\ndate: {DATE}\nindex: 'X-200; Globex 4711'\n---\n## {DATE}\n"
BLANK = f"---\ndate: {DATE}\nindex: '(purged)'\n---\n## {DATE}\n"
MINE = entry("k3f9x2ab", "Globex pays 4711") + "  a second line\n\n  a third\n"
OTHER = entry("p0q8m1zc", "X-200 costs 12,800") + "  Reason: none\n"


def purge(
    content: str, *purges: Purge, date: str = DATE, whole: dict[str, bytes] | None = None
) -> str | None:
    found = purge_day(content.encode("utf-8", "surrogateescape"), date, purges or (X,), whole or {})
    return None if found is None else found.decode("utf-8", "surrogateescape")


GOLDEN = [
    ("the block goes, and the index", HEAD + MINE + OTHER, BLANK + OTHER),
    ("blank lines under it go with it", HEAD + MINE + "\n\n" + OTHER + "\n", BLANK + OTHER + "\n"),
    ("a version without it loses its index", HEAD + OTHER, BLANK + OTHER),
    ("nothing is left", HEAD + MINE, None),
    ("only a heading and blank lines are left", HEAD + "\n\n" + MINE, None),
    ("prose that is left keeps the file", HEAD + "Prose.\n" + MINE, BLANK + "Prose.\n"),
    ("every copy that a careless merge left goes", HEAD + MINE + OTHER + MINE, BLANK + OTHER),
    (
        "line ends stay as they are",
        (HEAD + MINE + OTHER).replace("\n", "\r\n"),
        (BLANK + OTHER).replace("\n", "\r\n"),
    ),
    ("no newline at the end", HEAD + MINE + OTHER.rstrip("\n"), BLANK + OTHER.rstrip("\n")),
    ("a byte-order mark stays", "\ufeff" + HEAD + MINE + OTHER, "\ufeff" + BLANK + OTHER),
    ("no frontmatter", MINE + OTHER, OTHER),
    (
        "an index in double quotes, with other keys around it",
        f'---\ntags: [a]\nindex: "Globex: 4711"\ndate: {DATE}\nmood: fine\n---\n{MINE}{OTHER}',
        f"---\ntags: [a]\nindex: '(purged)'\ndate: {DATE}\nmood: fine\n---\n{OTHER}",
    ),
    (
        "a folded index",
        f"---\ndate: {DATE}\nindex: >\n  Globex\n  4711\nmood: fine\n---\n{MINE}{OTHER}",
        f"---\ndate: {DATE}\nindex: '(purged)'\nmood: fine\n---\n{OTHER}",
    ),
    (
        "an index with an open quotation",
        f"---\ndate: {DATE}\nindex: 'Globex\n4711'\nmood: fine\n---\n{MINE}{OTHER}",
        f"---\ndate: {DATE}\nindex: '(purged)'\nmood: fine\n---\n{OTHER}",
    ),
    (
        "two indexes after a careless merge, and one in the text",
        f"---\ndate: {DATE}\nindex: 'one'\nindex: 'two'\n---\n{OTHER}index: 'Globex 4711'\n",
        f"---\ndate: {DATE}\nindex: '(purged)'\nindex: '(purged)'\n---\n{OTHER}index: '(purged)'\n",
    ),
    (
        "text that only looks like it stays",
        HEAD + "- id=k3f9x2ab is an id <!-- nut id=00000000 -->\n  <!-- nut id=k3f9x2ab -->\n",
        BLANK + "- id=k3f9x2ab is an id <!-- nut id=00000000 -->\n  <!-- nut id=k3f9x2ab -->\n",
    ),
]


@pytest.mark.parametrize(("content", "expected"), [one[1:] for one in GOLDEN], ids=[one[0] for one in GOLDEN])
def test_versions_of_the_day_become(content: str, expected: str | None) -> None:
    assert purge(content) == expected
    if expected is not None:
        assert purge(expected) == expected, "the recipe can be repeated"


def test_another_day_keeps_every_byte() -> None:
    assert purge(HEAD + MINE + OTHER, date="2026-12-02") == HEAD + MINE + OTHER


def test_a_day_that_the_record_names_loses_its_index_and_nothing_else() -> None:
    assert purge(HEAD + MINE + OTHER, Y, date="2026-12-01") == BLANK + MINE + OTHER


def test_a_day_that_corrects_the_entry_loses_its_index_though_nobody_named_it() -> None:
    fix = entry("00000000", "Globex pays more", " kind=correction corrects=2026-11-30%23k3f9x2ab")
    assert purge(HEAD + fix, date="2026-12-09") == BLANK + fix
    told = entry("00000000", "the mark corrects=2026-11-30%23k3f9x2ab")
    assert purge(HEAD + told, date="2026-12-09") == HEAD + told


def test_words_without_an_id_go_wherever_they_stand_on_their_day() -> None:
    words = Purge("00000000", DATE, frozenset({DATE}), b"Prose of 4711.\n  more\n")
    assert purge(HEAD + "Prose of 4711.\n  more\n\n" + OTHER, words) == BLANK + OTHER
    assert purge(HEAD + "Prose of 4711.\n" + OTHER, words) == BLANK + "Prose of 4711.\n" + OTHER
    gone = words._replace(words=b"")
    assert purge(HEAD + "Prose\n" + OTHER, gone) == BLANK + "Prose\n" + OTHER


def test_removed_words_come_in_the_order_in_which_they_stood() -> None:
    old = (HEAD + "A\nB\n" + OTHER + "A\nC\n").encode()
    assert removed_words(old, (HEAD + OTHER + "A\nC\n").encode(), DATE) == [b"A\n", b"B\n"]
    assert removed_words(old, None, DATE) == [b"A\n", b"B\n", b"A\n", b"C\n"]


def test_lines_that_a_careless_merge_tore_from_the_entry_go_and_those_of_others_stay() -> None:
    """Git's union of two bullets with a blank line in common puts both first lines before both seconds."""
    mine = entry("k3f9x2ab", "Globex pays 4711") + "\n  my second\n"
    other = entry("p0q8m1zc", "X-200") + "\n  its second\n"
    torn = (
        entry("k3f9x2ab", "Globex pays 4711") + entry("p0q8m1zc", "X-200") + "\n  my second\n  its second\n"
    )
    whole = {"k3f9x2ab": block_of((HEAD + mine).encode(), DATE, X) or b""}
    assert whole["k3f9x2ab"] == mine.encode()
    assert purge(HEAD + torn, whole=whole) == BLANK + other
    other_way = (
        entry("p0q8m1zc", "X-200") + entry("k3f9x2ab", "Globex pays 4711") + "\n  its second\n  my second\n"
    )
    assert purge(HEAD + other_way, whole=whole) == BLANK + entry("p0q8m1zc", "X-200") + "  its second\n"


def test_paths_are_told_exactly() -> None:
    assert day_of(f".agents/nutstore-sync/memory/archive/2026/{DATE}.md") == DATE
    assert day_of(f".agents/nutstore-sync/memory/archive/2025/{DATE}.md") is None
    assert day_of(f"x/.agents/nutstore-sync/memory/archive/2026/{DATE}.md") is None
    assert record_of(".agents/nutstore-sync/purged/k3f9x2ab.toml") == "k3f9x2ab"
    assert record_of(".agents/nutstore-sync/purged/sub/k3f9x2ab.toml") is None


def test_a_commit_loses_its_signatures_and_keeps_all_the_rest() -> None:
    old = (
        b"tree 1111111111111111111111111111111111111111\n"
        b"parent 2222222222222222222222222222222222222222\n"
        b"parent 3333333333333333333333333333333333333333\n"
        b"author Ana <ana@example.org> 1796000400 +0800\n"
        b"committer Ana <ana@example.org> 1796000400 +0800\n"
        b"encoding ISO-8859-1\n"
        b"gpgsig -----BEGIN SSH SIGNATURE-----\n U1NIU0lH\n -----END SSH SIGNATURE-----\n"
        b"mergetag object 4444444444444444444444444444444444444444\n type commit\n tag v1\n\n"
        b"gpgsig-sha256 x\n y\n\n"
        b"append \xe9\n\nparent 2222222222222222222222222222222222222222\n"
    )
    old = old.replace(b"tag v1\n\n", b"tag v1\n").replace(b" y\n\n", b" y\n\n")
    assert purge_commit(old, "5" * 40, {"3" * 40: "6" * 40}) == (
        b"tree 5555555555555555555555555555555555555555\n"
        b"parent 2222222222222222222222222222222222222222\n"
        b"parent 6666666666666666666666666666666666666666\n"
        b"author Ana <ana@example.org> 1796000400 +0800\n"
        b"committer Ana <ana@example.org> 1796000400 +0800\n"
        b"encoding ISO-8859-1\n\n"
        b"append \xe9\n\nparent 2222222222222222222222222222222222222222\n"
    )


def test_the_recipe_stands_on_nothing_that_may_change() -> None:
    tree = ast.parse(Path(recipe1.__file__).read_text(encoding="utf-8"))
    froms = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    names = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    assert froms <= {"__future__", "collections", "collections.abc", "typing"} and names == {"re"}


LINES = st.sampled_from(
    [
        MINE.split("\n")[0],
        OTHER.split("\n")[0],
        "  indented",
        "  Reason: none",
        "",
        "prose",
        "## 2026-11-30",
        "---",
        "date: 2026-11-30",
        "index: 'a; b'",
        'index: "a"',
        "index: 'open",
        "* star",
        "\ttab",
        "- x <!-- nut id=k3f9x2ab id=p0q8m1zc -->",
        "- x <!-- nut id=K3F9X2AB -->",
        "-\r",
    ]
)


@settings(max_examples=200)
@given(st.lists(LINES, max_size=12), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_any_file_is_read_as_the_format_reads_it(lines: list[str], end: str, has_front: bool) -> None:
    """Today's reader and the recipe agree on what a block is and whose; other blocks keep their bytes."""
    text = end.join([*(HEAD.split("\n")[:4] if has_front else []), *lines, ""])
    day = Day.parse(text.encode(), DATE)
    found = purge_day(text.encode(), DATE, [X], {})
    left = [block.body for block in day.blocks if block.id != X.id]
    if found is None:
        assert left == []
        return
    assert [block.body for block in Day.parse(found, DATE).blocks] == [blanked(body) for body in left]
    assert purge_day(found, DATE, [X], {}) == found


def blanked(body: bytes) -> bytes:
    lines = [
        recipe1.PURGED if line in (b"index: 'a; b'", b'index: "a"') else line for line in body.split(b"\n")
    ]
    return b"\n".join(lines)


@settings(max_examples=100)
@given(st.lists(LINES, max_size=12))
def test_purges_come_to_the_same_in_any_order_and_together(lines: list[str]) -> None:
    content = (HEAD + "\n".join([*lines, ""])).encode()

    def one(content: bytes | None, purge: Purge) -> bytes | None:
        return None if content is None else purge_day(content, DATE, [purge], {})

    both = purge_day(content, DATE, [X, Y], {})
    assert one(one(content, X), Y) == one(one(content, Y), X) == both


def test_what_the_product_writes_is_found_by_the_recipe() -> None:
    """However text and attributes are: an entry that is written is an entry that can be purged."""
    for text in ("one", "two\nlines", "- a bullet\n\n  in it", "<!-- nut id=00000000 -->", "報價 12,800 元"):
        block = encode_entry(text, {"id": "k3f9x2ab", "at": "09:00:00.000+08:00", "kind": "fact", "x": "é %"})
        day = Day.new(DATE).append(block, encode_entry("other", {"id": "p0q8m1zc"}))
        assert block_of(day.render(), DATE, X) == block.body
        assert text.encode() not in (purge_day(day.render(), DATE, [X], {}) or b"")
