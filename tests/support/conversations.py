"""Conversations with a server that is spoken to asynchronously, held from tests that are not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

LONGEST_SECONDS = 120


def hold_in_a_thread(conversation: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Hold a conversation to its end; what it raises is raised here.

    A thread of its own has no event loop yet, whatever another test left running in this one.
    """

    def hold() -> None:
        asyncio.run(asyncio.wait_for(conversation(), LONGEST_SECONDS))

    with ThreadPoolExecutor(1) as threads:
        threads.submit(hold).result()
