"""Secrets stay out of memory: the one place that is asked before anything is written (design §6).

The core's rules look first. Where a text names a secret and sets something behind it without their
finding one, detect-secrets takes a second look, if it can be imported: hooks run without installed
packages. Nothing here shows a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Protocol

from nutsync.core.audit import Audit
from nutsync.core.cell import date_of_path
from nutsync.core.credentials import Credential, find_credentials, is_worth_a_second_look
from nutsync.core.credentials.values import is_made_up_of_one, is_password, trimmed
from nutsync.core.day import Day
from nutsync.core.errors import ErrSecret

_PLUGINS = (
    "ArtifactoryDetector", "AWSKeyDetector", "AzureStorageKeyDetector", "CloudantDetector",
    "IbmCloudIamDetector", "IbmCosHmacDetector", "KeywordDetector", "MailchimpDetector", "NpmDetector",
    "SlackDetector", "SoftlayerDetector", "SquareOAuthDetector",
)  # fmt: skip
"""Those whose findings are rarely wrong in prose; the core has rules of its own for the other kinds."""


_OWN_ATTRIBUTES = frozenset("id at on dev kind scope formation corrects was about".split())


class Written(Protocol):
    """A commit to be: what it says of itself, and the files it writes (None removes)."""

    @property
    def audit(self) -> Audit: ...

    @property
    def files(self) -> Mapping[str, bytes | None]: ...


class _Scanner(Protocol):
    def __call__(self, line: str) -> Iterator[tuple[str, str]]: ...


def refuse_secrets(changes: Sequence[Written], committed: Callable[[str], bytes | None]) -> None:
    """Raise :class:`ErrSecret` for a credential that ``changes`` would bring into memory.

    ``committed`` gives what a path holds before the first of them. What a day held already is no news:
    it was let in once, and its index must be free to say so.
    """
    before: dict[str, bytes | None] = {}
    for change in changes:
        require_no_secret(change.audit.reason, "the reason")
        for path, content in change.files.items():
            date = date_of_path(path)
            if date is not None and content is not None:
                old = before[path] if path in before else committed(path)
                refuse_in_day(date, old, content)
                before[path] = content


def require_no_secret(text: str, place: str, known: str = "") -> None:
    """Raise :class:`ErrSecret` where ``text``, said to stand in ``place``, holds a credential.

    One whose value stands in ``known`` passes.
    """
    for found in find_secrets(text):
        if found.value not in known:
            line = f"line {found.line} of {place}" if "\n" in text else place
            raise ErrSecret(f"What looks like a {found.kind} stands in {line}. Nothing was written.")


def require_clean(text: str, attributes: Mapping[str, str], place: str = "the text", known: str = "") -> None:
    """Raise :class:`ErrSecret` for a credential in an entry's text or in an attribute of its own."""
    require_no_secret(text, place, known)
    for key, value in attributes.items():
        if key not in _OWN_ATTRIBUTES:
            require_no_secret(f"{key}={value}", f"the attribute {key}", known)


def kind_of_secret(text: str) -> str | None:
    """Return the kind of the first likely credential of ``text``, or None."""
    found = find_secret(text)
    return None if found is None else found.kind


def refuse_in_day(date: str, old: bytes | None, new: bytes) -> None:
    """Raise :class:`ErrSecret` for a credential that the new version of a day has and the old one had not."""
    known = (old or b"").decode("utf-8", "replace")
    there = {block.body for block in Day.parse(old, date).blocks} if old else set()
    day = Day.parse(new, date)
    added = [block for block in day.blocks if block.body not in there]
    for number, block in enumerate(added, 1):
        entry = "the text" if len(added) == 1 else f"entry {number} for {date}"
        require_clean(block.text, block.attributes, entry, known)
    front = day.front.raw.decode("utf-8", "replace") if day.index is None else day.index
    require_no_secret(front, "the index" if day.index is not None else "the frontmatter", known)


def find_secret(text: str) -> Credential | None:
    """Return the first likely credential of ``text``, or None."""
    return next(find_secrets(text), None)


def find_secrets(text: str) -> Iterator[Credential]:
    """Yield the likely credentials of ``text``."""
    found = False
    for credential in find_credentials(text):
        found = True
        yield credential
    if not found and is_worth_a_second_look(text):
        yield from _second_look(text)


def _second_look(text: str) -> Iterator[Credential]:
    scan = _scanner()
    for number, line in enumerate(text.split("\n"), 1) if scan else ():
        for kind, value in scan(line):  # type: ignore[misc]
            yield Credential(kind.lower(), number, value)


@cache
def _scanner() -> _Scanner | None:
    """Return detect-secrets' line scanner, or None where it is not installed."""
    try:
        from detect_secrets.core.scan import scan_line
        from detect_secrets.settings import transient_settings
    except ImportError:
        return None

    def scan(line: str) -> Iterator[tuple[str, str]]:
        with transient_settings({"plugins_used": [{"name": name} for name in _PLUGINS]}):
            for found in list(scan_line(line)):
                value = found.secret_value or ""
                if found.type != "Secret Keyword" or _is_told(value):
                    yield found.type, value

    return scan


def _is_told(value: str) -> bool:
    """Tell whether what stands behind a secret's name may be one rather than prose or code."""
    word = trimmed(value)
    return " " not in word and is_password(word, least=8) and is_made_up_of_one(word)
