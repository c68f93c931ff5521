"""Device keys: made, kept, and used to sign and verify in process (design §6).

A key is Ed25519 in OpenSSH's own file format, without a passphrase, in the Git directory; signatures are
OpenSSH's (``PROTOCOL.sshsig``), which is what ``git`` stores and ``ssh-keygen -Y verify`` reads. Ed25519
is deterministic, so the two ways of signing below give the same bytes.
"""

from __future__ import annotations

import binascii
import os
import sys
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from nutsync.core.errors import ErrUnreadable, ErrUnwritable

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

COMMIT_NAMESPACE = "git"
"""What a signature of a commit says it is for."""
PURGE_NAMESPACE = "nutsync-purge"
"""What a signature of a purge record says it is for; it can never pass for one of a commit."""

KEY_FILE = "nutsync/device-key"

_TYPE = "ssh-ed25519"
_PRIVATE_MAGIC = b"openssh-key-v1\0"
_SIGNATURE_MAGIC = b"SSHSIG"
_HASHES = (b"sha512", b"sha256")


class Verdict(Enum):
    """What a signature turned out to be."""

    GOOD = "good"
    BAD = "bad"
    OTHER = "other"
    """Made with something that nutsync does not verify: PGP, X.509, another kind of SSH key."""


class Signature(NamedTuple):
    """A checked signature; ``key`` is the public key that it names, ``ssh-ed25519 AAAA…``."""

    verdict: Verdict
    key: str | None = None


class DeviceKey(NamedTuple):
    """The key pair of this clone. The private half stays in its file and never shows in a repr."""

    path: Path
    public: str

    def sign(self, payload: bytes, namespace: str = COMMIT_NAMESPACE) -> bytes:
        """Return the armoured signature of ``payload``; :class:`ErrUnreadable` where the key is gone."""
        if not _can_sign_cheaply() and (armour := _sign_with_program(self.path, payload, namespace)):
            return armour
        return _sign_in_process(self.path, payload, namespace)

    def can_be_used_by_git(self) -> bool:
        """Tell whether Git can sign with this key: it starts ``ssh-keygen``, from OpenSSH 8.2 on."""
        return _sign_with_program(self.path, b"", COMMIT_NAMESPACE) is not None


# --- Making and finding the key -----------------------------------------------------------------


def load_key(git_dir: Path) -> DeviceKey | None:
    """Return the key kept in ``git_dir`` (the common one of all worktrees), or None where there is none.

    Raises :class:`ErrUnreadable` where the file is no key of ours.
    """
    path = git_dir / KEY_FILE
    try:
        return DeviceKey(path, _public_text(_read_private(path)[1]))
    except FileNotFoundError:
        return None


