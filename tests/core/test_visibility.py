"""Who sees what and who may change what, decided in one place."""

from __future__ import annotations

import pytest

from nutsync.core.layer import LAYERS
from nutsync.core.visibility import EVERYONE, count_layers, may_change, visible, visible_index

ENVIRONMENT = {"scope": "host", "kind": "fact"}
CONSENSUS = {"scope": "global", "kind": "convention"}
ANA = {"scope": "global", "actor": "ana", "kind": "fact"}
ANAS_CODER = {"scope": "agent", "actor": "ana", "namespace": "coder", "kind": "skill"}
BEN = {"scope": "global", "actor": "ben", "kind": "fact"}
BENS_ODD = {"scope": "odd", "actor": "ben", "kind": "fact"}
BENS_HOST = {"scope": "host", "actor": "ben", "kind": "fact"}
BY_HAND: dict[str, str] = {}
NOTE = {"scope": "session", "session": "4f1c", "kind": "turn"}
BENS_NOTE = {"scope": "session", "session": "4f1c", "kind": "turn", "actor": "ben"}
ANAS_PLAN = {"scope": "global", "session": "4f1c", "kind": "plan", "actor": "ana"}
ANAS_FACT_OF_A_SESSION = {"scope": "global", "session": "4f1c", "kind": "fact", "actor": "ana"}
SCRATCH = {"scope": "working", "kind": "scratch"}
ALL = [
    ENVIRONMENT,
    CONSENSUS,
    ANA,
    ANAS_CODER,
    BEN,
    BENS_ODD,
    BENS_HOST,
    BY_HAND,
    NOTE,
    BENS_NOTE,
    ANAS_PLAN,
    ANAS_FACT_OF_A_SESSION,
    SCRATCH,
]


def seen(actor: str, session: str = "") -> list[dict[str, str]]:
    return [entry for entry in ALL if visible(entry, actor, session)]


def test_an_actor_sees_shared_layers_what_is_nobodys_and_its_own() -> None:
    assert seen("ana") == [
        ENVIRONMENT,
        CONSENSUS,
        ANA,
        ANAS_CODER,
        BY_HAND,
        ANAS_FACT_OF_A_SESSION,
        SCRATCH,
    ]


def test_another_actors_unrecognised_entries_stay_that_actors() -> None:
    assert BENS_ODD in seen("ben")
    assert BENS_HOST in seen("ben")
    assert not {"ben"} & {entry.get("actor") for entry in seen("ana", "4f1c")}


def test_what_belongs_to_a_session_is_seen_in_that_session_alone() -> None:
    assert [entry for entry in seen("ana", "4f1c") if entry not in seen("ana")] == [NOTE, ANAS_PLAN]
    assert seen("ana", "other") == seen("ana")


def test_everyone_sees_all_but_what_belongs_to_another_session() -> None:
    assert seen(EVERYONE, "4f1c") == ALL
    assert [entry for entry in ALL if entry not in seen(EVERYONE)] == [NOTE, BENS_NOTE, ANAS_PLAN]


@pytest.mark.parametrize("nobody", ["", "Ana", "an", "ana2", " ana", "cleo"])
def test_an_actor_is_compared_for_equality(nobody) -> None:
    assert seen(nobody) == [ENVIRONMENT, CONSENSUS, BY_HAND, SCRATCH]


def test_an_entry_whose_actor_is_the_star_is_not_everyones() -> None:
    assert not visible({"scope": "global", "actor": "*"}, "ana")


def test_only_its_actor_or_an_admin_changes_an_entry() -> None:
    assert may_change(ANA, "ana", is_admin=False)
    assert not may_change(ANA, "ben", is_admin=False)
    assert not may_change(ANA, EVERYONE, is_admin=False)
    assert may_change(ANA, "ben", is_admin=True)


def test_only_an_admin_changes_consensus() -> None:
    assert not may_change(CONSENSUS, "ana", is_admin=False)
    assert may_change(CONSENSUS, "ana", is_admin=True)


def test_what_was_written_by_hand_and_is_nobodys_anyone_can_forget() -> None:
    assert may_change(BY_HAND, "ana", is_admin=False)
    assert may_change(ENVIRONMENT, "ana", is_admin=False)
    assert not may_change(BENS_ODD, "ana", is_admin=False)


def test_an_index_is_passed_on_only_where_every_entry_of_the_day_is_seen() -> None:
    def build(entries):
        return "; ".join(entries)

    day = ["anas salary", "bens salary"]
    assert visible_index("both", day, lambda entry: True, build) == "both"
    assert visible_index("both", day, lambda entry: entry.startswith("ana"), build) == "anas salary"
    assert visible_index("both", day, lambda entry: False, build) is None
    assert visible_index(None, day, lambda entry: True, build) is None


def test_counts_have_all_seven_layers_in_order_and_zeros_too() -> None:
    assert count_layers([]) == dict.fromkeys(LAYERS, 0)
    counts = count_layers(ALL)
    assert tuple(counts) == LAYERS
    assert counts == {
        "environment": 1,
        "consensus": 1,
        "about_me": 4,
        "agent_memory": 1,
        "session": 2,
        "working": 1,
        "unknown": 3,
    }
