"""Rule 9 of the freeze law: rights and settings; and what is worth a notice."""

from __future__ import annotations

from pathlib import Path

import pytest

from nutsync.core.ancestry import UNBORN, Ancestry
from nutsync.core.cell import CELL_PATH, CellConfig, device_path
from nutsync.core.commit import Blob, Change, Signature
from nutsync.core.freeze import KINDS, Finding
from tests.support.history import (
    BAG,
    DESK,
    MONDAY,
    TUESDAY,
    Content,
    History,
    Made,
    day,
    enrolled,
    entry,
    name,
    purge_record,
    signed,
)

A, B, C = entry("a", 1), entry("b", 2, "10:00:00.000+08:00"), entry("c", 3, "11:00:00.000+08:00")
MORNING, NOON, NEXT = "2026-11-30T09:00+08:00", "2026-11-30T12:00+08:00", "2026-12-01T12:00+08:00"
CELL = ".agents/nutstore-sync"
ARCHIVE = f"{CELL}/memory/archive"


@pytest.fixture
def history() -> History:
    return History()


@pytest.fixture
def two(history: History) -> Made:
    return history.append(history.born(), MONDAY, A, B, at=MORNING)


# --- Rule 9: rights ---------------------------------------------------------------------------------

SHARED = entry("all agree", 50, "11:00:00.000+08:00", actor="")


def team(history: History, *, admin: str = "ana") -> Made:
    """A cell with an admin on the device desk, and Ben on the device bag."""
    born = history.born(admins=(admin,), key=DESK)
    enrol = {device_path("bag"): enrolled("bag", BAG, "ben")}
    made = history.commit(
        [born], enrol, at=MORNING, op="enrol", actor="ben", device="bag", signature=signed(BAG)
    )
    assert made.codes == []
    return made


def test_consensus_is_written_by_admins_alone(history: History) -> None:
    cell = team(history)
    assert history.append(cell, MONDAY, SHARED, at=NOON, signature=signed(DESK)).codes == []
    for said in (
        {"actor": "ben", "device": "bag", "signature": signed(BAG)},
        {"actor": "ana", "device": "bag", "signature": signed(BAG)},
        {"actor": "ben", "device": "desk", "signature": signed(DESK)},
        {"actor": "ana"},
        {"actor": "ana", "signature": Signature("bad")},
        {"actor": "ana", "signature": signed("ssh-ed25519 unknown")},
    ):
        assert "rights-consensus" in history.append(cell, MONDAY, SHARED, at=NOON, **said).codes  # type: ignore[arg-type]


def test_consensus_is_forgotten_by_admins_alone(history: History) -> None:
    held = history.append(team(history), MONDAY, SHARED, at=NOON, signature=signed(DESK))
    assert history.forget(held, MONDAY, SHARED, at=NEXT, signature=signed(DESK)).codes == []
    made = history.forget(held, MONDAY, SHARED, at=NEXT, actor="ben", signature=signed(BAG))
    assert made.codes == ["rights-consensus"]


def test_without_admins_there_is_no_consensus(history: History) -> None:
    assert history.append(history.born(), MONDAY, SHARED, at=NOON).codes == ["rights-consensus"]


def test_where_nobody_can_sign_a_name_is_believed(history: History) -> None:
    born = history.born(admins=("ana",))
    assert history.append(born, MONDAY, SHARED, at=NOON).codes == []
    assert history.append(born, MONDAY, SHARED, at=NOON, actor="ben").codes == ["rights-consensus"]


def test_a_signature_that_a_purge_took_off_does_not_take_the_right(history: History) -> None:
    made = history.append(team(history), MONDAY, SHARED, at=NOON, signature=Signature("lost"))
    assert made.codes == []
    assert "signature-lost" in made.notices


def config(
    history: History, parent: Made, *admins: str, zone: str | None = None, **said: object
) -> list[str]:
    content = CellConfig(zone, admins).render()
    return history.commit([parent], {CELL_PATH: content}, at=NOON, op="admin", **said).codes  # type: ignore[arg-type]


def test_admins_are_changed_by_admins(history: History) -> None:
    cell = team(history)
    assert config(history, cell, "ana", "ben", signature=signed(DESK)) == []
    assert config(history, cell, "ana", "ben", actor="ben", signature=signed(BAG)) == ["rights-admins"]
    assert config(history, cell, "ben", actor="ana") == ["rights-admins"]