def make_key(git_dir: Path) -> DeviceKey | None:
    """Return the key kept in ``git_dir``, made now where there is none.

    The file has mode 0600 from its first byte and appears whole or not at all. Returns None where this
    Python cannot make keys: then commits stay unsigned, and ``verify`` says so.
    """
    kept = load_key(git_dir)
    if kept is not None:
        return kept
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    except ImportError:
        return None
    seed = os.urandom(32)
    public = Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()
    path = git_dir / KEY_FILE
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(exist_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(_private_file(seed, public))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        path.with_name(f"{path.name}.pub").write_text(f"{_public_text(public)}\n")
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise ErrUnwritable(f"The key of this device could not be written to {path.parent}.") from error
    return DeviceKey(path, _public_text(public))


def _public_text(public: bytes) -> str:
    return f"{_TYPE} {_base64(_pack(_TYPE.encode(), public))}"


def _private_file(seed: bytes, public: bytes) -> bytes:
    """Return OpenSSH's private key file, unencrypted (``PROTOCOL.key``)."""
    check = os.urandom(4)
    secret = check + check + _pack(_TYPE.encode(), public, seed + public, b"")
    secret += bytes(range(1, 1 + -len(secret) % 8))
    blob = _PRIVATE_MAGIC + _pack(b"none", b"none", b"") + (1).to_bytes(4, "big")
    return _armour("OPENSSH PRIVATE KEY", blob + _pack(_pack(_TYPE.encode(), public), secret))


def _read_private(path: Path) -> tuple[bytes, bytes]:
    """Return the seed and the public half that the file at ``path`` holds."""
    try:
        blob = _unarmour("OPENSSH PRIVATE KEY", path.read_bytes())
        if not blob.startswith(_PRIVATE_MAGIC):
            raise ValueError("no OpenSSH key")
        cipher, _kdf, _options, rest = _unpack(blob[len(_PRIVATE_MAGIC) :], 3)
        _public, secret, _ = _unpack(rest[4:], 2)
        kind, public, pair, _ = _unpack(secret[8:], 3)
        if cipher != b"none" or kind != _TYPE.encode() or len(pair) != 64 or pair[32:] != public:
            raise ValueError("another kind of key")
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise ErrUnreadable(f"{path} is no Ed25519 key without a passphrase.") from error
    return pair[:32], public


# --- Signing --------------------------------------------------------------------------------------


def _can_sign_cheaply() -> bool:
    """Tell whether signing in process costs no import.

    Importing ``cryptography`` takes longer than ``ssh-keygen`` does from start to end, and a short
    command signs once; whoever verifies has imported it already. Windows starts programs slowly.
    """
    return os.name == "nt" or "cryptography.hazmat.primitives.asymmetric.ed25519" in sys.modules


def _sign_with_program(path: Path, payload: bytes, namespace: str) -> bytes | None:
    """Let ``ssh-keygen`` sign; None where it is not there or does not do it."""
    import subprocess

    command = ["ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", os.fspath(path)]
    try:
        done = subprocess.run(command, input=payload, capture_output=True, check=False, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 and done.stdout.startswith(b"-----BEGIN SSH SIG") else None


def _sign_in_process(path: Path, payload: bytes, namespace: str) -> bytes:
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    except ImportError as error:
        raise ErrUnreadable("This Python cannot use the key of this device.") from error
    try:
        seed, public = _read_private(path)
    except FileNotFoundError as error:
        raise ErrUnreadable(f"The key of this device is gone from {path}.") from error
    signed = Ed25519PrivateKey.from_private_bytes(seed).sign(_to_be_signed(payload, namespace, b"sha512"))
    kind = _TYPE.encode()
    blob = _SIGNATURE_MAGIC + (1).to_bytes(4, "big")
    blob += _pack(_pack(kind, public), namespace.encode(), b"", b"sha512", _pack(kind, signed))
    return _armour("SSH SIGNATURE", blob)


def _to_be_signed(payload: bytes, namespace: str, algorithm: bytes) -> bytes:
    import hashlib  # here, since it loads OpenSSL, and a cell is opened far more often than signed in

    digest = hashlib.new(algorithm.decode(), payload).digest()
    return _SIGNATURE_MAGIC + _pack(namespace.encode(), b"", algorithm, digest)


# --- Verifying ------------------------------------------------------------------------------------


def check_signature(armour: bytes, payload: bytes, namespace: str = COMMIT_NAMESPACE) -> Signature:
    """Check that ``armour`` signs ``payload`` for ``namespace``, and say with which key.

    A good signature says nothing about who owns the key: compare ``key`` with the enrolled devices.
    """
    if not armour.startswith(b"-----BEGIN SSH SIGNATURE-----"):
        return Signature(Verdict.OTHER)
    try:
        blob = _unarmour("SSH SIGNATURE", armour)
        if blob[:10] != _SIGNATURE_MAGIC + b"\0\0\0\1":
            return Signature(Verdict.BAD)
        key, purpose, _reserved, algorithm, signed, rest = _unpack(blob[10:], 5)
        kind, public, key_rest = _unpack(key, 2)
        if kind != _TYPE.encode():
            return Signature(Verdict.OTHER)
        signed_kind, raw, signed_rest = _unpack(signed, 2)
    except ValueError:
        return Signature(Verdict.BAD)
    whole = not (rest or key_rest or signed_rest) and signed_kind == kind and algorithm in _HASHES
    if whole and purpose == namespace.encode() and _is_signed(public, raw, payload, namespace, algorithm):
        return Signature(Verdict.GOOD, _public_text(public))
    return Signature(Verdict.BAD, _public_text(public))


def _is_signed(public: bytes, raw: bytes, payload: bytes, namespace: str, algorithm: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature

    try:
        _public_key(public).verify(raw, _to_be_signed(payload, namespace, algorithm))
    except (InvalidSignature, ValueError):
        return False
    return True


@lru_cache(maxsize=64)
def _public_key(public: bytes) -> Ed25519PublicKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    return Ed25519PublicKey.from_public_bytes(public)


# --- OpenSSH's wire format ------------------------------------------------------------------------


def _pack(*strings: bytes) -> bytes:
    return b"".join(len(string).to_bytes(4, "big") + string for string in strings)


def _unpack(blob: bytes, count: int) -> Iterator[bytes]:
    """Yield ``count`` strings from ``blob`` and then the rest; ``ValueError`` where it is short."""
    place = 0
    for _ in range(count):
        end = place + 4 + int.from_bytes(blob[place : place + 4], "big")
        if end > len(blob) or place + 4 > len(blob):
            raise ValueError("cut short")
        yield blob[place + 4 : end]
        place = end
    yield blob[place:]


def _armour(label: str, blob: bytes) -> bytes:
    text = _base64(blob)
    lines = [text[start : start + 70] for start in range(0, len(text), 70)]
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----", ""]).encode()


def _base64(blob: bytes) -> str:
    return binascii.b2a_base64(blob, newline=False).decode()


def _unarmour(label: str, armour: bytes) -> bytes:
    begin, end = f"-----BEGIN {label}-----".encode(), f"-----END {label}-----".encode()
    text = armour.strip()
    if not text.startswith(begin) or not text.endswith(end):
        raise ValueError(f"no {label}")
    try:
        return binascii.a2b_base64(b"".join(text[len(begin) : -len(end)].split()), strict_mode=True)
    except binascii.Error as error:
        raise ValueError(f"no {label}") from error
