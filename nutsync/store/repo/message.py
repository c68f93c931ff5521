"""A commit's bytes: parsed, and put together."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from nutsync.core.errors import ErrClock, ErrGit
from nutsync.core.moment import Moment
from nutsync.core.pattern import pattern

_PERSON = pattern(rb"(.*?) ?<([^>]*)>(?: (-?[0-9]+) ([+-])([0-9]{2})([0-9]{2}))?.*", re.DOTALL)
_NOT_IN_NAMES = str.maketrans("", "", "<>\n\r\0")
_PLAIN = (*range(32, 127), 9, 10)
_LAST_DAY = 253_402_214_400  # the beginning of 9999-12-31: a forged time is still a time that has a date
_WESTMOST, _EASTMOST = (
    -12 * 60,
    14 * 60,
)  # no place on earth has another offset, so a forged one gains nothing


class Author(NamedTuple):
    """Who, and when; Git keeps whole seconds."""

    name: str
    email: str
    moment: Moment


class Commit(NamedTuple):
    """One commit. ``payload`` is what a signature signs: the commit without its signature header."""

    oid: str
    tree: str
    parents: tuple[str, ...]
    author: Author
    committer: Author
    message: str
    signature: bytes | None
    payload: bytes


def parse_commit(oid: str, content: bytes) -> Commit:
    """Return the parts of a commit object. Raises :class:`ErrGit` where it is malformed.

    Of two headers of one name the first holds, as for Git; a repeated signature counts as none, so that
    nobody can hide a second one.
    """
    head, _, body = content.partition(b"\n\n")
    headers: dict[bytes, bytes] = {}
    parents: list[str] = []
    signatures: list[bytes] = []
    kept: list[bytes] = []
    for line in _unfold(head):
        name, _, value = line.partition(b" ")
        if name in {b"gpgsig", b"gpgsig-sha256"}:
            if (name == b"gpgsig") == (len(oid) == 40):
                signatures.append(value.replace(b"\n ", b"\n") + b"\n")
            continue
        kept.append(line)
        if name == b"parent":
            parents.append(value.decode("ascii", "replace"))
        headers.setdefault(name, value)
    try:
        tree, author, committer = headers[b"tree"], headers[b"author"], headers[b"committer"]
    except KeyError as problem:
        raise ErrGit(f"The commit {oid} is damaged.", hint="`git fsck` names what is wrong.") from problem
    return Commit(
        oid,
        tree.decode("ascii", "replace"),
        tuple(parents),
        _parse_person(author),
        _parse_person(committer),
        _decode(body, headers.get(b"encoding")),
        signatures[0] if len(signatures) == 1 else None,
        b"\n".join(kept) + b"\n\n" + body,
    )


def _unfold(head: bytes) -> list[bytes]:
    """Return the header lines, each with its continuation lines."""
    lines: list[bytes] = []
    for line in head.split(b"\n"):
        if line.startswith(b" ") and lines:
            lines[-1] += b"\n" + line
        else:
            lines.append(line)
    return lines


def _decode(body: bytes, encoding: bytes | None) -> str:
    if encoding is not None and _keeps_ascii(codec := encoding.decode("ascii", "replace")):
        try:
            return body.decode(codec)
        except UnicodeError:
            pass
    return body.decode("utf-8", "surrogateescape")


@lru_cache(maxsize=16)
def _keeps_ascii(codec: str) -> bool:
    """Tell whether ASCII stands for itself in an encoding; in another, a trailer could hide from people."""
    try:
        return all(bytes([byte]).decode(codec) == chr(byte) for byte in _PLAIN)
    except (LookupError, ValueError):
        return False


def _parse_person(value: bytes) -> Author:
    match = _PERSON.fullmatch(value)
    if match is None:
        return Author(value.decode("utf-8", "surrogateescape"), "", Moment(0))
    name, email, seconds, sign, hours, minutes = match.groups()
    moment = Moment(0)
    if seconds is not None:
        offset = int(hours) * 60 + int(minutes)
        offset = max(_WESTMOST, min(_EASTMOST, -offset if sign == b"-" else offset))
        moment = Moment(max(0, min(int(seconds), _LAST_DAY)) * 1000, offset)
    return Author(name.decode("utf-8", "surrogateescape"), email.decode("utf-8", "surrogateescape"), moment)


def render_commit(
    tree: str,
    parents: Sequence[str],
    author: Author,
    committer: Author,
    message: str,
    *,
    sign: Callable[[bytes], bytes] | None = None,
    hash_name: str = "sha1",
) -> bytes:
    """Return a commit object, signed when ``sign`` is given.

    ``sign`` gets the commit without a signature and returns an armoured one. Raises :class:`ErrClock`
    for a time before 1970, which Git cannot hold, and for one after the year 9999.
    """
    if "\0" in message:
        raise ValueError("a commit message holds no NUL")
    lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
    lines.append(f"author {_render_person(author)}")
    lines.append(f"committer {_render_person(committer)}")
    head = "\n".join(lines).encode("utf-8", "surrogateescape") + b"\n"
    body = b"\n" + (message.rstrip("\n") + "\n").encode("utf-8", "surrogateescape")
    if sign is None:
        return head + body
    armoured = sign(head + body).strip(b"\n")
    header = b"gpgsig " if hash_name == "sha1" else b"gpgsig-sha256 "
    return head + header + armoured.replace(b"\n", b"\n ") + b"\n" + body


def _render_person(who: Author) -> str:
    seconds = who.moment.millis // 1000
    if not 0 <= seconds <= _LAST_DAY:
        raise ErrClock("Git cannot hold a time before 1970 or after 9999; nothing was committed.")
    sign = "-" if who.moment.offset < 0 else "+"
    hours, minutes = divmod(abs(who.moment.offset), 60)
    return f"{_clean(who.name)} <{_clean(who.email)}> {seconds} {sign}{hours:02d}{minutes:02d}"


def _clean(text: str) -> str:
    """Drop what would end the field, so that no name can forge a header."""
    return text.translate(_NOT_IN_NAMES).strip()
