"""`correct`, `forget` and `clear`: the ways in which what is remembered changes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from nutsync.core.entry import Block, Ref
from nutsync.core.errors import ErrConfirm, ErrUsage
from nutsync.core.layer_requests import ClearLayerRequest
from nutsync.frontends.cli.command import Answer, Command, Line, options
from nutsync.frontends.cli.memory import placed_words
from nutsync.frontends.cli.opening import ALLOW_SECRET, open_here
from nutsync.frontends.cli.printing import printable
from nutsync.operations.cell import Cell
from nutsync.operations.correct import correct as correct_entry
from nutsync.operations.forget import ForgetRequest, Forgotten, clear_plan, preview
from nutsync.operations.forget import forget as forget_entries

if TYPE_CHECKING:
    from nutsync.operations.edited import TakenOver

CAREFUL = options(
    click.option("--dry-run", is_flag=True, help="Show exactly what will change; change nothing."),
    click.option("--yes", is_flag=True, help="Do not ask."),
)


@click.command(cls=Command, example="""
    nutsync correct 2026-11-30#k3f9x2ab "Billing moves to PostgreSQL 17"
""")  # fmt: skip
@click.argument("ref")
@click.argument("text", nargs=-1, required=True, metavar="TEXT…")
@click.option("--index", metavar="S", help="Today's index, written by hand.")
@click.option("--actor", metavar="A", help="Who asks; the configured actor by default.")
@ALLOW_SECRET
@click.pass_obj
def correct(line: Line, ref: str, text: tuple[str, ...], index: str | None, actor: str | None) -> Answer:
    """Remember today what holds instead of REF. The old day stays as it is; recall shows the newest first."""
    cell = open_here(line)
    done = correct_entry(cell, Ref.parse(ref), " ".join(text), index=index, actor=actor)
    document = {"entries": done.entries_json(), "commit": done.commit, "warnings": list(done.warnings)}
    return Answer(document, placed_words(document))


@click.command(cls=Command, example="""
    nutsync forget 2026-11-30#k3f9x2ab --reason "asked by the client" --dry-run
    nutsync forget 2026-11-30#k3f9x2ab --reason "wrong number" --replace "the number is 17"
    nutsync forget --edited --reason "tidied up" --dry-run
    nutsync forget 2026-11-30#k3f9x2ab --reason "the client's right" --purge --dry-run
""")  # fmt: skip
@click.argument("refs", nargs=-1, metavar="REF…")
@click.option("--reason", required=True, metavar="S", help="Why. It lasts, so without what was remembered.")
@click.option("--replace", "replacement", metavar="TEXT", help="Put TEXT in its place.")
@click.option("--index", metavar="S", help="That day's index, written by hand.")
@click.option("--purge", is_flag=True, help="Remove its text from all of history, too. No way back.")
@click.option("--edited", is_flag=True, help="Take over what was changed or deleted in day files by hand.")
@click.option("--actor", metavar="A", help="Who asks; the configured actor by default.")
@CAREFUL
@ALLOW_SECRET
@click.pass_obj
def forget(line: Line, refs: tuple[str, ...], reason: str, replacement: str | None, index: str | None,
           purge: bool, edited: bool, actor: str | None, dry_run: bool, yes: bool) -> Answer:  # fmt: skip
    """Remove exactly the named entries, or a whole day, from what is remembered.

    The text stays in the history of the repository; --purge removes it there too, at the remote and on every
    device that syncs.
    """
    cell = open_here(line)
    if edited:
        if refs or replacement is not None or index is not None or purge:
            raise ErrUsage(
                "--edited takes what the files say: leave refs, --replace, --index and --purge out.",
                hint="What it forgot can be purged afterwards, by its refs.",
            )
        return _take_over(cell, reason, actor or cell.actor, dry_run, yes)
    if not refs:
        raise ErrUsage("Name what is to be forgotten.", hint="`nutsync show DATE` lists a day's refs.")
    asked = ForgetRequest(
        refs=[Ref.parse(ref) for ref in refs],
        reason=reason,
        actor=actor or cell.actor,
        replacement=replacement,
        index=index,
        walled=True,
    )
    if purge:
        from nutsync.frontends.cli.purging import purge_carefully

        return purge_carefully(cell, asked, dry_run, yes)
    return _carefully(cell, asked, dry_run, yes)


@click.command(cls=Command, example="""
    nutsync clear about_me --actor ana --dry-run
    nutsync clear agent_memory --actor ana --namespace reviewer --reason "started over"
