"""What a remote's refusal means: Git's words turned into named errors and outcomes.

Git says nothing but words when a remote cannot be used, so they are compared, in the plain English
that ``LC_ALL=C`` gives. What the other side says is quoted only without control characters, without
names and passwords, and cut.
"""

from __future__ import annotations

import re
from enum import Enum

from nutsync.core.errors import (
    ErrAuth,
    ErrOffline,
    ErrRemote,
    ErrRemoteMissing,
    ErrTransport,
    NutsyncError,
)
from nutsync.core.pattern import pattern
from nutsync.store.repo.address import redact
from nutsync.store.repo.failures import named_failure

_LONGEST = 1_000
_KEPT = "nothing is lost here."
_CONTROL = pattern(
    r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]"
)
_PROGRESS = pattern(
    r"(?:Enumerating|Counting|Compressing|Receiving|Resolving|Writing|Unpacking|Updating|Checking|Total|Delta|Everything)\b"
)


class Outcome(Enum):
    """What became of one ref of a push."""

    DONE = "done"
    UP_TO_DATE = "up to date"
    CONTENDED = "contended"
    """Somebody else was there first; after a fetch, the next try may succeed."""
    FORBIDDEN = "forbidden"
    """The remote does not let history be rewritten or a ref be deleted."""
    DECLINED = "declined"
    """A rule or hook of the remote refused what was sent."""


_CONTENDED = (
    "fetch first",
    "non-fast-forward",
    "stale info",
    "failed to update ref",
    "failed to update",
    "failed to lock",
    "cannot lock ref",
    "unable to lock",
    "reference already exists",
    "incorrect old value",
    "remote ref updated since checkout",
    "atomic push failed",
    "atomic transaction failed",
    "remote failed to report status",
    "unable to migrate objects",
)
_FORBIDDEN = ("non-fast-forward", "deletion prohibited", "protected branch", "force-push", "denying")

_TRUST = ("Host key verification failed", "REMOTE HOST IDENTIFICATION HAS CHANGED", "No matching host key")
_CERTIFICATE = ("SSL certificate problem", "certificate verification failed", "certificate verify failed")
_CREDENTIALS = (
    "could not read Username",
    "could not read Password",
    "terminal prompts disabled",
    "Authentication failed",
    "authentication failed",
    "Permission denied (",
    "Too many authentication failures",
    "returned error: 401",
    "returned error: 407",
    "Invalid username or",
    "invalid credentials",
    "access denied",
    "Access denied",
    "No supported authentication methods",
)
_TRANSPORT = pattern(r"transport '.*' not allowed|Unable to find remote helper|Unsupported protocol")
_HERE = (
    "No space left on device",
    "Disk quota exceeded",
    "aborted by hook",
    "aborted by the reference",
    ".lock': File",
)
"""What stopped this side, whatever Git says after it about the other."""
_MISSING = (
    "does not appear to be a git repository",
    "Repository not found",
    "repository not found",
    "returned error: 404",
    "returned error: 410",
    "project you were looking for could not be found",
    "not a git repository",
    "is this a git repository?",
)
_NO_PERMISSION = pattern(r"Permission to \S+ denied")
_NO_REPOSITORY = pattern(r"repository '.*' (?:not found|does not exist)|no such repository", re.IGNORECASE)
_OFFLINE = (
    "Could not resolve",
    "unable to look up",
    "Name or service not known",
    "Temporary failure in name resolution",
    "nodename nor servname",
    "Connection refused",
    "Connection reset",
    "Connection closed",
    "Connection timed out",
    "connection timed out",
    "Operation timed out",
    "Operation too slow",
    "timed out",
    "Timeout",
    "Network is unreachable",
    "No route to host",
    "Host is down",
    "Failed to connect",
    "Couldn't connect",
    "unable to connect",
    "kex_exchange_identification",
    "hung up unexpectedly",
    "hung up upon initial contact",
    "transfer closed with",
    "error reading section header",
    "Cannot access URL",
    "XML error",
    "early EOF",
    "unexpected disconnect",
    "Empty reply from server",
    "Broken pipe",
    "Recv failure",
    "Send failure",
    "SSL_connect",
    "SSL_read",
    "SSL_ERROR",
    "gnutls_handshake",
    "TLS connection was non-properly terminated",
    "RPC failed",
    "invalid index-pack output",
    "returned error: 429",
    "returned error: 5",
    "bad line length",
)


_BROKE_OFF = pattern(r"expected (?:'[a-z-]+'|flush after .*|response end packet.*)$", re.MULTILINE)
"""What Git says where a conversation ends in the middle of an answer."""

_KILLED_BY_PIPE = -13
"""Git's end where nobody listens to what it sends any more (SIGPIPE)."""

