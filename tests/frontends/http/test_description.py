"""schemathesis asks every path of the description what it can think of: nothing breaks, nothing surprises."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode

from nutsync.operations.founding import Founding, init
from tests.support.serving import serving

schemathesis.checks.load_all_checks()
CHECKS = schemathesis.checks.CHECKS.get_by_names(
    [
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_schema_conformance",
        "negative_data_rejection",
        "unsupported_method",
    ]
)


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    founding = Founding(actor="ana", device="desk")
    root = init(tmp_path_factory.mktemp("described") / "memory", founding, environ={}).cell.root
    with serving(root, "--quiet") as (url, _process):
        for number in range(3):
            body = {"layer": "about_me", "kind": "fact", "content": f"note {number} about Acme"}
            httpx.post(f"{url}/cells/main/memory", json=body).raise_for_status()
        described = schemathesis.openapi.from_url(f"{url}/openapi.json")
        # A sync without a remote is refused with 502, which is no fault of the server.
        yield described.exclude(path="/cells/{id}/sync", method="POST")


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_no_request_surprises_the_server(described: Any, mode: GenerationMode) -> None:
    tried = 0
    for found in described.get_all_operations():
        operation = found.ok()
        if mode is GenerationMode.NEGATIVE and not _can_be_wrong(operation):
            continue
        _try(operation.as_strategy(generation_mode=mode), _checks(operation))
        tried += 1
    assert tried >= 12


def _can_be_wrong(operation: Any) -> bool:
    return bool(operation.body or operation.query)


def _checks(operation: Any) -> list[Any]:
    """On the wire one word and a list of one word are the same, so that cannot be told to be wrong."""
    takes_lists = operation.path.endswith("/recall")
    return [check for check in CHECKS if not (takes_lists and check.__name__ == "negative_data_rejection")]


def _try(cases: Any, checks: list[Any]) -> None:
    @given(cases)
    @settings(
        max_examples=15,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    def ask(case: Any) -> None:
        for name, value in {"id": "main", "date": "2026-11-30", "which": "2026"}.items():
            if name in case.path_parameters:
                case.path_parameters[name] = value
        case.call_and_validate(checks=checks)

    ask()
