"""What Git says when it fails becomes an error with a name and a cure."""

from __future__ import annotations

import pytest

from nutsync.core.errors import (
    ErrDiskFull,
    ErrGit,
    ErrLocked,
    ErrUnfit,
    ErrUnreadable,
    ErrUnwritable,
    ErrVetoed,
    NutsyncError,
)
from nutsync.store.repo.failures import named_failure

SAYINGS: list[tuple[str, type[NutsyncError]]] = [
    ("error: unable to write file .git/objects/ab/cd: No space left on device", ErrDiskFull),
    ("fatal: Unable to create '/r/.git/index.lock': File exists.\n\nAnother git process", ErrLocked),
    ("fatal: update_ref failed for ref 'refs/heads/main': cannot lock ref 'refs/heads/main': "
     "Unable to create '/r/.git/refs/heads/main.lock': File exists.", ErrLocked),
    ("fatal: detected dubious ownership in repository at '/r'", ErrUnfit),
    ("the day is frozen\nfatal: ref updates aborted by hook", ErrVetoed),
    ("fatal: in 'prepared' phase, update aborted by the reference-transaction hook", ErrVetoed),
    ("error: insufficient permission for adding an object to repository database", ErrUnwritable),
    ("fatal: Unable to create '/r/.git/index.lock': Read-only file system", ErrUnwritable),
    ("fatal: index file open failed: Permission denied", ErrUnreadable),
    ("git@example.org: Permission denied (publickey).\nfatal: Could not read", ErrGit),
    ("fatal: bad object HEAD", ErrGit),
    ("", ErrGit),
]  # fmt: skip


@pytest.mark.parametrize(("said", "name"), SAYINGS)
def test_each_failure_has_its_name_and_a_hint(said: str, name: type[NutsyncError]) -> None:
    failure = named_failure("update-ref", 128, said)
    assert type(failure) is name
    assert failure.hint


def test_git_s_advice_is_left_out_and_long_sayings_are_cut() -> None:
    said = (
        "hint: use --force\n"
        + "".join(f"line {n} " + "x" * 200 + "\n" for n in range(50))
        + "fatal: at last\n"
    )
    message = named_failure("push", 1, said).message
    assert "--force" not in message
    assert message.endswith("fatal: at last")
    assert len(message) < 700
