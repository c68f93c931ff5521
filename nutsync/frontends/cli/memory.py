"""`append` and `show`: memory in and out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from nutsync.core.entry import Ref
from nutsync.core.errors import ErrUsage
from nutsync.core.layer_queries import resolve_reader
from nutsync.core.layer_requests import WriteRequest, command_line_defaults
from nutsync.frontends.cli.command import Answer, Command, Line, options
from nutsync.frontends.cli.opening import ALLOW_SECRET, open_here, standard_input
from nutsync.frontends.cli.printing import printable
from nutsync.operations.cell import Cell
from nutsync.operations.remember import RESERVED, Memo, remember

if TYPE_CHECKING:
    from nutsync.operations.show import Shown

WRITING = options(
    click.option("--layer", metavar="LAYER", help="about_me (default), agent_memory or consensus."),
    click.option("--kind", metavar="KIND", help="fact (default), preference, decision, task, …"),
    click.option("--actor", metavar="A", help="Whose memory it is; the configured actor by default."),
    click.option("--namespace", metavar="N", help="Which role's memory; agent_memory needs one."),
    click.option("--session", metavar="S", help="The session it comes from."),
)


@click.command(cls=Command, example="""
    nutsync append buy milk
    nutsync append --kind decision "X-200 costs 12,800" --index "X-200 price 12,800"
    echo "a longer note" | nutsync append -
    nutsync append --from 2026-11-29
""")  # fmt: skip
@click.argument("text", nargs=-1, metavar="TEXT…")
@click.option("--each", is_flag=True, help="Every argument is an entry of its own.")
@click.option("--index", metavar="S", help="The day's index, written by hand.")
@click.option(
    "--from", "from_date", metavar="DATE", help="Move bullets added by hand to that day into today."
)
@click.option("--jsonl", is_flag=True, help="Read one JSON object a line from standard input; give `-`.")
@WRITING
@ALLOW_SECRET
@click.pass_obj
def append(line: Line, /, text: tuple[str, ...], each: bool, index: str | None, from_date: str | None,
           jsonl: bool, **given: str | None) -> Answer:  # fmt: skip
    """Remember TEXT today. Words are joined to one entry.

    `-` reads standard input, as it is but for its last line end.
    """
    cell = open_here(line)
    if from_date is not None:
        from nutsync.operations.takeover import take_over_from

        if text or jsonl or each or index is not None:
            raise ErrUsage("--from takes over what is in that day's file; it goes with no text.")
        taken = take_over_from(cell, from_date)
        return Answer(taken, placed_words(taken))
    memos = _memos_of_lines(cell, text, given) if jsonl else _memos_of_words(cell, text, each, given)
    document = remember(cell, memos, index=index)
    return Answer(document, placed_words(document))


def _memos_of_words(
    cell: Cell, text: tuple[str, ...], each: bool, given: dict[str, str | None]
) -> list[Memo]:
    if not text:
        raise ErrUsage("There is no text to remember.", hint="For example: nutsync append buy milk")
    words = [standard_input() if word == "-" else word for word in text]
    texts = words if each else [" ".join(words)]
    return [Memo(one, _request(cell, given)) for one in texts]


def _memos_of_lines(cell: Cell, text: tuple[str, ...], given: dict[str, str | None]) -> list[Memo]:
    if text != ("-",):
        raise ErrUsage("--jsonl reads standard input.", hint="nutsync append --jsonl - < entries.jsonl")
    return [_memo_of(cell, number, row, given) for number, row in _rows(standard_input())]


def _rows(content: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, raw in enumerate(content.split("\n"), 1):
        if not raw.strip():
            continue
        try:
            row = json.loads(raw)
        except ValueError as error:
            raise ErrUsage(f"Line {number} is no JSON. Nothing was written.") from error
        if not isinstance(row, dict) or not isinstance(row.get("text"), str):
            raise ErrUsage(f"Line {number} has no text. Nothing was written.")
        yield number, row


def _memo_of(cell: Cell, number: int, row: dict[str, Any], given: dict[str, str | None]) -> Memo:
    values = {key: value for key, value in row.items() if key != "text"}
    if not all(isinstance(value, str) for value in values.values()):
        raise ErrUsage(f"Line {number} has a value that is no text. Nothing was written.")
    own = {key: values.get(key, given.get(key)) for key in given}
    extra = {key: value for key, value in values.items() if key not in own and key not in RESERVED}
    return Memo(row["text"], _request(cell, own), extra)


def _request(cell: Cell, given: dict[str, str | None]) -> WriteRequest:
    layer, kind = command_line_defaults(given["layer"], given["kind"])
    actor = given["actor"]
    return WriteRequest(
        layer=layer,
        kind=kind,
        actor=actor,
        namespace=given["namespace"],
        session=given["session"] if given["session"] is not None else cell.settings.session,
        own_actor=cell.actor,
        is_admin=(actor or cell.actor) in cell.config.admins,
    )


def placed_words(document: dict[str, Any]) -> str:
    """Return the words for people of what `append` answers."""
    lines = [
        f"{entry['ref']}  {'already there' if entry['duplicate'] else 'remembered'}"
        for entry in document["entries"]
    ]
    return "\n".join([*lines, *(f"warning: {text}" for text in document["warnings"])])


@click.command(cls=Command, example="""
    nutsync show 2026-11-30
    nutsync show 2026-11-30#k3f9x2ab --at 2026-12-01
""")  # fmt: skip
@click.argument("ref")
@click.option("--at", metavar="COMMIT|DATE", help="As it was in that commit, or at the end of that date.")
@click.option("--actor", metavar="A", help="As that actor sees it; '*' sees everyone's.")
@click.option("--session", metavar="S", help="With what belongs to that session.")
@click.pass_obj
def show(line: Line, ref: str, at: str | None, actor: str | None, session: str | None) -> Answer:
    """Show REF: an entry (2026-11-30#k3f9x2ab), an unstamped block (2026-11-30#~4) or a whole day."""
    from nutsync.operations.show import show as show_ref

    cell = open_here(line)
    reader = resolve_reader(actor, cell.actor, bound=False, everyone=True)
    shown = show_ref(
        cell, Ref.parse(ref), actor=reader, at=at, session=session or cell.settings.session or ""
    )
    return Answer(shown.as_json(), _shown_words(shown))


def _shown_words(shown: Shown) -> str:
    lines = [f"{shown.date}  {'frozen' if shown.frozen else 'open'}", f"index: {shown.index or ''}", ""]
    for ref, block in shown.entries:
        newest = shown.corrections.newest(ref)
        if newest:
            lines.append(f"{newest[0]}  {printable(newest[1].text)}")
            lines.append(f"  replaces {ref}:")
        lines.append(f"{ref}  {printable(block.text)}")
    return "\n".join(lines)
