"""What holds for every test: an environment that is nobody's, and patient property tests."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings


def pytest_configure(config: pytest.Config) -> None:
    """Cut the run off from the person who starts it: their Git settings and nutsync variables."""
    for name in list(os.environ):
        if name.startswith(("GIT_", "NUTSYNC_")):
            del os.environ[name]
    os.environ["GIT_CONFIG_NOSYSTEM"] = "1"
    os.environ["GIT_CONFIG_GLOBAL"] = os.devnull
    os.environ["GIT_TERMINAL_PROMPT"] = "0"


settings.register_profile("nutsync", deadline=None, print_blob=True)
settings.load_profile("nutsync")
