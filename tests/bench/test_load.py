"""The load program takes what it says: the time that 95 of 100 stay below, from answers that were given."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.load import Client, at_once, operations, p95, timed
from tests.support.cells import make_desk
from tests.support.serving import serving


def test_p95_is_what_95_of_100_stay_below() -> None:
    assert p95([number / 1000 for number in range(1, 101)]) == pytest.approx(95, abs=0.2)


def test_each_operation_is_answered_here_and_over_http(tmp_path: Path) -> None:
    desk = make_desk(tmp_path / "memory")
    desk.append("billing moves to PostgreSQL 16")
    with serving(desk.root, "--quiet") as (url, _process):
        client = Client(url)
        for row in operations(desk.root):
            assert isinstance(row.here(), dict)
            assert len(at_once(lambda row=row: client.ask(row.path), 4, 2)) == 8  # type: ignore[misc]
        with pytest.raises(SystemExit):
            client.ask("/nowhere")


def test_every_go_is_timed() -> None:
    gone: list[int] = []
    assert len(timed(lambda: gone.append(1), 7)) == len(gone) == 7
