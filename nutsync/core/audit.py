"""Commit messages: what every change says of itself, written and read back (design §6).

A message is a subject, an empty line and one block of trailers. Nothing in it is memory text.
Values are made safe for one line, so that no reason or name can forge a trailer; reading
decodes them.

What counts as a trailer is stricter than Git's own reading: the last paragraph of the stored
message, never the first, and every line of it a trailer. A tag in a comment, or above a ``---``
line, says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from nutsync.core.pattern import pattern

VERSION = "Nutsync-Version"

OPS = (
    "append",
    "correct",
    "forget",
    "purge",
    "import",
    "repair",
    "sense",
    "merge",
    "birth",
    "enrol",
    "revoke",
    "admin",
    "zone",
    "follow",
)
"""What a commit of nutsync's can be. A commit without one was made by plain Git."""

_SINGLE = {
    "op": "Nutsync-Op",
    "actor": "Nutsync-Actor",
    "device": "Nutsync-Device",
    "session": "Nutsync-Session",
    "version": VERSION,
    "reason": "Nutsync-Reason",
}
_MANY = {
    "entries": "Nutsync-Entry",
    "layers": "Nutsync-Layer",
    "kinds": "Nutsync-Kind",
    "targets": "Nutsync-Target",
    "followed": "Nutsync-Followed",
}
_ORDER = (
    "op",
    "entries",
    "targets",
    "layers",
    "kinds",
    "actor",
    "device",
    "session",
    "followed",
    "reason",
    "version",
)
_FIELD_OF = {key.lower(): name for name, key in (_SINGLE | _MANY).items()}

_TRAILER = pattern(r"([A-Za-z0-9-]+)[ \t]*:[ \t]*(.*)", re.DOTALL)
_PICKED = pattern(r"\(cherry picked from commit [0-9a-f]+\)")
_TARGET = pattern(r"(\S+)( unstamped)?")
_REF = pattern(r"\d{4}-\d{2}-\d{2}(#([0-9a-hjkmnp-tv-z]{8}|~[1-9]\d*))?", re.ASCII)
_UNSAFE = pattern(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]|%(?=[0-9A-Fa-f]{2})|^\s+|\s+$")
_ENCODED = pattern(r"(?:%[0-9A-Fa-f]{2})+")
_SPACE = " \t\r\v\f"  # what Git takes for white space; an ideographic space is text
_SCISSORS = pattern(r"\S+ -+ ?>8 ?-+")


class Target(NamedTuple):
    """One thing that a forget names: a ref, and whether it was an unstamped block."""

    ref: str
    unstamped: bool = False

    def __str__(self) -> str:
        return f"{self.ref} unstamped" if self.unstamped else self.ref


class Audit(NamedTuple):
    """What a commit says of itself. ``op`` is empty for a commit that says nothing we can trust.

    ``problem`` tells why a message that has trailers of ours was not believed.
    """

    op: str = ""
    entries: tuple[str, ...] = ()
    targets: tuple[Target, ...] = ()
    layers: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    actor: str = ""
    device: str = ""
    session: str = ""
    followed: tuple[str, ...] = ()
    reason: str = ""
    version: str = ""
    problem: str = ""

    @property
    def stamped(self) -> bool:
        """Whether the commit carries the stamp that the hooks and nutsync put on every commit."""
        return bool(self.actor and self.device and self.version)

    def target_refs(self) -> tuple[str, ...]:
        """Return the refs of the targets."""
        return tuple(target.ref for target in self.targets)


class AuditRecord(NamedTuple):
    """One line of ``log`` and ``blame``: what a commit says of itself and what Git knows of it.

    ``at`` is the commit's local time with its offset. ``signature`` is one word, such as
    ``good``. ``late`` says that an entry reached this history after its day was over.
    """

    commit: str
    at: str
    audit: Audit
    signature: str = ""
    late: bool = False

    def as_json(self) -> dict[str, object]:
        """Return the record with the keys of the command line's JSON (design §11)."""
        audit = self.audit
        return {
            "commit": self.commit,
            "op": audit.op,
            "at": self.at,
            "actor": audit.actor,
            "device": audit.device,
            "layer": ", ".join(audit.layers),
            "kind": ", ".join(audit.kinds),
            "entries": [*audit.entries, *audit.target_refs()],
            "reason": audit.reason,
            "signature": self.signature,
            "late": self.late,
        }


def render_message(audit: Audit, about: str = "") -> str:
    """Return the commit message of ``audit``.

    The subject names the first entry or target; ``about`` says what a commit without either is
    about (a device, a day). Raises :class:`ValueError` for an op that is none of :data:`OPS`.
    """
    if audit.op not in OPS:
        raise ValueError(f"not an operation: {audit.op!r}")
    named = audit.target_refs() or audit.entries or ((about,) if about else ())
    subject = " ".join([audit.op, *map(_one_line, named[:1])])
    if len(named) > 1:
        subject += f" and {len(named) - 1} more"
    lines = [subject, ""]
    for name in _ORDER:
        value = getattr(audit, name)
        values = ([value] if value else []) if name in _SINGLE else list(dict.fromkeys(value))
        key = _SINGLE.get(name) or _MANY[name]
        lines.extend(f"{key}: {_one_line(str(one))}" for one in values)
    return "\n".join(lines) + "\n"


