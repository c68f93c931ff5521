"""Writing, asking and clearing by layer: every refusal has its name, and the names have an order."""

from __future__ import annotations

from itertools import product

import pytest

from nutsync.core import errors
from nutsync.core.kind import KINDS
from nutsync.core.layer import LAYERS, WRITABLE_LAYERS, Writer, layer_of
from nutsync.core.layer_queries import resolve_query, resolve_reader
from nutsync.core.layer_requests import (
    ClearLayerRequest,
    WriteRequest,
    check_change,
    command_line_defaults,
    resolve_clear,
    resolve_correction,
    resolve_write,
)


def write(layer="about_me", kind="fact", **said):
    return resolve_write(WriteRequest(layer=layer, kind=kind, **said))


def refusal(layer="about_me", kind="fact", **said) -> str:
    with pytest.raises(errors.NutsyncError) as caught:
        write(layer, kind, **said)
    return caught.value.code


# --- Writing ------------------------------------------------------------------------------------


def test_an_entry_about_me_gets_scope_and_actor() -> None:
    placement = write(actor="ana")
    assert dict(placement.attributes) == {"kind": "fact", "scope": "global", "actor": "ana"}
    assert (placement.layer, placement.durable) == ("about_me", True)


def test_only_what_says_something_becomes_an_attribute() -> None:
    said = write(
        "agent_memory", "skill", actor="ana", namespace="coder", session="4f1c", formation="episodic"
    )
    assert dict(said.attributes) == {
        "kind": "skill",
        "scope": "agent",
        "actor": "ana",
        "namespace": "coder",
        "session": "4f1c",
        "formation": "episodic",
    }
    silent = write("consensus", actor="", namespace="", session="", formation="declarative", is_admin=True)
    assert dict(silent.attributes) == {"kind": "fact", "scope": "global"}


def test_what_is_written_is_of_the_layer_that_was_asked_for() -> None:
    doors = {"environment": Writer.SENSOR, "session": Writer.RUNTIME, "working": Writer.RUNTIME}
    for layer, kind in product(LAYERS[:-1], KINDS):
        placement = write(
            layer,
            kind,
            own_actor="ana",
            namespace="coder" if layer == "agent_memory" else None,
            session="4f1c",
            is_admin=True,
            writer=doors.get(layer, Writer.SELF),
        )
        assert layer_of(placement.attributes) == placement.layer == layer


@pytest.mark.parametrize("layer", ["", None, "memory", "Consensus"])
def test_a_layer_that_is_none_is_refused(layer) -> None:
    assert refusal(layer, actor="ana") == "ErrUnknownLayer"


@pytest.mark.parametrize("layer", ["environment", "session", "working", "unknown"])
def test_four_layers_are_not_written_by_hand_not_even_by_an_admin(layer) -> None:
    assert refusal(layer, is_admin=True, session="4f1c") == "ErrLayerNotWritable"


@pytest.mark.parametrize("layer", WRITABLE_LAYERS)
@pytest.mark.parametrize("writer", [Writer.SENSOR, Writer.RUNTIME])
def test_the_sensor_and_the_runtime_write_nothing_but_their_own_layers(layer, writer) -> None:
    assert refusal(layer, actor="ana", writer=writer) == "ErrLayerNotWritable"


def test_nobody_writes_unknown() -> None:
    for writer in (Writer.SENSOR, Writer.RUNTIME, Writer.ADMINS, Writer.SELF):
        assert refusal("unknown", writer=writer, session="4f1c") == "ErrLayerNotWritable"


def test_consensus_takes_no_actor_even_from_somebody_without_rights() -> None:
    assert refusal("consensus", actor="ana") == "ErrLayerShared"
    assert refusal("consensus", actor="ana", is_admin=True) == "ErrLayerShared"


def test_a_configured_actor_is_not_given_and_leaves_consensus_shared() -> None:
    assert "actor" not in write("consensus", own_actor="ana", is_admin=True).attributes


