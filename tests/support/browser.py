"""A real Chromium for tests of the page; where there is none the tests say so and are skipped."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium() -> str | None:
    """Return the Chromium of this machine, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@contextmanager
def browser() -> Iterator[object]:
    """Yield a browser that asks nobody but the server under test."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = chromium()
    if path is None:
        pytest.skip("no Chromium on this machine: the page is not tried")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield opened
        finally:
            opened.close()
