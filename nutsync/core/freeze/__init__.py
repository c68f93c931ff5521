"""The freeze law, and who may break it: nobody (design §7).

One pure law over what Git stores; hooks, sync, the server and ``verify`` all call it.

* :func:`judge` – one commit, by the rules 1–7 and 9. It wants the commit as
  :class:`nutsync.core.commit.Commit`, its parents' :class:`nutsync.core.ancestry.Ancestry`, and a
  :class:`nutsync.core.ancestry.Past` for what these only name.
* :func:`judge_clock` – rule 6 for those who receive commits, against their own clock.
* :func:`judge_move` – rule 8, for a move of the branch that is no fast-forward.
* :func:`nutsync.core.advance.advance` – the commit's own ancestry, given ``blurred_days(findings)``.

Walking a history, parents before children::

    parents = [ancestries[parent] for parent in commit.parents]
    findings = judge(commit, parents, past)
    ancestries[commit.id] = advance(parents, commit, past, blurred_days(findings))

At the end, a blur whose merge still stands in the tip's ``ancestry.blurs`` was never repaired. A commit that
is not written yet is judged the same way, under a made-up id that ``past`` understands.

The rules, one room each: :mod:`days` (1–3), :mod:`forgets` (2), :mod:`paths` (4), :mod:`form` (5),
:mod:`judge` (6), :mod:`merges`, :mod:`merged_day` and :mod:`merged_settings` (7), :mod:`moves` (8),
:mod:`rights` (9); :mod:`findings` is the table of all that can be said.
"""

from nutsync.core.freeze.findings import DECIDED_BY_MESSAGE, KINDS, Finding, Severity, is_legal
from nutsync.core.freeze.inherited import inherited_faults
from nutsync.core.freeze.judge import blurred_days, judge, judge_clock
from nutsync.core.freeze.moves import judge_move

__all__ = [
    "DECIDED_BY_MESSAGE",
    "KINDS",
    "Finding",
    "Severity",
    "blurred_days",
    "inherited_faults",
    "is_legal",
    "judge",
    "judge_clock",
    "judge_move",
]
