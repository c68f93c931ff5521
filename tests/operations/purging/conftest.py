"""What every test of purges stands on: two devices and a remote."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.fleet import Fleet


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    """The devices desk and lap, synced with a remote that lets history be rewritten."""
    fleet = Fleet(tmp_path)
    fleet.sync_all()
    return fleet
