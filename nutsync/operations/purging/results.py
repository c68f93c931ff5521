"""What a purge would do, and what it did, as front ends tell it."""

from __future__ import annotations

from dataclasses import dataclass

from nutsync.core.errors import EXIT_FINDINGS, ErrRemote, NutsyncError
from nutsync.core.sync_plan import Synced
from nutsync.operations.forget import Forgotten

DONE, PENDING, INCOMPLETE = "done", "pending", "incomplete"


@dataclass(frozen=True)
class PurgePreview:
    """What a purge would do: forget these, rewrite those, and whose commits and refs would change too.

    ``earlier`` are refs of what these had replaced: history holds on to that until it is purged, too.
    """

    forgotten: Forgotten | None
    long_gone: tuple[str, ...]
    commits: int
    others: tuple[str, ...]
    shared: bool
    earlier: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return the document of a forget (design §11), with what would be rewritten."""
        gone = [one.target.ref for one in self.forgotten.plan.gone] if self.forgotten else []
        return {
            **_forgotten(self.forgotten),
            "purged": [*self.long_gone, *gone],
            "rewritten": self.commits,
            "refs": list(self.others),
            "shared": self.shared,
            "earlier": list(self.earlier),
        }


@dataclass(frozen=True)
class Purged:
    """What a purge did: ``result`` is done, pending (not sent yet) or incomplete (text is left).

    ``proof`` says what was searched in vain, ``pending`` which enrolled devices are still to follow,
    ``earlier`` what these had replaced and history still holds.
    """

    forgotten: Forgotten | None
    refs: tuple[str, ...]
    commit: str | None
    result: str
    leftovers: tuple[str, ...] = ()
    proof: str = ""
    pending: tuple[str, ...] = ()
    synced: Synced | None = None
    problem: NutsyncError | None = None
    earlier: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 once the text is gone here and at the remote's branch; 1 where some is left, 5 while pending."""
        return {DONE: 0, INCOMPLETE: EXIT_FINDINGS, PENDING: ErrRemote.exit_code}[self.result]

    def as_json(self) -> dict[str, object]:
        """Return the document of a forget (design §11), with what became of the purge."""
        return {
            **_forgotten(self.forgotten),
            "commit": self.commit,
            "purged": list(self.refs),
            "result": self.result,
            "leftovers": list(self.leftovers),
            "proof": self.proof,
            "pending": list(self.pending),
            "earlier": list(self.earlier),
            "problem": self.problem.as_json()["error"] if self.problem else None,
            "sync": self.synced.result if self.synced else None,
        }


def _forgotten(forgotten: Forgotten | None) -> dict[str, object]:
    if forgotten is None:
        return {"forgotten": [], "days": [], "commit": None}
    return forgotten.as_json()
