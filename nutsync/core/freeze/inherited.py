"""Faults of form that no commit under judgement made worse: ``verify`` lists them (rule 5)."""

from __future__ import annotations

from nutsync.core.cell import date_of_path
from nutsync.core.day import Day
from nutsync.core.freeze.findings import Finding, Findings
from nutsync.core.freeze.form import form_of, sound_start


def inherited_faults(commit: str, path: str, content: bytes) -> list[Finding]:
    """Return the faults of one file of the archive as it stands in ``commit``; none are violations."""
    out = Findings(commit)
    date = date_of_path(path)
    if date is None:
        out.add("inherited-fault", f"{path} is no day file.", path=path)
        return out.all
    if sound_start(content, date) >= 0 and b"<<<<<<<" not in content and content.count(b" id=") < 2:
        return out.all
    form = form_of(Day.parse(content, date))
    messages = list(form.faults.values())
    messages += ["there are conflict markers"] if form.markers else []
    messages += [f"the id {name} stands there more than once" for name in sorted(form.doubled)]
    for message in messages:
        out.add("inherited-fault", f"In {date} {message}.", path=path, ref=date)
    return out.all
