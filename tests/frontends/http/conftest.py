"""The served cell that every test of the HTTP interface stands on."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.support.web import House, make_house


@pytest.fixture
def house(tmp_path: Path) -> House:
    return make_house(tmp_path)


@pytest.fixture
def ana(house: House) -> TestClient:
    """This machine's own user, without a token."""
    return house.client()
