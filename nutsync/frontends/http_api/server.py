"""Starting the server: where it may listen, and what it says while it does."""

from __future__ import annotations

import ipaddress
import logging
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import uvicorn

from nutsync.core.errors import ErrUsage
from nutsync.core.pattern import pattern
from nutsync.core.web_errors import ErrUnsafeAddress
from nutsync.frontends.http_api.app import make_app
from nutsync.frontends.http_api.setup import Served, Setup
from nutsync.operations.cell import open_cell
from nutsync.operations.tokens import has_tokens

_ID = pattern(r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}")
_HOST = pattern(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")
_PASSED_ON = ("NUTSYNC_ACTOR", "NUTSYNC_DEVICE")
_CLOSING_SECONDS = 30


def read_cells(named: Sequence[str]) -> dict[str, Path]:
    """Return the folders of ``ID=DIR`` by id. Raises :class:`ErrUsage`."""
    found: dict[str, Path] = {}
    for one in named:
        name, equals, folder = one.partition("=")
        if not equals or not folder or not _ID.fullmatch(name):
            raise ErrUsage("A cell is named as ID=DIR.", hint="For example: --cell team=/srv/team")
        if name in found:
            raise ErrUsage(f"Two cells are named {name}.")
        found[name] = Path(folder)
    return found


def make_setup(
    folders: Mapping[str, Path],
    *,
    host: str,
    names: Sequence[str] = (),
    token_needed: bool = False,
    environ: Mapping[str, str],
) -> Setup:
    """Return what is served; every cell is opened once, so that what is wrong is said at the start.

    Whoever is not on this machine needs a token, and so does everybody where other host names lead here: a
    proxy's requests come from this machine. Raises :class:`ErrUnsafeAddress` where a cell has none then.
    """
    for name in names:
        if not _HOST.fullmatch(name.lower()):
            raise ErrUsage("A host is named without a scheme and a port.", hint="--allow-host memory.example")
    passed = {key: environ[key] for key in _PASSED_ON if key in environ}
    cells = {name: open_cell(folder, environ=environ) for name, folder in folders.items()}
    needed = token_needed or bool(names) or not is_loopback(host)
    bare = [name for name, cell in cells.items() if needed and not has_tokens(cell)]
    if bare:
        raise ErrUnsafeAddress(f"Serving that way needs tokens, and there are none for: {', '.join(bare)}.")
    served = {name: Served.at(cell.root.resolve()) for name, cell in cells.items()}
    return Setup(served, frozenset(name.lower() for name in names), needed, passed)


def is_loopback(host: str) -> bool:
    """Tell whether an address can be reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens there. Raises :class:`ErrUsage` where that cannot be."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named TCP, or asyncio would not set TCP_NODELAY and each answer on a kept connection would wait 40 ms.
    open_socket = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":
            open_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        open_socket.bind((host, port))
    except (OSError, OverflowError) as problem:
        open_socket.close()
        reason = getattr(problem, "strerror", None) or str(problem)
        raise ErrUsage(f"{host}:{port} cannot be served: {reason}.", hint="Try another --port.") from problem
    return open_socket


def url_of(open_socket: socket.socket) -> str:
    """Return the address for people."""
    host, port = open_socket.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run(setup: Setup, open_socket: socket.socket, announce: Callable[[], None], *, quiet: bool) -> None:
    """Serve until stopped; requests under way are finished first."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    for name, level in {"nutsync.http": logging.INFO, "uvicorn": logging.WARNING}.items():
        logger = logging.getLogger(name)
        logger.setLevel(logging.WARNING if quiet else level)
        logger.handlers[:] = [handler]
        logger.propagate = False
    config = uvicorn.Config(
        make_app(setup),
        log_config=None,
        access_log=False,
        # Where a request comes from decides whether it needs a token: no header may say that.
        proxy_headers=False,
        server_header=False,
        lifespan="off",
        ws="none",
        timeout_keep_alive=20,
        timeout_graceful_shutdown=_CLOSING_SECONDS,
        limit_concurrency=512,
        h11_max_incomplete_event_size=32 * 1024,
    )
    open_socket.listen(128)
    announce()
    uvicorn.Server(config).run(sockets=[open_socket])
