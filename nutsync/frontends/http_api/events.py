"""Server-sent events: how far a long operation is, while it goes on in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from nutsync.core.errors import NutsyncError
from nutsync.core.web_errors import ErrBug
from nutsync.frontends.http_api.answers import error_document, to_json
from nutsync.store.report import write_report

Progress = Callable[[str], None]
Run = Callable[[Progress], dict[str, object]]

STILL_THERE_SECONDS = 15.0
"""A comment is sent this often, so that no proxy takes the line for dead."""

_running: set[asyncio.Task[None]] = set()


def event_stream(run: Run) -> StreamingResponse:
    """Return the answer that tells how far ``run`` is and then what came of it.

    The operation goes on to its end whether or not anybody still listens.
    """
    told: asyncio.Queue[tuple[str, object] | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def tell(event: str, document: object) -> None:
        loop.call_soon_threadsafe(told.put_nowait, (event, document))

    async def carry_out() -> None:
        try:
            done = await run_in_threadpool(run, lambda line: tell("progress", {"line": line}))
            told.put_nowait(("done", done))
        except NutsyncError as error:
            told.put_nowait(("error", error_document(error)))
        except Exception as error:  # a bug: its message could hold memory
            write_report(error)
            told.put_nowait(("error", error_document(ErrBug(""))))
        told.put_nowait(None)

    task = asyncio.ensure_future(carry_out())
    _running.add(task)
    task.add_done_callback(_running.discard)
    return StreamingResponse(_events(told), media_type="text/event-stream")


async def _events(told: asyncio.Queue[tuple[str, object] | None]) -> AsyncIterator[bytes]:
    while True:
        try:
            event = await asyncio.wait_for(told.get(), STILL_THERE_SECONDS)
        except TimeoutError:
            yield b": still at it\n\n"
            continue
        if event is None:
            return
        name, document = event
        yield b"event: " + name.encode() + b"\ndata: " + to_json(document) + b"\n\n"
