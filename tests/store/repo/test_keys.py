"""Device keys: what we sign others verify, and what others sign we verify."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nutsync.core.errors import ErrUnreadable
from nutsync.store.repo import keys
from nutsync.store.repo.keys import DeviceKey, Verdict, check_signature, load_key, make_key

needs_ssh_keygen = pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="ssh-keygen is not installed")
PAYLOAD = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n\nappend 2026-11-30#k3f9x2ab 报价\n".encode()


@pytest.fixture
def key(tmp_path: Path) -> DeviceKey:
    made = make_key(tmp_path)
    assert made is not None
    return made


def run(
    *words: str | Path, stdin: bytes = b"", cwd: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [str(word) for word in words], input=stdin, capture_output=True, check=False, cwd=cwd
    )


def test_a_key_is_made_once_and_found_again(key: DeviceKey, tmp_path: Path) -> None:
    assert make_key(tmp_path) == load_key(tmp_path) == key
    assert sorted(path.name for path in (tmp_path / "nutsync").iterdir()) == ["device-key", "device-key.pub"]


def test_a_clone_without_a_key_has_none(tmp_path: Path) -> None:
    assert load_key(tmp_path) is None


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
def test_nobody_else_can_read_the_private_half(key: DeviceKey) -> None:
    assert stat.S_IMODE(key.path.stat().st_mode) == 0o600


def test_a_key_does_not_show_its_private_half(key: DeviceKey) -> None:
    assert "PRIVATE" in key.path.read_text()
    assert "PRIVATE" not in repr(key) + str(key)


@needs_ssh_keygen
def test_openssh_reads_the_key_and_agrees_on_its_public_half(key: DeviceKey) -> None:
    assert run("ssh-keygen", "-y", "-f", key.path).stdout.decode().split()[:2] == key.public.split()


@needs_ssh_keygen
def test_both_ways_of_signing_give_the_same_bytes(key: DeviceKey) -> None:
    with_program = keys._sign_with_program(key.path, PAYLOAD, "git")
    assert with_program == keys._sign_in_process(key.path, PAYLOAD, "git")


@needs_ssh_keygen
def test_what_we_sign_openssh_verifies(key: DeviceKey, tmp_path: Path) -> None:
    (tmp_path / "allowed").write_text(f"desk {key.public}\n")
    (tmp_path / "armour").write_bytes(key.sign(PAYLOAD))
    words = ("ssh-keygen", "-Y", "verify", "-f", "allowed", "-I", "desk", "-n", "git", "-s", "armour")
    assert run(*words, stdin=PAYLOAD, cwd=tmp_path).returncode == 0
    assert run(*words, stdin=PAYLOAD + b"!", cwd=tmp_path).returncode != 0


@needs_ssh_keygen
@pytest.mark.parametrize("algorithm", ["sha512", "sha256"])
def test_what_openssh_signs_we_verify(tmp_path: Path, algorithm: str) -> None:
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "id")
    words = (
        "ssh-keygen",
        "-q",
        "-Y",
        "sign",
        "-n",
        "git",
        "-f",
        tmp_path / "id",
        "-O",
        f"hashalg={algorithm}",
    )
    armour = run(*words, stdin=PAYLOAD).stdout
    checked = check_signature(armour, PAYLOAD)
    assert checked.verdict is Verdict.GOOD
    assert checked.key is not None
    assert checked.key.split() == (tmp_path / "id.pub").read_text().split()[:2]


@needs_ssh_keygen
def test_a_commit_that_git_signs_with_the_key_verifies_here_and_there(key: DeviceKey, tmp_path: Path) -> None:
    (tmp_path / "allowed").write_text(f"ana@desk {key.public}\n")
    options = [
        f"user.signingkey={key.path}",
        "gpg.format=ssh",
        f"gpg.ssh.allowedSignersFile={tmp_path}/allowed",
    ]
    options += ["user.name=ana", "user.email=ana@desk"]
    git = ["git", *(word for option in options for word in ("-c", option))]
    run(*git, "init", "-q", cwd=tmp_path)
    assert run(*git, "commit", "-q", "-S", "--allow-empty", "-m", "x", cwd=tmp_path).returncode == 0
    assert run(*git, "verify-commit", "HEAD", cwd=tmp_path).returncode == 0
    content = run(*git, "cat-file", "commit", "HEAD", cwd=tmp_path).stdout
    head, _, tail = content.partition(b"gpgsig ")
    armour, _, rest = tail.partition(b"\n\n")
    checked = check_signature(armour.replace(b"\n ", b"\n"), head + b"\n" + rest)
    assert (checked.verdict, checked.key) == (Verdict.GOOD, key.public)


def test_a_signature_holds_for_its_payload_and_its_purpose_alone(key: DeviceKey) -> None:
    armour = key.sign(PAYLOAD)
    assert check_signature(armour, PAYLOAD).verdict is Verdict.GOOD
    assert check_signature(armour, PAYLOAD + b" ").verdict is Verdict.BAD
    assert check_signature(armour, PAYLOAD, keys.PURGE_NAMESPACE).verdict is Verdict.BAD
    purge = key.sign(PAYLOAD, keys.PURGE_NAMESPACE)
    assert check_signature(purge, PAYLOAD, keys.PURGE_NAMESPACE).verdict is Verdict.GOOD
    assert check_signature(purge, PAYLOAD).verdict is Verdict.BAD


@pytest.mark.parametrize("kind", ["rsa", "ecdsa"])
@needs_ssh_keygen
def test_a_key_of_another_kind_is_neither_good_nor_bad(tmp_path: Path, kind: str) -> None:
    run("ssh-keygen", "-q", "-t", kind, "-N", "", "-f", tmp_path / "id")
    armour = run("ssh-keygen", "-q", "-Y", "sign", "-n", "git", "-f", tmp_path / "id", stdin=PAYLOAD).stdout
    assert check_signature(armour, PAYLOAD).verdict is Verdict.OTHER


def test_a_pgp_signature_is_neither_good_nor_bad() -> None:
    armour = b"-----BEGIN PGP SIGNATURE-----\n\niQ==\n-----END PGP SIGNATURE-----\n"
    assert check_signature(armour, PAYLOAD).verdict is Verdict.OTHER


@settings(max_examples=200)
@given(data=st.data())
def test_a_damaged_signature_is_bad_and_never_an_error(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    key = make_key(tmp_path_factory.getbasetemp())
    assert key is not None
    blob = keys._unarmour("SSH SIGNATURE", key.sign(PAYLOAD))
    place = data.draw(st.integers(0, len(blob) - 1))
    how = data.draw(st.sampled_from(["flip", "cut", "grow"]))
    if how == "flip":
        damaged = (
            blob[:place] + bytes([blob[place] ^ (1 << data.draw(st.integers(0, 7)))]) + blob[place + 1 :]
        )
    else:
        damaged = blob[:place] if how == "cut" else blob + blob[place:]
    checked = check_signature(keys._armour("SSH SIGNATURE", damaged), PAYLOAD)
    assert checked.verdict is not Verdict.GOOD


@pytest.mark.parametrize(
    "content", [b"", b"-----BEGIN SSH SIGNATURE-----", b"-----BEGIN SSH SIGNATURE-----\n*\n"]
)
def test_a_torn_armour_is_no_good_signature(content: bytes) -> None:
    assert check_signature(content, PAYLOAD).verdict is not Verdict.GOOD


def test_a_file_that_is_no_key_is_named_and_kept(tmp_path: Path) -> None:
    path = tmp_path / keys.KEY_FILE
    path.parent.mkdir()
    path.write_text("something else")
    with pytest.raises(ErrUnreadable, match="device-key"):
        make_key(tmp_path)
    assert path.read_text() == "something else"


def test_a_key_with_a_passphrase_is_not_ours(tmp_path: Path) -> None:
    path = tmp_path / keys.KEY_FILE
    path.parent.mkdir()
    if run("ssh-keygen", "-q", "-t", "ed25519", "-N", "hunter22", "-f", path).returncode == 0:
        with pytest.raises(ErrUnreadable):
            load_key(tmp_path)


def test_a_key_that_vanished_is_said_and_not_signed_around(key: DeviceKey) -> None:
    key.path.unlink()
    with pytest.raises(ErrUnreadable):
        key.sign(PAYLOAD)


def test_without_the_library_there_is_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.ed25519", None)
    assert make_key(tmp_path) is None
    assert not (tmp_path / keys.KEY_FILE).exists()
