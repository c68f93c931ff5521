"""Which names devices, actors, namespaces and sessions may have.

A device's name becomes a file name and the end of a ref; an actor's and a namespace's become an
attribute, a line of a commit message and part of an author's name; a session's becomes a file name.
Each rule below is the widest that keeps all of these whole on every system.
"""

from __future__ import annotations

import re
import unicodedata

from nutsync.core.errors import ErrName
from nutsync.core.pattern import pattern

_DEVICE = pattern(r"[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?")
_RESERVED = pattern(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.[^\n]*)?", re.IGNORECASE)
_PLAIN_FILE = pattern(r"[a-z0-9][a-z0-9_-]*(?:\.[a-z0-9_-]+)*")
_PLAIN = "abcdefghijklmnopqrstuvwxyz0123456789"
_MAX_NAME = 200
_MAX_FILE = 120


def check_device(name: str) -> str:
    """Return ``name`` if a device may bear it, else raise :class:`ErrName`."""
    if not _DEVICE.fullmatch(name) or _RESERVED.fullmatch(name):
        raise ErrName(
            f"{name!r} cannot be the name of a device.",
            hint="Use up to 63 small letters, digits, `-` and `_`, with a letter or digit at both ends.",
        )
    return name


def check_actor(name: str) -> str:
    """Return ``name`` in its composed form (NFC) if an actor may bear it, else raise :class:`ErrName`."""
    return _check_label(name, "an actor")


def check_namespace(name: str) -> str:
    """Return ``name`` in its composed form (NFC) if a namespace may bear it, else raise :class:`ErrName`."""
    return _check_label(name, "a namespace")


def check_session(name: str) -> str:
    """Return ``name`` in its composed form (NFC) if a session may bear it, else raise :class:`ErrName`."""
    return _check_label(name, "a session")


def _check_label(name: str, what: str) -> str:
    composed = unicodedata.normalize("NFC", name)
    problem = _label_problem(composed)
    if problem:
        raise ErrName(f"{composed[:_MAX_NAME]!r} cannot be the name of {what}: {problem}.")
    return composed


def _label_problem(name: str) -> str | None:
    if not name:
        return "it is empty"
    if len(name) > _MAX_NAME:
        return f"it is longer than {_MAX_NAME} characters"
    if name != name.strip():
        return "it begins or ends with a space"
    if name == "*" or name.startswith("-"):
        return "that stands for something else on the command line"
    if not name.isprintable() or any(character in "<>\"'`" for character in name):
        return "it holds a quote, an angle bracket or an invisible character"
    return None


def session_file(session: str | None) -> str:
    """Return the file name of a session, ``_working.md`` where there is none (design §4).

    A name that is no safe file name everywhere is percent-encoded, capital letters too, since some
    systems tell no case; a very long one keeps its beginning and a checksum. So two sessions never share a
    file.
    """
    if session is None:
        return "_working.md"
    if _PLAIN_FILE.fullmatch(session) and not _RESERVED.fullmatch(session) and len(session) <= _MAX_FILE:
        return f"{session}.md"
    safe = "".join(
        chr(byte) if chr(byte) in _PLAIN or (place and byte in b"_-") else f"%{byte:02X}"
        for place, byte in enumerate(session.encode("utf-8", "surrogatepass"))
    )
    if len(safe) > _MAX_FILE:
        import hashlib

        digest = hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        safe = f"{safe[:60]}%-{digest}"  # no encoding has "%-", so no other name can look like this one
    return f"%{safe}.md" if _RESERVED.fullmatch(safe) else f"{safe}.md"


def session_of_file(file: str) -> str | None:
    """Return the session whose file ``file`` is; None for `_working.md`, long names and strangers."""
    stem = file.removesuffix(".md")
    try:
        session = re.sub(rb"%([0-9A-F]{2})", lambda m: bytes([int(m[1], 16)]), stem.encode()).decode()
    except UnicodeDecodeError:
        return None
    candidates = (session, session.removeprefix("%"))
    return next((name for name in candidates if name and session_file(name) == file), None)
