"""What agents hand over is found in what their tools say."""

from __future__ import annotations

import json

from nutsync.core.agents.handover import Handed, handed_over, last_message, read_session_end, read_things


def test_bullets_paragraphs_and_objects_are_things() -> None:
    objects = '{"text": "four", "kind": "decision", "layer": "about_me"}\n{"x": 1}\n'
    text = f"- one\n  more\n* two\n\nthree\nlines\n{objects}"
    assert read_things(text) == [
        Handed("one\nmore"),
        Handed("two"),
        Handed("three\nlines"),
        Handed("four", "decision", "about_me"),
    ]


def test_only_blocks_marked_so_are_taken_from_a_message() -> None:
    message = "Done.\n```nutsync\n- keep this\n```\n```sh\n- not this\n```\n~~~ nutsync\n- and this\n~~~\n"
    assert [one.text for one in handed_over(message)] == ["keep this", "and this"]
    assert handed_over("```nutsync\n- never closed") == []


def test_the_last_message_of_the_agents_own_counts() -> None:
    rows = [
        {
            "type": "assistant",
            "message": {"role": "assistant", "content": [{"type": "text", "text": "first"}]},
        },
        {"type": "user", "message": {"role": "user", "content": "assistant, please"}},
        {
            "type": "assistant",
            "message": {"role": "assistant", "content": [{"type": "tool_use", "name": "x"}]},
        },
        {"type": "assistant", "message": {"role": "assistant", "content": "last"}},
        {"type": "summary", "text": "assistant"},
    ]
    assert last_message("\n".join([*map(json.dumps, rows), '{"broken assistant'])) == "last"
    assert last_message("") == ""


def test_what_a_tool_says_is_read_and_anything_else_is_none() -> None:
    said = read_session_end('{"session_id": "s1", "transcript_path": "/t", "reason": "exit"}')
    assert said is not None
    assert (said.session, said.transcript, said.message) == ("s1", "/t", "")
    codex = read_session_end(
        '{"conversation_id": "c", "last_assistant_message": "m", "transcript_path": null}'
    )
    assert codex is not None
    assert (codex.session, codex.message, codex.transcript) == ("c", "m", "")
    assert read_session_end("- a bullet") is None
    assert read_session_end("[]") is None