def test_the_founding_device_names_the_first_admin(history: History) -> None:
    born = history.born(key=DESK)
    assert config(history, born, "ana", signature=signed(DESK)) == []
    assert config(history, born, "ana") == ["rights-admins"]
    enrol = {device_path("bag"): enrolled("bag", BAG, "ben")}
    cell = history.commit([born], enrol, at=MORNING, device="bag", signature=signed(BAG))
    assert config(history, cell, "ben", device="bag", signature=signed(BAG)) == ["rights-admins"]
    unsigned = history.born()
    assert config(history, unsigned, "ana") == []
    assert config(history, unsigned, "ana", device="bag") == ["rights-admins"]


def test_with_admins_only_they_change_the_zone(history: History) -> None:
    zone = "Asia/Shanghai"
    assert config(history, team(history), "ana", zone=zone, signature=signed(DESK)) == []
    codes = config(history, team(history), "ana", zone=zone, actor="ben", signature=signed(BAG))
    assert codes == ["rights-zone"]
    assert config(history, history.born(), zone=zone, actor="ben") == []


def test_the_cells_own_file_stays_and_can_be_read(history: History, two: Made) -> None:
    assert history.commit([two], {CELL_PATH: None}, at=NOON).codes == ["cell-removed"]
    assert history.commit([two], {CELL_PATH: b"= nonsense"}, at=NOON).codes == ["cell-malformed"]
    assert history.commit([two], {device_path("x"): b"= nonsense"}, at=NOON).codes == ["cell-malformed"]


def test_a_device_enrols_itself_with_its_own_key(history: History) -> None:
    born = history.born(key=DESK)
    file: dict[str, Content] = {device_path("bag"): enrolled("bag", BAG)}
    for signature in (Signature(), signed(DESK), Signature("bad", BAG)):
        assert "rights-device" in history.commit([born], file, at=NOON, signature=signature).codes
    assert history.commit([born], file, at=NOON, device="bag", signature=signed(BAG)).codes == []
    keyless: dict[str, Content] = {device_path("bag"): enrolled("bag", None)}
    assert history.commit([born], keyless, at=NOON, device="bag").codes == []


def test_a_device_is_changed_by_its_own_key_or_an_admin(history: History) -> None:
    cell = team(history)
    other: dict[str, Content] = {device_path("bag"): enrolled("bag", "ssh-ed25519 AAAAnew", "ben")}
    assert history.commit([cell], other, at=NOON, device="bag", signature=signed(BAG)).codes == []
    assert history.commit([cell], other, at=NOON, signature=signed(DESK)).codes == []
    gone: dict[str, Content] = {device_path("desk"): None}
    for change in (gone, {device_path("desk"): enrolled("desk", BAG)}):
        made = history.commit([cell], change, at=NOON, actor="ben", device="bag", signature=signed(BAG))
        assert made.codes == ["rights-device"]


def test_a_revoked_key_counts_no_more(history: History) -> None:
    cell = team(history)
    revoked = {device_path("bag"): enrolled("bag", BAG, "ben", revoked=True)}
    after = history.commit([cell], revoked, at=NOON, signature=signed(DESK))
    assert after.codes == []
    back = {device_path("bag"): enrolled("bag", BAG, "ben")}
    made = history.commit([after], back, at=NOON, actor="ben", device="bag", signature=signed(BAG))
    assert made.codes == ["rights-device"]
    late = history.append(after, MONDAY, A, at=NOON, actor="ben", device="bag", signature=signed(BAG))
    assert late.notices == ["signer-unknown"]


def test_a_purge_record_comes_with_a_purge_and_stays(history: History, two: Made) -> None:
    forgot = history.forget(two, MONDAY, A, at=NOON)
    record = purge_record(name(1), MONDAY)
    assert history.commit([forgot], record, at=NOON).codes == ["purge-record"]
    purged = history.commit([forgot], record, at=NOON, op="purge")
    assert purged.codes == []
    assert history.commit([purged], dict.fromkeys(record), at=NOON, op="purge").codes == ["purge-record"]
    assert history.append(purged, MONDAY, A, at=NOON).codes == ["purged-returned"]


def test_a_purge_makes_the_index_of_its_days_anew(history: History, two: Made) -> None:
    files = {**purge_record(name(1), MONDAY), MONDAY: day(MONDAY, A, B, index="anew")}
    assert history.commit([two], files, at=NEXT, op="purge").codes == []
    tuesday = history.append(two, TUESDAY, C, at=NEXT)
    other = {**purge_record(name(1), MONDAY), TUESDAY: day(TUESDAY, C, index="anew")}
    late = "2026-12-03T12:00+08:00"
    assert history.commit([tuesday], other, at=late, op="purge").codes == ["frozen-front"]


# --- Settings in merges (rule 7) --------------------------------------------------------------------


