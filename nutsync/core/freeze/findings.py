"""Findings: what the freeze law can say of a commit, in one table (design §7)."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Severity(StrEnum):
    """How much a finding weighs."""

    VIOLATION = "violation"
    """Something was lost, altered or forged. Stops a commit, a merge and a push."""
    BLUR = "blur"
    """Git's own union blurred a merge. Passes with a warning, and a repair puts it right."""
    NOTICE = "notice"
    """Worth knowing; breaks nothing."""


class Kind(NamedTuple):
    """One sort of finding: the rule of design §7 (0: none of the nine), its weight, and what to do."""

    rule: int
    severity: Severity
    hint: str


_V, _B, _N = Severity.VIOLATION, Severity.BLUR, Severity.NOTICE

_CORRECT = "Say what is right with `nutsync correct`, or let `nutsync forget` remove the entry."
_APPEND = "Add to today's file with `nutsync append`; `nutsync append --from DATE` moves what was found late."
_FORGET = "`nutsync forget --reason` removes exactly the entries that it names."
_SYNC = "Merge with `nutsync sync`: it keeps every entry of both sides."
_SYNC_REPAIRS = "The next `nutsync sync` of an armed clone puts this right."
_ADMIN = "Ask an admin of this cell to do it."
_FORM = "`nutsync doctor` says what the file should look like."

REWRITTEN = (
    "This looks like a squashed, rebased or cherry-picked branch, and only the original commits prove when an"
    " entry was written. Join the branch itself, by `nutsync sync` where it is or by a merge commit. Where"
    " the remote's branch holds this commit already, its owner first moves that branch back to the commit"
    " before it; no clone loses an entry by that. A host can be told to allow merge commits alone."
)
"""The cure that fits instead of a rule's own where the entries show that they were committed before."""

KINDS: dict[str, Kind] = {
    # 1: today's file
    "today-altered": Kind(1, _V, _CORRECT),
    # 2: frozen days, forgets, imports
    "frozen-altered": Kind(2, _V, _CORRECT),
    "frozen-added": Kind(2, _V, _APPEND),
    "frozen-front": Kind(2, _V, "A frozen day keeps its index and the rest of its frontmatter."),
    "frozen-removed": Kind(2, _V, _FORGET),
    "past-created": Kind(2, _V, "Past days come in with `nutsync import`, or late through a merge."),
    "forget-unnamed": Kind(2, _V, _FORGET),
    "forget-kept": Kind(2, _V, "A forget removes every entry that it names."),
    "forget-added": Kind(2, _V, "A forget adds nothing but the replacement of an entry that it names."),
    "forget-front": Kind(2, _V, "A forget makes the index anew; it adds nothing else to the frontmatter."),
    "import-existing": Kind(2, _V, "An import creates days; it never touches one that is there."),
    "import-emptied": Kind(2, _V, "What a forget emptied stays empty."),
    "import-unmarked": Kind(2, _V, "Every entry that an import brings says formation=imported."),
    "environment-unsensed": Kind(2, _V, "Environment entries are written by `nutsync sense` alone."),
    "forgotten-returned": Kind(2, _V, "What was forgotten stays forgotten; say it anew if it is wanted."),
    "purged-returned": Kind(2, _V, "What was purged never comes back."),
    # 3: the future
    "future-day": Kind(3, _V, "Only the day that is today where the commit was made can be written to."),
    # 4: paths
    "path-stray": Kind(4, _V, "archive/ holds <YYYY>/<YYYY-MM-DD>.md alone; keep the file elsewhere."),
    "path-case": Kind(4, _V, "Write the path exactly as it is: some file systems tell no case."),
    "path-mode": Kind(4, _V, "Files of the cell are plain files that are not executable."),
    "path-session": Kind(4, _V, "Session entries do not outlive their session; they are never committed."),
    "path-derived": Kind(4, _N, "Catalogs are derived; leave them out of Git."),
    # 5: form
    "form-front": Kind(5, _V, _FORM),
    "form-date": Kind(5, _V, _FORM),
    "form-index": Kind(5, _V, "The index is one quoted line without tabs or control characters."),
    "form-markers": Kind(5, _V, "Take the conflict markers out; keep the text of both sides."),
    "form-ids": Kind(5, _V, "Every entry has an id of its own."),
    # 6: dates
    "dates-apart": Kind(
        6,
        _V,
        "Author and committer date of a commit to memory agree within 15 minutes: amend or rebase changed"
        " one of them. Make the change anew instead.",
    ),
    "clock-ahead": Kind(6, _V, "Set the clock; `nutsync doctor --fix` re-dates what was not pushed."),
    # 7: merges
    "merge-lost": Kind(7, _V, _SYNC),
    "merge-altered": Kind(7, _V, _SYNC),
    "merge-added": Kind(7, _V, "A merge adds nothing of its own. Make the addition a commit of its own."),
    "merge-settings": Kind(7, _V, "Outside the archive a merge takes the newer side's file as it is."),
    "merge-returned": Kind(7, _B, _SYNC_REPAIRS),
    "merge-doubled": Kind(7, _B, _SYNC_REPAIRS),
    "merge-torn": Kind(7, _B, _SYNC_REPAIRS),
    "merge-order": Kind(7, _B, _SYNC_REPAIRS),
    "merge-front": Kind(7, _B, _SYNC_REPAIRS),
    "repair-wrong": Kind(7, _V, "`nutsync sync` makes repairs; they give exactly what the merge law gives."),
    # 8: moves of the branch
    "move-lost": Kind(8, _V, "The branch would lose this entry. Merge instead of moving it."),
    "move-unforgot": Kind(8, _V, "The branch would lose a forget. Merge instead of moving it."),
    "move-unborn": Kind(8, _V, "The branch would lose the whole cell."),
    # 9: rights
    "rights-consensus": Kind(9, _V, _ADMIN),
    "rights-admins": Kind(9, _V, _ADMIN),
    "rights-zone": Kind(9, _V, _ADMIN),
    "zone-unknown": Kind(
        9, _V, "Name a zone of the tz database, such as Asia/Shanghai; or update this machine's."
    ),
    "rights-device": Kind(9, _V, "A device's file is made and changed by its own key, or by an admin."),
    "cell-malformed": Kind(9, _V, "nutsync cannot read this file; take the change back."),
    "cell-removed": Kind(9, _V, "The cell needs this file; put it back."),
    "purge-record": Kind(9, _V, "Purge records are made by `nutsync forget --purge`, and stay."),
    "signature-bad": Kind(9, _V, "The commit is not what was signed."),
    # worth knowing
    "unsigned": Kind(0, _N, "`nutsync doctor` says why this device does not sign."),
    "signer-unknown": Kind(0, _N, "The key that signed is not enrolled here, or was revoked."),
    "signature-lost": Kind(0, _N, "A purge rewrote this commit, which takes its signature off."),
    "device-differs": Kind(0, _N, "The commit names another device than the one that signed it."),
    "unstamped": Kind(0, _N, "The commit was made without nutsync's hooks: `nutsync hooks install`."),
    "late": Kind(0, _N, "Entries that were written on their day and came later are legal."),
    "inherited-fault": Kind(5, _N, "It may stay; `nutsync forget --edited` takes over what you mend."),
    "second-birth": Kind(0, _N, "Two cells were born apart and are one now; look at what came."),
}


