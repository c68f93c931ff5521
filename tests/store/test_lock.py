"""One writer at a time in a clone: between processes, between threads, and after a crash."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from nutsync.core.errors import ErrLocked, ErrUnwritable
from nutsync.store.lock import clone_lock, lock_path

ROOT = Path(__file__).parents[2]
HOLD = """
import sys
from pathlib import Path
from nutsync.store.lock import clone_lock
with clone_lock(Path(sys.argv[1]), timeout=30, command="sync"):
    print("held", flush=True)
    sys.stdin.read()
"""
COUNT = """
import sys
from pathlib import Path
from nutsync.store.lock import clone_lock
counter = Path(sys.argv[2])
for _ in range(25):
    with clone_lock(Path(sys.argv[1]), timeout=60):
        counter.write_text(str(int(counter.read_text()) + 1))
"""


@contextmanager
def holder(git_dir: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(git_dir)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def test_who_waits_too_long_is_told_who_works_there(tmp_path: Path) -> None:
    with holder(tmp_path) as other, pytest.raises(ErrLocked) as refusal, clone_lock(tmp_path, timeout=0.05):
        pytest.fail("two held the lock")
    assert str(other.pid) in refusal.value.message
    assert "`sync`" in refusal.value.message


def test_a_killed_holder_leaves_no_lock_behind(tmp_path: Path) -> None:
    with holder(tmp_path) as other:
        other.kill()
        other.wait()
        with clone_lock(tmp_path, timeout=5):
            assert lock_path(tmp_path).exists()


def test_a_lock_that_comes_free_is_taken(tmp_path: Path) -> None:
    with holder(tmp_path) as other:
        threading.Timer(0.1, other.kill).start()
        with clone_lock(tmp_path, timeout=30):
            assert other.wait() != 0


def test_many_processes_lose_no_turn(tmp_path: Path) -> None:
    (tmp_path / "counter").write_text("0")
    command = [sys.executable, "-c", COUNT, str(tmp_path), str(tmp_path / "counter")]
    workers = [subprocess.Popen(command, cwd=ROOT) for _ in range(4)]
    assert [worker.wait() for worker in workers] == [0, 0, 0, 0]
    assert (tmp_path / "counter").read_text() == "100"


def test_threads_of_one_process_exclude_each_other(tmp_path: Path) -> None:
    inside, most = 0, 0
    failures: list[BaseException] = []

    def work() -> None:
        nonlocal inside, most
        try:
            for _ in range(20):
                with clone_lock(tmp_path, timeout=60):
                    inside += 1
                    most = max(most, inside)
                    os.sched_yield() if hasattr(os, "sched_yield") else None
                    inside -= 1
        except BaseException as problem:
            failures.append(problem)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (most, failures) == (1, [])


def test_another_thread_that_waits_too_long_is_refused(tmp_path: Path) -> None:
    told: list[str] = []

    def work() -> None:
        try:
            with clone_lock(tmp_path, timeout=0.01):
                told.append("held")
        except ErrLocked as refusal:
            told.append(refusal.message)

    with clone_lock(tmp_path, timeout=1, command="append"):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert len(told) == 1 and "`append`" in told[0]


def test_the_holder_may_take_it_again_and_lets_go_once_at_the_end(tmp_path: Path) -> None:
    with clone_lock(tmp_path, timeout=1):
        with clone_lock(tmp_path, timeout=0):
            pass
        probe = [sys.executable, "-c", HOLD.replace("timeout=30", "timeout=0"), str(tmp_path)]
        refused = subprocess.run(
            probe, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        assert "ErrLocked" in refused.stderr
    with holder(tmp_path):
        pass


def test_a_failure_inside_lets_go(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), clone_lock(tmp_path, timeout=1):
        raise ZeroDivisionError
    with holder(tmp_path):
        pass


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_does_not_hold_what_its_parent_holds(tmp_path: Path) -> None:
    code = """
import os, sys
from pathlib import Path
from nutsync.core.errors import ErrLocked
from nutsync.store.lock import clone_lock
with clone_lock(Path(sys.argv[1]), timeout=0):
    child = os.fork()
    if child == 0:
        try:
            with clone_lock(Path(sys.argv[1]), timeout=0):
                os._exit(1)
        except ErrLocked:
            os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "0\n"


def test_a_file_system_without_locks_is_told_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    with pytest.raises(ErrUnwritable, match="No locks available"), clone_lock(tmp_path, timeout=0):
        pytest.fail("held")


def test_two_clones_do_not_wait_for_each_other(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with holder(tmp_path / "a"), clone_lock(tmp_path / "b", timeout=0):
        assert lock_path(tmp_path / "b").exists()


def test_a_lock_that_cannot_be_made_has_a_name(tmp_path: Path) -> None:
    (tmp_path / "nutsync").write_text("a file where a folder is needed")
    with pytest.raises(ErrUnwritable), clone_lock(tmp_path, timeout=0):
        pytest.fail("held")


def test_nothing_of_what_is_said_on_the_command_line_is_written_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["nutsync", "append", "a private thing"])
    with clone_lock(tmp_path, timeout=0, command="append"):
        written = b"".join(path.read_bytes() for path in (tmp_path / "nutsync").iterdir())
    assert b"append" in written and b"private" not in written