_SAYS_NOTHING = pattern(
    r"(?:fatal: Could not read from remote repository\.|Please make sure you have the correct access rights"
    r"|and the repository exists\.|\s)*"
)
"""All that Git says where the other side ended the conversation without a word."""


def said_by_server(err: str) -> str:
    """Return what the other side said, fit to be shown: no progress, no control characters, cut."""
    lines = [line.removeprefix("remote:").strip() for line in _lines(err) if line.startswith("remote:")]
    return _cut([line for line in lines if line and not _PROGRESS.match(line)])


def is_progress(line: str) -> bool:
    """Tell whether a line of Git's messages only says how far it is."""
    return _PROGRESS.match(line.removeprefix("remote:").strip()) is not None


def clean_line(line: str) -> str:
    """Return ``line`` without control characters, names and passwords."""
    return redact(_CONTROL.sub("", line)).rstrip()


def _lines(err: str) -> list[str]:
    return [clean_line(line) for line in re.split(r"[\r\n]", err)]


def _cut(lines: list[str]) -> str:
    text = "\n".join(lines[-20:])
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def said_by_git(err: str) -> str:
    """Return Git's own lines that say what went wrong."""
    ours = [line for line in _lines(err) if line and not line.startswith(("remote:", "hint:", "warning:"))]
    return _cut([line for line in ours if not _PROGRESS.match(line)][-4:])


def remote_failure(command: str, code: int, err: str) -> NutsyncError:
    """Return the error for a ``git`` command that could not use the remote."""
    said = said_by_git(err)
    heard = said_by_server(err)
    both = f"{said}\n{heard}"

    def has(phrases: tuple[str, ...]) -> bool:
        return any(phrase in both for phrase in phrases)

    if any(phrase in said for phrase in _HERE):
        return named_failure(command, code, said)
    if has(_TRUST):
        return ErrAuth(
            f"The remote's ssh host key is unknown or has changed; {_KEPT} {said}".strip(),
            hint="Connect to it once with `ssh` by hand and compare the key.",
        )
    if has(_CERTIFICATE):
        return ErrAuth(
            f"The remote's certificate is not trusted; {_KEPT} {said}".strip(),
            hint="Look at it with a browser. Git's setting http.sslCAInfo names authorities of your own.",
        )
    if "not exported" in said:
        return ErrRemote(
            f"The remote refused; {_KEPT} {said}",
            hint="There is no such repository, or it takes no writing (git daemon: --enable=receive-pack).",
        )
    if "returned error: 403" in said:
        return ErrAuth(
            f"The remote does not let this user do that; {_KEPT} {said}",
            hint="The login is known, but may not read or write there. The remote's owner can allow it.",
        )
    if has(_CREDENTIALS) or _NO_PERMISSION.search(both):
        return ErrAuth(
            f"The remote wants credentials that Git does not have; {_KEPT} {said}".strip(),
            hint="Give them to Git once (credential helper, ssh agent); nutsync never asks.",
        )
    if has(_MISSING) or _NO_REPOSITORY.search(both):
        return ErrRemoteMissing(f"There is no repository at the remote's address; {_KEPT}")
    if has(_OFFLINE) or _is_broken_off(code, said, heard):
        return ErrOffline(f"The remote could not be reached. {said}".strip())
    if "no DAV locking support" in said:
        return ErrRemote(f"The remote takes nothing by this address; {_KEPT} {said}")
    if _TRANSPORT.search(both):
        return ErrTransport(f"Git refused the remote's address. {said}".strip())
    if "dubious ownership" in both:
        return ErrRemote(
            f"Git does not trust the remote repository, because another user owns it; {_KEPT}",
            hint="Name it in Git's setting safe.directory.",
        )
    if heard or "Could not read from remote repository" in said:
        return ErrRemote(f"The remote refused; {_KEPT} {heard or said}".strip())
    return named_failure(command, code, said)


def _is_broken_off(code: int, said: str, heard: str) -> bool:
    """Tell whether the line ended in the middle of a conversation, with nobody saying why."""
    if code == _KILLED_BY_PIPE or _BROKE_OFF.search(said):
        return True
    return bool(said) and not heard and _SAYS_NOTHING.fullmatch(said) is not None


def push_outcome(flag: str, summary: str) -> Outcome:
    """Return what a line of ``git push --porcelain`` says; ``flag`` is its first character."""
    if flag == "=":
        return Outcome.UP_TO_DATE
    if flag != "!":
        return Outcome.DONE
    by_remote = summary.startswith("[remote rejected]")
    if by_remote and any(phrase in summary for phrase in _FORBIDDEN):
        return Outcome.FORBIDDEN
    return Outcome.CONTENDED if any(phrase in summary for phrase in _CONTENDED) else Outcome.DECLINED
