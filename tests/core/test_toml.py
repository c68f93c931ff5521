"""The small TOML files of a cell."""

from __future__ import annotations

import tomllib

from hypothesis import given, settings
from hypothesis import strategies as st

from nutsync.core.toml import _read_plain, read_toml, write_toml

KEYS = st.text(st.characters(codec="utf-8"), max_size=8)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=30)
VALUES = st.one_of(
    TEXTS, st.integers(-(2**60), 2**60), st.booleans(), st.lists(TEXTS, max_size=3), st.dates()
)


@settings(max_examples=200)
@given(st.dictionaries(KEYS, VALUES, max_size=5))
def test_what_is_written_is_what_any_toml_reader_reads(table: dict[str, object]) -> None:
    content = write_toml(table)
    assert tomllib.loads(content.decode()) == table == read_toml(content)


PIECES = [
    "a",
    "b-c",
    " = ",
    "=",
    '"',
    '"x y"',
    "[",
    "]",
    ", ",
    "true",
    "1",
    "01",
    "# c",
    "\n",
    "\r\n",
    "\\",
    "\t",
]


@settings(max_examples=200)
@given(
    st.lists(
        st.sampled_from([*PIECES, 'a = "x"\n', 'b = ["1", "2"]\n', "c = 12\n", "d = true\n"]), max_size=8
    )
)
def test_the_direct_reader_agrees_with_a_real_parser_or_leaves_it_to_it(pieces: list[str]) -> None:
    text = "".join(pieces)
    plain = _read_plain(text)
    if plain is not None:
        assert plain == tomllib.loads(text)


def test_what_nutsync_writes_needs_no_real_parser() -> None:
    assert _read_plain('format = 1\nzone = "Asia/Shanghai"\nadmins = ["ana", "小王"]\n') is not None
