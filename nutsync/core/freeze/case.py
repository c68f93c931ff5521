"""One commit under judgement: what every rule needs to know, worked out once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from nutsync.core.ancestry import Ancestry, Past
from nutsync.core.commit import Commit
from nutsync.core.day import Day
from nutsync.core.entry import Block
from nutsync.core.freeze.findings import Findings
from nutsync.core.freeze.rights import is_admin
from nutsync.core.layer import layer_of


class Case(NamedTuple):
    """``known`` is what the parents know together, ``today`` the local date of the commit's instant."""

    commit: Commit
    parents: Sequence[Ancestry]
    known: Ancestry
    past: Past
    today: str
    out: Findings

    @property
    def purged(self) -> frozenset[str]:
        """The ids whose purge is recorded before this commit, or later in the history under judgement."""
        return self.known.purged | self.past.purged

    @property
    def op(self) -> str:
        return self.commit.audit.op


def check_added(case: Case, path: str, date: str, added: Sequence[Block], there: bytes) -> None:
    """Judge blocks that a commit adds to a day: what may come at all, whatever the day.

    ``there`` is what the file holds without them.
    """
    gone = case.known.gone.get(date)
    seen: set[str] = set()
    for block in added:
        name = block.id
        attributes = block.attributes
        if name is not None:
            ref = f"{date}#{name}"
            if name in case.purged:
                case.out.add("purged-returned", f"{ref} was purged and is there again.", path=path, ref=ref)
            elif gone is not None and name in gone.ids:
                case.out.add(
                    "forgotten-returned", f"{ref} was forgotten and is there again.", path=path, ref=ref
                )
            if name in seen or _holds(there, date, name):
                case.out.add("form-ids", f"The id of {ref} stands there more than once.", path=path, ref=ref)
            seen.add(name)
        if attributes.get("scope") in ("host", "global"):
            _check_layer(case, path, f"{date}#{name}" if name else date, layer_of(attributes))


def _holds(content: bytes, date: str, name: str) -> bool:
    return b"id=%b " % name.encode() in content and name in Day.parse(content, date).ids


def _check_layer(case: Case, path: str, ref: str, layer: str) -> None:
    if layer == "environment" and case.op != "sense":
        case.out.add(
            "environment-unsensed", f"{ref} describes a host and no sensor wrote it.", path=path, ref=ref
        )
    elif layer == "consensus" and not is_admin(case.commit, case.known):
        case.out.add("rights-consensus", f"{ref} is consensus and no admin wrote it.", path=path, ref=ref)