def parse_message(message: str) -> Audit:
    """Return what a stored commit message says of its commit.

    Nothing raises: a message without our trailers gives an empty :class:`Audit`, and one with
    trailers that contradict each other gives one with only a ``problem``.
    """
    found: dict[str, list[str]] = {}
    for key, value in trailers(message):
        name = _FIELD_OF.get(key.lower())
        if name is not None:
            found.setdefault(name, []).append(_decode(value))
    problem = _problem(found)
    if problem:
        return Audit(problem=problem)
    single = {name: found[name][0] for name in _SINGLE if name in found}
    many = {name: tuple(found[name]) for name in _MANY if name in found and name != "targets"}
    return Audit(**single, **many, targets=_targets(found.get("targets", ())))  # type: ignore[arg-type]


def trailers(message: str) -> list[tuple[str, str]]:
    """Return the (key, value) pairs of the message's trailer block, folded lines joined."""
    pairs: list[tuple[str, str]] = []
    for line in _last_paragraph(message):
        key, colon, value = line.partition(":")
        if colon and key.isascii() and key.replace("-", "a").isalnum():  # as nearly every trailer is
            pairs.append((key, value.strip(" \t")))
            continue
        match = _TRAILER.fullmatch(line)
        if line[0] in " \t" and pairs:
            key, value = pairs[-1]
            pairs[-1] = (key, f"{value} {line.strip()}".strip())
        elif match is not None:
            pairs.append((match[1], match[2].strip(" \t")))
        elif not _PICKED.fullmatch(line):
            return []
    return pairs


def stored_message(draft: str, comment: str = "#") -> str:
    """Return what Git will store of ``draft``, the file that an editor or ``commit-msg`` sees.

    What stands below the scissors line goes, then comments, then white space that says nothing.
    """
    kept: list[str] = []
    for line in draft.split("\n"):
        if _is_scissors(line, comment):
            break
        if not line.startswith(comment):
            kept.append(line.rstrip(_SPACE))
    text = "\n".join(kept).strip("\n")
    text = re.sub(r"\n{3,}", "\n\n", text)
    return text + "\n" if text else ""


def add_stamp(draft: str, stamp: Mapping[str, str], comment: str = "#") -> str:
    """Return ``draft`` with the trailers of ``stamp`` that its message does not have yet.

    ``stamp`` maps ``actor``, ``device``, ``version`` or ``session`` to a value. Git's comments
    and what it shows below the scissors stay where they are, after the message. A draft without a
    message stays as it is: a stamp alone would make Git commit what its user gave up.
    """
    lines = draft.split("\n")
    cuts = (number for number, line in enumerate(lines) if _is_scissors(line, comment))
    end = next(cuts, len(lines))
    while end and (not lines[end - 1].strip() or lines[end - 1].startswith(comment)):
        end -= 1
    head, tail = lines[:end], lines[end:]
    message = stored_message("\n".join(head), comment)
    block = trailers(message)
    have = {key.lower() for key, _ in block}
    new = [
        f"{_SINGLE[name]}: {_one_line(value)}"
        for name, value in stamp.items()
        if value and _SINGLE[name].lower() not in have
    ]
    if not new or not message:
        return draft
    return "\n".join([*head, *([] if block else [""]), *new, *(tail or [""])])


def _is_scissors(line: str, comment: str) -> bool:
    return line.startswith(comment) and _SCISSORS.fullmatch(line.strip()) is not None


def _last_paragraph(message: str) -> list[str]:
    """Return the lines of the last paragraph, comments left out; none where it is the first."""
    lines = [line.rstrip(_SPACE) for line in message.split("\n") if not line.startswith("#")]
    while lines and not lines[-1]:
        lines.pop()
    start = len(lines)
    while start and lines[start - 1]:
        start -= 1
    return lines[start:] if any(lines[:start]) else []


def _problem(found: Mapping[str, list[str]]) -> str:
    """Return why trailers cannot be believed, empty where they can."""
    for name, key in _SINGLE.items():
        if len(found.get(name, ())) > 1:
            return f"{key} stands there more than once"
    if found.get("op", ["append"])[0] not in OPS:
        return "Nutsync-Op names no operation"
    for value in found.get("targets", ()):
        match = _TARGET.fullmatch(value)
        if match is None or not _REF.fullmatch(match[1]):
            return "Nutsync-Target names no entry"
    return ""


def _targets(values: Iterable[str]) -> tuple[Target, ...]:
    found = []
    for value in values:
        ref, _, unstamped = value.partition(" ")
        found.append(Target(ref, bool(unstamped)))
    return tuple(dict.fromkeys(found))


def _one_line(value: str) -> str:
    """Return ``value`` with everything that could break out of a line percent-encoded."""
    return _UNSAFE.sub(
        lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "surrogatepass")), value
    )


def _decode(value: str) -> str:
    def plain(match: re.Match[str]) -> str:
        try:
            return bytes.fromhex(match[0].replace("%", "")).decode()
        except UnicodeDecodeError:
            return match[0]

    return _ENCODED.sub(plain, value) if "%" in value else value
