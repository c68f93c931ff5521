"""What a second remote holds only its owner can replace: it is named, and nothing is called done."""

from __future__ import annotations

from pathlib import Path

from tests.support.fleet import Fleet
from tests.support.purges import drop, ref_of
from tests.support.repos import git, make_remote
from tests.support.search import collect_garbage, places_of


def test_a_second_remote_is_named_until_it_holds_the_rewritten_history(fleet: Fleet, tmp_path: Path) -> None:
    desk, second = fleet["desk"], make_remote(tmp_path / "second.git")
    ref = ref_of(desk)
    fleet.sync("desk")
    git(desk.root, "remote", "add", "second", str(second))
    git(desk.root, "push", "-q", "second", "main")
    done = drop(desk, ref)
    assert done.exit_code == 1
    assert any("the remote second holds old history" in words for words in done.leftovers)
    assert any("second" in words for words in fleet.sync("desk").leftovers)
    git(desk.root, "push", "-q", "--force", "second", "main")
    assert fleet.sync("desk").leftovers == ()
    collect_garbage(second)
    assert places_of(desk.root, "4711") == places_of(second, "4711") == []