def test_consensus_needs_an_admin() -> None:
    assert refusal("consensus", own_actor="ana") == "ErrLayerAdminRequired"


@pytest.mark.parametrize("layer", ["about_me", "agent_memory"])
def test_an_actors_layer_needs_an_actor(layer) -> None:
    assert refusal(layer, namespace="coder" if layer == "agent_memory" else None) == "ErrLayerActorRequired"


def test_an_empty_actor_is_not_replaced_by_the_configured_one() -> None:
    assert refusal(actor="", own_actor="ana") == "ErrLayerActorRequired"
    assert write(actor=None, own_actor="ana").attributes["actor"] == "ana"


def test_the_star_is_no_actor_to_write_as() -> None:
    assert refusal(actor="*") == "ErrName"
    assert refusal(own_actor="*") == "ErrName"


def test_names_that_would_hide_or_break_something_are_refused() -> None:
    for odd in ("a\nb", " ana", "ana\u200b", "-ana", "<ana>"):
        assert refusal(actor=odd) == "ErrName"
        assert refusal("agent_memory", actor="ana", namespace=odd) == "ErrName"
        assert refusal(actor="ana", session=odd) == "ErrName"


def test_a_name_is_found_however_its_accents_were_typed() -> None:
    typed, stored = "Ame\u0301lie", "Am\u00e9lie"
    assert write(actor=typed).attributes["actor"] == stored
    assert resolve_reader(typed, "", bound=False, everyone=False) == stored
    assert clear(layer="about_me", actor=typed, own_actor=stored).actor == stored


@pytest.mark.parametrize("namespace", [None, ""])
def test_agent_memory_needs_a_namespace(namespace) -> None:
    assert refusal("agent_memory", actor="ana", namespace=namespace) == "ErrLayerNamespaceRequired"


def test_a_namespace_where_the_layer_has_none_is_refused() -> None:
    assert refusal("about_me", actor="ana", namespace="coder") == "ErrLayerNamespaceForbidden"
    assert refusal("consensus", namespace="coder", is_admin=True) == "ErrLayerNamespaceForbidden"


def test_layer_and_scope_together_are_refused_before_anything_else() -> None:
    assert refusal("nonsense", "", scope="global") == "ErrMemoryLayerScopeConflict"
    assert refusal("", "", scope="") == "ErrMemoryLayerScopeConflict"


@pytest.mark.parametrize("kind", [None, ""])
def test_an_empty_kind_is_refused(kind) -> None:
    assert refusal(kind=kind, actor="ana") == "ErrKindRequired"


def test_an_unknown_kind_is_refused() -> None:
    assert refusal(kind="note", actor="ana") == "ErrUnknownKind"


@pytest.mark.parametrize("kind", ["plan", "observation", "turn", "scratch"])
@pytest.mark.parametrize("session", [None, ""])
def test_a_session_bound_kind_needs_a_session(kind, session) -> None:
    assert refusal(kind=kind, actor="ana", session=session) == "ErrSessionRequired"


def test_the_session_layer_needs_a_session_whatever_the_kind() -> None:
    assert refusal("session", "fact", writer=Writer.RUNTIME) == "ErrSessionRequired"
    assert not write("session", "fact", writer=Writer.RUNTIME, session="4f1c").durable


def test_the_working_layer_takes_scratch_without_a_session() -> None:
    placement = write("working", "scratch", writer=Writer.RUNTIME)
    assert dict(placement.attributes) == {"kind": "scratch", "scope": "working"}
    assert not placement.durable


def test_the_model_is_checked_before_rights() -> None:
    assert refusal("consensus", "") == "ErrKindRequired"
    assert refusal("consensus", "plan") == "ErrSessionRequired"


def test_the_command_line_fills_in_what_is_absent_but_not_what_is_empty() -> None:
    assert command_line_defaults(None, None) == ("about_me", "fact")
    assert command_line_defaults("", "") == ("", "")
    assert command_line_defaults("consensus", "decision") == ("consensus", "decision")


