"""The fixed paths of a cell and the files that describe it."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nutsync.core import cell
from nutsync.core.cell import CellConfig, Device, PurgeRecord
from nutsync.core.errors import ErrCellFile, ErrCellFormat
from nutsync.core.moment import Moment

WHEN = Moment(1_796_002_442_118, 480)


def test_a_day_has_one_path_and_that_path_has_one_day() -> None:
    path = ".agents/nutstore-sync/memory/archive/2026/2026-11-30.md"
    assert cell.day_path("2026-11-30") == path
    assert cell.date_of_path(path) == "2026-11-30"


@pytest.mark.parametrize(
    "path",
    [
        "2025/2026-11-30.md",
        "2026/2026-11-31.md",
        "2026/2026-1-030.md",
        "2026/2026-11-30.MD",
        "2026/2026-11-30.txt",
        "2026/11/2026-11-30.md",
        "2026-11-30.md",
        "2026/２０２６-11-30.md",
        "2026/2026-11-30.md/",
    ],
)
def test_no_other_path_is_a_day(path: str) -> None:
    assert cell.date_of_path(f"{cell.ARCHIVE_DIR}/{path}") is None


def test_the_wrong_case_of_the_folder_is_no_day() -> None:
    assert cell.date_of_path(cell.day_path("2026-11-30").replace("archive", "Archive")) is None


def test_devices_and_purges_are_named_by_their_path() -> None:
    assert cell.device_of_path(cell.device_path("desk")) == "desk"
    assert cell.device_of_path(f"{cell.DEVICES_DIR}/sub/desk.toml") is None
    assert cell.device_of_path(f"{cell.DEVICES_DIR}/.toml") is None
    assert cell.purged_of_path(cell.purge_path("k3f9x2ab")) == "k3f9x2ab"
    assert cell.purged_of_path(cell.device_path("desk")) is None


# --- cell.toml ---


def test_a_cell_config_is_written_in_one_way() -> None:
    config = CellConfig(zone="Asia/Shanghai", admins=("ben", "ana"))
    assert config.render() == b'format = 1\nzone = "Asia/Shanghai"\nadmins = ["ana", "ben"]\n'
    assert CellConfig.parse(config.render()) == CellConfig("Asia/Shanghai", ("ana", "ben"))


def test_a_cell_config_that_a_person_edited_is_read_and_its_unknown_keys_stay() -> None:
    content = (
        b"\xef\xbb\xbf# ours\r\nadmins = [\r\n  'ana', # first\r\n"
        b'  "ana",\r\n]\r\nfuture = {a = [1, 2.5]}\r\n'
    )
    config = CellConfig.parse(content)
    assert (config.zone, config.admins) == (None, ("ana",))
    assert CellConfig.parse(config.render()) == config
    assert tomllib.loads(config.render().decode())["future"] == {"a": [1, 2.5]}


@pytest.mark.parametrize(
    "content",
    [
        b"format = ",
        b"\xff",
        b"<<<<<<< ours\nformat = 1\n",
        b'format = "1"',
        b"format = true",
        b"format = 0",
        b"zone = 8",
        b'zone = "../../etc passwd"',
        b'admins = "ana"',
        b"admins = [1]",
        b'admins = ["*"]',
        b'admins = ["ana"]\nadmins = ["ben"]\n',
    ],
)
def test_a_bad_cell_config_is_named(content: bytes) -> None:
    with pytest.raises(ErrCellFile, match=r"cell\.toml"):
        CellConfig.parse(content)


def test_a_cell_of_a_newer_format_is_refused_and_not_guessed_at() -> None:
    with pytest.raises(ErrCellFormat):
        CellConfig.parse(b'format = 2\nadmins = "any shape"\n')


def test_an_empty_cell_config_has_no_zone_and_no_admins() -> None:
    assert CellConfig.parse(b"") == CellConfig()


# --- devices ---


def test_a_device_is_written_in_one_way_and_read_back() -> None:
    device = Device("desk", "ana", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5", 480, WHEN)
    content = device.render()
    assert content.decode() == (
        'name = "desk"\n'
        'actor = "ana"\n'
        'key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5"\n'
        'offset = "+08:00"\n'
        'enrolled = "2026-11-30T09:34:02.118+08:00"\n'
    )
    assert Device.parse(content, "desk") == device


def test_a_device_without_a_key_is_one_that_cannot_sign() -> None:
    device = Device("desk", "小王", None, -210, WHEN, revoked=Moment(WHEN.millis + 1, 0))
    assert Device.parse(device.render(), "desk") == device


def test_a_hand_written_device_may_give_its_time_unquoted_and_its_key_with_a_comment() -> None:
    content = (
        b'actor="ana"\noffset="+08:00"\nenrolled=2026-11-30T09:34:02.118+08:00\nkey="ssh-ed25519 AAAA a b"'
    )
    assert Device.parse(content, "desk") == Device("desk", "ana", "ssh-ed25519 AAAA", 480, WHEN)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('name = "desk"', 'name = "lamp"'),
        ('actor = "ana"\n', ""),
        ("+08:00", "8"),
        ("+08:00", "+0x:00"),
        ("T09:34:02.118+08:00", ""),
        ("T09:34:02.118+08:00", "T09:34:02.118"),
        ('"ana"', '"a<b"'),
    ],
)
def test_a_bad_device_file_is_named(old: str, new: str) -> None:
    content = Device("desk", "ana", None, 480, WHEN).render().decode()
    assert old in content
    with pytest.raises(ErrCellFile, match=r"devices/desk\.toml"):
        Device.parse(content.replace(old, new).encode(), "desk")


# --- purge records ---

RECORD = PurgeRecord(
    id="k3f9x2ab",
    day="2026-11-30",
    days=("2026-11-30", "2026-12-02"),
    actor="ana",
    device="desk",
    at=WHEN,
    reason='said in error "twice"',
    signature="-----BEGIN SSH SIGNATURE-----\nU1NIU0lH\n-----END SSH SIGNATURE-----\n",
)


def test_a_purge_record_is_read_back_and_its_signature_covers_the_rest() -> None:
    content = RECORD.render()
    assert PurgeRecord.parse(content, "k3f9x2ab") == RECORD
    assert content.startswith(RECORD.signed_payload())
    assert b"BEGIN SSH" not in RECORD.signed_payload()
    assert content.count(b"\n-----BEGIN") == 1


def test_the_own_day_of_a_purged_entry_is_always_among_its_days() -> None:
    content = RECORD.render().replace(b'["2026-11-30", ', b"[")
    assert PurgeRecord.parse(content, "k3f9x2ab").days == ("2026-11-30", "2026-12-02")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"k3f9x2ab"', '"k3f9x2ac"'),
        ('day = "2026-11-30"', 'day = "2026-11-31"'),
        ("recipe = 1", "recipe = 0"),
        ("recipe = 1", ""),
        ('"desk"', '"De sk"'),
        ("days = [", "days = [1, "),
    ],
)
def test_a_bad_purge_record_is_named(old: str, new: str) -> None:
    content = RECORD.render().decode()
    assert old in content
    with pytest.raises(ErrCellFile, match=r"purged/k3f9x2ab\.toml"):
        PurgeRecord.parse(content.replace(old, new).encode(), "k3f9x2ab")


@settings(max_examples=100)
@given(
    st.text(st.characters(codec="utf-8"), max_size=40),
    st.lists(st.sampled_from(["2026-11-30", "2024-02-29", "2027-01-01"]), unique=True),
    st.integers(0, 4_000_000_000_000),
    st.integers(-720, 840),
)
def test_any_reason_and_time_survive_a_purge_record(
    reason: str, days: list[str], millis: int, offset: int
) -> None:
    rest = tuple(day for day in days if day != "2026-11-30")
    record = PurgeRecord(
        "k3f9x2ab", "2026-11-30", ("2026-11-30", *rest), "ana", "desk", Moment(millis, offset), reason
    )
    assert PurgeRecord.parse(record.render(), "k3f9x2ab") == record
