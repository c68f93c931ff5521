"""This clone's settings: who writes here, on which device, on which branch (design §8.1, §11).

They stand in the clone's own Git config as ``nutsync.actor``, ``nutsync.device`` and
``nutsync.branch``; the environment goes before them. No setting moves a path or the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from nutsync.core.errors import ErrNotArmed
from nutsync.core.names import check_actor, check_device, check_session
from nutsync.store.files import read_if_there, write_atomic
from nutsync.store.repo.git import Git
from nutsync.store.repo.refs import HEADS, branch_ref, head_ref

DEFAULT_ACTOR = "local"

_WORDS = (
    "amber birch cedar clover copper coral cotton dune ember fern flint harbor hazel heron "
    "ivory juniper lantern linen maple meadow mint moss olive opal otter pebble pine plum quartz "
    "reed river robin sage slate sparrow spruce stone thistle tulip walnut willow wren"
).split()
_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"


class Settings(NamedTuple):
    """Who and where: ``session`` is None where none is named."""

    actor: str
    device: str
    branch: str
    session: str | None = None


def read_settings(git: Git, environ: Mapping[str, str], *, actor: str | None = None) -> Settings:
    """Return the settings of this clone; ``actor`` given goes before the environment.

    Raises :class:`ErrNotArmed` where the clone has no device yet, and :class:`ErrName` for a name that
    cannot be one.
    """
    device = environ.get("NUTSYNC_DEVICE") or git.config("nutsync.device")
    if not device:
        raise ErrNotArmed(
            "This clone has no device name yet, so nothing could say who wrote what.",
            hint="Run `nutsync init` here: it enrols this device and changes no memory.",
        )
    named = actor or environ.get("NUTSYNC_ACTOR") or git.config("nutsync.actor") or DEFAULT_ACTOR
    session = environ.get("NUTSYNC_SESSION")
    return Settings(
        check_actor(named),
        check_device(device),
        git.config("nutsync.branch") or _present_branch(git),
        check_session(session) if session else None,
    )


def write_settings(git: Git, *, actor: str, device: str, branch: str) -> None:
    """Keep these in the clone's Git config."""
    git.set_config("nutsync.actor", check_actor(actor))
    git.set_config("nutsync.device", check_device(device))
    git.set_config("nutsync.branch", branch)


def memory_ref(git: Git) -> str:
    """Return the full name of the memory branch: the configured one, else the one that is checked out."""
    branch = git.config("nutsync.branch")
    return branch_ref(branch) if branch else head_ref(git) or branch_ref("main")


def propose_device() -> str:
    """Return a device name: a word and four random characters, never the host's name."""
    import secrets  # late: only `init` needs it, and it is slow to import

    return f"{secrets.choice(_WORDS)}-{''.join(secrets.choice(_LETTERS) for _ in range(4))}"


def user_cell(environ: Mapping[str, str]) -> str | None:
    """Return the user's default cell, or None (``default-cell`` in the user's configuration folder)."""
    content = read_if_there(_user_file(environ))
    return content.decode("utf-8", "surrogateescape").strip() or None if content else None


def set_user_cell(environ: Mapping[str, str], root: Path) -> None:
    """Make the cell at ``root`` the user's default."""
    write_atomic(_user_file(environ), f"{root}\n".encode())


def _user_file(environ: Mapping[str, str]) -> Path:
    base = environ.get("XDG_CONFIG_HOME") or environ.get("APPDATA")
    folder = Path(base) if base else Path(environ.get("HOME") or Path.home()) / ".config"
    return folder / "nutsync" / "default-cell"


def _present_branch(git: Git) -> str:
    ref = head_ref(git)
    return ref.removeprefix(HEADS) if ref else "main"