""")  # fmt: skip
@click.argument("layer")
@click.option("--actor", metavar="A", help="Whose entries go.")
@click.option("--namespace", metavar="N", help="Only that role's entries.")
@click.option("--reason", metavar="S", help="Why; by default who cleared which layer.")
@CAREFUL
@click.pass_obj
def clear(line: Line, layer: str, actor: str | None, namespace: str | None, reason: str | None,
          dry_run: bool, yes: bool) -> Answer:  # fmt: skip
    """Forget every entry of LAYER, of one actor and perhaps of one namespace."""
    cell = open_here(line)
    request = ClearLayerRequest(
        layer=layer,
        actor=actor,
        namespace=namespace,
        reason=reason,
        own_actor=cell.actor,
        is_admin=cell.actor in cell.config.admins,
    )
    asked = clear_plan(cell, request)
    if asked is None:
        return Answer({"forgotten": [], "days": [], "commit": None}, "There is nothing to clear.")
    return _carefully(cell, asked, dry_run, yes)


def _take_over(cell: Cell, reason: str, actor: str, dry_run: bool, yes: bool) -> Answer:
    """Show every entry that an edit takes away, and take the edits over only on an explicit yes."""
    from nutsync.operations.edited import forget_edited, preview_edited

    if dry_run or not yes:
        shown = preview_edited(cell, reason, actor)
        words = _edited_words(shown, "would be" if dry_run else "will be")
        if dry_run or not shown.days:
            return Answer(shown.as_json(), words)
        _require_yes(words)
    done = forget_edited(cell, reason, actor)
    return Answer(done.as_json(), _edited_words(done, "were"))


def _require_yes(words: str) -> None:
    if not sys.stdin.isatty():
        raise ErrConfirm("Forgetting needs an explicit yes; nothing was changed.")
    click.echo(words, err=True)
    click.confirm("Forget this?", abort=True, err=True)


def _carefully(cell: Cell, asked: ForgetRequest, dry_run: bool, yes: bool) -> Answer:
    """Show what will go, ask where a person can answer, and only then do it."""
    if dry_run:
        shown = preview(cell, asked)
        return Answer(shown.as_json(), forgotten_words(shown, "would be"))
    if not yes:
        _require_yes(forgotten_words(preview(cell, asked), "will be"))
    done = forget_entries(cell, asked)
    return Answer(done.as_json(), forgotten_words(done, "were"))


def _edited_words(taken: TakenOver, how: str) -> str:
    lines = [forgotten_words(taken.forgotten, how)] if taken.forgotten.plan.gone else []
    if taken.moved:
        lines.append(f"{len(taken.moved)} added entries {how} moved into today:")
        lines += [f"  {one.ref}  {_first_line(one.block)}" for one in taken.moved]
    lines += [f"{one.date} stays as it is: {one.reason}." for one in taken.left]
    return "\n".join(lines) or "No day file was changed or deleted by hand."


def forgotten_words(forgotten: Forgotten, how: str, *, kept: bool = True) -> str:
    """Return what people read of a forget; ``kept`` says that history still holds the text."""
    plan = forgotten.plan
    shown = forgotten.commit is None
    count = len(plan.gone) + len(forgotten.unwritten)
    verb = "was" if how == "were" and count == 1 else how
    lines = [f"{count} {'entry' if count == 1 else 'entries'} {verb} forgotten:"]
    for one in plan.gone:
        lines.append(f"  {one.target.ref}  {_first_line(one.block)}" if shown else f"  {one.target.ref}")
        if shown and one.replacement is not None:
            lines.append(f"    replaced by: {_first_line(one.replacement)}")
    lines += [f"  {ref}  (never committed; it goes from the file)" for ref, _ in forgotten.unwritten]
    if plan.corrections:
        lines.append("Corrections of them stay: " + ", ".join(map(str, plan.corrections)))
    if plan.repeated:
        lines.append("Indexes that repeat them are made anew: " + ", ".join(plan.repeated))
    emptied = [date for date, day in plan.days.items() if day is None]
    if emptied:
        lines.append("Days with nothing left are removed: " + ", ".join(emptied))
    if forgotten.commit and kept:
        lines.append("The history of the repository still holds the text; --purge removes it there too.")
    return "\n".join(lines)


def _first_line(block: Block) -> str:
    return printable(block.text).split("\n")[0][:100]
