"""The table of layers, and what reads off it: the function, the predicate and the SQL agree."""

from __future__ import annotations

import sqlite3
from itertools import product

import pytest

from nutsync.core.errors import ErrUnknownLayer
from nutsync.core.layer import (
    FIELDS,
    LAYERS,
    SCOPES,
    TABLE,
    WRITABLE_LAYERS,
    Need,
    Writer,
    layer_of,
    layer_row,
    layer_target,
    user_word,
)
from nutsync.core.layer_clauses import layer_clauses, layer_predicate, layer_where

ODD = ("", " ", "*", "none", "null", "0", "actor", "ana'; --", "小明", "scope=global", "%", "\u3000", "a\nb")


def every_entry() -> list[dict[str, str]]:
    """Every combination of attribute values: absent, empty, usual and odd ones."""
    scopes = [
        None,
        "",
        *SCOPES,
        "Global",
        "GLOBAL",
        " global",
        "global ",
        "globals",
        "unknown",
        "consensus",
        "全",
    ]
    wide = [
        {"scope": scope, "actor": actor, "namespace": namespace, "session": session}
        for scope, actor, namespace, session in product(
            scopes, (None, "", "ana"), (None, "", "coder"), (None, "", "4f1c")
        )
    ]
    odd = [
        {"scope": scope, "actor": actor, "namespace": namespace, "session": session}
        for scope, odd in product(SCOPES, ODD)
        for actor, namespace, session in [
            (odd, None, None),
            (None, odd, None),
            (None, None, odd),
            (odd, odd, odd),
            (odd, "x", ""),
        ]
    ]
    return [{name: value for name, value in entry.items() if value is not None} for entry in wide + odd]


def test_there_are_seven_layers_in_the_order_in_which_they_are_shown() -> None:
    assert LAYERS == (
        "environment",
        "consensus",
        "about_me",
        "agent_memory",
        "session",
        "working",
        "unknown",
    )


def test_people_write_three_of_them() -> None:
    assert WRITABLE_LAYERS == ("consensus", "about_me", "agent_memory")


@pytest.mark.parametrize(
    ("attributes", "layer"),
    [
        ({"scope": "host"}, "environment"),
        ({"scope": "host", "session": "4f1c"}, "environment"),
        ({"scope": "host", "actor": "ana"}, "unknown"),
        ({"scope": "global"}, "consensus"),
        ({"scope": "global", "actor": ""}, "consensus"),
        ({"scope": "global", "actor": "ana"}, "about_me"),
        ({"scope": "global", "actor": "ana", "session": "4f1c"}, "about_me"),
        ({"scope": "global", "actor": "ana", "namespace": "coder"}, "unknown"),
        ({"scope": "agent", "actor": "ana", "namespace": "coder"}, "agent_memory"),
        ({"scope": "agent", "actor": "ana"}, "unknown"),
        ({"scope": "agent", "namespace": "coder"}, "unknown"),
        ({"scope": "session", "session": "4f1c"}, "session"),
        ({"scope": "session", "session": "4f1c", "actor": "ana", "namespace": "coder"}, "session"),
        ({"scope": "session"}, "unknown"),
        ({"scope": "working"}, "working"),
        ({"scope": "working", "session": "4f1c", "actor": "ana"}, "working"),
        ({}, "unknown"),
        ({"actor": "ana"}, "unknown"),
        ({"scope": "Global"}, "unknown"),
        ({"scope": "team", "layer": "consensus"}, "unknown"),
    ],
)
def test_the_layer_follows_from_scope_actor_namespace_and_session(attributes, layer) -> None:
    assert layer_of(attributes) == layer


def test_exactly_one_layers_clauses_match_an_entry_and_it_is_the_one_that_layer_of_names() -> None:
    predicates = {layer: layer_predicate(layer) for layer in LAYERS}
    for entry in every_entry():
        matching = [layer for layer, is_of in predicates.items() if is_of(entry)]
        assert matching == [layer_of(entry)], entry


