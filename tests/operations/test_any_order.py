"""Clones in three zones, armed and not, and everything that may happen to them, in any order.

Afterwards every armed clone holds the same archive byte for byte, everything reported as remembered is there,
nothing forgotten came back, and the whole history is within the law.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.support.world import ARMED, HOUR, PLAIN, World, prepare

devices = st.sampled_from(ARMED)


class Schedule(RuleBasedStateMachine):
    """One order in which things happen."""

    prepared: Path

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="any-order-"))
        self.world: World | None = None

    @initialize(skews=st.tuples(*(st.integers(-5, 5) for _ in (*ARMED, PLAIN))))
    def begin(self, skews: tuple[int, ...]) -> None:
        named = dict(zip((*ARMED, PLAIN), skews, strict=True))
        self.world = World(self.prepared, self.folder / "world", named)

    @property
    def there(self) -> World:
        assert self.world is not None
        return self.world

    @rule(name=devices)
    def append(self, name: str) -> None:
        self.there.append(name)

    @rule(name=devices)
    def append_again(self, name: str) -> None:
        self.there.append(name)

    @rule(name=devices)
    def sync(self, name: str) -> None:
        self.there.sync(name)

    @rule(name=devices)
    def sync_too(self, name: str) -> None:
        self.there.sync(name)

    @rule(name=devices)
    def leave_aside(self, name: str) -> None:
        self.there.sync(name, attempts=0)

    @rule()
    def ghost(self) -> None:
        self.there.ghost()

    @rule(hours=st.sampled_from([1, 9, 15, 24]))
    def time_passes(self, hours: int) -> None:
        self.there.now += hours * HOUR

    @precondition(lambda self: self.there.said)
    @rule(name=devices, data=st.data())
    def forget(self, name: str, data: st.DataObject) -> None:
        self.there.forget(name, lambda refs: data.draw(st.sampled_from(refs)))

    @rule(name=devices, step=st.integers(1, 200), what=st.sampled_from(["sync", "append"]))
    def killed(self, name: str, step: int, what: str) -> None:
        self.there.killed(name, step, what)

    @rule(name=devices)
    def write_by_hand(self, name: str) -> None:
        self.there.write_by_hand(name)

    @rule(name=devices)
    def change_by_hand(self, name: str) -> None:
        self.there.change_by_hand(name)

    @rule(name=devices)
    def open_editor(self, name: str) -> None:
        self.there.open_editor(name)

    @rule(name=devices)
    def save_editor(self, name: str) -> None:
        self.there.save_editor(name)

    @rule(name=devices, rebase=st.booleans())
    def pull(self, name: str, rebase: bool) -> None:
        self.there.pull(name, rebase=rebase)

    @rule(name=devices)
    def commit_plainly(self, name: str) -> None:
        self.there.commit_plainly(name)

    @rule(name=devices, shared=st.booleans())
    def write_foreign(self, name: str, shared: bool) -> None:
        self.there.write_foreign(name, shared=shared)

    @rule()
    def write_in_plain(self) -> None:
        self.there.write_in_plain()

    @rule()
    def push_plain(self) -> None:
        self.there.push_plain()

    @rule(rebase=st.booleans())
    def pull_in_plain(self, rebase: bool) -> None:
        self.there.pull(PLAIN, rebase=rebase)

    @rule()
    def merge_at_remote(self) -> None:
        self.there.merge_at_remote()

    def teardown(self) -> None:
        try:
            if self.world is not None:
                self.world.check()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare(tmp_path_factory.mktemp("devices"))


def _run(prepared: Path, examples: int, steps: int) -> None:
    Schedule.prepared = prepared
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        Schedule,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.explicit, Phase.reuse, Phase.generate),  # shrinking such schedules takes hours
        ),
    )


def test_a_few_schedules_in_any_order(prepared: Path) -> None:
    _run(prepared, 3, 10)


@pytest.mark.long
def test_many_schedules_in_any_order(prepared: Path) -> None:
    _run(prepared, 60, 25)