DECIDED_BY_MESSAGE = frozenset(
    {
        "today-altered",
        "frozen-altered",
        "frozen-front",
        "frozen-removed",
        "past-created",
        "environment-unsensed",
        "rights-consensus",
        "rights-admins",
        "rights-zone",
        "rights-device",
        "purge-record",
    }
)
"""What a commit's message may make legal, by the operation, the targets or the actor that it names. Who looks
at a commit before it has a message can only warn of these."""


class Finding(NamedTuple):
    """One thing that is wrong with, or worth knowing of, a commit. Never holds memory text.

    ``ref`` is an entry or a day, ``path`` a file; either may be empty.
    """

    code: str
    commit: str
    message: str
    path: str = ""
    ref: str = ""
    hint: str = ""

    @property
    def rule(self) -> int:
        return KINDS[self.code].rule

    @property
    def severity(self) -> Severity:
        return KINDS[self.code].severity

    def as_json(self) -> dict[str, object]:
        """Return the finding with the keys of design §11."""
        return {
            "commit": self.commit,
            "path": self.path,
            "ref": self.ref,
            "code": self.code,
            "rule": self.rule,
            "severity": self.severity.value,
            "message": self.message,
            "hint": self.hint,
        }


class Findings:
    """Collects the findings of one commit."""

    def __init__(self, commit: str) -> None:
        self._commit = commit
        self.all: list[Finding] = []

    def add(self, code: str, message: str, *, path: str = "", ref: str = "", hint: str = "") -> None:
        """Note one finding; its hint is the table's unless another is given."""
        self.all.append(Finding(code, self._commit, message, path, ref, hint or KINDS[code].hint))


def is_legal(findings: list[Finding]) -> bool:
    """Tell whether none of the findings is a violation."""
    return all(finding.severity is not Severity.VIOLATION for finding in findings)
