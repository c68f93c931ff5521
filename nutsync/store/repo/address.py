"""Which addresses a remote may have, and how Git is told to reach them without ever asking a question.

Only ``https``, ``ssh``, ``git``, ``file`` and local paths are allowed (design §8.3); plain ``http`` on this
machine alone, where nobody listens in. The check here names the reason; ``GIT_ALLOW_PROTOCOL`` holds
also where the user's Git configuration rewrites an address.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from enum import Enum

from nutsync.core.errors import ErrTransport
from nutsync.core.pattern import pattern
from nutsync.store.repo.git import Git

_SCHEME = pattern(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.DOTALL)
_DRIVE = pattern(r"[A-Za-z]:[\\/]")
_HELPER = pattern(r"[A-Za-z0-9][A-Za-z0-9+.-]*::")
_USER_INFO = pattern(r"(?<=://)[^/@\s]*@")

_SSH_OPTIONS = "-oBatchMode=yes -oConnectTimeout=15 -oServerAliveInterval=15 -oServerAliveCountMax=4"
_LOW_SPEED = {"GIT_HTTP_LOW_SPEED_LIMIT": "1", "GIT_HTTP_LOW_SPEED_TIME": "45"}


class Transport(Enum):
    """How a remote is reached."""

    HTTPS = "https"
    HTTP = "http"
    SSH = "ssh"
    GIT = "git"
    FILE = "file"


def check_address(address: str) -> Transport:
    """Return how ``address`` would be reached; raises :class:`ErrTransport` where it must not be."""
    if not address or address != address.strip() or not address.isprintable():
        raise ErrTransport("The remote's address is empty or holds invisible characters.")
    if address.startswith("-") or _HELPER.match(address):
        raise _refused(address)
    named = _SCHEME.fullmatch(address)
    if named is None:
        return _without_scheme(address)
    scheme, rest = named[1].lower(), named[2]
    host = _host_of(rest)
    if host.startswith("-"):
        raise _refused(address)
    if scheme == "http" and not _is_this_machine(host):
        raise ErrTransport(
            "Plain http would carry memory and passwords in the open.",
            hint="Use the https or ssh address of the same repository.",
        )
    try:
        return Transport(scheme)
    except ValueError:
        raise _refused(address) from None


def _without_scheme(address: str) -> Transport:
    """Tell a path from ``[user@]host:path``, by the rule of ``git clone``: a colon before any slash."""
    if os.name == "nt" and _DRIVE.match(address):
        return Transport.FILE
    head, colon, _ = address.partition(":")
    if not colon or "/" in head:
        return Transport.FILE
    if head.rpartition("@")[2].startswith("-"):
        raise _refused(address)
    return Transport.SSH


def _refused(address: str) -> ErrTransport:
    return ErrTransport(f"{redact(address)!r} is not an address that nutsync uses.")


def _host_of(rest: str) -> str:
    netloc = re.split(r"[/?#]", rest, maxsplit=1)[0]
    host = netloc.rpartition("@")[2]
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def _is_this_machine(host: str) -> bool:
    import ipaddress

    if host.lower() == "localhost":
        return True

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def redact(text: str) -> str:
    """Return ``text`` without the names and passwords that stand in addresses."""
    return _USER_INFO.sub("", text)


def remote_address(git: Git, remote: str) -> str | None:
    """Return the address that fetches from ``remote`` use, or None where there is no such remote.

    Raises :class:`ErrTransport` where it, or another address of the remote, must not be used.
    """
    addresses = git.config_all(f"remote.{remote}.url")
    push_address = git.own_config(f"remote.{remote}.pushurl")
    for address in (*addresses, *((push_address,) if push_address else ())):
        check_address(address)
    return addresses[0] if addresses else None


def network_environment(
    transport: Transport, git: Git, environ: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Return what Git's environment needs so that it reaches a remote and never asks.

    Credential helpers, agents, keys and the user's own ``ssh`` command work as ever; whatever would
    open a prompt fails instead.
    """
    allowed = {each.value for each in Transport if each is not Transport.HTTP or transport is Transport.HTTP}
    stricter = environ.get("GIT_ALLOW_PROTOCOL")
    if stricter is not None:
        allowed &= set(stricter.split(":"))
    env = {
        "GIT_ALLOW_PROTOCOL": ":".join(sorted(allowed)),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "SSH_ASKPASS": "",
        "SSH_ASKPASS_REQUIRE": "never",
        "GCM_INTERACTIVE": "never",
    }
    if transport is Transport.SSH:
        env |= _ssh_environment(git, environ)
    elif transport in (Transport.HTTP, Transport.HTTPS):
        env |= {} if git.config("http.lowSpeedTime") or "GIT_HTTP_LOW_SPEED_TIME" in environ else _LOW_SPEED
    return env


def _ssh_environment(git: Git, environ: Mapping[str, str]) -> dict[str, str]:
    """Add our options to the user's ``ssh``; a program that is no OpenSSH is left as it is."""
    own = environ.get("GIT_SSH_COMMAND") or git.config("core.sshCommand")
    if not own and environ.get("GIT_SSH"):
        return {}
    command = own or "ssh"
    import shlex

    try:
        program = shlex.split(command)[0]
    except (ValueError, IndexError):
        return {}
    name = re.split(r"[\\/]", program)[-1].lower().removesuffix(".exe")
    return {"GIT_SSH_COMMAND": f"{command} {_SSH_OPTIONS}"} if name == "ssh" else {}