@pytest.mark.parametrize("absent", [None, ""])
def test_the_sql_picks_the_same_entries_whether_absent_is_null_or_empty(absent) -> None:
    entries = every_entry()
    table = sqlite3.connect(":memory:")
    table.execute("CREATE TABLE memories (n INTEGER, scope TEXT, actor TEXT, namespace TEXT, session TEXT)")
    table.executemany(
        "INSERT INTO memories VALUES (?, ?, ?, ?, ?)",
        [(n, *(entry.get(name, absent) for name in ("scope", *FIELDS))) for n, entry in enumerate(entries)],
    )
    seen: list[int] = []
    for layer in LAYERS:
        where, parameters = layer_where(layer)
        rows = [n for (n,) in table.execute(f"SELECT n FROM memories WHERE {where}", parameters)]
        assert [n for n in rows if layer_of(entries[n]) != layer] == []
        seen.extend(rows)
    table.close()
    assert sorted(seen) == list(range(len(entries)))


def test_the_sql_compares_the_actor_for_equality() -> None:
    table = sqlite3.connect(":memory:")
    table.execute("CREATE TABLE memories (scope TEXT, actor TEXT, namespace TEXT, session TEXT)")
    actors = ["ana", "ana2", "an", "Ana", "a%", "ana'"]
    table.executemany("INSERT INTO memories VALUES ('global', ?, NULL, NULL)", [(actor,) for actor in actors])
    for actor in ("ana", "a%", "ana'"):
        where, parameters = layer_where("about_me", actor=actor)
        assert table.execute(f"SELECT actor FROM memories WHERE {where}", parameters).fetchall() == [(actor,)]
    table.close()


def test_the_sql_of_several_alternatives_keeps_together_beside_the_actor() -> None:
    where, parameters = layer_where("unknown", actor="ana", namespace="coder")
    assert parameters == ("ana", "coder")
    table = sqlite3.connect(":memory:")
    table.execute("CREATE TABLE memories (scope TEXT, actor TEXT, namespace TEXT, session TEXT)")
    table.executemany(
        "INSERT INTO memories VALUES (?, ?, ?, NULL)",
        [("odd", "ana", "coder"), ("odd", "ben", "coder"), ("global", "ana", "coder"), ("host", "ben", None)],
    )
    rows = table.execute(f"SELECT scope, actor FROM memories WHERE {where}", parameters).fetchall()
    table.close()
    assert rows == [("odd", "ana"), ("global", "ana")]


def test_the_target_says_scope_actor_and_who_gives_the_namespace() -> None:
    about_me, agent = layer_target("about_me"), layer_target("agent_memory")
    assert (about_me.scope, about_me.actor, about_me.namespace) == ("global", Need.REQUIRED, Need.NONE)
    assert (agent.scope, agent.actor, agent.namespace_giver) == ("agent", Need.REQUIRED, "the caller")
    assert layer_target("consensus").writer is Writer.ADMINS


def test_what_a_target_asks_for_makes_an_entry_of_its_layer() -> None:
    for layer in (name for name in LAYERS if layer_row(name).scope):
        target = layer_target(layer)
        given = {
            "scope": target.scope,
            "actor": "ana" if target.actor is Need.REQUIRED else "",
            "namespace": "coder" if target.namespace is Need.REQUIRED else "",
            "session": "4f1c" if target.session is Need.REQUIRED else "",
        }
        assert layer_of(given) == layer


@pytest.mark.parametrize("name", ["", "About_me", "memory", "about me", "关于我", "unknown "])
def test_a_name_that_is_no_layer_is_refused_everywhere(name) -> None:
    for ask in (layer_row, layer_target, layer_clauses, layer_predicate, layer_where, user_word):
        with pytest.raises(ErrUnknownLayer):
            ask(name)


def test_every_layer_has_its_word_in_english_and_in_chinese() -> None:
    assert [user_word(layer, "zh") for layer in LAYERS] == [
        "环境信息",
        "部门共识",
        "关于我",
        "角色记忆",
        "会话记忆",
        "工作缓存",
        "未识别",
    ]
    assert [user_word(layer) for layer in LAYERS] == [
        "Environment",
        "Team consensus",
        "About me",
        "Agent memory",
        "This session",
        "Scratch",
        "Unrecognised",
    ]


def test_a_language_without_words_gets_english_and_a_region_does_not_matter() -> None:
    assert user_word("session", "fr") == "This session"
    assert user_word("session", "zh-CN") == user_word("session", "zh_TW") == "会话记忆"


def test_no_two_layers_share_a_name_or_a_word() -> None:
    assert len({row.name for row in TABLE}) == 7
    for language in ("en", "zh"):
        assert len({row.words[language] for row in TABLE}) == 7
