"""`forget --purge` and `purges`: forgetting for good, and who has followed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from nutsync.core.errors import ErrConfirm
from nutsync.frontends.cli.changes import forgotten_words
from nutsync.frontends.cli.command import Answer, Command, Line
from nutsync.frontends.cli.opening import open_here
from nutsync.frontends.cli.transfer import shown_progress
from nutsync.operations.cell import Cell
from nutsync.operations.forget import ForgetRequest
from nutsync.operations.purging.results import DONE, INCOMPLETE, Purged, PurgePreview

if TYPE_CHECKING:
    from nutsync.operations.purging.devices import PurgeState

_LIMITS = (
    "No tool reaches lost devices, forks, backups, a host's caches, or what a model has already read. A host "
    "may serve old commits by their ids until it collects its garbage: ask it to."
)


def purge_carefully(cell: Cell, asked: ForgetRequest, dry_run: bool, yes: bool) -> Answer:
    """Show what will be rewritten, ask where a person can answer, and only then do it."""
    from nutsync.operations.purging.purge import preview_purge, purge

    if dry_run:
        shown = preview_purge(cell, asked)
        return Answer(shown.as_json(), _preview_words(shown, "would be"))
    if not yes:
        _require_yes(preview_purge(cell, asked))
    with shown_progress() as progress:
        done = purge(cell, asked, progress=progress)
    return Answer(done.as_json(), _done_words(done), done.exit_code)


def _require_yes(shown: PurgePreview) -> None:
    if not sys.stdin.isatty():
        raise ErrConfirm("Purging needs an explicit yes; nothing was changed.")
    click.echo(_preview_words(shown, "will be"), err=True)
    if shown.shared:
        click.confirm("Give commits of others new ids?", abort=True, err=True)
    click.confirm("Purge this? There is no way back.", abort=True, err=True)


def _preview_words(shown: PurgePreview, how: str) -> str:
    lines = [forgotten_words(shown.forgotten, how)] if shown.forgotten else []
    lines += [f"{ref}  (forgotten before; it {how} removed from history, too)" for ref in shown.long_gone]
    count = f"{shown.commits:,} {'commit' if shown.commits == 1 else 'commits'}"
    lines.append(
        f"{count} of this clone {how} rewritten, and so {how} the remote's and every device's at its next "
        "sync: what they say, who made them, when and in which order stays; ids change, signatures go."
    )
    lines.append("Reflogs and whatever no branch, tag or stash leads to go from each clone with it.")
    lines += _earlier_words(shown.earlier)
    if shown.others:
        lines.append(f"Not only the memory branch {how} rewritten: {', '.join(shown.others)}.")
    if shown.shared:
        lines.append(
            "This repository holds more than memory: the ids of foreign commits change, too. Everybody who "
            "works in it has to move over to the rewritten branches, by `nutsync sync` or a fresh clone."
        )
    return "\n".join([*lines, _LIMITS])


def _earlier_words(refs: tuple[str, ...]) -> list[str]:
    if not refs:
        return []
    return [f"History still holds what it had replaced: {', '.join(refs)}. Purge that, too, if it has to go."]


def _done_words(done: Purged) -> str:
    lines = [forgotten_words(done.forgotten, "were", kept=False)] if done.forgotten else []
    if not done.refs:
        return "\n".join([*lines, "No commit ever held it: there was no history to rewrite."])
    if done.problem is not None:
        lines.append(done.problem.message)
        lines += [f"  {done.problem.hint}"] if done.problem.hint else []
    elif done.result == DONE:
        proof = done.proof or "Only its id was sought: what it said nobody here knows any more."
        lines.append(f"Purged: {', '.join(done.refs)}. {proof}")
        if done.synced is not None:
            lines.append(done.synced.words().rpartition("\n")[2])
    elif done.result == INCOMPLETE:
        lines += ["The purge is NOT done: something still holds the text.", *done.leftovers]
        lines.append(
            "Remove that, then repeat the command. Where memory itself repeats it, `nutsync recall --deep` "
            "finds it: purge that, too."
        )
    else:
        lines.append(
            "PENDING, not done: the remote could not be reached, so the text is still there and in the old "
            "history of this clone. The next `nutsync sync` goes on with it."
        )
    if done.pending:
        lines.append(f"Still to follow, at their next sync: {', '.join(done.pending)} (`nutsync purges`).")
    lines += _earlier_words(done.earlier)
    return "\n".join([*lines, *([_LIMITS] if done.result == DONE else [])])


@click.command(cls=Command, example="""
    nutsync purges
    nutsync purges --json
""")  # fmt: skip
@click.pass_obj
def purges(line: Line) -> Answer:
    """List every purge: what, why, by whom, and which devices have done it and which are pending."""
    from nutsync.operations.purging.devices import list_purges

    found = list_purges(open_here(line))
    words = "\n".join(map(_state_words, found)) or "Nothing was ever purged from this memory."
    return Answer({"purges": [one.as_json() for one in found]}, words)


def _state_words(one: PurgeState) -> str:
    record = one.record
    when = record.at.local().isoformat(sep=" ", timespec="minutes")
    lines = [f"{record.day}#{record.id}  {when}  {record.actor} on {record.device}: {record.reason}"]
    if one.unsent:
        lines.append("  pending: the remote has not taken it over yet; `nutsync sync` tries again")
    if one.done:
        lines.append(f"  done: {', '.join(one.done)}")
    if one.pending:
        lines.append(f"  still to follow: {', '.join(one.pending)}")
    if one.revoked:
        lines.append(f"  never followed, revoked since: {', '.join(one.revoked)}")
    return "\n".join(lines)
