"""pre-commit, pre-merge-commit, prepare-commit-msg and commit-msg: before a commit is there (design §7).

They speak early, while the message is not written or the editor has just been closed; the gate judges
whatever they do not see. On another branch than the memory branch they only warn.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from nutsync import __version__
from nutsync.core.audit import add_stamp, stored_message
from nutsync.core.commit import Commit
from nutsync.core.freeze import Finding
from nutsync.operations.guard import Guard
from nutsync.operations.hooks.draft import judge_draft
from nutsync.operations.hooks.note import drop_note, note_judged
from nutsync.operations.hooks.place import git_of_hook, user_config
from nutsync.operations.hooks.veto import blurs, describe, veto_text, violations, way_out_of_commit
from nutsync.store.clock import Clock
from nutsync.store.repo.git import Git
from nutsync.store.repo.objects import Objects
from nutsync.store.repo.refs import HEADS, head_ref
from nutsync.store.settings import memory_ref, read_settings

STOPPED, PASSED = 1, 0

_TAGGED = frozenset(
    {
        *("today-altered", "frozen-altered", "frozen-front", "frozen-removed", "past-created"),
        *("environment-unsensed", "purge-record"),
    }
)
"""What the right tag in the message allows: not decided before there is a message."""


def pre_commit(clock: Clock, environ: Mapping[str, str], words: Sequence[str] = ()) -> int:
    """Stop what no message can make legal; warn about what depends on the message.

    ``words`` hold the process id of the `git commit` that asks: what was judged is noted for its later hooks.
    """
    git = git_of_hook(environ)
    drop_note(git)
    with Objects(git) as objects:
        guard = Guard(git, objects)
        commit, findings = judge_draft(guard, clock, environ)
        if not _is_free_of_secrets(git, commit, environ):
            return STOPPED
        found = [finding for finding in violations(findings) if _is_known_now(finding)]
        sure = [finding for finding in found if finding.code not in _TAGGED]
        if not sure:
            for finding in [one for one in found if one.code in _TAGGED]:
                _warn(f"{describe(finding)}; the message decides: {finding.hint}")
        if words and not violations(findings) and not blurs(findings) and head_ref(git) == memory_ref(git):
            note_judged(guard, commit, words[0], clock.now(), environ)
        return _answer(git, sure, blurs(findings))


def commit_msg(clock: Clock, environ: Mapping[str, str], words: Sequence[str]) -> int:
    """Judge the commit with its message at hand, stamped where it was not yet."""
    git = git_of_hook(environ)
    path = Path(words[0])
    draft = _stamped(git, path, environ)
    with Objects(git) as objects:
        message = stored_message(draft, _comment_mark(git, draft, environ))
        _, findings = judge_draft(Guard(git, objects), clock, environ, message)
        found = [finding for finding in violations(findings) if _is_known_now(finding)]
        return _answer(git, found, ())


def prepare_commit_msg(environ: Mapping[str, str], words: Sequence[str]) -> int:
    """Stamp who, where and with what on a message that is there already."""
    _stamped(git_of_hook(environ), Path(words[0]), environ)
    return PASSED


def _is_free_of_secrets(git: Git, commit: Commit, environ: Mapping[str, str]) -> bool:
    """Tell whether a commit of the memory branch brings no credential into a day; say where it does.

    A merge brings what is in a history already. Git's own `commit` has no --allow-secret: the environment
    says it.
    """
    if len(commit.changes) != 1 or environ.get("NUTSYNC_ALLOW_SECRET") or head_ref(git) != memory_ref(git):
        return True
    from nutsync.core.cell import date_of_path
    from nutsync.core.errors import ErrSecret
    from nutsync.operations.secrets import refuse_in_day

    for change in commit.changes[0]:
        date = date_of_path(change.path)
        if date is None or change.new is None:
            continue
        try:
            refuse_in_day(date, change.old.content if change.old else None, change.new.content)
        except ErrSecret as error:
            print(f"nutsync: {date}: {error.message} ({error.code})", file=sys.stderr)
            print("  Remove it; if it is none, commit with NUTSYNC_ALLOW_SECRET=1 set.", file=sys.stderr)
            print(f"  {way_out_of_commit(git)}", file=sys.stderr)
            return False
    return True


def _is_known_now(finding: Finding) -> bool:
    """Tell whether a finding can be said before the commit is signed: rights hang on the signature."""
    return not finding.code.startswith(("rights-", "sign"))


def _answer(git: Git, found: Sequence[Finding], blurred: Sequence[Finding]) -> int:
    for finding in blurred:
        _warn(f"{describe(finding)} {finding.hint}")
    if not found:
        return PASSED
    ref, memory = head_ref(git), memory_ref(git)
    if ref is None or ref == memory:
        headline = "this commit would break the freeze law of memory, so it was not made."
        print(veto_text(headline, found, way_out_of_commit(git)), file=sys.stderr)
        return STOPPED if ref is not None else PASSED
    branch = memory.removeprefix(HEADS)
    for finding in found:
        _warn(f"{describe(finding)} Nothing is stopped on this branch; {branch} will not take it.")
    return PASSED


def _stamped(git: Git, path: Path, environ: Mapping[str, str]) -> str:
    """Stamp the message in the file, if it is one, and return what the file says then."""
    settings = read_settings(git, environ)
    draft = path.read_bytes().decode("utf-8", "surrogateescape")
    stamp = {"actor": settings.actor, "device": settings.device, "version": __version__}
    stamped = add_stamp(draft, stamp, _comment_mark(git, draft, environ))
    if stamped != draft:
        path.write_bytes(stamped.encode("utf-8", "surrogateescape"))
    return stamped


def _comment_mark(git: Git, draft: str, environ: Mapping[str, str]) -> str:
    """Return what Git's comments in a draft begin with."""
    mark = user_config(git, "core.commentString", environ) or user_config(git, "core.commentChar", environ)
    if mark == "auto":
        last = draft.rstrip("\n").rpartition("\n")[2][:1]
        return last if last and last in "#;@!$%^&|:" else "#"
    return mark or "#"


def _warn(text: str) -> None:
    print(f"nutsync: {text}", file=sys.stderr)
