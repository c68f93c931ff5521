"""What every request passes before a path is looked at: host, origin, size, time; and what no answer lacks.

Plain ASGI, so that an answer may be a stream and nothing of a request is copied.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterable
from contextlib import suppress
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nutsync.core.errors import ErrTooLarge, NutsyncError
from nutsync.core.web_errors import ErrBug, ErrBusy, ErrHost, ErrOrigin, ErrSlowRequest
from nutsync.frontends.http_api.answers import error_answer
from nutsync.frontends.http_api.setup import LOOPBACK_NAMES, Limits, Setup
from nutsync.store.report import write_report

log = logging.getLogger("nutsync.http")

TICK = 0.1
"""Seconds: where it must not show how long a search took, answers leave at multiples of this."""

SAFE_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}


class Doors:
    """The outermost layer: nothing that goes wrong inside leaves with a value of memory in it."""

    def __init__(self, app: ASGIApp, setup: Setup) -> None:
        self.app = app
        self.setup = setup

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        passage = _Passage(scope, send)
        try:
            self._check(scope)
            body = _Body(receive, scope, self.setup.limits)
            await _in_time(self.app, scope, body, passage, self.setup.limits.answer_seconds)
        except NutsyncError as error:
            await passage.refuse(error)
        except ClientDisconnect:  # nobody is there to be answered
            passage.closed = True
        except Exception as error:  # a bug; its message could hold memory, so only its place is kept
            write_report(error)
            await passage.refuse(ErrBug(""))
        passage.note()
        return None

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        if len(scope.get("query_string", b"")) > self.setup.limits.query_bytes:
            raise ErrTooLarge("The query is too long.", hint="Ask for less at once.")
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not _is_served(hosts[0], scope, self.setup.hosts):
            raise ErrHost("That host name is not served here.")
        _check_origin(headers, hosts[0])


def _is_served(host: str, scope: Scope, names: Iterable[str]) -> bool:
    """Tell whether a Host header names this server: a page that rebinds its own name must not get in."""
    name = _name_of(host)
    server = scope.get("server")
    address = str(server[0]) if server else ""
    bracketed = f"[{address}]" if ":" in address else address
    return bool(name) and (name in LOOPBACK_NAMES or name == bracketed or name in names)


def _name_of(host: str) -> str:
    """Return the name of a Host header without its port, empty where it is malformed."""
    try:
        parts = urlsplit(f"//{host}")
        parts.port  # noqa: B018 (raises where it is none)
    except ValueError:
        return ""
    if parts.username is not None or parts.path or parts.query or parts.fragment or not parts.hostname:
        return ""
    return f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname.rstrip(".")


def _check_origin(headers: Headers, host: str) -> None:
    """Refuse what another site's page sends, whether it could read the answer or not."""
    origin = headers.get("origin")
    if origin is not None:
        parts = urlsplit(origin)
        if parts.scheme not in ("http", "https") or parts.netloc.lower() != host.lower():
            raise ErrOrigin("Pages of other sites are not let in.")
    mode, site = headers.get("sec-fetch-mode"), headers.get("sec-fetch-site")
    if site in ("cross-site", "same-site") and mode != "navigate":
        raise ErrOrigin("Pages of other sites are not let in.")


class _Passage:
    """The way out: adds the headers that no answer lacks, and knows whether one has begun."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.scope = scope
        self._send = send
        self.status = 0
        self.closed = False
        self.since = time.monotonic()

    @property
    def begun(self) -> bool:
        return self.status != 0

    async def send(self, message: Message) -> None:
        if self.closed:
            return
        if message["type"] == "http.response.start":
            if self.scope.get("state", {}).get("even_out"):
                await asyncio.sleep(TICK - (time.monotonic() - self.since) % TICK)
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in SAFE_HEADERS.items():
                headers.setdefault(name, value)
        await self._send(message)

    async def refuse(self, error: NutsyncError) -> None:
        """Answer with an error, where no answer has begun; else nothing can be said any more."""
        if not self.begun:
            response: Response = error_answer(error)
            await response(self.scope, _nothing_more, self.send)
        self.closed = True

    def note(self) -> None:
        """Log the request: method, the path's pattern, status and time; never a value, a token, a text."""
        route = self.scope.get("route")
        pattern = getattr(route, "path", "(no path)")
        took = round((time.monotonic() - self.since) * 1000)
        log.info("%s %s %d %d ms", _plain(self.scope["method"]), pattern, self.status, took)


def _plain(method: str) -> str:
    return method if method.isalpha() and len(method) <= 10 else "?"


async def _nothing_more() -> Message:
    return {"type": "http.disconnect"}


class _Body:
    """The way in: counts the body's bytes and the time it takes."""

    def __init__(self, receive: Receive, scope: Scope, limits: Limits) -> None:
        self._receive = receive
        self._limits = limits
        self._bytes = 0
        self._deadline = time.monotonic() + limits.body_seconds
        self._whole = False
        declared = Headers(scope=scope).get("content-length", "0")
        if declared.isdigit() and int(declared) > limits.body_bytes:
            self._refuse()

    async def receive(self) -> Message:
        if self._whole:
            return await self._receive()
        try:
            message = await asyncio.wait_for(self._receive(), max(0.0, self._deadline - time.monotonic()))
        except TimeoutError as slow:
            raise ErrSlowRequest("The request did not arrive whole in time; nothing was done.") from slow
        self._bytes += len(message.get("body", b""))
        if self._bytes > self._limits.body_bytes:
            self._refuse()
        self._whole = not message.get("more_body", False)
        return message

    def _refuse(self) -> None:
        most = self._limits.body_bytes // 1024
        raise ErrTooLarge(f"The request is over {most} KiB; nothing was done.")


async def _in_time(app: ASGIApp, scope: Scope, body: _Body, passage: _Passage, seconds: float) -> None:
    """Run the app; where its answer does not begin in time say so. A change under way still completes."""
    task = asyncio.ensure_future(app(scope, body.receive, passage.send))
    _running.add(task)
    task.add_done_callback(_running.discard)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
        if not done and not passage.begun:
            await passage.refuse(ErrBusy(""))
            task.add_done_callback(_swallow)
            return
        await task
    except asyncio.CancelledError:
        task.cancel()
        raise


_running: set[asyncio.Future[None]] = set()
"""Requests under way: the loop itself keeps no hold of them."""


def _swallow(task: asyncio.Future[None]) -> None:
    """Report the bug of an answer that nobody waits for any more."""
    with suppress(asyncio.CancelledError):
        error = task.exception()
        if error is not None and not isinstance(error, NutsyncError):
            write_report(error)
