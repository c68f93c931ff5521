"""`verify`: the freeze law over the whole history, whatever hooks ran or did not (design §7).

It judges the commits as they are stored, parents first, in one stream, and says what it finds while it goes
on. What a merge blurred is held back until the end, when it is known whether it was repaired. The next
time it goes on from where it ended, unless everything is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from nutsync.core.ancestry import Ancestry
from nutsync.core.cell import date_of_path
from nutsync.core.freeze import Finding, Severity, inherited_faults, judge_move
from nutsync.core.freeze.form import count_markers, sound_start
from nutsync.operations.cell import Cell
from nutsync.operations.guard import Guard
from nutsync.operations.problem import Problem
from nutsync.operations.signatures import Signatures
from nutsync.operations.verified import Verified, read_verified, write_verified
from nutsync.store.files import read_if_there
from nutsync.store.repo.fitness import require_whole
from nutsync.store.repo.git import Git
from nutsync.store.repo.history import Recorded, compare_trees, list_commits, walk
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.refs import branch_ref, is_oid, may_have_refs, resolve_ref

Say = Callable[[Finding | Problem, bool], None]
"""Told of each finding as soon as it is sure; the flag says that a later commit repaired it."""

_ID = re.compile(rb"<!-- nut id=([0-9a-hjkmnp-tv-z]{8})")
_REPLACED = "What plain Git shows is not what is stored; nutsync reads what is stored."


@dataclass
class Report:
    """What a verification came to. ``since`` is the commit from which it went on, empty for the beginning."""

    commits: int = 0
    merges: int = 0
    tip: str = ""
    since: str = ""
    ok: bool = True
    found: list[tuple[Finding | Problem, bool]] = field(default_factory=list)

    def as_json(self) -> dict[str, object]:
        """Return the document of design §11."""
        findings = [{**one.as_json(), **({"repaired": True} if mended else {})} for one, mended in self.found]
        return {
            "ok": self.ok,
            "commits": self.commits,
            "merges": self.merges,
            "tip": self.tip,
            "since": self.since,
            "findings": findings,
        }


def verify(cell: Cell, *, full: bool = False, say: Say | None = None) -> Report:
    """Judge the history of the memory branch; ``full`` trusts nothing that was worked out before.

    Raises :class:`ErrShallow` in a clone without its whole history, :class:`ErrGit` where objects are
    missing or damaged.
    """
    git = cell.git
    require_whole(git)
    tip = resolve_ref(git, branch_ref(cell.branch))
    verifier = _Verifier(git, say or _quiet, fresh=full)
    for problem in _disguises(git):
        verifier.add(problem)
    if tip is not None:
        with Objects(git) as objects:
            verifier.run(objects, tip, branch_ref(cell.branch), None if full else read_verified(git))
    return verifier.report


class _Verifier:
    def __init__(self, git: Git, say: Say, *, fresh: bool) -> None:
        self.git = git
        self.say = say
        self.fresh = fresh
        self.report = Report()
        self.standing: list[Finding] = []
        self.blurred: list[Finding] = []
        self.suspects: dict[str, None] = {}

    def add(self, found: Finding | Problem, repaired: bool = False) -> None:
        """Take a finding that is sure into the report, and say it."""
        self.report.found.append((found, repaired))
        if not repaired and found.severity != Severity.NOTICE:
            self.report.ok = False
        self.say(found, repaired)

    def run(self, objects: Objects, tip: str, ref: str, before: Verified | None) -> None:
        """Judge what is new since ``before`` and bring the report to its end."""
        guard = Guard(self.git, objects)
        if before is not None:
            self._go_on_from(before, tip)
        if before is None or before.tip != tip:
            self._judge_all(guard, tip, [] if before is None else [before.tip])
        seen = [] if before is None else [before.tip]
        for earlier in dict.fromkeys([*seen, *unlogged_moves(self.git, ref, tip)]):
            if not _is_ancestor(self.git, earlier, tip):
                self._judge_move(guard, earlier, tip)
        self._settle(objects, tip, guard.ancestry(tip))
        guard.keep(tip)
        report = self.report
        report.tip = tip
        standing = (*self.standing, *self.blurred)
        write_verified(self.git, Verified(tip, report.commits, report.merges, standing, report.ok))

    def _go_on_from(self, before: Verified, tip: str) -> None:
        """Take over what the last verification found of commits that are still in the history."""
        self.report.since = before.tip
        self.report.commits, self.report.merges = before.commits, before.merges
        standing = list(before.standing)
        if standing and before.tip != tip and not _is_ancestor(self.git, before.tip, tip):
            there = set(list_commits(self.git, [tip]))
            standing = [finding for finding in standing if finding.commit in there]
        for finding in standing:
            self._take(finding)

    def _judge_all(self, guard: Guard, tip: str, known: Sequence[str]) -> None:
        """Judge every commit that is new."""
        guard.expect(tip)
        signatures = Signatures(self.git, fresh=self.fresh)
        for batch in signatures.check(walk(self.git, [tip], known)):
            contents = guard.read_ahead([one for one, _ in batch])
            for one, signature in batch:
                unsigned = one.commit.signature is None  # the guard tells whether a purge took it off
                commit, findings = guard.judge_commit(one, None if unsigned else signature)
                self.report.commits += 1
                self.report.merges += len(commit.parents) > 1
                for finding in findings:
                    self._take(finding)
            self._suspect([one for one, _ in batch], contents)
        signatures.save()

    def _take(self, finding: Finding) -> None:
        if finding.severity is Severity.BLUR:
            self.blurred.append(finding)
            return
        if finding.severity is Severity.VIOLATION:
            self.standing.append(finding)
        self.add(finding)

    def _suspect(self, batch: Iterable[Recorded], contents: Mapping[str, bytes]) -> None:
        """Note days whose form may be faulty, told from the bytes; a later version may be sound again."""
        for one in batch:
            for change in one.changes[0] if one.changes else ():
                date = date_of_path(change.path)
                content = contents.get(change.new) if date is not None else None
                if date is not None and content is not None and _may_be_faulty(content, date):
                    self.suspects[change.path] = None

    def _judge_move(self, guard: Guard, earlier: str, tip: str) -> None:
        """Judge a move of the branch that history does not show: it was once at ``earlier``."""
        objects = guard.objects
        if objects.read(earlier) is None:
            hint = "A purge explains it; else it was moved by hand, and a backup may hold what is lost."
            message = (
                f"The branch was at {earlier[:12]} once, which is neither in its history nor here any more."
            )
            self.add(Problem("move-unseen", message, hint, severity="notice"))
            return
        trees = compare_trees(objects.tree, objects.commit(earlier).tree, objects.commit(tip).tree)
        old, new = guard.ancestry(earlier), guard.ancestry(tip)
        for finding in judge_move(tip, guard.as_changes(trees), old, new, guard.past):
            if finding not in self.standing:
                self._take(finding)

    def _settle(self, objects: Objects, tip: str, ancestry: Ancestry) -> None:
        """Say what only the end can tell: which blurs were repaired, which faults of form last."""
        left = {(date, blur.merge) for date, blurs in ancestry.blurs.items() for blur in blurs}
        for finding in self.blurred:
            self.add(finding, (date_of_path(finding.path), finding.commit) not in left)
        for path in self.suspects:
            content = objects.file(tip, path)
            for fault in inherited_faults(tip, path, content) if content is not None else ():
                self.add(fault)


def unlogged_moves(git: Git, ref: str, tip: str) -> list[str]:
    """Return the commits that a branch stood on before it was moved without Git's knowledge.

    Git's own log of the branch tells: each line begins where the one before ended. Empty where the clone
    keeps no log.
    """
    content = (read_if_there(git.common_dir / "logs" / ref) or b"").decode("utf-8", "surrogateescape")
    found, stood = [], ""
    for line in content.splitlines():
        old, _, rest = line.partition(" ")
        if stood and old != stood and is_oid(stood):
            found.append(stood)
        stood = rest.partition(" ")[0]
    if stood and stood != tip and is_oid(stood):
        found.append(stood)
    return [commit for commit in found if commit != git.zero]


def _is_ancestor(git: Git, commit: str, tip: str) -> bool:
    return commit == tip or git.run("merge-base", "--is-ancestor", commit, tip, check=False).code == 0


def _may_be_faulty(content: bytes, date: str) -> bool:
    names = _ID.findall(content)
    return sound_start(content, date) < 0 or count_markers(content) > 0 or len(set(names)) < len(names)


def _disguises(git: Git) -> list[Problem]:
    """Return what makes plain Git show another history than the one that is stored and judged here."""
    problems = []
    if may_have_refs(git, "refs/replace/"):
        replaced = len(git.run("for-each-ref", "--format=%(refname)", "refs/replace/").out.split())
        if replaced:
            message = f"{replaced} objects are replaced for plain Git (refs/replace)."
            problems.append(Problem("replaced", message, _REPLACED, severity="notice"))
    if read_if_there(git.common_dir / "info" / "grafts"):
        message = "Parents of commits are grafted for plain Git (info/grafts)."
        problems.append(Problem("grafted", message, _REPLACED, severity="notice"))
    return problems


def _quiet(found: Finding | Problem, repaired: bool) -> None:
    """Say nothing."""
