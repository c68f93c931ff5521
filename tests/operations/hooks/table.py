"""Writes what the trials prove into the documents: ``python -m tests.operations.hooks.table``."""

from __future__ import annotations

from pathlib import Path

from tests.operations.hooks.changes import EDIT, MERGE, MOVE, STOPPED, WARNED
from tests.operations.hooks.escapes import ESCAPES
from tests.operations.hooks.mergers import CHANGES
from tests.operations.hooks.ways import WAYS, Way

PAGE = Path(__file__).resolve().parents[3] / "docs" / "hooks.md"
BEGIN, END = "<!-- table of trials: begin -->\n", "<!-- table of trials: end -->\n"

_SHAPES = {EDIT: "commits", MERGE: "merges", MOVE: "steps back"}
_ORDER = ("pre-commit", "commit-msg", "pre-merge-commit", "reference-transaction", "pre-receive")


def tables() -> str:
    """Return the tables of ways, of changes, and of what escapes."""
    ways = [f"| {way.name} | {_carried(way)} | {_hooks(way)} |" for way in WAYS]
    bad = [
        f"| {c.name} | {', '.join(f'`{code}`' for code in c.codes)} |"
        for c in CHANGES
        if c.outcome == STOPPED
    ]
    warned = [f"- {c.name} (`{c.codes[0]}`)" for c in CHANGES if c.outcome == WARNED]
    good = [f"- {change.name}" for change in CHANGES if not change.codes]
    escapes = [f"| {escape.name} | nothing | yes | yes | yes | yes |" for escape in ESCAPES]
    parts = (
        f"{len(WAYS)} ways were tried with each of {len(CHANGES)} changes that they can carry:",
        ["| way | carries | what is illegal is stopped by |", "| --- | --- | --- |", *ways],
        "Stopped, whichever way it comes:",
        ["| change | finding |", "| --- | --- |", *bad],
        "A blur passes with a warning; the next `nutsync sync` repairs it, and `nutsync verify` says it:",
        warned,
        "Let through, whichever way it comes:",
        good,
        "What no local hook sees, and who finds it:",
        ["| what is done | hooks | `nutsync verify` | pre-push | armed server | others' `nutsync sync` |",
         "| --- | --- | --- | --- | --- | --- |", *escapes],
    )  # fmt: skip
    return "\n\n".join(part if isinstance(part, str) else "\n".join(part) for part in parts) + "\n"


def page(text: str) -> str:
    """Return a page with its tables made anew."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{tables()}\n{END}{after}"


def _carried(way: Way) -> str:
    return ", ".join(_SHAPES[shape] for shape in way.shapes)


def _hooks(way: Way) -> str:
    found = {hook for c in CHANGES if c.outcome == STOPPED and way.carries(c) for hook in way.stops(c)}
    return ", ".join(hook for hook in _ORDER if hook in found) or "nothing illegal comes this way"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
