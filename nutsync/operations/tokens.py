"""Tokens, and who is asking: the door of the HTTP interface (design §12).

A token is one actor, perhaps with an admin's rights. Without one only this machine's own configured actor
comes in.
"""

from __future__ import annotations

from dataclasses import dataclass

from nutsync.core.names import check_actor
from nutsync.core.web_errors import ErrToken, ErrUnknownToken
from nutsync.operations.cell import LOCK_SECONDS, Cell
from nutsync.store.ids import mint_id
from nutsync.store.lock import clone_lock
from nutsync.store.tokens import Token, digest_of, find_token, mint_secret, read_tokens, write_tokens


@dataclass(frozen=True, slots=True)
class Asker:
    """Who is asking. ``walled`` says that others may be asking here, too: what this actor may not see
    must not show in numbers and times either."""

    actor: str
    is_admin: bool
    walled: bool


def identify(cell: Cell, secret: str | None, *, local: bool) -> Asker:
    """Return who a request comes from.

    ``local`` says that it comes from this machine, where no token is needed. A secret that is no token's is
    refused there, too. Raises :class:`ErrToken`. An admin's rights need both: a token that carries them and
    the actor's name in the cell's list.
    """
    if secret is None:
        if not local:
            raise ErrToken("A token is needed here.")
        return Asker(cell.actor, cell.actor in cell.config.admins, walled=False)
    token = find_token(read_tokens(cell.git.private_dir), secret)
    if token is None:
        raise ErrToken("That is no token of this cell.")
    return Asker(token.actor, token.admin and token.actor in cell.config.admins, walled=True)


def has_tokens(cell: Cell) -> bool:
    """Tell whether anybody could come in by a token."""
    return bool(read_tokens(cell.git.private_dir))


def add_token(cell: Cell, actor: str, *, admin: bool = False, note: str = "") -> tuple[Token, str]:
    """Make a token for ``actor`` and return it with its secret, which is shown once and kept nowhere.

    Raises :class:`ErrName`.
    """
    secret = mint_secret()
    made = cell.clock.now().local().isoformat(timespec="seconds")
    token = Token(mint_id(), check_actor(actor), admin, made, digest_of(secret), note)
    with clone_lock(cell.git.common_dir, timeout=LOCK_SECONDS, command="token add"):
        write_tokens(cell.git.private_dir, [*read_tokens(cell.git.private_dir), token])
    return token, secret


def list_tokens(cell: Cell) -> tuple[Token, ...]:
    """Return the tokens of this clone, oldest first."""
    return read_tokens(cell.git.private_dir)


def revoke_token(cell: Cell, name: str) -> Token:
    """Take a token away by its id; the next request with it is refused. Raises :class:`ErrUnknownToken`."""
    with clone_lock(cell.git.common_dir, timeout=LOCK_SECONDS, command="token revoke"):
        tokens = read_tokens(cell.git.private_dir)
        gone = next((token for token in tokens if token.id == name), None)
        if gone is None:
            raise ErrUnknownToken("There is no token of that id.")
        write_tokens(cell.git.private_dir, [token for token in tokens if token.id != name])
    return gone


def token_json(token: Token) -> dict[str, object]:
    """Return what may be shown of a token: never its secret, nor the hash of it."""
    return {
        "id": token.id,
        "actor": token.actor,
        "admin": token.admin,
        "made": token.made,
        "note": token.note,
    }