# --- Asking -------------------------------------------------------------------------------------


ENTRIES = [
    {},
    {"scope": "host"},
    {"scope": "global"},
    {"scope": "global", "actor": "ana"},
    {"scope": "agent", "actor": "ana", "namespace": "coder"},
    {"scope": "session", "session": "4f1c"},
    {"scope": "odd"},
]


@pytest.mark.parametrize("layer", ["", "everything", "GLOBAL", "about-me"])
def test_an_unknown_layer_never_widens_a_query(layer) -> None:
    with pytest.raises(errors.ErrUnknownLayer):
        resolve_query(layer, None)


def test_a_query_takes_a_layer_or_a_scope_and_not_both() -> None:
    with pytest.raises(errors.ErrMemoryLayerScopeConflict):
        resolve_query("about_me", "global")
    assert [entry for entry in ENTRIES if resolve_query("consensus", None).matches(entry)] == [ENTRIES[2]]
    assert [entry for entry in ENTRIES if resolve_query(None, "global").matches(entry)] == ENTRIES[2:4]
    assert [entry for entry in ENTRIES if resolve_query(None, None).matches(entry)] == ENTRIES


def test_a_scope_that_is_nobodys_finds_its_own_entries_and_an_empty_one_is_refused() -> None:
    assert [entry for entry in ENTRIES if resolve_query(None, "odd").matches(entry)] == [{"scope": "odd"}]
    with pytest.raises(errors.ErrUsage):
        resolve_query(None, "")


def test_every_entry_is_found_under_exactly_one_layer() -> None:
    for entry in ENTRIES:
        assert sum(resolve_query(layer, None).matches(entry) for layer in LAYERS) == 1


def test_who_is_answered_is_whoever_asks_unless_they_say_otherwise() -> None:
    assert resolve_reader(None, "ana", bound=False, everyone=True) == "ana"
    assert resolve_reader("ben", "ana", bound=False, everyone=True) == "ben"
    assert resolve_reader("*", "ana", bound=False, everyone=True) == "*"
    assert resolve_reader("ana", "ana", bound=True, everyone=False) == "ana"


@pytest.mark.parametrize(("given", "bound"), [("ben", True), ("", True), ("*", True), ("*", False)])
def test_a_token_answers_its_own_actor_and_the_star_is_for_the_command_line(given, bound) -> None:
    with pytest.raises(errors.ErrForbidden):
        resolve_reader(given, "ana", bound=bound, everyone=False)


# --- Changing and clearing ----------------------------------------------------------------------


ABOUT_ANA = {"scope": "global", "actor": "ana"}
CONSENSUS = {"scope": "global"}


def test_somebody_elses_entry_is_changed_by_its_actor_or_an_admin() -> None:
    check_change(ABOUT_ANA, "ana", is_admin=False)
    check_change(ABOUT_ANA, "ben", is_admin=True)
    with pytest.raises(errors.ErrForbidden):
        check_change(ABOUT_ANA, "ben", is_admin=False)


def test_consensus_is_changed_by_admins_only() -> None:
    check_change(CONSENSUS, "ana", is_admin=True)
    with pytest.raises(errors.ErrLayerAdminRequired):
        check_change(CONSENSUS, "ana", is_admin=False)


@pytest.mark.parametrize(
    "target",
    [
        {},
        CONSENSUS,
        ABOUT_ANA,
        {"scope": "agent", "actor": "ana", "namespace": "coder"},
        {"scope": "odd", "actor": "ana", "namespace": "x"},
        {"scope": "session", "session": "4f1c", "actor": "ana"},
        {"scope": "session"},
        {"scope": "working", "session": "4f1c"},
        {"scope": "global", "actor": "ana", "session": "4f1c", "formation": "episodic", "kind": "decision"},
    ],
)
def test_a_correction_is_of_its_targets_layer_actor_and_namespace(target) -> None:
    placement = resolve_correction(target, "ana", is_admin=True)
    assert placement.layer == layer_of(target) == layer_of(placement.attributes)
    assert placement.attributes["kind"] == "correction"
    for name in ("actor", "namespace"):
        assert placement.attributes.get(name) == target.get(name)
    assert "formation" not in placement.attributes


