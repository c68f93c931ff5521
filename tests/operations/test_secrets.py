"""No credential reaches the disk through any door, unless its owner says so."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from nutsync.core.cell import day_path
from nutsync.core.entry import Ref
from nutsync.core.errors import ErrSecret
from nutsync.core.layer_requests import WriteRequest
from nutsync.operations.correct import correct
from nutsync.operations.forget import ForgetRequest, forget
from nutsync.operations.founding import Founding, init
from nutsync.operations.imports import Report, import_rows, read_jsonl
from nutsync.operations.pending import commit_pending
from nutsync.operations.remember import Memo, remember
from nutsync.operations.secrets import find_secret
from tests.support.cells import Desk, make_desk
from tests.support.repos import git

TODAY = "2026-11-30"
SECRET = "ghp_" + "0123456789abcdefghijABCDEFGHIJ456789"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return make_desk(tmp_path / "memory")


def nowhere(desk: Desk) -> bool:
    """Tell whether the secret stands in no file of the clone and in no object of Git."""
    seen = b"".join(path.read_bytes() for path in desk.root.rglob("*") if path.is_file())
    packed = git(desk.root, "cat-file", "--batch-all-objects", "--batch", "--buffer")
    return SECRET.encode() not in seen and SECRET not in packed


def test_an_append_with_a_credential_is_refused_before_anything_is_written(desk: Desk) -> None:
    before = git(desk.root, "rev-parse", "HEAD")
    with pytest.raises(ErrSecret) as refused:
        desk.append(f"first\nthe token: {SECRET}")
    assert "GitHub token" in refused.value.message
    assert "line 2" in refused.value.message
    assert SECRET not in str(refused.value.as_json())
    assert git(desk.root, "rev-parse", "HEAD") == before
    assert not desk.path(TODAY).exists()
    assert nowhere(desk)


def test_index_and_attributes_are_looked_at_too(desk: Desk) -> None:
    with pytest.raises(ErrSecret, match="the index"):
        desk.append(f"deploy with {SECRET[:10]} in hand", index=f"deploy {SECRET}")
    with pytest.raises(ErrSecret, match="attribute note"):
        desk.append("fine", note=SECRET)
    assert nowhere(desk)


def test_corrections_replacements_and_reasons_are_looked_at(desk: Desk) -> None:
    ref = desk.append("the deploy key is kept by ben").placed[0].ref
    with pytest.raises(ErrSecret):
        correct(desk.cell, Ref.parse(str(ref)), f"use {SECRET}")
    for asked in (
        ForgetRequest(refs=[ref], reason="wrong", actor="ana", replacement=f"use {SECRET}"),
        ForgetRequest(refs=[ref], reason=f"was {SECRET}", actor="ana"),
    ):
        with pytest.raises(ErrSecret):
            forget(desk.cell, asked)
    assert desk.texts(TODAY) == ["the deploy key is kept by ben"]
    assert nowhere(desk)


def test_a_note_of_a_session_is_no_way_round(desk: Desk) -> None:
    request = WriteRequest(layer="about_me", kind="plan", actor="ana", session="s1")
    lasting = WriteRequest(layer="about_me", kind="fact", actor="ana")
    with pytest.raises(ErrSecret):
        remember(desk.cell, [Memo("fine", lasting), Memo(f"use {SECRET}", request)])
    assert not desk.path(TODAY).exists()
    assert nowhere(desk)


def test_of_an_import_only_the_row_with_the_credential_stays_out(desk: Desk) -> None:
    rows = [{"date": "2026-01-02", "text": f"use {SECRET}"}, {"date": "2026-01-02", "text": "walked"}]
    report = Report()
    read = read_jsonl([json.dumps(row).encode() for row in rows], desk.cell, report)
    import_rows(desk.cell, read, report)
    assert [(f["line"], f["code"]) for f in report.findings] == [(1, "ErrSecret")]
    assert desk.texts("2026-01-02") == ["walked"]
    assert nowhere(desk)


def test_what_a_hand_wrote_is_held_and_hinders_nobody(desk: Desk) -> None:
    desk.append("one")
    path = desk.path(TODAY)
    path.write_bytes(path.read_bytes() + f"- the password is {SECRET}\n".encode())
    desk.append("two")
    with desk.cell.writing("sync") as recorder:
        pending = commit_pending(desk.cell, recorder)
    assert [(one.date, one.command) for one in pending.held] == [(TODAY, "nutsync sync --allow-secret")]
    assert "GitHub token" in pending.held[0].reason
    committed = git(desk.root, "show", f"HEAD:{day_path(TODAY)}")
    assert SECRET not in committed
    assert "two" in committed
    assert SECRET in path.read_text()


def test_its_owner_can_let_it_in_and_later_entries_are_free(desk: Desk) -> None:
    allowing = replace(desk.cell, allow_secret=True)
    Desk(allowing, desk.clock).append(f"the test token is {SECRET}")
    ref = desk.append("another thing").placed[0].ref
    forget(desk.cell, ForgetRequest(refs=[ref], reason="mistaken", actor="ana"))
    assert desk.texts(TODAY) == [f"the test token is {SECRET}"]


def test_a_birth_does_not_commit_a_credential_that_lies_in_the_folder(tmp_path: Path) -> None:
    day = tmp_path / day_path("2026-01-02")
    day.parent.mkdir(parents=True)
    day.write_text(f"- use {SECRET}\n")
    with pytest.raises(ErrSecret):
        init(tmp_path, Founding(actor="ana", device="desk"), environ={})
    assert init(tmp_path, Founding(actor="ana", device="desk", allow_secret=True), environ={}).made


def test_detect_secrets_knows_kinds_that_the_core_does_not() -> None:
    text = "//registry.example.org/:_authToken=" + "0a1b2c3d-4e5f-4a7b-8c9d-0e1f2a3b4c5d"
    assert find_secret(text) is not None
    assert find_secret("softlayer_api_key = '" + "0a1b2c3d4e5f4a7b8c9d0e1f2a3b4c5d" * 2 + "'") is not None


def test_an_ordinary_append_never_loads_detect_secrets(desk: Desk) -> None:
    script = (
        "import sys; from nutsync.operations.secrets import find_secret; "
        "assert find_secret('X-200 costs 12,800, see https://example.org/a?b=c') is None; "
        "sys.exit('detect_secrets' in sys.modules)"
    )
    root = Path(__file__).resolve().parents[2]
    assert subprocess.run([sys.executable, "-c", script], cwd=root, check=False).returncode == 0