def test_a_merge_takes_the_newer_settings(history: History) -> None:
    cell = team(history)
    other = history.append(cell, MONDAY, B, at=NOON)
    content = CellConfig(None, ("ana", "ben")).render()
    newer = history.commit([cell], {CELL_PATH: content}, at=NOON, signature=signed(DESK))
    revoked = {device_path("bag"): enrolled("bag", BAG, "ben", revoked=True)}
    newer = history.commit([newer], revoked, at=NOON, signature=signed(DESK))
    for sides in ((newer, other), (other, newer)):
        made = history.merge(*sides, at=NOON, files={p: newer.tree[p] for p in (CELL_PATH, *revoked)})
        assert made.codes == []
        assert made.ancestry.cell.admins == ("ana", "ben")
        assert made.ancestry.devices["bag"].revoked
        for path in (CELL_PATH, *revoked):
            old: dict[str, Content] = {p: newer.tree[p] for p in (CELL_PATH, *revoked)}
            assert history.merge(*sides, at=NOON, files={**old, path: other.tree[path]}).codes == [
                "merge-settings"
            ]
            assert "merge-settings" in history.merge(*sides, at=NOON, files={**old, path: None}).codes


def test_a_merge_that_both_sides_set_takes_either(history: History) -> None:
    born = history.born()
    one, two = (
        history.commit([born], {CELL_PATH: CellConfig(zone, ()).render()}, at=NOON) for zone in ("UTC", None)
    )
    three = history.commit([born], {CELL_PATH: CellConfig("Asia/Tokyo", ()).render()}, at=NOON)
    assert two.tree[CELL_PATH] == born.tree[CELL_PATH]
    for pick in (one, three):
        assert history.merge(one, three, at=NOON, files={CELL_PATH: pick.tree[CELL_PATH]}).codes == []
    assert history.merge(one, three, at=NOON, files={CELL_PATH: born.tree[CELL_PATH]}).codes == [
        "merge-settings"
    ]


def test_two_devices_of_one_name_are_both_kept(history: History) -> None:
    one, two = history.born(key=DESK), history.born(key=BAG)
    renamed = {device_path("desk-2"): enrolled("desk-2", BAG)}
    made = history.merge(
        one, two, at=NOON, files={device_path("desk"): one.tree[device_path("desk")], **renamed}
    )
    assert made.codes == []
    assert made.ancestry.device_of(BAG) == "desk-2"
    forged = {device_path("desk-2"): enrolled("desk-2", "ssh-ed25519 AAAAforged")}
    desk = {device_path("desk"): one.tree[device_path("desk")]}
    assert history.merge(one, two, at=NOON, files={**desk, **forged}).codes == ["merge-settings"]


# --- What is worth knowing --------------------------------------------------------------------------


def test_notices_say_who_did_not_sign_or_stamp(history: History) -> None:
    cell = team(history)
    fine = history.append(cell, MONDAY, A, at=NOON, signature=signed(DESK))
    assert fine.findings == []
    assert history.append(cell, MONDAY, A, at=NOON).notices == ["unsigned"]
    assert history.append(cell, MONDAY, A, at=NOON, signature=signed(BAG)).notices == ["device-differs"]
    assert history.append(cell, MONDAY, A, at=NOON, signature=Signature("other")).notices == [
        "signer-unknown"
    ]
    plain = history.commit(
        [cell], {MONDAY: day(MONDAY, A)}, at=NOON, message="notes\n", signature=signed(DESK)
    )
    assert plain.notices == ["unstamped"]
    assert "signature-bad" in history.append(cell, MONDAY, A, at=NOON, signature=Signature("bad")).codes


def test_every_sort_of_finding_says_what_to_do_and_prints_no_destructive_command() -> None:
    for code, kind in KINDS.items():
        assert kind.hint, code
        assert 0 <= kind.rule <= 9
        assert "reset --hard" not in kind.hint


def test_the_documentation_lists_every_sort_of_finding() -> None:
    page = (Path(__file__).parents[2] / "docs" / "freeze-law.md").read_text()
    for code, kind in KINDS.items():
        assert f"| `{code}` | {kind.rule or '–'} | {kind.severity} |" in page


def test_a_finding_is_a_document_with_the_keys_of_verify() -> None:
    finding = Finding("move-lost", "c0ffee", "It would be lost.", "p", "r", "h")
    assert set(finding.as_json()) >= {"commit", "path", "ref", "code", "severity", "message", "hint"}


def test_a_blob_reads_its_content_once() -> None:
    asked: list[str] = []

    def read(oid: str) -> bytes:
        asked.append(oid)
        return b"x"

    blob = Blob("100644", "1", read)
    assert (blob.content, blob.content, asked) == (b"x", b"x", ["1"])
    assert Change("p", blob, None).old == Blob("100644", "1", b"y")
    assert isinstance(UNBORN, Ancestry)