def test_what_the_sensor_says_is_not_corrected_by_hand() -> None:
    with pytest.raises(errors.ErrLayerNotWritable):
        resolve_correction({"scope": "host"}, "ana", is_admin=True)


def clear(**said):
    return resolve_clear(ClearLayerRequest(**said))


def clear_refusal(**said) -> str:
    with pytest.raises(errors.NutsyncError) as caught:
        clear(**said)
    return caught.value.code


def test_a_request_to_clear_takes_no_positional_arguments() -> None:
    with pytest.raises(TypeError):
        ClearLayerRequest("about_me", "ana")  # type: ignore[misc]


def test_clearing_takes_one_actors_entries_of_one_layer() -> None:
    clearing = clear(layer="about_me", actor="ana", own_actor="ana")
    assert [entry for entry in ENTRIES if clearing.matches(entry)] == [ABOUT_ANA]
    assert not clearing.matches({"scope": "global", "actor": "ben"})
    assert not clearing.matches({"scope": "global", "actor": "ana2"})


def test_clearing_takes_one_namespace_or_all_of_an_actors() -> None:
    mine = [{"scope": "agent", "actor": "ana", "namespace": name} for name in ("coder", "tester")]
    one = clear(layer="agent_memory", actor="ana", own_actor="ana", namespace="coder")
    every = clear(layer="agent_memory", actor="ana", own_actor="ana")
    assert [entry for entry in mine if one.matches(entry)] == mine[:1]
    assert [entry for entry in mine if every.matches(entry)] == mine


def test_clearing_consensus_takes_an_admin_and_no_actor() -> None:
    assert [e for e in ENTRIES if clear(layer="consensus", is_admin=True).matches(e)] == [CONSENSUS]
    assert clear_refusal(layer="consensus", own_actor="ana") == "ErrLayerAdminRequired"
    assert clear_refusal(layer="consensus", actor="ana", is_admin=True) == "ErrLayerShared"


@pytest.mark.parametrize("actor", [None, "", "*"])
def test_clearing_an_actors_layer_needs_the_actor(actor) -> None:
    assert clear_refusal(layer="about_me", actor=actor, own_actor="ana", is_admin=True) == (
        "ErrLayerActorRequired"
    )


def test_a_namespace_never_turns_clear_this_into_clear_everything() -> None:
    said = {"actor": "ana", "own_actor": "ana"}
    assert clear_refusal(layer="about_me", namespace="coder", **said) == "ErrLayerNamespaceForbidden"
    assert clear_refusal(layer="agent_memory", namespace="", **said) == "ErrLayerNamespaceRequired"


@pytest.mark.parametrize("layer", ["environment", "session", "working", "unknown"])
def test_a_layer_that_people_do_not_write_is_not_cleared_by_them(layer) -> None:
    assert clear_refusal(layer=layer, is_admin=True, own_actor="ana") == "ErrLayerNotWritable"


@pytest.mark.parametrize("layer", ["", "all", "*"])
def test_clearing_an_unknown_layer_is_refused(layer) -> None:
    assert clear_refusal(layer=layer, is_admin=True) == "ErrUnknownLayer"


def test_somebody_elses_layer_is_cleared_by_an_admin_only() -> None:
    assert clear_refusal(layer="about_me", actor="ana", own_actor="ben") == "ErrForbidden"
    assert clear(layer="about_me", actor="ana", own_actor="ben", is_admin=True).actor == "ana"


def test_the_default_reason_says_who_cleared_which_layer() -> None:
    assert clear(layer="about_me", actor="ana", own_actor="ana").reason == "ana cleared about_me"
    assert clear(layer="about_me", actor="ana", own_actor="ana", reason="moved").reason == "moved"
