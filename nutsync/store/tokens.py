"""Tokens of the HTTP interface: which actor may come in by which secret (design §12).

They belong to one clone and stand in its Git directory, only as hashes: whoever reads the file cannot come
in with it. A secret has 256 random bits, so a plain hash of it cannot be guessed back.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from nutsync.core.errors import ErrCellFile
from nutsync.store.files import read_if_there, write_atomic

PREFIX = "nut_"
_SECRET_BYTES = 32


@dataclass(frozen=True, slots=True)
class Token:
    """One token. ``id`` names it to people; ``digest`` is the SHA-256 of its secret, in hexadecimal."""

    id: str
    actor: str
    admin: bool
    made: str
    digest: str
    note: str = ""


def mint_secret() -> str:
    """Return a new secret: what the client sends, shown once and kept nowhere."""
    return PREFIX + urlsafe_b64encode(os.urandom(_SECRET_BYTES)).decode().rstrip("=")


def digest_of(secret: str) -> str:
    """Return what is kept of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def find_token(tokens: Sequence[Token], secret: str) -> Token | None:
    """Return the token whose secret this is. How long it takes does not tell how near a guess came."""
    digest = digest_of(secret)
    found: Token | None = None
    for token in tokens:
        if hmac.compare_digest(token.digest.encode(), digest.encode()):
            found = token
    return found


def read_tokens(private_dir: Path) -> tuple[Token, ...]:
    """Return the tokens of a clone, oldest first.

    Raises :class:`ErrCellFile` where the file cannot be understood: then nobody comes in.
    """
    content = read_if_there(_path(private_dir))
    if content is None:
        return ()
    try:
        return tuple(Token(**row) for row in json.loads(content)["tokens"])
    except (ValueError, TypeError, KeyError) as problem:
        raise ErrCellFile(
            "The file of tokens in the Git directory cannot be understood, so nobody is let in by one.",
            hint="Remove nutsync/tokens.json there and make new tokens with `nutsync token add`.",
        ) from problem


def write_tokens(private_dir: Path, tokens: Sequence[Token]) -> None:
    """Keep these tokens, readable by the owner alone. The clone's lock must be held."""
    rows = [asdict(token) for token in tokens]
    content = json.dumps({"tokens": rows}, ensure_ascii=False, indent=1).encode() + b"\n"
    write_atomic(_path(private_dir), content, mode=0o600)


def _path(private_dir: Path) -> Path:
    return private_dir / "tokens.json"
